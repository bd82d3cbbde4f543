/** The mapping of the signals of a DBC file to signals of the gateway: suggestions, unit conversion, and the stored layout. */

import type { SignalName } from '#contract/base/signals.ts';
import { conversionOf } from '#contract/base/units.ts';
import type { DbcLayout, MappedSignal } from '#contract/fleet/dbc.ts';
import { pgnOf } from '#domain/j1939/identifier.ts';
import { PARAMETERS } from '#domain/j1939/parameters.ts';
import type { LiveTarget } from '#domain/machine/evidence.ts';
import { compileDbc, type DbcPlan } from './compile.ts';
import type { Dbc, DbcMessage, DbcSignal } from './model.ts';

/** Returns the identifier of a message as hexadecimal text: 8 digits for 29 bits, 3 digits for 11 bits. */
export function idText(id: number, isExtended: boolean): string {
  return id
    .toString(16)
    .toUpperCase()
    .padStart(isExtended ? 8 : 3, '0');
}

/**
 * Suggests a mapping. It suggests a signal if the gateway itself decodes the SPN of the signal, and if the unit of the signal can be
 * converted to the gateway's unit. In a J1939 message the PGN must be the same too.
 */
export function suggestMapping(messages: readonly DbcMessage[]): Pick<MappedSignal, 'message' | 'signal' | 'to'>[] {
  return messages.flatMap((message) =>
    message.signals.flatMap(({ name, spn, unit }) => {
      const row = PARAMETERS.find(
        (one) => one.spn === spn && one.signal !== null && (!message.j1939 || one.pgn === pgnOf(message.id)),
      );
      if (row?.signal == null || conversionOf(unit, row.signal) === undefined) return [];
      return [{ message: message.name, signal: name, to: row.signal }];
    }),
  );
}

/**
 * Returns the part of a file that live decoding needs, as JSON: the messages with mapped signals, these signals, and their multiplexors.
 */
export function layoutOf(dbc: Dbc, mapping: readonly MappedSignal[]): DbcLayout {
  return dbc.messages.flatMap((message) => {
    const wanted = new Set(mapping.filter((one) => one.message === message.name).map(({ signal }) => signal));
    if (wanted.size === 0) return [];
    const byName = new Map(message.signals.map((signal) => [signal.name, signal]));
    for (const name of wanted) {
      const by = byName.get(name)?.selector?.by;
      if (by !== undefined) wanted.add(by);
    }
    const signals = message.signals.filter(({ name }) => wanted.has(name)).map(packed);
    return [{ ...message, comment: '', signals }];
  });
}

/** Returns a signal as JSON. It keeps only the value names of the two largest raw values, which may mean "error" and "not available". */
function packed({ labels, ...signal }: DbcSignal): Record<string, unknown> {
  const top = 2 ** signal.bits - 1;
  return { ...signal, comment: '', labels: [...labels].filter(([value]) => value >= top - 1) };
}

/** An active DBC file, compiled for decoding. */
export interface LiveDbc {
  readonly id: string;
  readonly plan: DbcPlan;
  /**
   * For each signal of the plan (the compiled file), the signal of the gateway to which it is mapped; undefined for a multiplexor that is
   * not mapped.
   */
  readonly targets: readonly (LiveTarget | undefined)[];
}

// Several sources may send one signal of the gateway; the source with the lowest rank provides its value. A mapped signal has one of these
// two ranks: the first if its mapping is marked as preferred, otherwise the second. The J1939 parameters that the gateway decodes without a
// DBC file have ranks between these two.
const PREFERRED_RANK = -1;
const FALLBACK_RANK = 50;

/** Compiles the stored layout of an active file, with the conversion of each mapped signal. */
export function openLayout(id: string, layout: DbcLayout, mapping: readonly MappedSignal[]): LiveDbc {
  const messages = (layout as unknown as Packed[]).map((message) => ({
    ...message,
    signals: message.signals.map((signal) => ({ ...signal, labels: new Map(signal.labels) })),
  }));
  const plan = compileDbc({ version: '', nodes: [], messages, notes: [] });
  const targets = plan.signals.map(({ message, signal }) => {
    const mapped = mapping.find((one) => one.message === message.name && one.signal === signal.name);
    if (mapped === undefined) return undefined;
    const to = mapped.to as SignalName;
    const conversion = conversionOf(mapped.unit ?? signal.unit, to);
    if (conversion === undefined) return undefined;
    const source = `${id} ${message.name}.${signal.name}`;
    const rank = mapped.preferred ? PREFERRED_RANK : FALLBACK_RANK;
    const key = keyOf(`${message.name}.${signal.name}${mapped.preferred ? '!' : ''}`);
    return { to, ...conversion, rank, key, pgn: message.j1939 ? pgnOf(message.id) : -1, source };
  });
  return { id, plan, targets };
}

type Packed = Omit<DbcMessage, 'signals'> & {
  readonly signals: readonly (Omit<DbcSignal, 'labels'> & { readonly labels: [number, string][] })[];
};

/** Returns the hash of a name (FNV-1a over its UTF-16 units) as a number below -1, so that it is neither NONE nor an SPN. */
function keyOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  return -2 - (hash >>> 2);
}
