/** What a sentence has said so far: its open group of machines, and the words since the last of them. */

import type { Item, Text, UnitList } from '#domain/sentences/items.ts';
import { keyOfModel } from '#domain/sentences/models.ts';
import { spanOf } from '#domain/words/text.ts';
import { createFinisher, type Finisher, type Listed } from './fleet-finish.ts';
import { type Group, kindOfModel, type Machine, type ModelName } from './fleet-types.ts';

/** A count may stand this many words before its machine. */
export const NEAR_WORDS = 4;
const BEFORE_PLACE = /^(in|im|am|an|auf|bei|beim|en|no|na|au|aux|dans|sur|at|on)$/;
const MACHINE_WORDS = /^(machines?|units|unidades|maquinas|equipos|equipamentos|engins|unites|maschinen|gerate|stuck)$/;

export abstract class FleetState {
  protected readonly finisher: Finisher;
  protected readonly text: Text;
  protected ids = 0;
  protected current: Group | null = null;
  protected last: Group | null = null;
  /** What stands between the this.last element of a group and this one. */
  protected since = { comma: false, and: false, copula: false, all: false, words: 0, open: false, have: false };
  protected readonly fresh = () => ({
    comma: false,
    and: false,
    copula: false,
    all: false,
    words: 0,
    open: false,
    have: false,
  });
  protected pending: { count: number; isArticle: boolean; item: Item } | null = null;
  protected definite = false;
  protected vague = false;
  protected figure = false;
  protected around: string | null = null;
  protected sentencePlace: string | null = null;
  protected depth = 0;
  /** The this.depth of brackets at which the kind of the this.current group stands. */
  protected depthOfKind = 0;
  /** True if nothing stands between the last element of the group and this one. */
  protected isDirect(): boolean {
    const { comma, and, copula, all, words, open } = this.since;
    const isArticle = this.pending === null || this.pending.isArticle;
    return !comma && !and && !copula && !all && !open && words === 0 && isArticle;
  }
  protected readonly partSum = (group: Group): number => group.parts.reduce((sum, { count }) => sum + count, 0);
  protected rest = false;
  protected every = false;
  protected inSentence: Group[] = [];
  protected restFrom: number | null = null;

  constructor(text: Text, listed: Listed) {
    this.text = text;
    this.finisher = createFinisher(text, listed);
  }

  protected open(item: Item, startsLine: boolean): Group {
    this.close();
    const from = this.pending?.item.from ?? item.from;
    this.current = {
      id: this.ids++,
      word: null,
      plural: false,
      count: this.pending?.count ?? null,
      isArticle: this.pending?.isArticle ?? false,
      definite: this.definite,
      vague: this.vague,
      figure: this.figure,
      unnumbered: false,
      make: null,
      model: null,
      modelPlural: false,
      place: null,
      around: this.sentencePlace ?? this.around,
      segments: [],
      parts: [],
      span: spanOf(this.text.tokens, from, item.to),
      startsLine,
      all: false,
      depth: this.depth,
    };
    this.pending = null;
    this.definite = false;
    this.vague = false;
    this.figure = false;
    this.inSentence.push(this.current);
    return this.current;
  }

  protected close(): void {
    if (this.current === null) return;
    this.finisher.finish(this.current);
    this.last = this.current;
    this.current = null;
  }

  protected extend(group: Group, item: Item): void {
    group.span = {
      start: Math.min(group.span.start, spanOf(this.text.tokens, item.from, item.to).start),
      end: Math.max(group.span.end, spanOf(this.text.tokens, item.from, item.to).end),
    };
    this.since = this.fresh();
  }

  /** `Two dozers, DZ-1 and DZ-2, both D9`: behind all numbers of a count, the code of a model of this kind is no machine. */
  protected modelOfAll({ word, count, segments }: Group, { units: [only, ...more] }: UnitList): ModelName | null {
    if (word === null || only === undefined || more.length > 0) return null;
    if (count !== segments.reduce((sum, { machines }) => sum + machines.length, 0)) return null;
    const model = { make: null, model: only.text, key: keyOfModel(only.text) };
    return kindOfModel(model) === word.kind ? model : null;
  }

  protected setModel(group: Group, make: string | null, model: ModelName | null): void {
    const segment = group.segments.at(-1);
    if (segment === undefined) {
      group.make ??= make;
      group.model ??= model;
      return;
    }
    const isOwn = this.depth > group.depth && !this.since.all && group.segments.length >= 1;
    const targets = isOwn ? [segment] : group.segments;
    if (!isOwn && !group.segments.some(({ hasOwn }) => hasOwn)) {
      group.make ??= make;
      group.model ??= model;
    }
    for (const one of targets)
      for (const machine of one.machines) {
        machine.make ??= make;
        machine.model ??= model;
      }
    if (isOwn) segment.hasOwn = true;
  }

  /** `3 Bagger (2x Liebherr 924, 1x Hyundai 220), Nummern 01 bis 03` */
  protected assignParts(group: Group, machines: readonly Machine[]): void {
    if (group.parts.length === 0 || machines.length !== this.partSum(group)) return;
    let at = 0;
    for (const part of group.parts) {
      for (const machine of machines.slice(at, at + part.count)) {
        machine.make ??= part.make;
        machine.model ??= part.model;
        machine.spans.push(part.span);
      }
      at += part.count;
    }
    group.parts.length = 0;
  }

