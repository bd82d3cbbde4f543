import { clueAt, NUMBER_WORDS, ONE_WORDS, RANGE_WORDS } from '#domain/words/grammar.ts';
import { KIND_WORDS } from '#domain/words/kind-words.ts';
import { MAKES } from '#domain/words/makes.ts';
import { isHave } from '#domain/words/plain-words.ts';
import { type Span, spanOf, type Token } from '#domain/words/text.ts';
import type { Item, Read, Text } from './items.ts';
import { knownModelAt } from './models.ts';

const COUNT = /^(\d{1,5})$/;

const THOUSANDS = /^\d{1,3}([.,]\d{3})+$/;

const NEAR = 4;

/** `6 Stück`, `02 unidades`: words behind a count. */
export const PIECES = new Set(
  'stuck stk pcs pieces unidades unidade unid uds ud unites piezas pzas pecas pieces'.split(' '),
);

/** Behind these, a make is the maker of the machine before: `walze 07 von Hamm`. */
const FROM = new Set(['von', 'da', 'do', 'from', 'by', 'du', 'chez', 'der', 'la', 'le', 'el']);

/** `Truck 12 at the crusher`: the machine word behind these is where the machine with this number is. */
const AT_PLACE = new Set(['at', 'near', 'en', 'em', 'na', 'no', 'dans', 'au', 'im', 'am', 'beim']);

/** True if a machine word stands within some words behind a number, so that the number is a count. */
/** `04 (quatro)` or `04 motoscrapers`. */
export const isFiguresCount = (tokens: readonly Token[], at: number, to: number): boolean =>
  PIECES.has(tokens[at + 1]?.key ?? '') ||
  (tokens[at + 1]?.key === '(' && tokens[at + 3]?.key === ')' && tokens[at + 2]?.isSign === false) ||
  KIND_WORDS.at(tokens, at + 1, to) !== null;

export function isCountAt(text: Text, at: number, to: number): boolean {
  const { tokens } = text;
  for (let i = at + 1; i < Math.min(to, at + 1 + NEAR); i++) {
    const token = tokens[i];
    if (token === undefined || token.line !== tokens[at]?.line) return false;
    if (KIND_WORDS.at(tokens, i, to) !== null || MAKES.at(tokens, i, to) !== null) return true;
    if (knownModelAt(tokens, i, to)?.sure === true) return true;
    if (token.isSign && token.key !== '.') return false;
    if (
      ['and', 'is', 'all', 'numbers'].includes(clueAt(text, i, to)?.value ?? '') ||
      FROM.has(token.key) ||
      AT_PLACE.has(token.key) ||
      RANGE_WORDS[text.language].at(tokens, i, to) !== null
    )
      return false;
    if (NUMBER_WORDS[text.language].at(tokens, i, to) !== null || COUNT.test(token.key)) return false;
  }
  return false;
}

