/**
 * A sentence for people as a template with parameters, so that a page can put it into its language. The English template is the name of the
 * sentence: the tables of a page (`ui/languages`) give its translation. A caller that does not translate uses the English text beside it.
 */

/** The names in braces of a text. */
export type Names<T extends string> = T extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never;

/** A part of a sentence that is translated by itself, such as "3 hours". */
export interface ToldPart {
  readonly text: string;
  readonly params?: Readonly<Record<string, string | number>> | undefined;
}

/** A sentence. A template with `|` has two forms: for one, and for another number `n`. */
export interface Told {
  readonly text: string;
  readonly params?: Readonly<Record<string, string | number | ToldPart>> | undefined;
}

/** One sentence or several. */
export type ToldText = readonly Told[];

/** A text as the gateway makes it: a text without parameters, which is its own template, a sentence, or several. */
export type Sayable = string | Told | ToldText;

/** Returns the sentences of a text. */
export const wordsOf = (text: Sayable): ToldText =>
  typeof text === 'string' ? [{ text }] : 'text' in text ? [text] : text;

/** A text with two forms needs the number `n` that chooses one, also if it does not show it. */
type Needed<T extends string> = Names<T> | (T extends `${string}|${string}` ? 'n' : never);
type Params<T extends string, V> = [Needed<T>] extends [never] ? [] : [params: Readonly<Record<Needed<T>, V>>];

/** Returns a sentence from its English template and its parameters. */
export function say<const T extends string>(text: T, ...[params]: Params<T, string | number | ToldPart>): Told {
  return params === undefined ? { text } : { text, params };
}

/** Returns a part of a sentence from its English template and its parameters. */
export function part<const T extends string>(text: T, ...[params]: Params<T, string | number>): ToldPart {
  return params === undefined ? { text } : { text, params };
}

/**
 * Returns sentences as a text. `template` returns the template to fill, for example its translation; `isOne` says if a number takes the first
 * form of a template with `|`.
 * A bar in a text without the number `n` and braces without a parameter belong to the text: they may be of a person, or of a pattern.
 */
export function textOf(
  told: Sayable,
  template: (text: string) => string = (text) => text,
  isOne: (n: number) => boolean = (n) => n === 1,
): string {
  const one = ({ text, params = {} }: Told): string => {
    const whole = template(text);
    const forms = params.n === undefined ? [whole] : whole.split('|');
    const form = (isOne(Number(params.n)) ? forms[0] : forms.at(-1)) ?? '';
    return form.replace(/\{(\w+)\}/g, (name, key: string) => {
      const value = Object.hasOwn(params, key) ? (params[key] ?? '') : name;
      return typeof value === 'object' ? one(value) : String(value);
    });
  };
  return wordsOf(told).map(one).join(' ');
}

/** Returns the fields of a document whose text is sentences: the English text, and its sentences for translation. */
export const spoken = (words: ToldText) => ({ sentence: textOf(words), words: [...words] });

/** Returns the fields of a problem whose message is sentences. */
export const messageOf = (words: Told | ToldText) => ({ message: textOf(words), words: [...wordsOf(words)] });

/** A problem in the health report of which nothing but its message is known. */
export interface BriefProblem {
  readonly code: string;
  readonly message: string;
  readonly words?: Told[] | undefined;
}
