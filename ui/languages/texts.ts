/**
 * Puts the texts of a page into its language. The English text stands in the code and is the key of its translation, so that English needs
 * no table and a text without a translation is shown in English. The table of another language is a file of its own (`load.ts`).
 */
import type { Names } from '#contract/base/told.ts';
import { fill } from '#contract/work/attention-words.ts';
import type { Text } from './keys.ts';

export type { Text };

/** Translations of the texts of the gateway. */
export interface ToldTable {
  /** The translations by English template. */
  readonly texts: Readonly<Record<string, string>>;
  /** Puts a text that the gateway has stored into the language; null if the table lacks one of its sentences. */
  stored(english: string): string | null;
}

/** A language while a page uses it. */
export interface Language {
  /** The language tag for dates, numbers and plurals, for example `pt-BR`. */
  readonly tag: string;
  /** Translations by English text. A text with `|` has two forms: for one, and for another number `n`. */
  readonly texts: Readonly<Record<string, string>>;
  /** Translations of the texts of the gateway. Only the office has them, and not in English. */
  readonly told?: ToldTable | undefined;
  readonly dir: 'ltr' | 'rtl';
  /** True if values are shown in US units. */
  readonly us: boolean;
  /** The mark between the digits of a whole number and its decimals. */
  readonly decimal: string;
  /** True if a number takes the first form of a text with `|`. */
  isOne(n: number): boolean;
}

export const ENGLISH: Language = {
  tag: 'en-GB',
  texts: {},
  dir: 'ltr',
  us: false,
  decimal: '.',
  isOne: (n) => n === 1,
};

let used = ENGLISH;

/** Returns the language of the page. */
export const language = (): Language => used;

/** Sets the language of the page. Texts that are drawn later are in this language. */
export function setLanguage(next: Language): void {
  used = next;
}

/** Returns the text that `say` returns in English with metric units, for a text that the gateway stores. */
export const inEnglish = <T extends string | null>(say: () => T): T => speaking(ENGLISH, say);

/** Returns the text that `say` returns in the language of the page with metric units, for a text beside a form that takes metric values. */
export const inMetric = <T extends string | null>(say: () => T): T => speaking({ ...used, us: false }, say);

/** Calls a function while the page has another language. The function must not wait for anything. */
export function speaking<T>(next: Language, say: () => T): T {
  const before = used;
  used = next;
  try {
    return say();
  } finally {
    used = before;
  }
}

type Params<T extends string> = [Names<T>] extends [never] ? [] : [params: Readonly<Record<Names<T>, string | number>>];

/** A text without parameters, for tables of words. */
export type Word = Exclude<Text, `${string}{${string}}${string}`>;

/** A parameter of a template, or a number with its unit. */
const VALUES = /\{\w+\}(?: \{unit\})?/g;

/** Returns the translation of a template, with its braces; the template itself if the language has none. */
export function translated(template: string): string {
  return (used.texts[template] ?? template).replace(VALUES, isolated);
}

/** Returns the translation of a template of the gateway, with its braces; undefined if the language has none. */
export function toldTemplate(template: string): string | undefined {
  return (used.told?.texts[template] ?? used.texts[template])?.replace(VALUES, isolated);
}

/** Returns a text in the language of the page, with its parameters. */
export function t<T extends Text>(text: T, ...[params]: Params<T>): string {
  const values: Readonly<Record<string, string | number>> = params ?? {};
  const forms = translated(text).split('|');
  return fill((used.isOne(Number(values.n)) ? forms[0] : forms[forms.length - 1]) ?? '', values);
}

/**
 * Returns a text in the language of the page whose parameters are parts of the page, such as a link. A language may put them in another order.
 */
export function said<T extends Text, P extends Readonly<Record<Names<T>, unknown>>>(
  text: T,
  params: P,
): (string | P[keyof P])[] {
  const parts = new Map(Object.entries(params) as [string, P[keyof P]][]);
  // Every second piece is the name of a parameter.
  return (used.texts[text] ?? text)
    .split(/\{(\w+)\}/)
    .map((piece, i) => (i % 2 === 0 ? piece : (parts.get(piece) ?? '')));
}

/** Keeps a value such as "110 °C" in its order inside a text that is written from right to left. */
export function isolated(value: string): string {
  return used.dir === 'rtl' ? `\u2068${value}\u2069` : value;
}

/** Writes the number in a formatted text with the decimal mark of the language. */
export function decimals(text: string): string {
  return text.replace('.', used.decimal);
}

/**
 * Makes the first letter of a text lower case, for use inside a sentence. Does not change abbreviations such as "DEF", nor German, in which
 * nouns begin with a capital letter everywhere.
 */
export function inside(text: string): string {
  const isLower = /^\p{Lu}\p{Ll}/u.test(text) && !used.tag.startsWith('de');
  return isLower ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}
