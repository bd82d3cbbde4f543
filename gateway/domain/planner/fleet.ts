/** Puts kinds, counts, makes, models, numbers and places of a sentence together to groups of machines. */

import type { Item, Read, Text, UnitList } from '#domain/sentences/items.ts';
import { type Negation, negationOf } from '#domain/sentences/negation.ts';
import type { KindWord } from '#domain/words/kind-words.ts';
import { isHave } from '#domain/words/plain-words.ts';
import { spanOf } from '#domain/words/text.ts';
import type { Finished, Listed } from './fleet-finish.ts';
import { FleetState, NEAR_WORDS } from './fleet-state.ts';
import { type Group, isSameKind, kindOfModel, type ModelName } from './fleet-types.ts';

class Fleet extends FleetState {
  private onKind(item: Item & { type: 'kind' }, next: Item | undefined, startsLine: boolean): void {
    const { word, plural } = item;
    let group: Group | null = this.current;
    if (group !== null) {
      const isNewNumber = next?.type === 'units' && group.segments.length > 0 && !this.since.copula && this.depth === 0;
      const quantified = this.pending !== null && !(this.pending.isArticle && this.since.copula);
      if (group.word === null) {
        const joins =
          group.segments.length > 0 &&
          !quantified &&
          !isNewNumber &&
          (!this.since.and || this.since.all) &&
          (!this.since.comma || this.since.copula || this.since.all || this.since.open);
        const adjacent =
          group.segments.length === 0 &&
          !this.since.comma &&
          !this.since.and &&
          this.since.words <= 3 &&
          this.pending === null;
        if (!joins && !adjacent) group = null;
      } else if (
        !(
          isSameKind(group, word) &&
          !quantified &&
          group.segments.length === 0 &&
          (this.since.open || (this.since.words <= 2 && !this.since.and && (!this.since.comma || group.count === 1))) &&
          !this.isPlainRepeat(group, word)
        )
      )
        group = null;
    }
    group ??= this.open(item, startsLine);
    if (group.word === null || group.word.general) group.word = group.word !== null && word.general ? group.word : word;
    group.plural ||= plural;
    if (this.pending !== null && group.count === null) {
      group.count = this.pending.count;
      group.isArticle = this.pending.isArticle;
    }
    this.pending = null;
    group.definite ||= this.definite;
    group.vague ||= this.vague;
    group.figure ||= this.figure;
    this.definite = false;
    this.vague = false;
    this.figure = false;
    this.extend(group, item);
  }

  /** The same word twice, far from each other, speaks of other machines. */
  private readonly isPlainRepeat = (group: Group, word: KindWord): boolean =>
    group.word === word && this.since.words > 0;

  private onModel(item: Item & { type: 'make' | 'model' }, next: Item | undefined, startsLine: boolean): void {
    const model: ModelName | null =
      item.type === 'model' ? { make: item.make, model: item.model, key: item.key } : null;
    const make = item.type === 'make' ? item.make : item.make;
    const plural =
      item.type === 'model' &&
      /s$/.test(this.text.tokens[item.to - 1]?.text ?? '') &&
      /\d/.test(this.text.tokens[item.to - 1]?.text ?? '');
    let group: Group | null = this.current;
    const upcoming =
      item.type === 'make' && next?.type === 'model' && next.from === item.to
        ? { make: item.make, model: next.model, key: next.key }
        : model;
    const told = kindOfModel(upcoming);
    if (group !== null) {
      const isPart =
        this.pending !== null &&
        group.word !== null &&
        group.count !== null &&
        next?.type !== 'kind' &&
        // `a pump and a Cat D6 dozer` are two machines, `a loader, a Volvo L120` is one.
        (group.count > 1 || this.since.open || (this.since.comma && !this.since.and)) &&
        !(told !== null && !group.word.general && group.word.kind !== told) &&
        this.partSum(group) + this.pending.count <= group.count &&
        group.segments.length === 0 &&
        group.model === null;
      if (isPart && this.pending !== null) {
        group.parts.push({
          count: this.pending.count,
          make,
          model,
          span: spanOf(this.text.tokens, this.pending.item.from, item.to),
        });
        this.pending = null;
        this.extend(group, item);
        return;
      }
      const part = group.parts.at(-1);
      if (part !== undefined && this.pending === null && group.segments.length === 0) {
        if (part.model === null && model !== null && this.since.words === 0) {
          part.model = model;
          part.make ??= make;
          this.extend(group, item);
          return;
        }
        if (model === null && item.type === 'make' && !(next?.type === 'model' && next.from === item.to)) {
          for (const one of group.parts) one.make ??= make;
          this.extend(group, item);
          return;
        }
      }
      const hasModel =
        group.model !== null || (group.segments.at(-1)?.machines.some((one) => one.model !== null) ?? false);
      // `EH03 Volvo EC360 e a EH04 JCB JS220`: each number has its own model.
      const own = group.segments.at(-1);
      if (
        hasModel &&
        upcoming !== null &&
        own !== undefined &&
        group.segments.length > 1 &&
        (this.isDirect() || this.isOwnModel())
      ) {
        for (const machine of own.machines) {
          machine.make = upcoming.make ?? (item.type === 'model' ? machine.make : null);
          machine.model = upcoming;
        }
        own.hasOwn = true;
        this.pending = null;
        this.extend(group, item);
        return;
      }
      const conflicts =
        told !== null &&
        !this.since.all &&
        group.word !== null &&
        !group.word.general &&
        group.word.kind !== told &&
        upcoming?.make === null;
      const counted = this.pending !== null && !(this.pending.isArticle && this.since.copula);
      const article =
        this.pending?.isArticle === true && group.segments.length > 0 && next?.type !== 'kind' && !this.since.and;
      const isCounted =
        counted &&
        group.word !== null &&
        group.count === null &&
        group.segments.length === 0 &&
        group.model === null &&
        group.place === null &&
        next?.type !== 'kind' &&
        (group.plural || this.since.copula);
      if (
        (counted && !article && !isCounted) ||
        conflicts ||
        (hasModel && model !== null) ||
        (item.type === 'make' && (hasModel || (group.make !== null && group.segments.length === 0)))
      )
        group = null;
      else if (
        next?.type === 'kind' &&
        group.word !== null &&
        this.since.comma &&
        !this.since.all &&
        this.depth === group.depth
      )
        group = null;
    }
    if (group === null) {
      group = this.open(item, startsLine);
      group.count ??= null;
    }
    if (this.pending !== null && group.count === null && group.segments.length === 0) group.count = this.pending.count;
    this.pending = null;
    this.definite = false;
    this.setModel(group, make, model);
    group.modelPlural ||= plural;
    this.extend(group, item);
  }

