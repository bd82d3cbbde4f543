/** Reads a sentence from left to right; at each word the first recogniser that fits takes its words. */
import { clockRangeAt } from './clock.ts';
import { clueAt, FROM_WORDS, NUMBER_WORDS, ONE_WORDS, RANGE_WORDS, THE_WORDS } from './grammar.ts';
import type { Item, Text } from './items.ts';
import { KIND_WORDS } from './kind-words.ts';
import { knownModel, MAKES, WORD_MAKES } from './makes.ts';
import { knownModelAt, labelledModel, modelBehindMake } from './models.ts';
import { noiseAt } from './noise.ts';
import { moreNames, type PlaceName, placeAt, singularName, wordsOf } from './places.ts';
import { ROLE_WORDS, TOPIC_WORDS } from './shift-words.ts';
import { isCapital, type Sentence, type Token } from './text.ts';
import { unitsAt } from './units.ts';

const COUNT = /^(\d{1,5})$/;
const THOUSANDS = /^\d{1,3}([.,]\d{3})+$/;
const NEAR = 4;
/** Behind these, a make is the maker of the machine before: `walze 07 von Hamm`. */
const FROM = new Set(['von', 'da', 'do', 'from', 'by', 'du', 'chez', 'der', 'la', 'le', 'el']);

/** True if a machine word stands within some words behind a number, so that the number is a count. */
/** `04 (quatro)` or `04 motoscrapers`. */
const isFiguresCount = (tokens: readonly Token[], at: number, to: number): boolean =>
  (tokens[at + 1]?.key === '(' && tokens[at + 3]?.key === ')' && tokens[at + 2]?.isSign === false) ||
  KIND_WORDS.at(tokens, at + 1, to) !== null;

function isCountAt(text: Text, at: number, to: number): boolean {
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
      RANGE_WORDS[text.language].at(tokens, i, to) !== null
    )
      return false;
    if (NUMBER_WORDS[text.language].at(tokens, i, to) !== null || COUNT.test(token.key)) return false;
  }
  return false;
}

