/**
 * The words of the pages for the reasons that the gateway sends as a code with parameters. The words that webhooks use as well are in
 * `#contract/work/attention-words.ts`. The templates are English; each is translated before its parameters are filled in.
 */
import type { Reason } from '#contract/site/trouble.ts';
import type { Sentence } from '#contract/work/attention.ts';
import { filled, REASON_WORDS, templatesOf } from '#contract/work/attention-words.ts';
import { t, translated } from '#ui/languages/texts.ts';
import { duration } from './format.ts';

const WAS = [
  '{label} was {value} {unit}, {trend}',
  '{label} was {value} {unit}',
  'was {value} {unit}',
  '{label}',
] as const;

/** Templates for a reason that is not known to be true any more, for codes with a value or a duration. */
const WAS_WORDS: Readonly<Partial<Record<Sentence['code'], readonly string[]>>> = {
  value_over: WAS,
  value_under: WAS,
  level: WAS.slice(1),
  silent: ['Was already silent', 'Was silent'],
};

/** Returns a reason in words, the longest text first. `was`: the reason was true when the gateway last answered. */
export function reasonTexts(reason: Pick<Reason, 'says' | 'probably' | 'trend' | 'runs'>, was = false): string[] {
  const { says, probably, trend, runs } = reason;
  const { code, params } = says;
  return filled(((was && WAS_WORDS[code]) || templatesOf(REASON_WORDS, reason)).map(translated), {
    ...params,
    ...probably?.params,
    trend: trend && t(REASON_WORDS.trends[trend]),
    runs: was ? undefined : runs && t(REASON_WORDS.runs[runs]),
    time: params.seconds === undefined ? undefined : duration(Number(params.seconds) * 1000),
  });
}

/** Returns who is on a reason, the longest text first. `was`: who was on it when the gateway last answered. */
export function ownerTexts({ owner }: Pick<Reason, 'owner'>, was = false): readonly string[] {
  const { nobody, somebody, owner: known } = REASON_WORDS;
  if (!owner) return (owner === undefined ? nobody : somebody).map(translated);
  return filled((was ? ['{name} was on it', '{name}'] : known).map(translated), { name: owner });
}