  protected onPlace(item: Item & { type: 'place' }, next: Item | undefined, inside: Item | undefined): void {
    if (item.kind === 'site') return;
    const { name } = item;
    // `Damm Süd (Dozer, Walzen)`: the machines of a place stand in brackets.
    if (
      this.depth === 0 &&
      next?.type === 'sign' &&
      next.sign === '(' &&
      (inside?.type === 'kind' || inside?.type === 'units')
    ) {
      this.close();
      this.sentencePlace = name;
      return;
    }
    if (this.isOneOfThem(item.from)) return;
    if (this.every)
      for (const group of this.inSentence) {
        group.place ??= name;
        for (const one of group.segments) for (const machine of one.machines) machine.place ??= name;
      }
    if (this.current === null) {
      this.sentencePlace = name;
      return;
    }
    const group: Group = this.current;
    const segment = group.segments.at(-1);
    if (segment === undefined || this.since.all || group.all) {
      if (segment === undefined) group.place ??= name;
      for (const one of group.segments) for (const machine of one.machines) machine.place ??= name;
    } else
      for (const one of group.segments)
        if (one === segment || (!one.hasOwn && group.segments.length > 1 && this.since.and))
          for (const machine of one.machines) machine.place ??= name;
    if (segment !== undefined) segment.hasOwn = true;
    this.since = this.fresh();
  }

  /** `drei Radlader, einer davon steht in der Werkstatt`: the text does not say which one. */
  private isOneOfThem(at: number): boolean {
    for (let i = at - 1; i >= Math.max(0, at - 8); i--) {
      const key = this.text.tokens[i]?.key ?? '';
      const next = this.text.tokens[i + 1]?.key ?? '';
      if (key === ';' || key === '.') return false;
      if (key === 'davon' || (/^(of|de|d)$/.test(key) && /^(them|which|ellos|ellas|eles|elas|entre)$/.test(next)))
        return true;
      if (/^(deles|delas)$/.test(key)) return true;
    }
    return false;
  }

  protected onSign(sign: string): void {
    if (sign === ',') this.since.comma = true;
    else if (sign === ';') this.close();
    else if (sign === ':' || sign === '=' || sign === '>') this.since.copula = true;
    else if (sign === '(' || sign === '[') {
      this.depth++;
      this.since.open = true;
    } else if (sign === ')' || sign === ']') {
      this.depth = Math.max(0, this.depth - 1);
    } else if (sign === '-' || sign === '/') this.since.comma ||= false;
  }

  /** `pipa tem 1` counts machines, `loaders have 4 tyres` does not. */
  private isCountEnd(next: Item | undefined): boolean {
    if (next === undefined || next.type === 'sign' || next.type === 'clue' || next.type === 'noise') return true;
    const key = this.text.tokens[next.from]?.key ?? '';
    return BEFORE_PLACE.test(key) || /^(von|de|da|do|of|stuck|stk)$/.test(key);
  }

  /** `Motoniveladora una`, `Stapler einer in der Werkstatt`: an article that ends a part counts the machine before it. */
  private isLastCount(item: Item & { type: 'count' }, next: Item | undefined): boolean {
    const { current } = this;
    if (current?.word == null || current.count !== null || current.segments.length > 0 || !item.isArticle) return false;
    const isEnd = next === undefined || (next.type === 'sign' && [',', ';', '.', '(', ':'].includes(next.sign));
    const isPlaced = BEFORE_PLACE.test(this.text.tokens[next?.from ?? -1]?.key ?? '');
    return (isEnd || isPlaced) && this.since.words <= NEAR_WORDS && item.to - item.from === 1 && !current.plural;
  }

  protected onCount(item: Item & { type: 'count' }, items: readonly Item[], i: number): void {
    const ahead = items.slice(i + 1, i + 2 + NEAR_WORDS + 2);
    const stop = ahead.findIndex(
      (one) =>
        (one.type === 'sign' && [',', ';', '(', ')', ':', '.'].includes(one.sign)) ||
        one.type === 'count' ||
        (one.type === 'clue' && one.clue === 'and'),
    );
    const near = stop < 0 ? ahead : ahead.slice(0, stop);
    const machine = near.find(({ type }) => type === 'kind' || type === 'make' || type === 'model');
    // `3 dumpers 6 roues Bell B30`: a number right behind a counted machine describes it.
    const isDescribing =
      this.current?.word != null &&
      this.current.count !== null &&
      !this.current.isArticle &&
      this.current.segments.length === 0 &&
      !item.isArticle &&
      !this.since.comma &&
      !this.since.and &&
      !this.since.open &&
      !this.since.copula &&
      this.since.words === 0 &&
      machine?.type !== 'kind';
    if (isDescribing && machine !== undefined) return;
    if (machine !== undefined) {
      if (this.pending === null || !item.isArticle)
        this.pending = { count: item.count, isArticle: item.isArticle, item };
      this.since.words = 0;
      return;
    }
    // `BD-1 to BD-4, that is five machines`
    if (
      this.current !== null &&
      MACHINE_WORDS.test(this.text.tokens[item.to]?.key ?? '') &&
      this.current.count === null
    ) {
      this.current.count = item.count;
      this.extend(this.current, item);
      return;
    }
    // `Compactors: 3`, `site dumpers x3`, `Excavadora, dos: la XC-1`
    if (
      this.current !== null &&
      this.current.word !== null &&
      this.current.count === null &&
      this.current.segments.length === 0 &&
      this.since.words <= 2 &&
      !item.isArticle &&
      item.count > 0 &&
      this.depth === this.current.depth &&
      (this.since.copula || this.since.comma || this.since.words === 0) &&
      !(this.since.have && !this.isCountEnd(items[i + 1]))
    ) {
      this.current.count = item.count;
      this.extend(this.current, item);
    } else if (this.current !== null && this.isLastCount(item, items[i + 1])) {
      this.current.count = item.count;
      this.extend(this.current, item);
    } else if (item.isArticle || near.some(({ type }) => type === 'units')) this.pending = null;
    else this.since.words++;
  }
}