function countAt(
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
  if (COUNT.test(token.key) || THOUSANDS.test(token.key)) {
    const count = Number(token.key.replace(/[.,]/g, ''));
    let end = at + 1;
    const next = tokens[end];
    if (
      end < to &&
      next !== undefined &&
      ['x', 'no', 'stk', 'stuck', 'st', 'pcs', 'nos', '×', '*', 'off', 'u', 'uds', 'ud', 'un'].includes(next.key)
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
function afterFigures(tokens: readonly Token[], at: number, count: number): number {
  const inside = tokens[at + 1]?.key ?? '';
  return tokens[at]?.key === '(' &&
    tokens[at + 2]?.key === ')' &&
    (inside === String(count) || /^\p{L}+$/u.test(inside)) &&
    count > 0
    ? at + 3
    : at;
}

export function scan(text: Text, sentence: Sentence): Item[] {
  const items: Item[] = [];
  let at = sentence.from;
  while (at < sentence.to) {
    const found = itemsAt(text, at, sentence, items);
    items.push(...found);
    at = Math.max(at + 1, found.at(-1)?.to ?? 0);
  }
  return items;
}

/** What may stand between a kind and its numbers: `camiones del 01`, `Compactors: 3`. */
const isSmall = (item: Item): boolean =>
  item.type === 'the' || item.type === 'word' || (item.type === 'sign' && [':', '('].includes(item.sign));

/** What is known of a word before the recognisers look at it. */
interface Here {
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

function hereAt(text: Text, at: number, to: number, token: Token, before: readonly Item[]): Here {
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
      (last.type === 'kind' || (isSmall(last) && before.at(-2)?.type === 'kind')),
  };
}

function timesOrNoise(text: Text, at: number, here: Here): Item | null {
  const { token, to, before, clock } = here;
  const isClock = token.key === '(' && clockRangeAt(text.tokens, at + 1, to, text.language)?.marked === true;
  const noise = isClock ? at : noiseAt(text.tokens, at, to);
  if (clock !== null) {
    const isFree = !here.numbered && noise === at && !here.kindBefore && clock.to > at + 1;
    if (clock.marked ? clock.to > noise : isFree && !isCountAt(text, at, to) && isClockContext(before))
      return { type: 'times', from: at, ...clock };
  }
  return noise > at ? { type: 'noise', from: at, to: noise } : null;
}

function unitsItem(text: Text, at: number, here: Here, spaced: boolean, place: PlaceName | null): Item | null {
  const { tokens, language } = text;
  const { token, to, before, last, clue, clock, numbered, kindBefore } = here;
  const isIntro = clue?.value === 'numbers';
  const isZero = /^0\d{1,3}$/.test(token.key) && !isFiguresCount(tokens, at, to) && clock?.marked !== true;
  const behind = isIntro ? clue.to : at;
  const colon = tokens[behind]?.key === ':' ? behind + 1 : behind;
  const start = FROM_WORDS[language].at(tokens, colon, to)?.to ?? (isIntro ? colon : behind);
  const stops = (i: number) => isCountAt(text, i, to) || noiseAt(tokens, i, to) > i;
  const bare = numbered || kindBefore || isZero;
  const units = unitsAt(tokens, numbered || kindBefore ? start : at, to, { language, bare, spaced, stops });
  if (units === null || (place !== null && place.to > units.to && !place.alone)) return null;
  if (isModelInstead(text, at, units.to, to, before)) return null;
  const [first] = units.list.units;
  // `Cummins gr 02`: the letters may belong to the number, so it is not read.
  const lettersBefore = last?.type === 'word' && last.to === at && /^\p{L}{2,3}$/u.test(tokens[at - 1]?.key ?? '');
  if (isZero && !numbered && !kindBefore && lettersBefore && first?.bare === true) return null;
  // `Compactors: 3` is a count.
  const isCount =
    last?.type === 'sign' && units.list.units.length === 1 && before.at(-2)?.type === 'kind' && !/^0/.test(token.key);
  const isNumber = numbered || (kindBefore && !(first?.bare === true && isCount)) || isZero;
  if (!isNumber && units.to <= at + 1 && first?.bare !== false) return null;
  if (!isIntro && start === at && first === undefined && !units.list.tooMany) return null;
  return { type: 'units', from: at, to: units.to, list: units.list, introduced: numbered };
}

function itemsAt(text: Text, at: number, { to }: Sentence, before: readonly Item[]): Item[] {
  const { tokens, language } = text;
  const token = tokens[at];
  if (token === undefined) return [{ type: 'word', from: at, to: at + 1 }];
  const here = hereAt(text, at, to, token, before);
  const { last, clue } = here;
  const labelled = labelledModel(text, at, to, before);
  if (labelled !== null) return [labelled];
  const skipped = timesOrNoise(text, at, here);
  if (skipped !== null) return [skipped];
  if (last?.type === 'clue' && last.clue === 'called') {
    const named = namedUnit(text, at, to);
    if (named !== null) return [named];
  }
  if (last?.type === 'kind' && last.to === at) {
    const lettered = letteredUnits(text, at, to, last);
    if (lettered !== null) return [lettered];
  }
  const kind = KIND_WORDS.at(tokens, at, to);
  const known = knownModelAt(tokens, at, to);
  const make = MAKES.at(tokens, at, to);
  const place = placeAt(tokens, at, to, language);
  const units = unitsItem(text, at, here, kind === null && make === null && known === null, place);
  if (units !== null) return [units];
  if (
    clue !== null &&
    (kind === null || clue.to >= kind.to) &&
    (place === null || clue.to >= place.to) &&
    clue.to > (make?.to ?? 0) &&
    !isShadowed(text, at, clue.value)
  )
    return [{ type: 'clue', from: at, to: clue.to, clue: clue.value }];
  if (
    kind !== null &&
    (place === null || kind.to >= place.to) &&
    !(place !== null && kind.to === place.to && isPlaceInstead(before, tokens, kind.to))
  )
    return [{ type: 'kind', from: at, to: kind.to, word: kind.value, plural: kind.plural }];
  if (make !== null && (place === null || make.to >= place.to)) {
    const found = makeAt(text, at, make.to, make.value, to);
    if (found !== null) return found;
  }
  if (known !== null && place === null)
    return [{ type: 'model', from: at, to: known.to, make: null, model: known.model, key: known.key }];
  if (place !== null) {
    const name = singularName(tokens, place, at, to);
    const first: Item = { type: 'place', from: at, to: place.to, name, kind: place.kind, alone: place.alone };
    return [
      first,
      ...moreNames(tokens, { ...place, name }, at, to).map(
        (more): Item => ({
          type: 'place',
          from: more.to - 1,
          to: more.to,
          name: more.name.replace(/^(\S*\p{L})[s](?= )/u, '$1'),
          kind: more.kind,
          alone: false,
        }),
      ),
    ];
  }
  const role = ROLE_WORDS.at(tokens, at, to);
  if (role !== null) return [{ type: 'role', from: at, to: role.to, role: role.value }];
  const count = countAt(text, at, to);
  if (count !== null)
    return [
      {
        type: 'count',
        from: at,
        to: afterFigures(tokens, count.to, count.count),
        count: count.count,
        isArticle: count.isArticle,
      },
    ];
  const topic = TOPIC_WORDS.at(tokens, at, to);
  if (topic !== null) return [{ type: 'topic', from: at, to: topic.to, topic: topic.value }];
  if (THE_WORDS[language].at(tokens, at, to) !== null) return [{ type: 'the', from: at, to: at + 1 }];
  return token.isSign
    ? [{ type: 'sign', from: at, to: at + 1, sign: token.key }]
    : [{ type: 'word', from: at, to: at + 1 }];
}

/** `pas de numéro` is one clue, `a` before a machine is a count. */
function isShadowed({ tokens, language }: Text, at: number, clue: string): boolean {
  return (
    clue === 'and' &&
    ONE_WORDS[language].at(tokens, at, at + 1) !== null &&
    tokens[at]?.key === 'n' &&
    language === 'de'
  );
}

/** `the crusher` is a place; `a Metso crusher`, `2 crushers` and `crusher CR3` are machines. */
function isPlaceInstead(before: readonly Item[], tokens: readonly Token[], to: number): boolean {
  const last = before.at(-1);
  if (last?.type === 'count' || last?.type === 'make' || last?.type === 'model') return false;
  const next = tokens[to];
  return !(next !== undefined && !next.isSign && /^[A-Z]{0,4}\d+$/.test(next.text));
}

function makeAt(text: Text, at: number, end: number, make: string, to: number): Item[] | null {
  const { tokens } = text;
  const model = modelBehindMake(tokens, end, to, make);
  const token = tokens[at];
  if (model === null && token !== undefined && WORD_MAKES.has(make) && !isCapital(token)) {
    if (!['cat', 'hamm', 'manitou', 'merlo', 'bobcat'].includes(token.key)) return null;
  }
  const item: Item = { type: 'make', from: at, to: end, make };
  return model === null
    ? [item]
    : [item, { type: 'model', from: end, to: model.to, make, model: model.model, key: model.key }];
}

/** True if words about working time stand before, so that `7 to 19` are times. */
function isClockContext(before: readonly Item[]): boolean {
  return !before.some(({ type }) => type === 'kind' || type === 'make' || type === 'units');
}

/** `bouteur D7` is a model; `Dumper D9` and `D7, D8` are numbers. */
function isModelInstead(text: Text, at: number, unitsEnd: number, to: number, before: readonly Item[]): boolean {
  const known = knownModelAt(text.tokens, at, to);
  if (known === null) return false;
  if (known.sure) return true;
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
function namedUnit({ tokens, language }: Text, at: number, to: number): Item | null {
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
function letteredUnits(text: Text, at: number, to: number, kind: Item): Item | null {
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
