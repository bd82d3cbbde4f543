/**
 * Divides a sentence at its commas and semicolons, and says of each part which of its words the planner does not understand and which may
 * mean that its machines are not there.
 */

import type { Item, Read, Text } from '#domain/sentences/items.ts';
import { scan } from '#domain/sentences/scan.ts';
import { contractEnd, doubtWords, isNotOurs, isOwner } from '#domain/words/doubt-words.ts';
import { isNextWord, isPartWord, isWaiting } from '#domain/words/fine-phrases.ts';
import { ALONE_WORDS, PLACE_WORDS, POSITIONS, ROOM_WORDS } from '#domain/words/place-words.ts';
import { isFrom, isHire, isPlain, isPresentVerb, isRelative } from '#domain/words/plain-words.ts';
import {
  BADGE_WORDS,
  CREW_WORDS,
  DAYS,
  SCREEN_WORDS,
  SHIFT_NAMES,
  SHIFT_WORDS,
  WEEKEND,
} from '#domain/words/shift-words.ts';
import { isCapital, type Span, spanOf, type Token } from '#domain/words/text.ts';
import type { Doubt, DoubtReason } from './fleet-types.ts';
import { isHarmless, isWithout } from './harmless.ts';

/** A part of a sentence between commas. */
export interface Part {
  readonly items: readonly Item[];
  readonly span: Span;
  readonly hasMachine: boolean;
  readonly hasVerb: boolean;
  /** True if a semicolon stands before it. */
  readonly isApart: boolean;
  readonly unknown: Span[];
  /** A doubt about its shifts. */
  readonly opening: Doubt | null;
  /** A doubt in its own words. */
  readonly own: Doubt | null;
  /** A doubt about all its machines. */
  hard: Doubt | null;
  /** A doubt about its machines without a number. */
  soft: Doubt | null;
  /** True if this doubt stands before a colon, so that it is about the whole list: `at least: two trucks, a dozer`. */
  readonly isLead: boolean;
}

export const isMachine = ({ type }: Item): boolean =>
  type === 'kind' || type === 'units' || type === 'make' || type === 'model';

/** A part of a machine stands within so many words behind `waiting for`. */
const NEAR_OBJECT = 4;
/** Clues that the readers understand, and that say nothing against a machine. */
const FINE_CLUES = new Set(['and', 'is', 'all', 'rest', 'numbers', 'unnumbered', 'called', 'stays', 'every', 'aside']);
/** Doubts about a count only: a machine with a number is there also `like` others. */
const SOFT: ReadonlySet<DoubtReason> = new Set(['vague', 'another', 'sometimes', 'compared']);
/** Words before the name of a firm. */
const FIRMS = new Set('firma fa company empresa entreprise societe constructora locadora loueur'.split(' '));
/** Tables whose words say nothing against a machine. */
const KNOWN_TABLES = [
  SHIFT_NAMES,
  SHIFT_WORDS,
  CREW_WORDS,
  BADGE_WORDS,
  DAYS,
  WEEKEND,
  SCREEN_WORDS,
  ROOM_WORDS,
  PLACE_WORDS,
  ALONE_WORDS,
  POSITIONS,
];
/** What a machine may be without: `keine (Inv.-Nr.)`. */
const NUMBERS_OF =
  /^(inv|nr|no|nummer|nummern|inventarnummer|kennung|kennzeichen|placa|placas|patente|tag|tags|codigo|matricula|prefixo|plaque|immatriculation|plate|plates|rego|sticker)$/;

/** `la lleva Fermín`, `driven by Jim`, `den fährt der Toni`: a name behind a verb of driving. */
const DRIVEN =
  /(lleva|llevan|maneja|manejan|conduce|opera|conduz|dirige|pilota|drives|operates|conduit|pilote|fährt|bedient|(driven|operated|run) by|(manejad|conducid|operad)[ao]s? por|(conduzid|operad|pilotad)[ao]s? (por|pelo|pela)|(conduite?|pilotée?)s? par|(gefahren|bedient) von)\s+(el |la |o |a |os |der |die |den |dem |le |don |doña |dona |seu |herr |frau |señor |señora )?$/i;
