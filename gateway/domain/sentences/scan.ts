/** Reads a sentence from left to right; at each word the first recogniser that fits takes its words. */
import { clockRangeAt } from '#domain/words/clock.ts';
import { clueAt, ONE_WORDS, THE_WORDS } from '#domain/words/grammar.ts';
import { KIND_WORDS } from '#domain/words/kind-words.ts';
import { MAKES, WORD_MAKES } from '#domain/words/makes.ts';
import { ROLE_WORDS, TOPIC_WORDS } from '#domain/words/shift-words.ts';
import { isCapital, type Sentence, type Token } from '#domain/words/text.ts';
import type { Item, Text } from './items.ts';
import { withLocatives } from './locatives.ts';
import { knownModelAt, labelledModel, modelBehindMake } from './models.ts';
import { noiseAt } from './noise.ts';
import { moreNames, placeAt, singularName, wordsOf } from './places.ts';
import { afterFigures, countAt, isCountAt } from './scan-counts.ts';
import { type Here, hereAt, letteredUnits, namedUnit, unitsItem } from './scan-units.ts';

export function scan(text: Text, sentence: Sentence): Item[] {
  const items: Item[] = [];
  let at = sentence.from;
  while (at < sentence.to) {
    const found = itemsAt(text, at, sentence, items);
    items.push(...found);
    at = Math.max(at + 1, found.at(-1)?.to ?? 0);
  }
  return withLocatives(text, sentence.to, items);
}

function timesOrNoise(text: Text, at: number, here: Here): Item | null {
  const { token, to, before, clock } = here;
  const isClock = token.key === '(' && clockRangeAt(text.tokens, at + 1, to, text.language)?.marked === true;
  const noise = isClock ? at : noiseAt(text.tokens, at, to);
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
  const maker = kind === null && make === null && known === null ? unknownMake(text, at, to, last) : null;
  if (maker !== null) return maker;
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
  const key = model.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  return [
    { type: 'make', from: at, to: at + 1, make: token.text },
    { type: 'model', from: at + 1, to: end, make: token.text, model, key },
  ];
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