  /** `LD-1 is a Cat 992 and LD-2 is a Cat 988` */
  private isOwnModel(): boolean {
    return this.since.copula && !this.since.all && (this.pending === null || this.pending.isArticle);
  }

  private onUnits(item: Item & { type: 'units' }, units: UnitList, startsLine: boolean): void {
    if (units.tooMany) {
      this.finisher.tooMany(spanOf(this.text.tokens, item.from, item.to));
      return;
    }
    // `Graders: 0`
    if (units.units.length > 0 && units.units.every(({ text }) => /^0+$/.test(text))) return;
    const isBare = units.units[0]?.bare === true;
    const isKnown = units.units.length > 0 && units.units.every((unit) => this.finisher.known(unit) !== undefined);
    if (isBare && this.current === null && !isKnown) return;
    let group: Group | null = this.current;
    const model = group === null || isKnown ? null : this.modelOfAll(group, units);
    if (group !== null && model !== null) {
      this.setModel(group, null, model);
      this.extend(group, item);
      return;
    }
    if (
      group !== null &&
      isKnown &&
      group.segments.length > 0 &&
      !group.segments.some(({ machines }) =>
        machines.some((one) => units.units.some((unit) => one.unit?.text === unit.text)),
      )
    ) {
      const other = this.finisher.known(units.units[0] ?? { text: '', bare: false });
      if (
        other !== undefined &&
        other.group !== group.id &&
        !group.segments.some((one) => one.machines.some((machine) => machine.group === other.group))
      )
        group = null;
    }
    if (
      group !== null &&
      group.word === null &&
      group.model === null &&
      group.segments.length > 0 &&
      group.segments.some(({ hasOwn }) => hasOwn)
    )
      group = null;
    // Numbers behind a complete group belong to it only if its kind is the same: `PE-1 (pelles Volvo) et D7, D8 (tombereaux)`.
    if (group !== null && group.segments.length > 0 && group.depth < this.depthOfKind && this.depth === 0) group = null;
    // `two trucks and HT-02`: the number is another machine.
    const isOther = group?.segments.length === 0 && group.count !== null && !group.isArticle;
    if (isOther && this.since.and && !this.since.comma) group = null;
    group ??= this.open(item, startsLine);
    if (this.pending !== null && group.count === null && group.segments.length === 0) group.count = this.pending.count;
    this.pending = null;
    this.definite = false;
    const machines = units.units.map((unit) =>
      this.finisher.machine(unit, group, spanOf(this.text.tokens, item.from, item.to)),
    );
    group.segments.push({ machines, hasOwn: false });
    this.assignParts(group, machines);
    this.extend(group, item);
  }