const isNamedDriver = ({ raw }: Text, { text, start }: Token): boolean =>
  /^\p{Lu}\p{Ll}+$/u.test(text) && DRIVEN.test(raw.slice(Math.max(0, start - LONGEST_DRIVE), start));
const LONGEST_DRIVE = 30;

/** True if the planner knows what the words of an item mean. */
function isUnderstood(text: Text, item: Item, names: ReadonlySet<string>): boolean {
  if (item.type !== 'word') return true;
  const { tokens, language } = text;
  const token = tokens[item.from];
  if (token === undefined || isPlain(language, token.key) || isHire(token.key) || names.has(token.key)) return true;
  if (isPartWord(token.key) || isNamedDriver(text, token)) return true;
  return KNOWN_TABLES.some((table) => table.at(tokens, item.from, tokens.length) !== null);
}

/** The share of the words of a text that the planner understands: 1 is all of them. */
export function coverageOf(text: Text, reads: readonly Read[], names: ReadonlySet<string>): number {
  const words = reads.flatMap(({ items }) => items.filter(({ type }) => type !== 'sign'));
  return words.length === 0 ? 1 : words.filter((item) => isUnderstood(text, item, names)).length / words.length;
}

/** `without a driver`, `sin operador`: a word that denies something else than a machine. */
function deniesOther(text: Text, items: readonly Item[], i: number): boolean {
  const next = items.slice(i + 1, i + 4).find(({ type }) => type !== 'the' && type !== 'sign');
  if (next === undefined) return false;
  // `sin placa`, `ohne Klimaanlage`: a machine that lacks a part is on the site all the same.
  if (isWithout(text.tokens[items[i]?.from ?? -1]?.key ?? '') && !isMachine(next)) return true;
  return (
    next.type === 'role' ||
    next.type === 'times' ||
    (next.type === 'clue' && next.clue === 'numbers') ||
    (next.type === 'word' && NUMBERS_OF.test(text.tokens[next.from]?.key ?? ''))
  );
}

/** The words behind a range with an exception up to the next machine, if they speak of the exception: `except T05 (scrapped)`. */
function exceptionEnd(text: Text, items: readonly Item[], i: number): number {
  const item = items[i];
  if (item?.type !== 'units' || item.list.without.length === 0 || !isRelative(text.tokens[item.to]?.key ?? ''))
    return i;
  const next = items.findIndex(
    (one, j) => j > i && (isMachine(one) || (one.type === 'sign' && (one.sign === ')' || one.sign === ':'))),
  );
  return next < 0 ? items.length : next;
}

