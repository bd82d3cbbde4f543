/** The words above the strip of a status board. Each language is one table. */
import type { Reason } from '#contract/site/trouble.ts';

interface TroubleWords {
  readonly urgent: string;
  readonly was_urgent: string;
  readonly next: string;
  readonly since: string;
  readonly since_short: string;
  readonly known: string;
  readonly over: string;
  readonly over_owner: string;
  readonly calm: string;
  readonly calm_more: string;
  readonly not_calm: string;
  readonly not_calm_more: string;
  readonly more: string;
  readonly further: string;
  readonly also: string;
  readonly limit: string;
  readonly speed: string;
  readonly limit_short: string;
  readonly still: Readonly<Record<NonNullable<Reason['runs']>, string>>;
}

const ENGLISH: TroubleWords = {
  urgent: 'Most urgent',
  was_urgent: 'Was most urgent',
  next: 'Look first',
  since: 'For {age}, since {time}',
  since_short: 'for {age}',
  known: 'last known {time}',
  over: 'Back to normal for {age}',
  over_owner: '{name} was on it',
  calm: 'All fine',
  calm_more: 'Nothing needs attention. All {all} machines send data.',
  not_calm: 'Nothing urgent',
  not_calm_more: '{silent} of {all} machines send no data.',
  more: '{count} more:',
  further: 'and {count} more',
  also: 'Also: {text}.',
  limit: 'Limit {limit} {unit}.',
  speed: 'Now {speed} km/h.',
  limit_short: 'limit {limit}',
  still: { driving: 'Still driving.', running: 'Engine still running.' },
};

/** The words in the language of the page. */
export const board: TroubleWords = ENGLISH;
