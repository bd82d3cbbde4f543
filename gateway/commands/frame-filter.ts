/** Selects frames of a log by the bus, identifier, parameter group and time that the flags give. */

import { FrameBatch } from '#contract/fleet/frame.ts';
import { groupName } from '#domain/j1939/groups.ts';
import { pgnOf } from '#domain/j1939/identifier.ts';
import { EXIT } from '#process/supervisor.ts';
import { CommandError } from './command-line.ts';

/** The values, as text, of the flags that select frames. */
export interface FilterArgs {
  readonly bus?: string | undefined;
  readonly id?: string | undefined;
  readonly pgn?: string | undefined;
  readonly from?: string | undefined;
  readonly until?: string | undefined;
}

/** Returns the selected frames of a batch. The next call overwrites the returned batch. */
export type FrameFilter = (batch: FrameBatch) => FrameBatch;

/** Number of possible parameter groups: a PGN has 18 bits. */
const GROUPS = 0x40000;
const UNIT_US: Readonly<Record<string, number>> = { s: 1e6, m: 60e6, h: 3600e6 };

const refuse = (why: string): never => {
  throw new CommandError(why, EXIT.usage);
};

/** Reads a comma-separated flag, converting each word with `read`; returns undefined when the flag is absent. */
function listOf(
  flag: string,
  text: string | undefined,
  read: (word: string) => number | undefined,
  such: string,
): ReadonlySet<number> | undefined {
  if (text === undefined) return undefined;
  return new Set(
    text.split(',').map((word) => read(word.trim()) ?? refuse(`--${flag} must be ${such}; "${word}" is not valid.`)),
  );
}

const asBus = (word: string) => {
  const number = /^(?:v?can)?(\d{1,3})$/i.exec(word)?.[1];
  return number !== undefined && Number(number) < 256 ? Number(number) : undefined;
};
const asId = (word: string) => {
  const digits = /^(?:0x)?([0-9a-f]{1,8})$/i.exec(word)?.[1];
  return digits !== undefined && Number.parseInt(digits, 16) <= 0x1fffffff ? Number.parseInt(digits, 16) : undefined;
};
const asGroup = (word: string) => {
  if (/^(\d{1,6}|0x[0-9a-f]{1,5})$/i.test(word)) return Number(word) < GROUPS ? Number(word) : undefined;
  // Many proprietary groups have the same name (PropB), so a name cannot select one of them.
  const name = /^prop/i.test(word) ? '' : word.toUpperCase();
  for (let pgn = 0; pgn < GROUPS; pgn++) if (groupName(pgn)?.toUpperCase() === name) return pgn;
  return undefined;
};

interface Bound {
  readonly us: number;
  /** True when the time is a duration since the first frame; false when it is a date. */
  readonly since: boolean;
}

function boundOf(flag: string, text: string | undefined): Bound | undefined {
  if (text === undefined) return undefined;
  const [, count, unit = ''] = /^\+?(\d{1,9}(?:\.\d{1,6})?)([smh])$/.exec(text) ?? [];
  if (count !== undefined) return { us: Number(count) * (UNIT_US[unit] ?? 0), since: true };
  const dated = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}:?\d{2})?)?$/.test(text);
  const zoned = /(Z|[+-]\d{2}:?\d{2})$/.test(text) || text.length === 10;
  const ms = dated ? Date.parse(zoned ? text : `${text}Z`) : Number.NaN;
  if (Number.isNaN(ms))
    refuse(`--${flag} must be a time such as 2026-06-01T06:30:00Z, or 90s, 5m or 2h after the first frame.`);
  return { us: ms * 1000, since: false };
}

/** Creates the filter for the flags; throws a `CommandError` when one is invalid. */
export function createFilter(args: FilterArgs): FrameFilter {
  const buses = listOf('bus', args.bus, asBus, 'bus numbers such as 0 or 1,2');
  const ids = listOf('id', args.id, asId, 'hexadecimal identifiers such as 18FEEE00 or 123,7E8');
  const groups = listOf('pgn', args.pgn, asGroup, 'parameter groups such as 65262, 0xFEEE or ET1');
  const from = boundOf('from', args.from);
  const until = boundOf('until', args.until);
  if ([buses, ids, groups, from, until].every((each) => each === undefined)) return (batch) => batch;
  const kept = new FrameBatch(4096);
  let first_us: number | undefined;
  return (batch) => {
    kept.clear();
    const { count, t, bus, id, flags } = batch;
    if (count > 0) first_us ??= t[0] as number;
    const edge = (bound: Bound | undefined, otherwise: number) =>
      bound === undefined ? otherwise : bound.us + (bound.since ? (first_us ?? 0) : 0);
    const least = edge(from, Number.NEGATIVE_INFINITY);
    const most = edge(until, Number.POSITIVE_INFINITY);
    for (let i = 0; i < count; i++) {
      const at = t[i] as number;
      const identifier = id[i] as number;
      if (at < least || at > most) continue;
      if (buses !== undefined && !buses.has(bus[i] as number)) continue;
      if (ids !== undefined && !ids.has(identifier)) continue;
      // Only 29-bit identifiers contain a parameter group.
      if (groups !== undefined && (((flags[i] as number) & 1) === 0 || !groups.has(pgnOf(identifier)))) continue;
      const data = batch.payload(i);
      kept.push(at, bus[i] as number, identifier, flags[i] as number, data, 0, data.length);
    }
    return kept;
  };
}
