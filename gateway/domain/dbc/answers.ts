/** The parts of API answers about a DBC file: its size, its signals, the faults of a mapping, and the check of converted values. */

import { isPlausible, isSignal, type SignalName, signalRow } from '#contract/base/signals.ts';
import { conversionOf, unitsOf } from '#contract/base/units.ts';
import type { MappingFault } from '#contract/context.ts';
import type { MappedSignal } from '#contract/fleet/dbc.ts';
import { pgnOf } from '#domain/j1939/identifier.ts';
import { idText, suggestMapping } from './mapping.ts';
import type { Dbc } from './model.ts';
import type { DbcTrialOptions } from './trial.ts';

/** Returns the fields of one DBC file that the list of DBC versions shows. */
export function factsOf(dbc: Dbc) {
  return {
    file_version: dbc.version.slice(0, 200),
    messages: dbc.messages.length,
    signals: dbc.messages.reduce((sum, { signals }) => sum + signals.length, 0),
    notes: [...dbc.notes],
  };
}

/**
 * Lists the signals that have the text `q` in their name `message.signal`, in upper or lower case. Suggests a mapping for each signal with
 * an SPN that the gateway knows.
 */
export function listSignals({ messages }: Dbc, q: string | undefined, bounds: { rows: number; suggested: number }) {
  const wanted = q?.toLowerCase();
  const rows = messages.flatMap((message) =>
    message.signals
      .filter(({ name }) => wanted === undefined || `${message.name}.${name}`.toLowerCase().includes(wanted))
      .map(({ name, unit, spn, comment }) => ({
        message: message.name,
        id: idText(message.id, message.extended),
        pgn: message.j1939 ? pgnOf(message.id) : null,
        signal: name,
        unit,
        spn,
        comment: comment.slice(0, 500),
      })),
  );
  const suggested = suggestMapping(messages).slice(0, bounds.suggested);
  return { total: rows.length, data: rows.slice(0, bounds.rows), suggested };
}

/** Returns the entries of a mapping that cannot work: unknown or repeated signals, and units that cannot be converted. */
export function mappingFaults(dbc: Dbc, mapping: readonly MappedSignal[]): MappingFault[] {
  const seen = new Set<string>();
  return mapping.flatMap(({ message, signal, to, unit }, at) => {
    const name = `${message}.${signal}`;
    const found = dbc.messages.find((one) => one.name === message)?.signals.find((one) => one.name === signal);
    const isTwice = seen.has(name);
    seen.add(name);
    if (isTwice) return [{ at, message: `${name} is mapped twice.`, units: [] }];
    if (found === undefined) return [{ at, message: `There is no signal ${name} in this file.`, units: [] }];
    const written = unit ?? found.unit;
    if (!isSignal(to) || conversionOf(written, to) !== undefined) return [];
    const given = written === '' ? 'no unit' : `the unit "${written}"`;
    const needs = `${to} needs a unit that converts to ${signalRow(to).unit}`;
    return [{ at, message: `${name} has ${given}, but ${needs}. Set \`unit\` in the mapping.`, units: unitsOf(to) }];
  });
}

/**
 * Returns the option `convert` of `tryDbc`. `tryDbc` calls this function for each signal of the file. For a signal that is mapped to a
 * signal of the gateway, the function returns the name of the gateway's signal and a check. The check converts a value to the gateway's
 * unit and tells whether the value is plausible. The function returns undefined for a signal that is not mapped, or if the unit of the
 * signal cannot be converted.
 */
export function toOurs(mapping: readonly MappedSignal[]): DbcTrialOptions['convert'] {
  const byName = new Map(mapping.map((one) => [`${one.message}.${one.signal}`, one]));
  return (message, signal, unit) => {
    const mapped = byName.get(`${message}.${signal}`);
    if (mapped === undefined) return undefined;
    const to = mapped.to as SignalName;
    const conversion = conversionOf(mapped.unit ?? unit, to);
    if (conversion === undefined) return undefined;
    return { to, isPlausible: (value) => isPlausible(to, value * conversion.factor + conversion.offset) };
  };
}