function partOf(text: Text, items: readonly Item[], isApart: boolean, names: ReadonlySet<string>): Part {
  const { tokens } = text;
  const to = items.at(-1)?.to ?? 0;
  const isHired = items.some(({ from }) => isHire(tokens[from]?.key ?? ''));
  const unknown: Span[] = [];
  let hard: Doubt | null = null;
  let soft: Doubt | null = null;
  let opening: Doubt | null = null;
  let isLead = false;
  let free = 0;
  for (const [i, item] of items.entries()) {
    const { from } = item;
    isLead ||= soft !== null && item.type === 'sign' && item.sign === ':';
    if (from < free) continue;
    const exception = exceptionEnd(text, items, i);
    free = exception > i ? (items[exception]?.from ?? to) : contractEnd(tokens, from, to);
    if (item.type === 'kind' && text.language === 'de' && isNotOurs(tokens[from]?.text ?? ''))
      hard ??= { reason: 'others', span: spanOf(tokens, from, item.to) };
    if (free > from || isMachine(item) || item.type === 'sign' || isNoDoubt(text, items, i)) continue;
    const doubt = doubtOf(text, items, i, to);
    if (doubt?.reason === 'opening') opening ??= doubt;
    else if (doubt !== null && SOFT.has(doubt.reason)) soft ??= doubt;
    else if (doubt !== null) hard ??= doubt;
    else if (item.type === 'clue' || isUnderstood(text, item, names) || isHarmless(text, items, i)) continue;
    else if (isHired && isFrom(tokens[from - 1]?.key ?? '') && /^\p{Lu}/u.test(tokens[from]?.text ?? '')) continue;
    else if (isHired && FIRMS.has(tokens[from - 1]?.key ?? '')) continue;
    else unknown.push(spanOf(tokens, from, item.to));
  }
  return {
    items,
    span: spanOf(tokens, items[0]?.from ?? 0, to),
    hasMachine: items.some(isMachine),
    hasVerb: items.some(
      (item) =>
        (item.type === 'clue' && (item.clue === 'is' || item.clue === 'stays')) ||
        (item.type === 'word' && isPresentVerb(text.language, tokens[item.from]?.key ?? '')),
    ),
    isApart,
    unknown,
    opening,
    own: hard,
    hard,
    soft,
    isLead,
  };
}

/** `Después dos palas`, `waiting for a gearbox`, `HT-2 needs a new track`: the words speak of no machine that comes later. */
function isNoDoubt({ tokens }: Text, items: readonly Item[], i: number): boolean {
  const key = tokens[items[i]?.from ?? -1]?.key ?? '';
  const next = items[i + 1];
  if (items[i]?.type !== 'word') return false;
  if (isNextWord(key) && i === 0 && (next?.type === 'count' || next?.type === 'the' || next?.type === 'kind'))
    return true;
  if (!isWaiting(key) || items.slice(i).some(isMachine)) return false;
  const object = items.slice(i + 1).findIndex(({ from }) => isPartWord(tokens[from]?.key ?? ''));
  return object >= 0 && object <= NEAR_OBJECT;
}

/** The doubt that one item raises about the machines near it. */
function doubtOf(text: Text, items: readonly Item[], i: number, to: number): Doubt | null {
  const item = items[i];
  if (item === undefined) return null;
  const span = spanOf(text.tokens, item.from, item.to);
  if (item.type === 'clue') {
    // `oder` is one of the words for `and`.
    if (item.clue === 'and' && text.tokens[item.from]?.key === 'oder') return { reason: 'another', span };
    if (FINE_CLUES.has(item.clue) || (item.clue === 'none' && deniesOther(text, items, i))) return null;
    if (item.clue === 'vague' || item.clue === 'figure') return { reason: 'vague', span };
    return { reason: item.clue === 'theirs' ? 'others' : 'gone', span };
  }
  // `où` is no `ou`, `wegen` is no `weg`.
  if (/^(où|wegen)$/i.test(text.tokens[item.from]?.text ?? '')) return null;
  const word = text.tokens[item.from];
  if (text.language === 'de' && item.type === 'word' && isNotOurs(word?.text ?? '')) return { reason: 'others', span };
  if (item.type === 'word' && isWaiting(word?.key ?? '') && items.slice(i + 1).some(isMachine))
    return { reason: 'future', span };
  const found =
    item.type === 'word' || item.type === 'the' ? doubtWords(text.language).at(text.tokens, item.from, to) : null;
  if (found === null) return null;
  // `another quarry` speaks of other owners, `the other one` does not.
  const reason = found.value === 'another' && isOwner(text.tokens, found.to, to) ? 'others' : found.value;
  return { reason, span: spanOf(text.tokens, item.from, found.to) };
}

