/** Models of machines: behind their make, or known by themselves. */

import { NUMBER_WORDS } from '#domain/words/grammar.ts';
import { KIND_WORDS } from '#domain/words/kind-words.ts';
import { knownModel, MAKES, NAMED_MODELS } from '#domain/words/makes.ts';
import { PLACE_WORDS } from '#domain/words/place-words.ts';
import { isCapital, isDigits, type Token } from '#domain/words/text.ts';
import type { Item, Text } from './items.ts';
import { wordsOf } from './places.ts';

export interface Model {
  readonly model: string;
  readonly key: string;
  readonly to: number;
}

const SUFFIX = /^(XE|LC|LCA|NLC|LCN|LL|XL|GC|EX|PX|LGP|HYBRID|I|II|III|TL|Plus|Pro|\d[xX]\d)$/;
const YEAR = /^(19[789]\d|20[0-4]\d)$/;

/** `777Gs` are several 777G. */
const single = (text: string): string => (/\d[A-Za-z]{0,2}s$/.test(text) ? text.slice(0, -1) : text);

const FUNCTION_WORDS = new Set(
  'de do da di du des mit von of in im en em e y et and und a o la le el no na with com con para for x to bis al au'.split(
    ' ',
  ),
);

const hasDigit = (text: string): boolean => /\d/.test(text);

/** Joins `HD785-7` and `988K XE`. */
function withTail(tokens: readonly Token[], from: number, at: number, to: number): Model {
  let end = at;
  const dash = tokens[end];
  const tail = tokens[end + 1];
  if (
    dash?.key === '-' &&
    dash.glued &&
    tail?.glued === true &&
    end + 1 < to &&
    /^\d{1,3}[A-Za-z]{0,4}\d?$/.test(tail.text)
  )
    end += 2;
  const suffix = tokens[end];
  if (
    suffix !== undefined &&
    end < to &&
    !suffix.glued &&
    suffix.line === tokens[from]?.line &&
    SUFFIX.test(suffix.text)
  )
    end++;
  const written = single(wordsOf(tokens, from, end));
  // `a30` of a text without capital letters is A30.
  const model = /^[a-z]{1,3}\d+[a-z]{0,2}$/.test(written) ? written.toUpperCase() : written;
  return { model, key: keyOfModel(model), to: end };
}

/** A model behind its make, which ends before `at`. */
export function modelBehindMake(tokens: readonly Token[], at: number, to: number, make: string): Model | null {
  const token = tokens[at];
  if (token === undefined || at >= to || token.isSign) return null;
  const named = NAMED_MODELS.at(tokens, at, to);
  const after = tokens[named?.to ?? at + 1];
  const isNear = after !== undefined && after.line === token.line && !after.isSign && (named?.to ?? at + 1) < to;
  if (named !== null) {
    if (
      isNear &&
      hasDigit(after.text) &&
      !after.text.startsWith('0') &&
      !YEAR.test(after.text) &&
      after.key.length <= 6
    )
      return withTail(tokens, at, named.to + 1, to);
    if (isNear && /^[A-Z]$/.test(after.text)) return withTail(tokens, at, named.to + 1, to);
    return withTail(tokens, at, named.to, to);
  }
  if (hasDigit(token.text)) {
    if (/^\d+x$/.test(token.text) || token.text.startsWith('0') || /[.,]/.test(token.text)) return null;
    if (isDigits(token.key) && (token.key.length < 2 || token.key.length > 4 || YEAR.test(token.key))) {
      return null;
    }
    // `Volvo 10 to 12`: numbers of machines, not a model.
    if (isDigits(token.key) && token.key.length < 3 && !/^(24|12|14|16|18)$/.test(token.key)) return null;
    return withTail(tokens, at, at + 1, to);
  }
  // `R 956`, `SmartROC D65`: a word and then something with digits.
  if (
    isNear &&
    hasDigit(after.text) &&
    !after.text.startsWith('0') &&
    !/[.,:]/.test(after.text) &&
    !YEAR.test(after.text)
  ) {
    if (
      /^[A-Za-z]{1,4}$/.test(token.text) &&
      (isCapital(token) || token.key.length <= 2) &&
      (!FUNCTION_WORDS.has(token.key) || (/^[A-Z]$/.test(token.text) && /^\d{3,4}[A-Z]?$/.test(after.text))) &&
      KIND_WORDS.at(tokens, at, to) === null
    )
      return withTail(tokens, at, at + 2, to);
    // `Powerscreen Chieftain 1700`
    if (
      /^\p{Lu}\p{Ll}{3,}$/u.test(token.text) &&
      make !== '' &&
      /^\d{3,4}$/.test(after.text) &&
      KIND_WORDS.at(tokens, at, to) === null &&
      PLACE_WORDS.at(tokens, at, to) === null &&
      MAKES.at(tokens, at, to) === null
    )
      return withTail(tokens, at, at + 2, to);
    const isWord = isCapital(token) && KIND_WORDS.at(tokens, at, to) === null && MAKES.at(tokens, at, to) === null;
    if (isWord && token.text.length > 1 && /^[A-Z]{1,5}\d|^\d+[A-Z]/.test(after.text))
      return withTail(tokens, at, at + 2, to);
  }
  if (
    /^[A-Z]{4,6}$/.test(token.text) &&
    make !== '' &&
    KIND_WORDS.at(tokens, at, to) === null &&
    tokens[at - 1]?.isSign === false &&
    token.text !== tokens[at - 1]?.text
  )
    return isNear && /^[A-Z]/.test(after.text) ? null : withTail(tokens, at, at + 1, to);
  return null;
}

