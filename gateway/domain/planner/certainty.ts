/**
 * Decides which machines are certain. A machine is certain only if each word of the part of the sentence that makes it is understood, and
 * no word of its sentences may mean that it is not there. All other machines are proposals: a person confirms them.
 */
import { contractEnd, type DoubtWord, doubtWords } from '#domain/words/doubt-words.ts';
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
import { isCapital, type Span, spanOf } from '#domain/words/text.ts';
import type { FinishedMachine } from './fleet-finish.ts';
import type { FleetGap } from './fleet-types.ts';
import type { Item, Read, Text } from './items.ts';
import { isRate } from './noise.ts';
import { unreadNumbers } from './scan-counts.ts';

export type DoubtReason =
  | DoubtWord
  | 'gone'
  | 'vague'
  | 'unknown_words'
  | 'unread_number'
  | 'rate'
  | 'counted_twice'
  | 'kind_guessed'
  | 'common_word'
  | 'model_or_number';

/** Why a machine is not certain, and the words that say so. */
export interface Doubt {
  readonly reason: DoubtReason;
  readonly span: Span;
}

/** A part of a sentence between commas. */
interface Part {
  readonly items: readonly Item[];
  readonly span: Span;
  readonly hasMachine: boolean;
  readonly hasVerb: boolean;
  /** True if a semicolon stands before it. */
  readonly isApart: boolean;
  readonly unknown: Span[];
  /** A doubt about all its machines. */
  hard: Doubt | null;
  /** A doubt about its machines without a number. */
  soft: Doubt | null;
}

interface Weighed {
  readonly span: Span;
  readonly parts: readonly Part[];
  readonly numbers: readonly Span[];
}

const isMachine = ({ type }: Item): boolean =>
  type === 'kind' || type === 'units' || type === 'make' || type === 'model';

/** Clues that the readers understand, and that say nothing against a machine. */
const FINE_CLUES = new Set(['and', 'is', 'all', 'rest', 'numbers', 'unnumbered', 'called', 'stays', 'every', 'aside']);
/** Doubts about a count only: a machine with a number is there also `like` others. */
const SOFT: ReadonlySet<DoubtReason> = new Set(['vague', 'another', 'sometimes', 'compared']);
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

/** True if the planner knows what the words of an item mean. */
function isUnderstood(text: Text, item: Item, names: ReadonlySet<string>): boolean {
  if (item.type !== 'word') return true;
  const { tokens, language } = text;
  const token = tokens[item.from];
  if (token === undefined || isPlain(language, token.key) || names.has(token.key)) return true;
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
  let free = 0;
  for (const [i, item] of items.entries()) {
    const { from } = item;
    if (from < free) continue;
    const exception = exceptionEnd(text, items, i);
    free = exception > i ? (items[exception]?.from ?? to) : contractEnd(tokens, from, to);
    if (free > from || isMachine(item) || item.type === 'sign') continue;
    const doubt = doubtOf(text, items, i, to);
    if (doubt !== null && SOFT.has(doubt.reason)) soft ??= doubt;
    else if (doubt !== null) hard ??= doubt;
    else if (item.type === 'clue' || isUnderstood(text, item, names)) continue;
    else if (isHired && isFrom(tokens[from - 1]?.key ?? '') && /^\p{Lu}/u.test(tokens[from]?.text ?? '')) continue;
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
    hard,
    soft,
  };
}

/** The doubt that one item raises about the machines near it. */
function doubtOf(text: Text, items: readonly Item[], i: number, to: number): Doubt | null {
  const item = items[i];
  if (item === undefined) return null;
  const span = spanOf(text.tokens, item.from, item.to);
  if (item.type === 'clue') {
    if (FINE_CLUES.has(item.clue) || (item.clue === 'none' && deniesOther(text, items, i))) return null;
    if (item.clue === 'vague' || item.clue === 'figure') return { reason: 'vague', span };
    return { reason: item.clue === 'theirs' ? 'others' : 'gone', span };
  }
  const found =
    item.type === 'word' || item.type === 'the' ? doubtWords(text.language).at(text.tokens, item.from, to) : null;
  return found === null ? null : { reason: found.value, span: spanOf(text.tokens, item.from, found.to) };
}

/** Divides a sentence at its commas and semicolons. A part that only lists more machines belongs to the part before it. */
function partsOf(text: Text, { items }: Read, names: ReadonlySet<string>): Part[] {
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
function spread(parts: readonly Part[]): void {
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
      speaks.soft ??= part.soft;
    }
    const doubt = own[i] ?? null;
    if (doubt === null) continue;
    mark(target, doubt);
    for (let j = target + 1; parts[j]?.hasVerb === false && parts[j]?.isApart === false; j++) mark(j, doubt);
    for (let j = target; j > 0 && parts[j]?.isApart === false && parts[j - 1]?.hasVerb === false; j--)
      mark(j - 1, doubt);
  }
}

const inside = (inner: Span, outer: Span): boolean => inner.start >= outer.start && inner.end <= outer.end;
const touches = (a: Span, b: Span): boolean => a.start < b.end && b.start < a.end;

class Certainty {
  readonly #text: Text;
  readonly #sentences: readonly Weighed[];
  readonly #unreadable: readonly Span[];
  readonly #byKind: ReadonlyMap<string, readonly FinishedMachine[]>;

