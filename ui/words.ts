/**
 * The words of the pages for the reasons that the gateway sends as a code with parameters. The words that webhooks use as well are in
 * `#contract/work/attention-words.ts`. Each language is one table of templates, so a further language is a further table.
 */
import type { Reason } from '#contract/site/trouble.ts';
import type { Sentence } from '#contract/work/attention.ts';
import {
  fill,
  filled,
  ownerWords,
  REASON_WORDS,
  type ReasonWords,
  templatesOf,
} from '#contract/work/attention-words.ts';
import { duration } from './format.ts';

export { fill };

interface Words extends ReasonWords {
  /** Templates for a reason that is not known to be true any more, for codes with a value or a duration. */
  readonly was: Readonly<Partial<Record<Sentence['code'], readonly string[]>>>;
  readonly was_owner: readonly string[];
  /** Texts of the strip of a status board. */
  readonly strip: Readonly<
    Record<
      | 'above'
      | 'above_short'
      | 'rest'
      | 'all'
      | 'as_was'
      | 'lost'
      | 'known'
      | 'check'
      | 'service'
      | 'no_data'
      | 'running'
      | 'idle'
      | 'off'
      | 'fine'
      | 'all_fine'
      | 'silent',
      string
    >
  > & {
    /** What to do while the gateway does not answer, the longest text first. */
    readonly lost_more: readonly string[];
  };
}

const WAS = ['{label} was {value} {unit}, {trend}', '{label} was {value} {unit}', 'was {value} {unit}', '{label}'];

const ENGLISH: Words = {
  ...REASON_WORDS,
  was: {
    value_over: WAS,
    value_under: WAS,
    level: WAS.slice(1),
    silent: ['Was already silent', 'Was silent'],
  },
  was_owner: ['{name} was on it', '{name}'],
  strip: {
    above: 'shown above',
    above_short: 'above',
    rest: 'The rest: {fine} of {all} fine',
    all: '{all} machines',
    as_was: 'As it was at {time}',
    lost: 'Not live since {time}. All below is old.',
    lost_more: [
      'This screen cannot reach the gateway. Use the radio for anything urgent.',
      'No link to the gateway. Use the radio.',
    ],
    known: 'Last known:',
    check: 'Check first: is the gateway on, and does this screen have its network?',
    service: 'in service',
    no_data: 'no data',
    running: 'running',
    idle: 'idle',
    off: 'off',
    fine: 'Fine',
    all_fine: '{fine} of {fine} fine',
    silent: 'No data',
  },
};

/** The words in the language of the page. */
export const words: Words = ENGLISH;

/** Returns a reason in words, the longest text first. `was`: the reason was true when the gateway last answered. */
export function reasonTexts(reason: Pick<Reason, 'says' | 'probably' | 'trend' | 'runs'>, was = false): string[] {
  const { says, probably, trend, runs } = reason;
  const { code, params } = says;
  return filled((was && words.was[code]) || templatesOf(words, reason), {
    ...params,
    ...probably?.params,
    trend: trend && words.trends[trend],
    runs: was ? undefined : runs && words.runs[runs],
    time: params.seconds === undefined ? undefined : duration(Number(params.seconds) * 1000),
  });
}

/** Returns who is on a reason, the longest text first. `was`: who was on it when the gateway last answered. */
export function ownerTexts({ owner }: Pick<Reason, 'owner'>, was = false): readonly string[] {
  return was && owner ? filled(words.was_owner, { name: owner }) : ownerWords(words, owner);
}
