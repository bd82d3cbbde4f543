/** Puts the texts of the gateway into the language of the page. The gateway sends each text in English, and its sentences if they have parameters. */
import { type ToldText, textOf } from '#contract/base/told.ts';
import { ENGLISH, language, translated } from './texts.ts';

/**
 * Returns a text of the gateway in the language of the page; null if the language lacks one of its sentences. A text without sentences is its
 * own template.
 */
export function toldText(english: string, words?: ToldText | null): string | null {
  const { texts, isOne, tag } = language();
  const told = words ?? [{ text: english }];
  if (tag === ENGLISH.tag && Object.keys(texts).length === 0) return english;
  return told.every(({ text }) => texts[text] !== undefined) ? textOf(told, translated, isOne) : null;
}
