/** Where the numbers of machines stand in a sentence: behind a kind, a word for numbers or a count. */
import { clockRangeAt } from '#domain/words/clock.ts';
import { isPartWord } from '#domain/words/fine-phrases.ts';
import { clueAt, FROM_WORDS, ONE_WORDS, THE_WORDS } from '#domain/words/grammar.ts';
import { KIND_WORDS } from '#domain/words/kind-words.ts';
import { knownModel, MAKES } from '#domain/words/makes.ts';
import { isHave } from '#domain/words/plain-words.ts';
import { isCapital, type Token } from '#domain/words/text.ts';
import { endsInHole } from './holes.ts';
import type { Item, Text } from './items.ts';
import { knownModelAt } from './models.ts';
import { noiseAt } from './noise.ts';
import { type PlaceName, wordsOf } from './places.ts';
import { isCountAt, isFiguresCount, PIECES } from './scan-counts.ts';
import { unitsAt } from './units.ts';

/** What may stand between a kind and its numbers: `camiones del 01`, `Compactors: 3`. */
const isSmall = (item: Item, token: Token | undefined): boolean =>
  item.type === 'the' ||
  (item.type === 'word' && !isHave(token?.key ?? '')) ||
  (item.type === 'sign' && [':', '('].includes(item.sign));

/** What is known of a word before the recognisers look at it. */
export interface Here {
  readonly token: Token;
  readonly to: number;
  readonly before: readonly Item[];
  readonly last: Item | undefined;
  readonly clue: ReturnType<typeof clueAt>;
  readonly clock: ReturnType<typeof clockRangeAt>;
  /** True behind a word for numbers (`Nr.`), true behind a kind. */
  readonly numbered: boolean;
  readonly kindBefore: boolean;
}

export function hereAt(text: Text, at: number, to: number, token: Token, before: readonly Item[]): Here {
  const last = before.at(-1);
  const clue = clueAt(text, at, to);
  return {
    token,
    to,
    before,
    last,
    clue,
    clock: clockRangeAt(text.tokens, at, to, text.language),
    numbered: clue?.value === 'numbers' || (last?.type === 'clue' && last.clue === 'numbers'),
    kindBefore:
      last !== undefined &&
      text.tokens[last.from]?.line === token.line &&
      (last.type === 'kind' || (isSmall(last, text.tokens[last.from]) && before.at(-2)?.type === 'kind')),
  };
}

const NUMBER = /^\d{1,5}$/;
const IN_YEAR = /^(in|en|em|im|de|since|desde|seit|depuis)$/;

/** The count of the last machines of a sentence. */
function lastCount(before: readonly Item[]): number | null {
  const kind = before.findLastIndex(({ type }) => type === 'kind');
  const count = before.slice(Math.max(0, kind - 4), kind).findLast(({ type }) => type === 'count');
  return kind >= 0 && count?.type === 'count' ? count.count : null;
}

/** Where the numbers begin in `cuatro volquetas, la 12, la 14, la 15 y la 18`: as many numbers as the count says. */
function countedList({ tokens, language }: Text, at: number, to: number, before: readonly Item[]): number | null {
  const last = before.at(-1);
  const start = THE_WORDS[language].at(tokens, at, to)?.to ?? at;
  // `dos palas Volvo L180 la 7 y la 8`
  const isDirect = start > at && (last?.type === 'kind' || last?.type === 'make' || last?.type === 'model');
  const isBehind = isDirect || (last?.type === 'sign' && [',', ':', '(', '-'].includes(last.sign));
  if (!isBehind || !NUMBER.test(tokens[start]?.key ?? '') || lastCount(before) === null) return null;
  const kind = before.findLastIndex(({ type }) => type === 'kind');
  const between = before.slice(kind + 1, isDirect ? undefined : -1);
  const isNear = between.every(
    ({ type }) => type === 'make' || type === 'model' || type === 'word' || type === 'noise',
  );
  const end = tokens[start + 1];
  const isAlone =
    lastCount(before) !== 1 ||
    ((end === undefined || start + 1 >= to || end.isSign) && (tokens[start]?.key.length ?? 0) > 1);
  return isNear && between.length <= 4 && isAlone ? start : null;
}