  private onClue(item: Item & { type: 'clue' }): void {
    switch (item.clue) {
      case 'and':
        this.since.and = true;
        break;
      case 'is':
        this.since.copula = true;
        break;
      case 'all':
        this.since.all = true;
        if (this.current !== null) this.current.all = true;
        break;
      case 'vague':
        this.vague = true;
        break;
      case 'figure':
        this.figure = true;
        break;
      case 'unnumbered':
        if (this.current !== null) {
          this.current.unnumbered = true;
          this.extend(this.current, item);
        }
        break;
      case 'every':
        this.every = true;
        break;
      case 'rest':
        this.restFrom = this.current?.id ?? this.last?.id ?? null;
        this.close();
        if (this.sentencePlace !== null) this.finisher.rest(this.restFrom, this.sentencePlace);
        this.rest = this.sentencePlace === null;
        break;
      default:
        this.since.words++;
        if (item.clue === 'stays' && isHave(this.text.tokens[item.from]?.key ?? '')) this.onHave();
    }
  }

  private onHave(): void {
    this.since.copula = true;
    this.since.have = true;
  }

  /** `Both are Volvo L150 wheel loaders.` and `That is DZ9.` speak of the this.last machines. */
  private adopt(items: readonly Item[], negation: Negation): void {
    const first = items.findIndex(
      (item) => ['kind', 'make', 'model', 'units', 'count'].includes(item.type) && !negation.gone.has(item),
    );
    const before = items.slice(0, Math.max(0, first));
    // "They are 777s" and "all are 777s" speak of the group before; "still in use at the pit are 777s" does not.
    const isBack = before.some((item, i) => {
      const key = this.text.tokens[item.from]?.key ?? '';
      if (item.type === 'clue' && item.clue === 'all') return true;
      if (/^(thats?|theyre|they|its?|those|das|ces|ce|esos|esas|eles|elas)$/.test(key)) return true;
      return i <= 2 && ((item.type === 'clue' && item.clue === 'is') || /^(son|are|sind)$/.test(key));
    });
    if (this.last === null || first < 0 || !isBack || before.some(({ type }) => type === 'place')) return;
    const item = items[first];
    const isUnits =
      item?.type === 'units' && this.last.segments.length === 0 && this.last.count === null && !this.last.plural;
    const isModel =
      item?.type !== 'units' &&
      item?.type !== 'count' &&
      this.last.segments.length > 0 &&
      this.last.model === null &&
      this.last.word === null;
    if (isUnits || isModel) {
      this.current = this.last;
    }
  }

  private item(item: Item, items: readonly Item[], i: number, negation: Negation, startsLine: boolean): void {
    const next = items.slice(i + 1).find(({ type }) => type !== 'word' && type !== 'noise');
    if (negation.gone.has(item)) {
      if (item.type !== 'count') this.close();
      this.pending = null;
      this.vague = false;
      return;
    }
    switch (item.type) {
      case 'kind':
        this.onKind(item, next, startsLine);
        this.depthOfKind = this.depth;
        break;
      case 'make':
      case 'model':
        this.onModel(item, next, startsLine);
        break;
      case 'units':
        this.onUnits(
          item,
          negation.lastGone.has(item) ? { ...item.list, units: item.list.units.slice(0, -1) } : item.list,
          startsLine,
        );
        break;
      case 'count':
        this.onCount(item, items, i);
        break;
      case 'place':
        if (this.rest) this.finisher.rest(this.restFrom, item.kind === 'site' ? null : item.name);
        else this.onPlace(item, items[i + 1], items[i + 2]);
        this.rest = false;
        break;
      case 'clue':
        this.onClue(item);
        break;
      case 'the':
        this.definite = true;
        break;
      case 'sign':
        this.onSign(item.sign);
        break;
      default:
        this.since.words++;
        if (item.type === 'word' && isHave(this.text.tokens[item.from]?.key ?? '')) this.onHave();
        if (item.type === 'word') this.definite = this.definite && this.since.words < 3;
        if (this.pending !== null && this.since.words > NEAR_WORDS) this.pending = null;
    }
  }

  read({ sentence, items }: Read, heading: string | null): void {
    this.around = heading;
    this.sentencePlace = null;
    this.since = this.fresh();
    this.pending = null;
    this.definite = false;
    this.vague = false;
    this.figure = false;
    this.rest = false;
    this.every = false;
    this.inSentence = [];
    this.depth = 0;
    this.depthOfKind = 0;
    const negation = negationOf(items);
    this.finisher.negated(negation, items);
    this.adopt(items, negation);
    for (const [i, item] of items.entries()) {
      const startsLine =
        sentence.startsLine && items.slice(0, i).every(({ type }) => type === 'sign' || type === 'the');
      this.item(item, items, i, negation, startsLine);
    }
    this.close();
  }

  finish(): Finished {
    return this.finisher.result();
  }
}

export const createFleetReader = (text: Text, listed: Listed): Fleet => new Fleet(text, listed);