/** Divides a sentence at its commas and semicolons. A part that only lists more machines belongs to the part before it. */
export function partsOf(text: Text, { items }: Read, names: ReadonlySet<string>): Part[] {
  const lists: { items: Item[]; isApart: boolean }[] = [{ items: [], isApart: true }];
  for (const item of items) {
    if (item.type === 'sign' && (item.sign === ',' || item.sign === ';'))
      lists.push({ items: [], isApart: item.sign === ';' });
    else lists.at(-1)?.items.push(item);
  }
  const joined: { items: Item[]; isApart: boolean }[] = [];
  for (const list of lists) {
    if (list.items.length === 0) continue;
    const before = joined.at(-1);
    const isPure = list.items.every(({ type }) => type !== 'word' && type !== 'place' && type !== 'clue');
    if (before !== undefined && isPure && !list.isApart && before.items.some(isMachine))
      before.items.push(...list.items);
    else joined.push(list);
  }
  return joined.map((list) => partOf(text, list.items, list.isApart, names));
}

/** True if the last machines of a part are a range with an exception, so that a doubt behind it speaks of the exception. */
function endsWithException({ items }: Part): boolean {
  const last = items.findLast(isMachine);
  return last?.type === 'units' && last.list.without.length > 0;
}

/** Gives the doubts and the unknown words of each part to the parts of which it speaks. */
export function spread(parts: readonly Part[]): void {
  const lead = parts.findIndex(({ isLead }) => isLead);
  for (let j = lead + 1; lead >= 0 && parts[j]?.isApart === false; j++)
    (parts[j] as Part).soft ??= parts[lead]?.soft ?? null;
  const own = parts.map(({ hard }) => hard);
  const mark = (at: number, doubt: Doubt) => {
    const part = parts[at];
    if (part !== undefined) part.hard ??= doubt;
  };
  for (const [i, part] of parts.entries()) {
    let target = i;
    if (!part.hasMachine) {
      target = parts.findLastIndex(({ hasMachine }, j) => j < i && hasMachine);
      if (target < 0) target = parts.findIndex(({ hasMachine }, j) => j > i && hasMachine);
      const speaks = parts[target];
      if (speaks === undefined || (target < i && endsWithException(speaks))) continue;
      speaks.unknown.push(...part.unknown);
      // `ZQ-93 and ZQ-94, both Volvo, frobnicate`: the numbers are also meant.
      for (let j = target; j > 0 && target < i && !parts[j]?.isApart && !parts[j]?.hasVerb; j--)
        parts[j - 1]?.unknown.push(...part.unknown);
      speaks.soft ??= part.soft;
    }
    const doubt = own[i] ?? null;
    if (doubt === null) continue;
    mark(target, doubt);
    for (let j = target + 1; parts[j]?.hasVerb === false && parts[j]?.isApart === false; j++) mark(j, doubt);
    // `Wir haben den Radlader, den Cat 988, verkauft`: a part without a machine also speaks of the part with the verb.
    const isTail = target < i;
    for (let j = target; j > 0 && parts[j]?.isApart === false; j--) {
      if (isTail ? parts[j]?.hasVerb === true : parts[j - 1]?.hasVerb === true) break;
      mark(j - 1, doubt);
    }
  }
}

/** A word with a capital letter. German writes all nouns so: there a second one must stand beside it. */
export function isName({ tokens, language }: Text, one: Span, all: readonly Span[]): boolean {
  const token = tokens.find(({ start }) => start === one.start);
  if (token === undefined || !isCapital(token)) return false;
  return language !== 'de' || all.some((other) => other.end + 1 === one.start || one.end + 1 === other.start);
}

/** `HT-01 from Hanson`: a word with a capital letter inside a sentence, in a language that writes only names so. */
export function isFirmName({ tokens, language }: Text, one: Span): boolean {
  const i = tokens.findIndex(({ start }) => start === one.start);
  const token = tokens[i];
  const before = tokens[i - 1];
  if (token === undefined || language === 'de' || !isCapital(token)) return false;
  return before !== undefined && before.line === token.line && (!before.isSign || before.key === '(');
}

/** A label has at most so many items. */
const LONGEST_LABEL = 2;
/** A heading is at most this long. */
const LONGEST_HEADING = 9;

