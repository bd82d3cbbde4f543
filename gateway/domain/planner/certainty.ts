/**
 * Decides which machines are certain. A machine is certain only if each word of the part of the sentence that makes it is understood, and
 * no word of its sentences may mean that it is not there. All other machines are proposals: a person confirms them.
 */

import type { Read, Text } from '#domain/sentences/items.ts';
import { isRate } from '#domain/sentences/noise.ts';
import { unreadNumbers } from '#domain/sentences/scan-counts.ts';
import { isFilling, isFor, isLabel, isNear } from '#domain/words/plain-words.ts';
import { fold, type Span, spanOf } from '#domain/words/text.ts';
import type { FinishedMachine } from './fleet-finish.ts';
import type { Doubt, FleetGap } from './fleet-types.ts';
import { headingDoubts, isFirmName, isMachine, isName, type Part, partsOf, spread } from './parts.ts';
import { STAFF } from './people-later.ts';

interface Weighed {
  readonly span: Span;
  readonly parts: readonly Part[];
  readonly numbers: readonly Span[];
}

/** A role within so many words of a machine belongs to it: `loader operators`, `operadores de cargadora`. */
const ROLE_NEAR = 2;
/** A total stands at most this many characters behind the words that it counts. */
const LONGEST_TOTAL = 14;

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
    const headings = headingDoubts(text, reads, names);
    const first = siteOf(reads);
    this.#sentences = reads.map((read, i) => {
      const parts = partsOf(text, read, names);
      spread(parts);
      const doubt = headings[i] ?? otherSite(text, read, first);
      if (doubt !== null) for (const part of parts) part.hard ??= doubt;
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
        const strange = unknown.find((one) => !isNumbered || !isFirmName(this.#text, one));
        if (strange !== undefined) return { reason: 'unknown_words', span: strange };
      }
    return null;
  }

  /** A doubt about objects other than machines, in their own part of the sentence. */
  words(spans: readonly Span[]): Doubt | null {
    return spans.flatMap((span) => this.#partsAt(span).flatMap(({ own }) => own ?? []))[0] ?? null;
  }

  /** Times may be opening hours. */
  times(spans: readonly Span[]): Doubt | null {
    return spans.flatMap((span) => this.#partsAt(span).flatMap(({ opening }) => opening ?? []))[0] ?? null;
  }

  /** Another mention of a machine that is understood elsewhere: names of people may stand there. */
  #lenient(span: Span): Doubt | null {
    const isRoster = this.#isRoster(span);
    for (const { hard, unknown } of this.#partsAt(span)) {
      if (hard !== null) return hard;
      if (isRoster) continue;
      const strange = unknown.find((one) => !isName(this.#text, one, unknown));
      if (strange !== undefined) return { reason: 'unknown_words', span: strange };
    }
    return null;
  }

  /** A sentence about people: their names stand beside the machines, also without capital letters. */
  #isRoster(span: Span): boolean {
    const sentence = this.#sentences.find((one) => inside(span, one.span));
    if (sentence === undefined) return false;
    const { tokens } = this.#text;
    const first = tokens.findIndex(({ start }) => start >= sentence.span.start);
    return (
      STAFF.at(tokens, first, first + 3) !== null ||
      sentence.parts.some(({ items }) => items.some((item) => item.type === 'role' && item.role !== 'other'))
    );
  }

  /** A word of daily life is a machine in a list: with a count in figures, or beside another machine. */
  #isListed(one: FinishedMachine, own: Span): boolean {
    const words = this.#text.raw.slice(own.start, own.end);
    if (/\bscreens?\b/i.test(words)) return false;
    const { tokens } = this.#text;
    const isMeant = (item: { readonly from: number }) =>
      isFor(tokens[item.from]?.key ?? '') && (tokens[item.from]?.start ?? 0) < own.start;
    // `Parking for 4 light vehicles and a bus`
    if (this.#partsAt(own).some(({ items }) => items.some(isMeant))) return false;
    const sentence = this.#sentences.find(({ span }) => inside(own, span));
    const isBeside = sentence?.parts.some(({ items }) =>
      items.some((item) => (item.type === 'kind' && !item.word.weak) || item.type === 'make' || item.type === 'model'),
    );
    return isBeside === true || (!one.isSingle && /\d/.test(words));
  }

  #counted(one: FinishedMachine, own: Span): Doubt | null {
    const sentence = this.#sentences.find(({ span }) => inside(own, span));
    if (isRate(this.#text, own.end)) return { reason: 'rate', span: own };
    if (this.#isObject(one, own) || this.#isTotal(own)) return { reason: 'mentioned', span: own };
    const number =
      sentence?.numbers[0] ?? this.#unreadable.find((at) => sentence !== undefined && inside(at, sentence.span));
    if (number !== undefined) return { reason: 'unread_number', span: number };
    if (one.weak && !one.unnumbered && one.make === null && !this.#isListed(one, own))
      return { reason: 'common_word', span: own };
    if (one.unnumbered) return null;
    // The text speaks of machines of this kind elsewhere: they may be the same machines.
    const others = (this.#byKind.get(one.kind) ?? []).filter(({ group }) => group !== one.group);
    const same =
      others.find(({ model }) => model === null || one.model === null || model === one.model) ??
      others.find(({ unit }) => unit !== null && one.isSingle) ??
      others.find((other) => this.#isOneOf(own, other));
    return same === undefined ? null : { reason: 'counted_twice', span: same.spans[0] ?? own };
  }

  /** True if a number after the machines counts all of them, as in `trucks, loaders and dozers: five machines`. */
  #isTotal(own: Span): boolean {
    const words = this.#text.raw.slice(own.start, own.end + LONGEST_TOTAL);
    return (
      /:.*(machines|units|unidades|m[aá]quinas|equipos|equipamentos|engins|maschinen|ger[aä]te)/i.test(words) &&
      this.#partsAt(own).some(({ items }) => items.filter(({ type }) => type === 'kind').length > 1)
    );
  }

  /** `three loader operators`, `tyres for two loaders`, `each loader fills three trucks`, `Cat 336 oil`: words that count no machines of the site. */
  #isObject(one: FinishedMachine, own: Span): boolean {
    const { tokens } = this.#text;
    const at = tokens.findIndex(({ start }) => start >= own.start);
    const [before, last] = [tokens[at - 2]?.key ?? '', tokens[at - 1]?.key ?? ''];
    if (isFor(last) || (isNear(before) && !tokens[at - 1]?.isSign)) return true;
    return this.#partsAt(own).some(({ items }) => {
      const kind = items.findIndex(({ from, type }) => type === 'kind' && (tokens[from]?.start ?? -1) >= own.start);
      const isFilled = items
        .slice(0, Math.max(0, kind))
        .some(({ from }, i) => isFilling(tokens[from]?.key ?? '') && items.slice(0, i).some(isMachine));
      const isPlainModel = one.isSingle && one.isBare && kind < 0;
      const isRole = items.some(
        (item, i) => item.type === 'role' && item.role === 'operator' && Math.abs(i - kind) <= ROLE_NEAR,
      );
      // `El camión del gerente`
      const isPrivate = one.isSingle && items.some((item) => item.type === 'role' && item.role === 'other');
      return isRole || isPrivate || isFilled || isPlainModel;
    });
  }

  /** `two loaders: the old Volvo L150 and the Komatsu WA470`: the single machines behind a count may be those that it counts. */
  #isOneOf(own: Span, other: FinishedMachine): boolean {
    const [at] = other.spans;
    const sentence = this.#sentences.find(({ span }) => inside(own, span));
    if (at === undefined || sentence === undefined || !inside(at, sentence.span)) return false;
    const [first, second] = own.start < at.start ? [own, at] : [at, own];
    return this.#text.raw.slice(first.start, second.start).includes(':') || other.isSingle;
  }

  /** `Trucks 2` may be a count, and `PO 4471` is the number of an order. */
  #isOtherNumber(one: FinishedMachine, { start, end }: Span): boolean {
    const { tokens, raw } = this.#text;
    const at = tokens.findIndex((token) => token.start >= start);
    if (isLabel(tokens[at - 1]?.key ?? '') || isLabel(tokens[at]?.key ?? '')) return true;
    if (one.unit?.bare !== true || !/^[1-9]\d?$/.test(raw.slice(start, end))) return false;
    return this.#partsAt({ start, end }).some(({ items }) => {
      const i = items.findIndex(({ from }) => from === at);
      const last = items[i - 1];
      return last?.type === 'kind' && last.plural && last.to === at;
    });
  }

  /** True if the sentence of a number also says which machines these are. */
  #namesKind(span: Span): boolean {
    const sentence = this.#sentences.find((one) => inside(span, one.span));
    return sentence?.parts.some(({ items }) => items.some((item) => isMachine(item) && item.type !== 'units')) === true;
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
    if (one.doubt !== null || one.group < 0 || own === undefined) return one.doubt;
    if (one.unit === null) return this.#strict(one.spans, false) ?? this.#counted(one, own);
    if (one.guessed) return { reason: 'kind_guessed', span: own };
    const behind = one.mentions.find((span) => this.#isBehindMake(span) || this.#isOtherNumber(one, span));
    if (behind !== undefined) return { reason: 'model_or_number', span: behind };
    const head = one.head === null ? [] : [{ start: one.head, end: one.head + 1 }];
    const doubts = one.mentions.map((span) => this.#strict([span, ...head], true));
    const clear = doubts.indexOf(null);
    if (clear < 0) return doubts[0] ?? null;
    const at = one.mentions[clear] ?? own;
    if (
      !this.#namesKind(at) &&
      (one.unit.bare || one.spans.some(({ start, end }) => /\n\s*\n/.test(this.#text.raw.slice(start, end))))
    )
      return { reason: 'kind_guessed', span: at };
    for (const [i, span] of one.mentions.entries()) {
      const doubt = i === clear ? null : this.#lenient(span);
      if (doubt !== null) return doubt;
    }
    return null;
  }
}

const siteOf = (reads: readonly Read[]): string | null => {
  for (const { items } of reads)
    for (const item of items) if (item.type === 'place' && item.kind === 'site') return item.name;
  return null;
};

/** `Milton Quarry has four trucks` in a text about Harrow Quarry. */
function otherSite(text: Text, { items }: Read, first: string | null): Doubt | null {
  const other = items.find(
    (item) => item.type === 'place' && item.kind === 'site' && first !== null && !isPartOf(item.name, first),
  );
  return other === undefined ? null : { reason: 'others', span: spanOf(text.tokens, other.from, other.to) };
}

const isPartOf = (a: string, b: string): boolean => {
  const [one, two] = [fold(a), fold(b)];
  return one.includes(two) || two.includes(one);
};

/** Returns functions that say why a machine, or another object that some words name, is not certain; null if it is. */
export function certaintyOf(
  text: Text,
  reads: readonly Read[],
  machines: readonly FinishedMachine[],
  gaps: readonly FleetGap[],
  names: ReadonlySet<string>,
): {
  machine(machine: FinishedMachine): Doubt | null;
  words(spans: readonly Span[]): Doubt | null;
  times(spans: readonly Span[]): Doubt | null;
} {
  const certainty = new Certainty(text, reads, machines, gaps, names);
  const known = new Map<FinishedMachine, Doubt | null>();
  return {
    machine(machine) {
      if (!known.has(machine)) known.set(machine, certainty.of(machine));
      return known.get(machine) ?? null;
    },
    words: (spans) => certainty.words(spans),
    times: (spans) => certainty.times(spans),
  };
}
