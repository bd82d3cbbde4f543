/** The words above the strip of a status board. Each language is one table. */
import type { Reason } from '#contract/site/trouble.ts';

interface TroubleWords {
  readonly urgent: string;
  readonly was_urgent: string;
  readonly next: string;
  readonly since: string;
  readonly since_short: string;
  readonly known: string;
  /** Templates of a machine that needs nobody any more, the longest first. */
  readonly over: readonly string[];
  /** What a machine needed that needs nobody any more. */
  readonly over_was: string;
  readonly treat: string;
  readonly calm: string;
  readonly calm_more: readonly string[];
  readonly last: string;
  readonly last_over: readonly string[];
  readonly took: string;
  readonly heard: readonly string[];
  readonly heard_some: string;
  readonly not_calm: string;
  readonly not_calm_more: string;
  readonly more: string;
  readonly further: string;
  readonly also: string;
  readonly limit: string;
  readonly speed: string;
  readonly limit_short: string;
  /** Why a reason probably exists. */
  readonly probably: Readonly<Record<NonNullable<Reason['probably']>['code'], string>>;
  readonly still: Readonly<Record<NonNullable<Reason['runs']>, string>>;
}

const ENGLISH: TroubleWords = {
  urgent: 'Most urgent',
  was_urgent: 'Was most urgent',
  next: 'Look first',
  since: 'For {age}, since {time}',
  since_short: 'for {age}',
  known: 'last known {time}',
  over: ['Back to normal since {time}', 'Back to normal'],
  over_was: 'Was: {text}',
  treat: 'Treat as still true until somebody has looked.',
  calm: 'All fine',
  calm_more: ['Nothing has needed attention for {age}.', 'Calm for {age}.'],
  last: 'Last trouble:',
  last_over: ['Over at {time}, {owner}', 'Over at {time}'],
  took: ', took {age}',
  heard: ['All {all} machines heard in the last {age}', 'All heard in the last {age}'],
  heard_some: '{heard} of {all} machines heard in the last {age}',
  not_calm: 'Nothing urgent',
  not_calm_more: '{silent} of {all} machines send no data.',
  more: '{count} more:',
  further: 'and {count} more',
  also: 'Also: {text}.',
  limit: 'Limit {limit} {unit}.',
  speed: 'Now {speed} km/h.',
  limit_short: 'limit {limit}',
  probably: {
    coolant_leak: 'Coolant level down {down} %: probably a leak.',
    oil_low: 'Oil level {level} %: probably too little oil.',
    not_charging: 'The engine runs: probably the alternator.',
    no_power: 'Its battery had {value} V.',
    link_lost: '{count} machines there went silent together.',
  },
  still: { driving: 'Still driving.', running: 'Engine still running.' },
};

/** The words in the language of the page. */
export const board: TroubleWords = ENGLISH;
