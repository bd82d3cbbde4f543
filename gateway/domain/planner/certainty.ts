/**
 * Decides which machines are certain. A machine is certain only if each word of the part of the sentence that makes it is understood, and
 * no word of its sentences may mean that it is not there. All other machines are proposals: a person confirms them.
 */

import type { Read, Text } from '#domain/sentences/items.ts';
import { isRate } from '#domain/sentences/noise.ts';
import { unreadNumbers } from '#domain/sentences/scan-counts.ts';
import { type Span, spanOf } from '#domain/words/text.ts';
import type { FinishedMachine } from './fleet-finish.ts';
import type { Doubt, FleetGap } from './fleet-types.ts';
import { isFirmName, isMachine, isName, type Part, partsOf, spread } from './parts.ts';

interface Weighed {
  readonly span: Span;
  readonly parts: readonly Part[];
  readonly numbers: readonly Span[];
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
    for (const { hard, unknown } of this.#partsAt(span)) {
      if (hard !== null) return hard;
      const strange = unknown.find((one) => !isName(this.#text, one, unknown));
      if (strange !== undefined) return { reason: 'unknown_words', span: strange };
    }
    return null;
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
    if (one.group < 0 || own === undefined) return one.doubt;
    if (one.unit === null) return this.#strict(one.spans, false) ?? this.#counted(one, own);
    if (one.guessed) return { reason: 'kind_guessed', span: own };
    const behind = one.mentions.find((span) => this.#isBehindMake(span));
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
