/** Signals of a DBC as ours: whether a unit fits, what conversion it takes, and the part of a file that live decoding needs. */
import type { DbcLayout, MappedSignal } from '#contract/dbc.ts';
import { type SignalName, signalRow } from '#contract/signals.ts';
import { compileDbc, type DbcPlan } from './dbc-compile.ts';
import type { Dbc, DbcMessage, DbcSignal } from './dbc-model.ts';
import { pgnOf } from './j1939-identifier.ts';
import { PARAMETERS } from './j1939-parameters.ts';

/** A number in the unit of the file times `factor` plus `offset` is one in ours. */
interface Conversion {
  readonly factor: number;
  readonly offset: number;
}

type Spelling = readonly [unit: string, factor: number, offset?: number];

/** What files write for each unit of ours, lower case without blanks and points. */
const SPELLINGS: Readonly<Record<string, readonly Spelling[]>> = {
  rpm: [
    ['rpm', 1],
    ['1/min', 1],
    ['u/min', 1],
    ['r/min', 1],
    ['min-1', 1],
    ['rad/s', 30 / Math.PI],
  ],
  '%': [
    ['%', 1],
    ['percent', 1],
    ['pct', 1],
  ],
  'L/h': [
    ['l/h', 1],
    ['l/hr', 1],
    ['lph', 1],
    ['gal/h', 3.785411784],
    ['gph', 3.785411784],
    ['ml/s', 3.6],
  ],
  '°C': [
    ['°c', 1],
    ['degc', 1],
    ['c', 1],
    ['celsius', 1],
    ['k', 1, -273.15],
    ['°f', 5 / 9, -160 / 9],
    ['degf', 5 / 9, -160 / 9],
    ['f', 5 / 9, -160 / 9],
  ],
  kPa: [
    ['kpa', 1],
    ['pa', 0.001],
    ['hpa', 0.1],
    ['mbar', 0.1],
    ['bar', 100],
    ['psi', 6.894757293168],
    ['mpa', 1_000],
  ],
  h: [
    ['h', 1],
    ['hr', 1],
    ['hrs', 1],
    ['hour', 1],
    ['hours', 1],
    ['min', 1 / 60],
    ['s', 1 / 3_600],
    ['sec', 1 / 3_600],
  ],
  L: [
    ['l', 1],
    ['litre', 1],
    ['liter', 1],
    ['ml', 0.001],
    ['m3', 1_000],
    ['gal', 3.785411784],
  ],
  km: [
    ['km', 1],
    ['m', 0.001],
    ['mi', 1.609344],
    ['mile', 1.609344],
    ['miles', 1.609344],
  ],
  'km/h': [
    ['km/h', 1],
    ['kmh', 1],
    ['kph', 1],
    ['m/s', 3.6],
    ['mph', 1.609344],
    ['mi/h', 1.609344],
  ],
  t: [
    ['t', 1],
    ['tonne', 1],
    ['kg', 0.001],
    ['lb', 0.00045359237],
    ['lbs', 0.00045359237],
  ],
  V: [
    ['v', 1],
    ['volt', 1],
    ['mv', 0.001],
  ],
  '°': [
    ['°', 1],
    ['deg', 1],
    ['degree', 1],
    ['degrees', 1],
    ['rad', 180 / Math.PI],
  ],
};

/** How a number in a file's unit becomes one of ours; undefined where it cannot. */
export function conversionOf(unit: string, to: SignalName): Conversion | undefined {
  const plain = unit.toLowerCase().replace(/[\s.]/g, '').replace('º', '°');
  const found = SPELLINGS[signalRow(to).unit]?.find(([spelling]) => spelling === plain);
  return found && { factor: found[1], offset: found[2] ?? 0 };
}

/** Units that can become that of a signal. */
export function unitsOf(to: SignalName): string[] {
  return (SPELLINGS[signalRow(to).unit] ?? []).map(([unit]) => unit);
}

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

/** One target of live decoding. */
export interface LiveTarget {
  readonly to: SignalName;
  readonly factor: number;
  readonly offset: number;
  /** Before what the gateway reads by itself, or after it. */
  readonly rank: number;
  /** Stands where a parameter has its SPN: negative, the same in all versions. */
  readonly key: number;
  /** -1 where the message is no parameter group. */
  readonly pgn: number;
  /** Which version, message and signal the number came by. */
  readonly source: string;
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
