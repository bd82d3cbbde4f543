/** Puts a sentence of the summary of a day into the language of the page ([U405]). */
import type { DaySentence } from '#contract/work/day.ts';
import type { DayText } from './keys.ts';
import { language, t } from './texts.ts';

export function dayText({ text, params }: DaySentence): string {
  const shown = Object.entries(params).map(([name, value]) => [name, value.toLocaleString(language().tag)]);
  return t(text as DayText, Object.fromEntries(shown));
}