/** A model that stands without its make: `777s`, `PC 500`, `D9`. */
export function knownModelAt(tokens: readonly Token[], at: number, to: number): (Model & { sure: boolean }) | null {
  const token = tokens[at];
  if (token === undefined || token.isSign) return null;
  if (/^[A-Za-z]{2,4}$/.test(token.text)) {
    const number = tokens[at + 1];
    if (
      number === undefined ||
      at + 1 >= to ||
      number.line !== token.line ||
      !/^\d{2,4}[A-Za-z]?$/.test(number.text) ||
      number.glued
    )
      return null;
    const found = withTail(tokens, at, at + 2, to);
    return number.text.length > 2 && knownModel(found.key) !== null ? { ...found, sure: true } : null;
  }
  if (!hasDigit(token.text)) return null;
  const isPlural = /\d[A-Za-z]{0,2}s$/.test(token.text);
  const own = single(token.text).toLowerCase();
  if (knownModel(own) === null) return null;
  const found = withTail(tokens, at, at + 1, to);
  // Short codes (`D9`, `A30`) and plain numbers are also numbers of machines.
  const sure = isPlural || /^[a-z]{2,4}\d{3,}/.test(own) || /^\d{2,3}[a-z]/.test(own);
  return { ...found, sure };
}

/** `un L1850`, `an 883 screen`: a code or a number behind an indefinite article is a model, because a number of a machine has none. */
export function articleModel({ tokens, language }: Text, at: number, to: number, before: readonly Item[]): Item | null {
  const last = before.at(-1);
  const token = tokens[at];
  if (last?.type !== 'count' || !last.isArticle || last.to !== at || token === undefined) return null;
  const isCode = /^\p{Lu}{1,3}\d{3,4}\p{Lu}?$/u.test(token.text) && knownModelAt(tokens, at, to)?.sure !== true;
  const isNumber = /^\d{3,4}$/.test(token.text) && !YEAR.test(token.text) && KIND_WORDS.at(tokens, at + 1, to) !== null;
  if (!isCode && !(isNumber && NUMBER_WORDS[language].at(tokens, at, to) === null)) return null;
  return { type: 'model', from: at, to: at + 1, make: null, model: token.text, key: token.key };
}

/** `Pit Viper PV-271`, `SmartROC D65`: the name of a series of drills and the code behind it. */
export function namedModelAt({ tokens }: Text, at: number, to: number): Item | null {
  const named = NAMED_MODELS.at(tokens, at, to);
  const first = tokens[at];
  if (named === null || first === undefined || !(named.value === 'drill' || named.value === 'bolter')) return null;
  const after = tokens[named.to];
  if (after === undefined || named.to >= to || after.line !== first.line || !/^\p{Lu}{1,3}\d*$/u.test(after.text))
    return null;
  let end = named.to + 1;
  if (tokens[end]?.key === '-' && tokens[end]?.glued === true && /^\d{2,4}$/.test(tokens[end + 1]?.text ?? ''))
    end += 2;
  const model = wordsOf(tokens, at, end);
  if (!/\d/.test(model)) return null;
  return { type: 'model', from: at, to: end, make: null, model, key: keyOfModel(model) };
}

/** The same for each way to write a model. */
export const keyOfModel = (model: string): string => model.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** `model: C120`: the label tells that the words up to the next sign are a model. */
const MODEL_LABELS = new Set(['model', 'modelo', 'modele', 'modell']);
const LONGEST_MODEL = 3;

export function labelledModel({ tokens }: Text, at: number, to: number, before: readonly Item[]): Item | null {
  const label = before.at(-2);
  if (tokens[at - 1]?.key !== ':' || !MODEL_LABELS.has(tokens[label?.from ?? -1]?.key ?? '')) return null;
  let end = at;
  while (end < to && (tokens[end]?.isSign === false || (tokens[end]?.key === '-' && tokens[end]?.glued === true)))
    end++;
  if (end === at || tokens.slice(at, end).filter(({ isSign }) => !isSign).length > LONGEST_MODEL) return null;
  const model = wordsOf(tokens, at, end);
  return { type: 'model', from: at, to: end, make: null, model, key: keyOfModel(model) };
}