/** `Sold:`, `Wish list`: a line of its own before a list, with its doubt about the machines below it. */
function headingDoubt(
  text: Text,
  read: Read,
  next: Read | undefined,
  names: ReadonlySet<string>,
): Doubt | null | undefined {
  const { sentence, items } = read;
  const { tokens } = text;
  const last = tokens[sentence.to - 1];
  const isAlone = sentence.startsLine && tokens[sentence.to]?.line !== last?.line;
  const isList =
    next?.sentence.startsLine === true &&
    next.items.slice(0, 3).some((item) => isMachine(item) || (item.type === 'sign' && /[-*•–]/.test(item.sign)));
  const isHeading =
    isAlone &&
    sentence.to - sentence.from <= LONGEST_HEADING &&
    (last?.key === ':' || isList) &&
    !items.some(({ type }) => type === 'units' || type === 'model' || type === 'make' || type === 'count') &&
    (last?.key === ':' || !items.some(({ type }) => type === 'kind'));
  if (!isHeading) return undefined;
  // A question, or a heading of screens or people, says nothing about the machines of the list below.
  const isOther =
    last?.key === '?' ||
    items.some(
      ({ type, from }) => type === 'role' || type === 'topic' || SCREEN_WORDS.at(tokens, from, sentence.to) !== null,
    );
  if (isOther) return null;
  const { hard, unknown } = partOf(text, items, true, names);
  if (hard !== null) return hard;
  // One word that nobody knows: `Blorked:`
  const isUnknown = unknown[0] !== undefined && last?.key === ':' && sentence.to - sentence.from === 2;
  return isUnknown ? { reason: 'unknown_words', span: unknown[0] as Span } : null;
}

/** `Offer: excavator Cat 336. Loader Volvo L150.`: a label with a doubt speaks of the other sentences of its line. */
function labelDoubt(text: Text, { items }: Read, names: ReadonlySet<string>): Doubt | null {
  const colon = items.findIndex((item) => item.type === 'sign' && item.sign === ':');
  if (colon < 1 || colon > LONGEST_LABEL) return null;
  return partOf(text, items.slice(0, colon), true, names).hard;
}

/** For each sentence the doubt of the heading above it. A heading counts up to the next one, or to an empty line behind its list. */
export function headingDoubts(text: Text, reads: readonly Read[], names: ReadonlySet<string>): (Doubt | null)[] {
  let current: Doubt | null = null;
  let labelled: Doubt | null = null;
  let isFresh = false;
  return reads.map((read, i) => {
    const label = labelDoubt(text, read, names);
    const isSameLine = !read.sentence.startsLine && reads[i - 1]?.sentence.line === read.sentence.line;
    labelled = label ?? (isSameLine ? labelled : null);
    if (labelled !== null && label === null) return labelled;
    const own = headingDoubt(text, read, reads[i + 1], names);
    if (own !== undefined) {
      current = own;
      isFresh = true;
      return null;
    }
    if (read.sentence.afterGap && !isFresh) current = null;
    isFresh = false;
    return current;
  });
}

/** The doubt that the words of a cell of a table raise. Names of people and codes are no doubt. */
export function doubtInCell(text: Text): Doubt | null {
  const { tokens, language } = text;
  const sentence = { from: 0, to: tokens.length, line: 0, afterGap: true, startsLine: true };
  if (tokens.length === 0) return null;
  const { hard, unknown } = partOf(text, scan(text, sentence), true, new Set());
  if (hard !== null) return hard;
  const strange = unknown.find(({ start, end }) => {
    const word = text.raw.slice(start, end);
    const isPair = unknown.some((other) => other.end + 1 === start || end + 1 === other.start);
    return (
      !/\d/.test(word) &&
      !/^\p{Lu}{1,5}$/u.test(word) &&
      !(isPair && isName({ ...text, language }, { start, end }, unknown))
    );
  });
  return strange === undefined ? null : { reason: 'unknown_words', span: strange };
}
