/** The choices on which the proof of the protocol rests. They are functions of one table, so that a test can replace one of them. */
import { hash } from 'node:crypto';
import type { Direction } from '#contract/ownership/rule.ts';
import { joinPart } from '#domain/sync/registers/documents.ts';
import { formatTime, nextTime, parseTime } from '#store/base/hlc.ts';
import type { Removal } from './store.ts';

/** The largest difference to the own clock at which a remote time moves it. */
const CLOCK_BOUND_MS = 300_000;
/** A time that is later than this is not taken at all. */
const BEYOND_MS = 3_652 * 86_400_000;
const LARGEST_MS = 2 ** 47;
/** How long a fact that is confirmed waits for a backup of the cloud, and one that is not for its confirmation. */
const BACKUP_BOUND_MS = 30 * 86_400_000;
const CONFIRM_BOUND_MS = 210 * 86_400_000;

export interface LogBound {
  readonly rows: number;
  readonly every: number;
}

export interface QuarantineBound {
  /** Commits that an end keeps. */
  readonly commits: number;
  /** Documents of further commits, of which it notes only the keys. */
  readonly keys: number;
}

/** Where a fact is besides this site, and how long ago it was made. */
export interface Safety {
  /** A backup of the cloud has it. */
  readonly isCovered: boolean;
  /** The cloud has it. */
  readonly isConfirmed: boolean;
  readonly age_ms: number;
}

const longHash = (text: string): string => hash('sha256', text, 'hex').slice(0, 32);

export const SYNC_RULES = {
  join: joinPart,
  /** The key of a commit. A clock that was set back on a restored box can give the same life and time again, so the content is in it. */
  commitKey: (life: string, hlc: string, content: string): string => longHash(`${life} ${hlc} ${content}`),
  /** The mark of a position in a log: a hash over all keys up to it. */
  chain: (previous: string, key: string): string => longHash(`${previous} ${key}`),
  /** The hash of a digest item. */
  item: (key: string, hlc: string, mark: string): bigint => BigInt(`0x${longHash(`${key} ${hlc} ${mark}`)}`),
  /** The time of a write: later than the clock of the node and than every document that the commit overwrites. */
  nextHlc(clock: string, now: number, overwritten: readonly string[]): string {
    const [latest = clock] = [clock, ...overwritten].sort().reverse();
    return formatTime(nextTime(parseTime(latest), now));
  },
  /** The clock of a node after it received a time. Beyond the bound the clock stays, and a later write of that document is still later. */
  receive(clock: string, now: number, hlc: string): string {
    if (parseTime(hlc).ms > now + CLOCK_BOUND_MS) return clock;
    return hlc > clock ? hlc : clock;
  },
  /** True for a time that no clock can have. */
  isBeyond: (hlc: string, now: number): boolean => {
    const { ms } = parseTime(hlc);
    return !(ms < LARGEST_MS) || ms > now + BEYOND_MS;
  },
  /**
   * A fact that is old enough for a deletion by age waits until a backup of the cloud has it; if the cloud tells of no backup, until 30 days
   * after it was made. A fact that the cloud has not confirmed waits up to 210 days.
   */
  mayRemove: ({ isCovered, isConfirmed, age_ms }: Safety): boolean =>
    isCovered || age_ms >= (isConfirmed ? BACKUP_BOUND_MS : CONFIRM_BOUND_MS),
  /**
   * How many rows of its log the cloud keeps for sites that fetch it, and after how many new rows the older ones go. A site that needs an
   * older row compares all documents instead.
   */
  log: { rows: 100_000, every: 1_000 } as LogBound,
  /** What an end keeps of commits that it cannot take. */
  quarantine: { commits: 1_000, keys: 100_000 } as QuarantineBound,
  /** True for a fact that was removed for good, by age or because another fact replaced it: it is not taken again. */
  staysAway: (removal: Removal | undefined): boolean => removal !== undefined,
  /** Machinery has one writer. */
  mayWriteMachinery: (writer: string, home: string): boolean => writer === home,
  /** Why a value of machinery is not taken from above; undefined if it is. */
  againstDown(direction: Direction | undefined, isNeverDown: boolean): string | undefined {
    if (isNeverDown) return 'never_downward';
    return direction === 'up' ? 'not_yours' : undefined;
  },
} as const;

export type SyncRules = typeof SYNC_RULES;