export function unitsItem(text: Text, at: number, here: Here, spaced: boolean, place: PlaceName | null): Item | null {
  const { tokens, language } = text;
  const { token, to, before, last, clue, clock, numbered, kindBefore } = here;
  // `La chargeuse a 4 roues`
  if (NUMBER.test(token.key) && isPartWord(tokens[at + 1]?.key ?? '') && at + 1 < to) return null;
  // `Förderbänder 6 Stück`
  if (NUMBER.test(token.key) && PIECES.has(tokens[at + 1]?.key ?? '') && at + 1 < to) return null;
  const isIntro = clue?.value === 'numbers';
  const isZero = /^0\d{1,3}$/.test(token.key) && !isFiguresCount(tokens, at, to) && clock?.marked !== true;
  const behind = isIntro ? clue.to : at;
  const isStop = isIntro && tokens[behind]?.key === '.' && tokens[behind + 1]?.line === token.line;
  const colon = isStop || tokens[behind]?.key === ':' ? behind + 1 : behind;
  const start = FROM_WORDS[language].at(tokens, colon, to)?.to ?? (isIntro ? colon : behind);
  const stops = (i: number) => isCountAt(text, i, to) || noiseAt(tokens, i, to) > i;
  const counts = (i: number) => KIND_WORDS.at(tokens, i + 1, to) !== null || noiseAt(tokens, i, to) > i;
  const isContracted =
    language === 'en' && NUMBER.test(token.key) && tokens[at + 1]?.key === "'" && tokens[at + 2]?.key === 's';
  const listed = countedList(text, at, to, before);
  const bare = numbered || kindBefore || isZero || isContracted || listed !== null;
  const units = unitsAt(tokens, listed ?? (numbered || kindBefore ? start : at), to, {
    language,
    bare,
    spaced,
    stops,
    counts,
  });
  if (units === null || (place !== null && place.to > units.to && !place.alone)) return null;
  if (isModelInstead(text, at, units.to, to, before)) return null;
  const [first] = units.list.units;
  if (!numbered && first?.bare === true && /^(19|20)\d\d$/.test(first.text) && IN_YEAR.test(tokens[at - 1]?.key ?? ''))
    return null;
  // `Cummins gr 02`: the letters may belong to the number, so it is not read.
  const lettersBefore = last?.type === 'word' && last.to === at && /^\p{L}{2,3}$/u.test(tokens[at - 1]?.key ?? '');
  if (isZero && !numbered && !kindBefore && lettersBefore && first?.bare === true) return null;
  // `Compactors: 3` is a count.
  const isCount =
    last?.type === 'sign' && units.list.units.length === 1 && before.at(-2)?.type === 'kind' && !/^0/.test(token.key);
  // `pipas 3 numero 51, 52 y 53`: a count before the numbers.
  if (
    last?.type === 'kind' &&
    last.plural &&
    units.list.units.length === 1 &&
    first?.bare === true &&
    !/^0/.test(token.key) &&
    clueAt(text, units.to, to)?.value === 'numbers'
  )
    return null;
  // `caminhão basculante 5 do BT01 ao BT06`: a count before the numbers.
  const later = FROM_WORDS[language].at(tokens, units.to, to)?.to ?? units.to;
  if (
    last?.type === 'kind' &&
    units.list.units.length === 1 &&
    first?.bare === true &&
    !/^0/.test(token.key) &&
    later > units.to &&
    /^\p{L}{1,4}\d+$/u.test(tokens[later]?.text ?? '')
  )
    return null;
  const many = units.list.units.length;
  const isListed =
    listed !== null && (many === lastCount(before) || (many - 1 === lastCount(before) && endsInHole(units.list.units)));
  if (listed !== null && !isListed && !numbered && !kindBefore && !isZero) return null;
  const isNumber = numbered || isContracted || isListed || (kindBefore && !(first?.bare === true && isCount)) || isZero;
  if (!isNumber && units.to <= at + 1 && first?.bare !== false) return null;
  if (!isIntro && start === at && first === undefined && !units.list.tooMany) return null;
  return { type: 'units', from: at, to: units.to, list: units.list, introduced: numbered };
}

