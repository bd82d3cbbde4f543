/** Makes a language from the texts of a page and a language tag. */
import { ENGLISH, type Language } from './texts.ts';

/** A pseudo language for tests: English texts with accents, 35 % longer. */
export const LONG = 'en-XA';
/** A pseudo language for tests: English texts from right to left. */
export const MIRRORED = 'en-XB';

const RIGHT_TO_LEFT = /^(ar|fa|he|ur)\b/;

/** Returns the tag that the functions for dates and numbers understand; they know all tags of the form, but not every tag is of the form. */
function tagOf(tag: string): string {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(tag)[0] ?? ENGLISH.tag;
  } catch {
    return ENGLISH.tag;
  }
}

/** Returns the language with these texts. Numbers, dates and plurals follow the tag. */
export function languageOf(asked: string, texts: Language['texts'], us: boolean): Language {
  const tag = asked === 'en' || asked === LONG || asked === MIRRORED ? (us ? 'en-US' : ENGLISH.tag) : tagOf(asked);
  const plural = new Intl.PluralRules(tag);
  return {
    tag,
    texts,
    us,
    dir: asked === MIRRORED || RIGHT_TO_LEFT.test(asked) ? 'rtl' : 'ltr',
    decimal: new Intl.NumberFormat(tag).formatToParts(1.5).find(({ type }) => type === 'decimal')?.value ?? '.',
    isOne: (n) => plural.select(n) === 'one',
  };
}