  constructor(
    text: Text,
    reads: readonly Read[],
    machines: readonly FinishedMachine[],
    gaps: readonly FleetGap[],
    names: ReadonlySet<string>,
  ) {
    this.#text = text;
    this.#sentences = reads.map((read) => {
      const parts = partsOf(text, read, names);
      spread(parts);
      return {
        span: spanOf(text.tokens, read.sentence.from, read.sentence.to),
        parts,
        numbers: unreadNumbers(text, read),
      };
    });
    this.#unreadable = gaps.filter(({ code }) => code === 'unreadable_machine').flatMap(({ spans }) => spans);
    this.#byKind = Map.groupBy(machines, ({ kind }) => kind);
  }

  #partsAt(span: Span): readonly Part[] {
    const sentence = this.#sentences.find((one) => inside(span, one.span));
    return sentence?.parts.filter((part) => touches(part.span, span)) ?? [];
  }

  /** All words around it must be understood. */
  #strict(spans: readonly Span[], isNumbered: boolean): Doubt | null {
    for (const span of spans)
      for (const { hard, soft, unknown } of this.#partsAt(span)) {
        if (hard !== null) return hard;
        if (soft !== null && !isNumbered) return soft;
        if (unknown[0] !== undefined) return { reason: 'unknown_words', span: unknown[0] };
      }
    return null;
  }

  /** Another mention of a machine that is understood elsewhere: names of people may stand there. */
  #lenient(span: Span): Doubt | null {
    for (const { hard, unknown } of this.#partsAt(span)) {
      if (hard !== null) return hard;
      const strange = unknown.find((one) => !this.#isName(one, unknown));
      if (strange !== undefined) return { reason: 'unknown_words', span: strange };
    }
    return null;
  }

  /** A word with a capital letter. German writes all nouns so: there a second one must stand beside it. */
  #isName(one: Span, all: readonly Span[]): boolean {
    const { tokens, language } = this.#text;
    const token = tokens.find(({ start }) => start === one.start);
    if (token === undefined || !isCapital(token)) return false;
    return language !== 'de' || all.some((other) => other.end + 1 === one.start || one.end + 1 === other.start);
  }

  #counted(one: FinishedMachine, own: Span): Doubt | null {
    const sentence = this.#sentences.find(({ span }) => inside(own, span));
    if (isRate(this.#text, own.end)) return { reason: 'rate', span: own };
    const number =
      sentence?.numbers[0] ?? this.#unreadable.find((at) => sentence !== undefined && inside(at, sentence.span));
    if (number !== undefined) return { reason: 'unread_number', span: number };
    if (one.weak && !one.unnumbered && one.make === null) return { reason: 'common_word', span: own };
    if (one.unnumbered) return null;
    // The text speaks of machines of this kind elsewhere: they may be the same machines.
    const others = (this.#byKind.get(one.kind) ?? []).filter(({ group }) => group !== one.group);
    const same =
      others.find(({ model }) => model === null || one.model === null || model === one.model) ??
      others.find(({ unit }) => unit !== null && one.isSingle) ??
      others.find((other) => this.#isOneOf(own, other));
    return same === undefined ? null : { reason: 'counted_twice', span: same.spans[0] ?? own };
  }

  /** `two loaders: the old Volvo L150 and the Komatsu WA470`: the single machines behind a count may be those that it counts. */
  #isOneOf(own: Span, other: FinishedMachine): boolean {
    const [at] = other.spans;
    const sentence = this.#sentences.find(({ span }) => inside(own, span));
    if (at === undefined || sentence === undefined || !inside(at, sentence.span)) return false;
    const [first, second] = own.start < at.start ? [own, at] : [at, own];
    return this.#text.raw.slice(first.start, second.start).includes(':') || other.isSingle;
  }

  /** `Soilmec SR-45`: a code behind a make is often a model. */
  #isBehindMake({ start }: Span): boolean {
    for (const { items } of this.#partsAt({ start, end: start + 1 })) {
      const at = items.findIndex(({ from, type }) => type === 'units' && this.#text.tokens[from]?.start === start);
      const last = items[at - 1];
      if (last?.type === 'make' && last.to === items[at]?.from)
        return !/^0|[^\d]0/.test(this.#text.raw.slice(start, start + 6));
    }
    return false;
  }

  of(one: FinishedMachine): Doubt | null {
    const [own] = one.spans;
    if (one.group < 0 || own === undefined) return null;
    if (one.unit === null) return this.#strict(one.spans, false) ?? this.#counted(one, own);
    if (one.guessed) return { reason: 'kind_guessed', span: own };
    const behind = one.mentions.find((span) => this.#isBehindMake(span));
    if (behind !== undefined) return { reason: 'model_or_number', span: behind };
    const head = one.head === null ? [] : [{ start: one.head, end: one.head + 1 }];
    const doubts = one.mentions.map((span) => this.#strict([span, ...head], true));
    const clear = doubts.indexOf(null);
    if (clear < 0) return doubts[0] ?? null;
    for (const [i, span] of one.mentions.entries()) {
      const doubt = i === clear ? null : this.#lenient(span);
      if (doubt !== null) return doubt;
    }
    return null;
  }
}

/** Returns why a machine is not certain; null if it is. */
export function certaintyOf(
  text: Text,
  reads: readonly Read[],
  machines: readonly FinishedMachine[],
  gaps: readonly FleetGap[],
  names: ReadonlySet<string>,
): (machine: FinishedMachine) => Doubt | null {
  const certainty = new Certainty(text, reads, machines, gaps, names);
  const known = new Map<FinishedMachine, Doubt | null>();
  return (machine) => {
    if (!known.has(machine)) known.set(machine, certainty.of(machine));
    return known.get(machine) ?? null;
  };
}