export function countAt(
  { tokens, language }: Text,
  at: number,
  to: number,
): { count: number; to: number; isArticle: boolean } | null {
  const token = tokens[at];
  if (token === undefined) return null;
  const times = /^(\d{1,4})x$/.exec(token.key) ?? /^x(\d{1,4})$/.exec(token.key);
  if (times !== null) return { count: Number(times[1]), to: at + 1, isArticle: false };
  // `04 (quatro) motoscrapers` is a count, `04` alone a number of a machine.
  if (/^0\d/.test(token.key) && !(/^0\d$/.test(token.key) && isFiguresCount(tokens, at, to))) return null;
  // `5-8 are 785s`: a part of a range is no count.
  const isPart = (dash: Token | undefined, number: Token | undefined) =>
    dash?.key === '-' && dash.glued && /^\d+$/.test(number?.key ?? '');
  if (isPart(tokens[at + 1], tokens[at + 2]) || (token.glued && isPart(tokens[at - 1], tokens[at - 2]))) return null;
  // `a 2019 Cat 140M`, `an 883 screen`: a year, and a model behind an article. `one 20 ton digger`: a size behind a count.
  const isBehind = at > 0 && token.line === tokens[at - 1]?.line && !tokens[at - 1]?.isSign;
  const isArticle =
    isBehind &&
    (ONE_WORDS[language].at(tokens, at - 1, at)?.to === at || NUMBER_WORDS[language].at(tokens, at - 1, at)?.to === at);
  if (isArticle || /^(19[5-9]|20[0-4])\d$/.test(token.key)) return null;
  if (COUNT.test(token.key) || THOUSANDS.test(token.key)) {
    const count = Number(token.key.replace(/[.,]/g, ''));
    let end = at + 1;
    const next = tokens[end];
    if (
      end < to &&
      next !== undefined &&
      (['x', 'stk', 'stuck', 'st', 'pcs', '×', '*', 'off', 'u', 'uds', 'ud', 'un'].includes(next.key) ||
        (language === 'en' && ['no', 'nos'].includes(next.key)))
    ) {
      end++;
      if (tokens[end]?.key === '.') end++;
    }
    return { count, to: end, isArticle: false };
  }
  const word = NUMBER_WORDS[language].at(tokens, at, to);
  const one = ONE_WORDS[language].at(tokens, at, to);
  if (word !== null && (one === null || word.to > one.to)) {
    // `einen (1) Hydraulikbagger`
    return { count: word.value, to: word.to, isArticle: false };
  }
  if (one === null) return null;
  const digits = tokens[one.to + 1];
  if (tokens[one.to]?.key === '(' && tokens[one.to + 2]?.key === ')' && digits?.key === '1')
    return { count: 1, to: one.to + 3, isArticle: false };
  return { count: 1, to: one.to, isArticle: true };
}

/** `fünf (5)`: the count in figures behind its word. */
export function afterFigures(tokens: readonly Token[], at: number, count: number): number {
  const inside = tokens[at + 1]?.key ?? '';
  return tokens[at]?.key === '(' &&
    tokens[at + 2]?.key === ')' &&
    (inside === String(count) || /^\p{L}+$/u.test(inside)) &&
    count > 0
    ? at + 3
    : at;
}

/** Letters and digits as in a unit number. */
const CODE = /^\p{L}{0,4}\d{1,5}\p{L}?$/u;
/** A measure or an ordinal: `21t`, `1st`. */
const MEASURE = /^\d+(t|to|kw|hp|ps|cv|m|m2|m3|l|kg|km|kt|mt|h|v|e|er|eme|o|a|st|nd|rd|th)$/;

const isMachine = ({ type }: Item): boolean => type === 'kind' || type === 'make' || type === 'model';

const MOST_HAVE = 3;
/** `Chargeuses: 2`, `Dumper 2 Stück`, `cribas hay 2`: a count of the machine before it. */
function isBehindKind({ tokens }: Text, items: readonly Item[], i: number): boolean {
  const isHere = (item: Item | undefined) =>
    isHave(tokens[item?.from ?? -1]?.key ?? '') || /^(wir|on|we|y|il)$/.test(tokens[item?.from ?? -1]?.key ?? '');
  let at = items[i - 1]?.type === 'sign' ? i - 2 : i - 1;
  while (i - at <= MOST_HAVE && isHere(items[at])) at--;
  return items[at]?.type === 'kind';
}

/** The numbers of a sentence that no reader has used, as positions in the text. */
export function unreadNumbers(text: Text, { items }: Read): Span[] {
  return items.flatMap((item, i): Span[] => {
    const token = text.tokens[item.from];
    if (token === undefined) return [];
    if (item.type === 'word' && /\d/.test(token.text))
      return CODE.test(token.text) && !MEASURE.test(token.key) ? [spanOf(text.tokens, item.from, item.to)] : [];
    if (item.type !== 'count' || item.isArticle || !/^\d/.test(token.key)) return [];
    const next = items[i + 1];
    if (isBehindKind(text, items, i) && next?.type !== 'word') return [];
    // A count belongs to the machine behind it: `3 white Volvo trucks`.
    const stop = items.findIndex((one, j) => j > i && one.type === 'sign' && one.sign !== '.');
    const ahead = items.slice(i + 1, stop < 0 ? i + 6 : Math.min(stop, i + 6));
    return ahead.some(isMachine) ? [] : [spanOf(text.tokens, item.from, item.to)];
  });
}
