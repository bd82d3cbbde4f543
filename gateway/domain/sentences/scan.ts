/** Reads a sentence from left to right; at each word the first recogniser that fits takes its words. */
import { clockRangeAt } from '#domain/words/clock.ts';
import { fineEnd, isOrdered, isPartWord } from '#domain/words/fine-phrases.ts';
import { clueAt, ONE_WORDS, THE_WORDS } from '#domain/words/grammar.ts';
import { KIND_WORDS } from '#domain/words/kind-words.ts';
import { MAKES, WORD_MAKES } from '#domain/words/makes.ts';
import { ROLE_WORDS, TOPIC_WORDS } from '#domain/words/shift-words.ts';
import { isCapital, type Sentence, type Token } from '#domain/words/text.ts';
import { withoutHoles } from './holes.ts';
import type { Item, Text } from './items.ts';
import { withLocatives } from './locatives.ts';
import { articleModel, keyOfModel, knownModelAt, labelledModel, modelBehindMake, namedModelAt } from './models.ts';
import { isFirstName, nameAt } from './names.ts';
import { noiseAt, serialEnd } from './noise.ts';
import { moreNames, placeAt, singularName, wordsOf } from './places.ts';
import { platesAt } from './plates.ts';
import { afterFigures, countAt, isCountAt } from './scan-counts.ts';
import { type Here, hereAt, letteredUnits, namedUnit, unitsItem } from './scan-units.ts';
import { unitsAt } from './units.ts';

export function scan(text: Text, sentence: Sentence): Item[] {
  const items: Item[] = [];
  let at = sentence.from;
  while (at < sentence.to) {
    const found = itemsAt(text, at, sentence, items);
    items.push(...found);
    at = Math.max(at + 1, found.at(-1)?.to ?? 0);
  }
  return withLocatives(text, sentence.to, withoutHoles(text, items));
}

function timesOrNoise(text: Text, at: number, here: Here): Item | null {
  const { token, to, before, clock, last } = here;
  // `a 2019 Cat 140M`
  if (/^(19[5-9]|20[0-4])\d$/.test(token.key) && last?.type === 'count' && last.isArticle && last.to === at)
    return { type: 'noise', from: at, to: at + 1 };
  const isClock = token.key === '(' && clockRangeAt(text.tokens, at + 1, to, text.language)?.marked === true;
  const noise = isClock ? at : Math.max(noiseAt(text.tokens, at, to), fineEnd(text.tokens, at, to));
  if (clock !== null) {
    const isFree = !here.numbered && noise === at && !here.kindBefore && clock.to > at + 1;
    const isFour = clock.marked && clock.to === noise && /^\d{4}$/.test(token.key);
    if (clock.marked ? clock.to > noise || isFour : isFree && !isCountAt(text, at, to) && isClockContext(before))
      return { type: 'times', from: at, ...clock };
  }
  return noise > at ? { type: 'noise', from: at, to: noise } : null;
}

