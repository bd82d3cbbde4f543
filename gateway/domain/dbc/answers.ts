/** What is answered about a DBC: its size, its signals, what is wrong with a mapping, and what its numbers are in ours. */

import { isPlausible, isSignal, type SignalName, signalRow } from '#contract/base/signals.ts';
import { conversionOf, unitsOf } from '#contract/base/units.ts';
import type { MappingFault } from '#contract/context.ts';
import type { MappedSignal } from '#contract/fleet/dbc.ts';
import { pgnOf } from '#domain/j1939/identifier.ts';
import { idText, suggestMapping } from './mapping.ts';
import type { Dbc } from './model.ts';
import type { DbcTrialOptions } from './trial.ts';

/** What the list of versions says of a file. */
export function factsOf(dbc: Dbc) {
  return {
    file_version: dbc.version.slice(0, 200),
    messages: dbc.messages.length,
    signals: dbc.messages.reduce((sum, { signals }) => sum + signals.length, 0),
    notes: [...dbc.notes],
  };
}

/** The signals whose name, or that of their message, has `q` in it, and the mapping that the file itself suggests. */
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

/** What of a mapping maps nothing: names that the file has not, units that do not fit. */
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
    const stands = `${name} is in ${written === '' ? 'no unit' : `"${written}"`}, and ${to} is in ${signalRow(to).unit}`;
    return [{ at, message: `${stands}: say its \`unit\` where the file does not.`, units: unitsOf(to) }];
  });
}

/** What a number of a mapped signal is in our unit, and whether ours can have it; undefined for one that is not mapped. */
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
