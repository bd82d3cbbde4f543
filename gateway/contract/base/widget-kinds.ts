/** Names in widgets that pages use too, apart from the schemas, so that a page does not load the schema library. */

/** Kinds of objects that a display link (a link that shows boards on a screen without a login) can show. */
export const SHARE_KINDS = ['playlist', 'dashboard', 'equipment', 'shift_report'] as const;
export type ShareKind = (typeof SHARE_KINDS)[number];

/** Matches our keys and link tokens. A widget must not contain one, because every reader of the widget could use it. */
export const SECRET = /(?:wk|pat|dk|dsp|scr|flt|gw|ctl)_[A-Za-z0-9_-]{20,}/;

/** Numbers of a `kpi` widget about the present shift, repairs, and yesterday. */
export const SITE_AGGREGATES = [
  'working_in_shift',
  'fuel_in_shift',
  'longest_down',
  'oldest_repair',
  'worked_yesterday',
] as const;
export type SiteAggregate = (typeof SITE_AGGREGATES)[number];
/** Those that are known only for all machines together. */
export const WHOLE_SITE: readonly string[] = ['fuel_in_shift', 'worked_yesterday'] satisfies SiteAggregate[];
/**
 * Shares of unknown time, in percent. From `told`, a screen says how much is not known. Above `most`, what is known says nothing about the
 * whole, so there is no share of work ([V42] in gateway/domain/SPEC.md).
 */
export const UNKNOWN_PERCENT = { told: 10, most: 50 } as const;
