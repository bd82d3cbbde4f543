/** What a screen gets of the ranking of machines: reasons, score and place. */
import type { Cause, Grade, Probable, Sentence, Trend } from '#contract/work/attention.ts';

/** A reason for people to attend to a machine. */
export interface Reason {
  readonly grade: Grade;
  /** Order of reasons within a grade: the reason with more points is first. */
  readonly points: number;
  readonly cause: Cause;
  /** What the reason says. The screen puts it into words. */
  readonly says: Sentence;
  /** The probable cause; absent if no second sign agrees. */
  readonly probably?: Probable;
  /** How the value of the reason moves; absent if it has no value or the history is too short. */
  readonly trend?: Trend;
  /** Present if the machine still drives or runs, although somebody must act now. */
  readonly runs?: 'driving' | 'running';
  /** When the reason began, in milliseconds since 1970; null if unknown. */
  readonly since_ms: number | null;
  /** Who is on it; empty if somebody is and the name is not known. Absent if nobody is. */
  readonly owner?: string;
}

/** The value of a reason over the last half hour. `v` is the mean of each minute from `from_ms` on; null: no data. */
export interface ValueLine {
  readonly from_ms: number;
  readonly step_ms: number;
  readonly v: readonly (number | null)[];
  readonly limit: number;
  /** True if low values are bad. */
  readonly below: boolean;
}

/** A site on which no machine is in trouble. */
export interface Calm {
  /** Since when no machine is in trouble, or since when the gateway has watched the site, in milliseconds since 1970. */
  readonly since_ms: number;
  /** The trouble that ended last; absent if none has ended since the gateway has watched the site. */
  readonly last?: {
    readonly unit_number: string;
    readonly says: Sentence;
    readonly over_ms: number;
    /** How long it lasted, in milliseconds; null if unknown. */
    readonly took_ms: number | null;
    readonly owner: string | null;
  };
}

/** The score of a machine and its place, which are the same on every screen. */
export interface TileAttention {
  readonly score: number;
  /** Place among the machines in trouble of the whole site, from 1; null if the machine is not in trouble. */
  readonly place: number | null;
  /** Present if the machine needs nobody any more: since when, what it was, and who was on it. It keeps its place for a minute. */
  readonly over?: { readonly at_ms: number; readonly owner: string | null; readonly says?: Sentence };
  /** For a machine in trouble: its kind and the name of its location, if they are known. */
  readonly kind?: string;
  readonly location?: string;
  /** For the most urgent machines, if their reason has a value with a limit. */
  readonly line?: ValueLine;
}
