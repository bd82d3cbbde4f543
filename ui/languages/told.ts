/**
 * Puts the texts of the gateway into the language of the page ([U380]). The gateway sends each text in English, and its sentences as templates
 * with parameters if it has parameters. A text without parameters is its own template.
 */
import { type ToldText, textOf } from '#contract/base/told.ts';
import { language, toldTemplate } from './texts.ts';

/** Returns a text of the gateway in the language of the page, or in English if the language lacks one of its sentences. */
export const toldOrEnglish = (english: string, words?: ToldText | null): string => toldText(english, words) ?? english;

/** Returns a text of the gateway in the language of the page; null if the language lacks one of its sentences. */
export function toldText(english: string, words?: ToldText | null): string | null {
  const { told, isOne } = language();
  // English has no table.
  if (english === '' || told === undefined) return english;
  if (words?.every(({ text }) => toldTemplate(text) !== undefined))
    return textOf(words, (text) => toldTemplate(text) ?? text, isOne);
  return told.stored(english);
}