/** `bouteur D7` is a model; `Dumper D9` and `D7, D8` are numbers. */
function isModelInstead(text: Text, at: number, unitsEnd: number, to: number, before: readonly Item[]): boolean {
  const known = knownModelAt(text.tokens, at, to);
  if (known === null) return false;
  if (known.sure) return true;
  const last = before.at(-1);
  // `2 A40 et 2 A30`
  if (last?.type === 'count' && !last.isArticle && last.to === at) return true;
  if (unitsEnd > known.to) return false;
  return modelFits(text, at, known.to, before);
}

function modelFits({ tokens }: Text, at: number, end: number, before: readonly Item[]): boolean {
  const key = tokens[at]?.key ?? '';
  const found = knownModel(key)?.kind ?? null;
  if (found === null) return false;
  const last = before.at(-1);
  const kind = before.findLast((one) => one.type === 'kind' || one.type === 'units' || one.type === 'model');
  const next = KIND_WORDS.at(tokens, end, tokens.length);
  if (next !== null) return next.value.kind === found || next.value.general;
  if (kind?.type === 'kind' && (last === kind || last?.type === 'sign'))
    return kind.word.kind === found || (kind.word.general && key.length > 2);
  if (last?.type === 'count' || last?.type === 'the') return true;
  return before.length > 0 && (kind?.type === 'units' || kind === undefined) && key.length > 2;
}

/** `we call it Bertha`: a machine that has only a name. */
export function namedUnit({ tokens, language }: Text, at: number, to: number): Item | null {
  let start = at;
  while (start < to && ['"', "'", '«', '“', '„', ':'].includes(tokens[start]?.key ?? '')) start++;
  const name = THE_WORDS[language].at(tokens, start, to)?.to ?? start;
  const token = tokens[name];
  if (token === undefined || name >= to || !isCapital(token) || /\d/.test(token.text)) return null;
  let end = name + 1;
  while (end < to && end < name + 3 && tokens[end]?.isSign === false && isCapital(tokens[end] ?? token)) end++;
  return {
    type: 'units',
    from: at,
    to: end,
    list: { units: [{ text: wordsOf(tokens, start, end), bare: false }], tooMany: false, without: [] },
    introduced: true,
  };
}

const LETTERS = /^[A-Z]{1,2}$/;

/** `chargeuses A et B`: machines with a letter. A letter alone needs the word for the machine. */
export function letteredUnits(text: Text, at: number, to: number, kind: Item): Item | null {
  const { tokens, language } = text;
  const word = wordsOf(tokens, kind.from, kind.to).replace(/s$/, '');
  const letters: string[] = [];
  let end = at;
  for (let next = at; next < to; ) {
    const token = tokens[next];
    if (
      token === undefined ||
      !LETTERS.test(token.text) ||
      (ONE_WORDS[language].at(tokens, next, next + 1) !== null && next !== at)
    )
      break;
    letters.push(token.text.length === 1 ? `${word} ${token.text}` : token.text);
    end = next + 1;
    const and =
      tokens[end]?.key === ','
        ? end + 1
        : clueAt(text, end, to)?.value === 'and'
          ? (clueAt(text, end, to)?.to ?? end)
          : end;
    if (and === end) break;
    next = and;
  }
  const after = tokens[end];
  if (
    letters.length === 0 ||
    (end < to && after !== undefined && !after.isSign) ||
    MAKES.at(tokens, at, to) !== null ||
    after?.key === '-'
  )
    return null;
  return {
    type: 'units',
    from: at,
    to: end,
    list: { units: letters.map((one) => ({ text: one, bare: false })), tooMany: false, without: [] },
    introduced: false,
  };
}
