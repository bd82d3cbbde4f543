/** Signals of a DBC as ours: whether a unit fits, what conversion it takes, and the part of a file that live decoding needs. */

import type { SignalName } from '#contract/base/signals.ts';
import { conversionOf } from '#contract/base/units.ts';
import type { DbcLayout, MappedSignal } from '#contract/fleet/dbc.ts';
import { pgnOf } from '#domain/j1939/identifier.ts';
import { PARAMETERS } from '#domain/j1939/parameters.ts';
import type { LiveTarget } from '#domain/machine/evidence.ts';
import { compileDbc, type DbcPlan } from './compile.ts';
import type { Dbc, DbcMessage, DbcSignal } from './model.ts';

/** The identifier of a message as people write it. */
export function idText(id: number, isExtended: boolean): string {
  return id
    .toString(16)
    .toUpperCase()
    .padStart(isExtended ? 8 : 3, '0');
}

/** Which signals may be ours: the SPN is one that the gateway itself reads, in this group where the message has one, and the unit fits. */
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

/** The messages with mapped signals and what selects these, as JSON keeps them. */
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

/** Of the names of values only the two count that stand where J1939 has an error and nothing. */
function packed({ labels, ...signal }: DbcSignal): Record<string, unknown> {
  const top = 2 ** signal.bits - 1;
  return { ...signal, comment: '', labels: [...labels].filter(([value]) => value >= top - 1) };
}

/** A file that is active, ready to decode. */
export interface LiveDbc {
  readonly id: string;
  readonly plan: DbcPlan;
  /** By signal of the plan; undefined for what only selects. */
  readonly targets: readonly (LiveTarget | undefined)[];
}

const PREFERRED_RANK = -1;
const SILENT_RANK = 50;

/** Makes a decoder of what `layoutOf` kept. */
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
    const rank = mapped.preferred ? PREFERRED_RANK : SILENT_RANK;
    const key = keyOf(`${message.name}.${signal.name}${mapped.preferred ? '!' : ''}`);
    return { to, ...conversion, rank, key, pgn: message.j1939 ? pgnOf(message.id) : -1, source };
  });
  return { id, plan, targets };
}

type Packed = Omit<DbcMessage, 'signals'> & {
  readonly signals: readonly (Omit<DbcSignal, 'labels'> & { readonly labels: [number, string][] })[];
};

/** A number below -1 for a name (FNV-1a over its units). */
function keyOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  return -2 - (hash >>> 2);
}