function itemsAt(text: Text, at: number, { to }: Sentence, before: readonly Item[]): Item[] {
  const { tokens, language } = text;
  const token = tokens[at];
  if (token === undefined) return [{ type: 'word', from: at, to: at + 1 }];
  const here = hereAt(text, at, to, token, before);
  const { last, clue } = here;
  const article = articleModel(text, at, to, before);
  if (article !== null) return [article];
  const labelled = labelledModel(text, at, to, before);
  if (labelled !== null) return [labelled];
  const plates = platesAt(text, at, to, before);
  if (plates !== null) return [plates];
  const serial = serialEnd(tokens, at, to);
  if (serial > at) return [{ type: 'noise', from: at, to: serial }];
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
  const isName = language === 'de' && isFirstName(tokens, at, to);
  const kind = isName ? null : KIND_WORDS.at(tokens, at, to);
  const known = knownModelAt(tokens, at, to);
  const make = MAKES.at(tokens, at, to);
  const named = kind === null && make === null ? namedModelAt(text, at, to) : null;
  if (named !== null) return [named];
  const maker = kind === null && make === null && known === null ? unknownMake(text, at, to, last) : null;
  if (maker !== null) return maker;
  const place = isPitViper(tokens, at) ? null : placeAt(tokens, at, to, language);
  const units = unitsItem(text, at, here, kind === null && make === null && known === null, place);
  if (units !== null) return [units];
  // `britador primário Metso C110`, `crusher is the Terex Finlay J-1175`: a crusher with a make is a machine, and no place.
  // `Crusher Cr-1`: behind the word for the machine stands its number.
  if (
    kind !== null &&
    place?.kind === 'crusher' &&
    place.alone &&
    (isMadeBy(text, Math.max(place.to, kind.to), to) || isNumbered(text, Math.max(place.to, kind.to), to))
  )
    return [{ type: 'kind', from: at, to: Math.max(place.to, kind.to), word: kind.value, plural: kind.plural }];
  if (
    clue !== null &&
    (kind === null || clue.to >= kind.to) &&
    (place === null || clue.to >= place.to) &&
    clue.to > (make?.to ?? 0) &&
    !isShadowed(text, at, clue.value)
  )
    return [
      clue.value === 'gone' && isOfPart(text, at, clue.to, before)
        ? { type: 'noise', from: at, to: clue.to }
        : { type: 'clue', from: at, to: clue.to, clue: clue.value },
    ];
  if (
    kind !== null &&
    (place === null || kind.to >= place.to) &&
    !(place !== null && kind.to === place.to && isPlaceInstead(before, tokens, kind.to))
  )
    return [{ type: 'kind', from: at, to: kind.to, word: kind.value, plural: kind.plural }];
  if (make !== null && (place === null || make.to >= place.to)) {
    const found = makeAt(text, at, make.to, make.value, to, last?.to === at ? last.type : undefined);
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

/** `Monteur ist bestellt`, `the gearbox is on order`: a part or a person comes later, and not a machine. */
const NEAR_PART = 3;
function isOfPart({ tokens }: Text, at: number, to: number, before: readonly Item[]): boolean {
  if (!isOrdered(wordsOf(tokens, at, to).toLowerCase())) return false;
  // `A loader with a bucket is on order` speaks of the loader.
  const clause = before.slice(before.findLastIndex(({ type }) => type === 'sign') + 1);
  if (clause.some(({ type }) => ['kind', 'units', 'make', 'model'].includes(type))) return false;
  return clause
    .slice(-NEAR_PART)
    .some((item) => item.type === 'role' || (item.type === 'word' && isPartWord(tokens[item.from]?.key ?? '')));
}

/** True if a number with letters stands here, and a make behind it: `Cr-1 is a Metso LT120`. */
function isNumbered(text: Text, at: number, to: number): boolean {
  const { tokens, language } = text;
  const never = () => false;
  const units = unitsAt(tokens, at, to, { language, bare: false, spaced: true, stops: never, counts: never });
  return units !== null && isMadeBy(text, units.to, to);
}

const isPitViper = (tokens: readonly Token[], at: number): boolean =>
  tokens[at]?.key === 'pit' && tokens[at + 1]?.key === 'viper';

/** True if a make stands here, or behind `is` and an article. */
function isMadeBy(text: Text, at: number, to: number): boolean {
  const { tokens, language } = text;
  const is = clueAt(text, at, to);
  const behind = is?.value === 'is' || tokens[at]?.key === ':' ? (is?.to ?? at + 1) : at;
  const article = THE_WORDS[language].at(tokens, behind, to)?.to ?? ONE_WORDS[language].at(tokens, behind, to)?.to;
  return MAKES.at(tokens, article ?? behind, to) !== null;
}

/** `the crusher` is a place; `a Metso crusher`, `2 crushers` and `crusher CR3` are machines. */
function isPlaceInstead(before: readonly Item[], tokens: readonly Token[], to: number): boolean {
  const last = before.at(-1);
  if (last?.type === 'count' || last?.type === 'make' || last?.type === 'model') return false;
  const next = tokens[to];
  return !(next !== undefined && !next.isSign && /^[A-Z]{0,4}\d+$/.test(next.text));
}

/** `vibroacabadora Ciber AF 5000`: a name between the word for a machine and a model is a maker that the table does not have. */
function unknownMake({ tokens, language }: Text, at: number, to: number, last: Item | undefined): Item[] | null {
  const token = tokens[at];
  if (last?.type !== 'kind' || last.to !== at || token === undefined || !/^\p{Lu}\p{L}{2,}$/u.test(token.text))
    return null;
  if (clueAt({ tokens, language }, at, to) !== null || placeAt(tokens, at, to, language) !== null) return null;
  const next = tokens[at + 1];
  const number = tokens[at + 2];
  const isSpaced =
    /^[A-Z]{1,3}$/.test(next?.text ?? '') && /^\d{3,5}[A-Z]?$/.test(number?.text ?? '') && number?.glued === false;
  const isWhole = /^[A-Z]{1,3}\d{3,4}[A-Z]?$/.test(next?.text ?? '') && !(number?.glued === true && number.key === '-');
  const end = at + (isSpaced ? 3 : 2);
  if ((!isSpaced && !isWhole) || end > to || next?.line !== token.line) return null;
  const model = wordsOf(tokens, at + 1, end);
  const key = keyOfModel(model);
  return [
    { type: 'make', from: at, to: at + 1, make: token.text },
    { type: 'model', from: at + 1, to: end, make: token.text, model, key },
  ];
}

/** Makes that a text without capital letters may name beside a word for a machine: `atlas mobilbagger`. */
const LOWER_MAKES = new Set(
  'atlas linde demag sakai faun wirtgen toyota renault nissan kramer claas godwin bell astra'.split(' '),
);

function makeAt(
  text: Text,
  at: number,
  end: number,
  make: string,
  to: number,
  before: Item['type'] | undefined,
): Item[] | null {
  const { tokens } = text;
  const model = modelBehindMake(tokens, end, to, make);
  const token = tokens[at];
  if (model === null && SURNAMES.has(make) && isSurname(text, at, end, to)) return null;
  if (model === null && token !== undefined && WORD_MAKES.has(make) && !isCapital(token)) {
    const isBeside = LOWER_MAKES.has(token.key) && (before === 'kind' || KIND_WORDS.at(tokens, end, to) !== null);
    if (!isBeside && !['cat', 'hamm', 'manitou', 'merlo', 'bobcat'].includes(token.key)) return null;
  }
  const item: Item = { type: 'make', from: at, to: end, make };
  return model === null
    ? [item]
    : [item, { type: 'model', from: end, to: model.to, make, model: model.model, key: model.key }];
}

/** Makes that are names of many people. `Manitou` and `Bobcat` are machines also without more words. */
const SURNAMES = new Set(
  'Case|Bell|Ford|Joy|Bauer|Grove|Fuchs|Wagner|Becker|Kramer|Dresser|Champion|Godwin|Hamm|Renault|Still|Dux|Paus'.split(
    '|',
  ),
);

/** `Ann Bell and`, `Lou Ford drives`: behind a word with a capital letter and before no machine, a make is the name of a person. */
function isSurname(text: Text, at: number, end: number, to: number): boolean {
  const { tokens } = text;
  const first = tokens[at - 1];
  const own = tokens[at];
  const isName = isFirstName(tokens, at - 1, to) || nameAt(text, at - 1, at) !== null;
  if (first === undefined || own === undefined || first.line !== own.line || !isName) return false;
  const next = tokens[end];
  const isBefore =
    (end < to && next?.line === own.line && /\d/.test(next.text)) || KIND_WORDS.at(tokens, end, to) !== null;
  const isMake = MAKES.at(tokens, at - 1, at) !== null || clueAt(text, at - 1, at) !== null;
  return !isBefore && !isMake && THE_WORDS[text.language].at(tokens, at - 1, at) === null;
}

/** True if words about working time stand before, so that `7 to 19` are times. */
function isClockContext(before: readonly Item[]): boolean {
  return !before.some(({ type }) => type === 'kind' || type === 'make' || type === 'units');
}
