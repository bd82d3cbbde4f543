/** Makes the machines of the groups, and the gaps of what is unclear. */
import type { MachineKind } from '#contract/fleet/machine-kinds.ts';
import type { Item, Text, Unit } from '#domain/sentences/items.ts';
import type { Negation } from '#domain/sentences/negation.ts';
import { keyOfUnit, MAX_MACHINES } from '#domain/sentences/units.ts';
import type { KindWord } from '#domain/words/kind-words.ts';
import { knownModel } from '#domain/words/makes.ts';
import { type Span, spanOf } from '#domain/words/text.ts';
import { kindOf, SORTS, sameKind } from './fleet-kinds.ts';
import type { Doubt, FleetGap, Group, Machine } from './fleet-types.ts';
import { RowJoiner } from './row-joins.ts';

export interface FinishedMachine {
  readonly unit: Unit | null;
  readonly kind: MachineKind;
  readonly make: string | null;
  readonly model: string | null;
  readonly place: string | null;
  readonly year: number | null;
  readonly serial: string | null;
  readonly spans: readonly Span[];
  /** Where its number stands; for a machine without a number, the words that count it. */
  readonly mentions: readonly Span[];
  /** True if the word for its kind is also a word of daily life. */
  readonly weak: boolean;
  /** The part of a sentence that made it; machines of a table have a negative number. */
  readonly group: number;
  /** Where this part begins. */
  readonly head: number | null;
  /** True if the text says that it has no number. */
  readonly unnumbered: boolean;
  /** True if only the letters of its number tell its kind. */
  readonly guessed: boolean;
  /** What its row of a table leaves open. */
  readonly doubt: Doubt | null;
  /** True if an article or nothing counts it: `the Komatsu WA470`. */
  readonly isSingle: boolean;
  /** True if neither a count nor an article, nor the start of a line stands before it. */
  readonly isBare: boolean;
}

export interface Finished {
  readonly machines: readonly FinishedMachine[];
  readonly gaps: readonly FleetGap[];
  readonly tooMany: Span | null;
  readonly contradiction: Span | null;
}

export interface Finisher {
  known(unit: Unit): Machine | undefined;
  machine(unit: Unit, group: Group, span: Span): Machine;
  finish(group: Group): void;
  rest(group: number | null, place: string | null): void;
  negated(negation: Negation, items: readonly Item[]): void;
  tooMany(span: Span): void;
  result(): Finished;
}

/** The machines of tables, and those of rows that say that they are not there any more. */
export interface Listed {
  readonly machines: readonly Machine[];
  readonly gone: readonly Machine[];
}

class FleetFinisher implements Finisher {
  readonly #text: Text;
  readonly #goneRows: readonly Machine[];

  constructor(text: Text, { machines, gone }: Listed) {
    this.#text = text;
    this.#goneRows = gone;
    for (const one of machines) this.#rows.list(one);
  }

  readonly #groups: Group[] = [];
  readonly #byId = new Map<number, Group>();
  readonly #machines: Machine[] = [];
  readonly #byUnit = new Map<string, Machine[]>();
  readonly #goneUnits = new Set<string>();
  /** Gone numbers without letters: they mean a machine if only one machine has the number. */
  readonly #goneBare = new Set<string>();
  readonly #goneKinds = new Map<MachineKind, Span>();
  readonly #rests: { group: number | null; place: string }[] = [];
  readonly #gaps: FleetGap[] = [];
  readonly #rows = new RowJoiner({ machines: this.#machines, byUnit: this.#byUnit, gaps: this.#gaps });
  #tooManyAt: Span | null = null;
  #contradiction: Span | null = null;
  readonly #plainCounts = new Map<MachineKind, { count: number; span: Span }[]>();

  readonly #kindWord = (group: Group): KindWord | null => group.word;
  #knownUnit(unit: Unit): Machine | undefined {
    return this.#byUnit.get(keyOfUnit(unit.text))?.[0];
  }

  #machineOf(unit: Unit, group: Group, span: Span): Machine {
    const key = keyOfUnit(unit.text);
    const same = (this.#byUnit.get(key) ?? []).find(
      (one) => !unit.bare || sameKind(one.word ?? this.#wordOf(one), this.#kindWord(group)),
    );
    if (same !== undefined) {
      same.spans.push(span);
      return same;
    }
    const made: Machine = {
      unit,
      word: null,
      make: null,
      model: null,
      place: null,
      year: null,
      serial: null,
      spans: [span],
      group: group.id,
    };
    this.#machines.push(made);
    this.#byUnit.set(key, [...(this.#byUnit.get(key) ?? []), made]);
    return made;
  }
  readonly #wordOf = (one: Machine): KindWord | null => this.#byId.get(one.group)?.word ?? null;

  #fill(group: Group): void {
    const count = new Set(group.segments.flatMap(({ machines }) => machines)).size;
    for (const segment of group.segments)
      for (const one of segment.machines) {
        if (one.word === null || one.word.general) one.word = group.word ?? one.word;
        one.make ??= one.model === null || one.model.make === null ? group.make : one.model.make;
        one.model ??= group.model;
        one.place ??= group.place ?? group.around;
        one.spans.push(group.span);
      }
    if (
      group.count !== null &&
      !group.isArticle &&
      group.count !== count &&
      !group.definite &&
      count > 0 &&
      !group.vague
    ) {
      const { span } = group;
      this.#gaps.push({ code: 'count_mismatch', what: `${group.count} and ${count}`, spans: [span] });
    }
  }

  readonly #groupKind = (group: Group): MachineKind | null => kindOf(group.word, group.make, group.model);

  #makeCounted(
    group: Group,
    count: number,
    own: { make: string | null; model: Group['model']; span: Span } | null = null,
  ): void {
    for (let i = 0; i < count; i++)
      this.#machines.push({
        unit: null,
        word: group.word,
        make: own?.make ?? group.make,
        model: own?.model ?? group.model,
        place: group.place ?? group.around,
        year: null,
        serial: null,
        spans: own === null ? [group.span] : [group.span, own.span],
        group: group.id,
      });
  }

  /** Machines of a kind that the text has named before or names later: `The LHDs work on level 410.` */
  #refer(group: Group): void {
    const place = group.place ?? group.around;
    const kind = this.#groupKind(group);
    const same = this.#machines.filter((one) => kindOf(one.word ?? this.#wordOf(one), one.make, one.model) === kind);
    const { word } = group;
    const found =
      same.length > 0 || word?.general !== true ? same : this.#machines.filter((one) => this.#isSort(word, one));
    if (place !== null) for (const one of found) if (one.place === null) one.place = place;
  }
  readonly #isSort = (word: KindWord, one: Machine): boolean => {
    const kind = kindOf(one.word ?? this.#wordOf(one), one.make, one.model);
    return kind !== null && SORTS[word.kind]?.includes(kind) === true;
  };

  #finishOne(group: Group, later: Group[]): void {
    const { count, word } = group;
    const kind = this.#groupKind(group);
    if (group.segments.length > 0) {
      if (group.vague) this.#gaps.push({ code: 'missing_inventory', what: 'an unclear number', spans: [group.span] });
      this.#fill(group);
      return;
    }
    // `7 365`: two numbers are no machines.
    if (word === null && group.make === null && !group.modelPlural && /^\d+$/.test(group.model?.key ?? '')) return;
    if (group.figure) return;
    if (kind === null) return;
    if (group.parts.length > 0 && count !== null) {
      for (const part of group.parts) this.#makeCounted(group, part.count, part);
      const rest = count - group.parts.reduce((sum, part) => sum + part.count, 0);
      if (rest > 0) this.#makeCounted(group, rest);
      return;
    }
    if (group.vague && (word !== null || count !== null)) {
      this.#gaps.push({ code: 'missing_inventory', what: 'an unclear number', spans: [group.span] });
      return;
    }
    if (count !== null && count > MAX_MACHINES) {
      this.#tooManyAt ??= group.span;
      return;
    }
    const exists = this.#machines.some((one) => kindOf(one.word ?? this.#wordOf(one), one.make, one.model) === kind);
    if (count !== null && group.definite && exists && group.model === null) {
      later.push(group);
      return;
    }
    if (count !== null) {
      if (
        group.model === null &&
        group.make === null &&
        !group.isArticle &&
        group.place === null &&
        group.around === null
      )
        this.#plainCounts.set(kind, [...(this.#plainCounts.get(kind) ?? []), { count, span: group.span }]);
      if (group.isArticle && group.plural && group.model === null) return;
      this.#makeCounted(group, count);
      return;
    }
    const single = !group.plural && !group.modelPlural;
    const first = this.#text.raw.slice(group.span.start - 3, group.span.start);
    const isBullet = group.startsLine && /[-*•–]\s*$/.test(first);
    if (single && (group.model !== null || group.unnumbered || (isBullet && word?.weak === false))) {
      if (exists && group.definite && group.model === null) later.push(group);
      else this.#makeCounted(group, 1);
      return;
    }
    later.push(group);
  }

  #applyRests(): void {
    for (const { group, place } of this.#rests) {
      const from = this.#groups.find(({ id }) => id === group);
      const ids = new Set(from?.segments.flatMap((segment) => segment.machines.map((one) => one.group)));
      for (const one of this.#machines)
        if (one.place === null && (ids.size === 0 || ids.has(one.group))) one.place = place;
    }
  }

  #listOf(): FinishedMachine[] {
    const found: FinishedMachine[] = [];
    const wholes = new Set([...this.#groups.map(({ span }) => span), ...this.#rows.spans]);
    for (const one of this.#machines) {
      const { unit } = one;
      if (unit !== null && this.#goneUnits.has(keyOfUnit(unit.text))) continue;
      if (
        unit?.bare === true &&
        this.#goneBare.has(keyOfUnit(unit.text)) &&
        this.#byUnit.get(keyOfUnit(unit.text))?.length === 1
      )
        continue;
      const own = this.#byId.get(one.group);
      const told = kindOf(one.word, one.make, one.model);
      const kind = told ?? this.#kindByLetters(one);
      if (kind === null) {
        this.#gaps.push({ code: 'unreadable_machine', what: unit?.text ?? '', spans: one.spans.slice(0, 1) });
        continue;
      }
      const maker = one.model === null ? null : (one.model.make ?? one.make ?? knownModel(one.model.key)?.make ?? null);
      found.push({
        unit,
        kind,
        make: one.make ?? maker,
        model: one.model?.model ?? null,
        place: one.place,
        year: one.year,
        serial: one.serial,
        spans: one.spans,
        mentions: unit === null ? one.spans : one.spans.filter((span) => !wholes.has(span)),
        weak: one.word?.weak === true && unit === null && one.model === null,
        group: one.group,
        head: own?.span.start ?? null,
        unnumbered: own?.unnumbered === true,
        guessed: told === null || isPhone(one),
        doubt: one.doubt ?? null,
        isSingle: unit === null && (own === undefined || own.count === null || own.isArticle),
        isBare: own?.count === null && !own.definite && !own.startsLine,
      });
    }
    return found;
  }

  /** A number without a kind is a machine like those with the same letters. */
  #kindByLetters({ unit }: Machine): MachineKind | null {
    const letters = (key: string) => key.replace(/\d.*$/, '');
    const own = letters(keyOfUnit(unit?.text ?? ''));
    if (own === '' || unit === null) return null;
    for (const other of this.#machines)
      if (
        other.unit !== null &&
        letters(keyOfUnit(other.unit.text)) === own &&
        other.unit.text.length === unit.text.length
      ) {
        const kind = kindOf(other.word, other.make, other.model);
        if (kind !== null) return kind;
      }
    return null;
  }

  known(unit: Unit): Machine | undefined {
    return this.#knownUnit(unit);
  }

  machine(unit: Unit, group: Group, span: Span): Machine {
    return this.#machineOf(unit, group, span);
  }

  finish(group: Group): void {
    if (this.#byId.has(group.id)) return;
    this.#byId.set(group.id, group);
    this.#groups.push(group);
  }

  rest(group: number | null, place: string | null): void {
    if (place !== null) this.#rests.push({ group, place });
  }

  negated({ gone, lastGone }: Negation, items: readonly Item[]): void {
    for (const item of items) {
      if (item.type === 'units') {
        for (const key of item.list.without) if (/\D/.test(key)) this.#goneUnits.add(key);
        if (gone.has(item))
          for (const { text: unit, bare } of item.list.units) if (bare) this.#goneBare.add(keyOfUnit(unit));
        if (gone.has(item) && item.list.units.every(({ bare }) => !bare))
          for (const { text: unit } of item.list.units) this.#goneUnits.add(keyOfUnit(unit));
        if (lastGone.has(item)) this.#goneUnits.add(keyOfUnit(item.list.units.at(-1)?.text ?? ''));
      }
      const isNone = items.some(
        (one) => one.type === 'clue' && (one.clue === 'none' || one.clue === 'not') && one.to <= item.from,
      );
      if (gone.has(item) && item.type === 'kind' && isNone)
        this.#goneKinds.set(item.word.kind, spanOf(this.#text.tokens, item.from, item.to));
    }
  }

  tooMany(span: Span): void {
    this.#tooManyAt ??= span;
  }

  result(): Finished {
    const later: Group[] = [];
    for (const group of this.#groups) this.#finishOne(group, later);
    for (const group of later) {
      this.#refer(group);
      const kind = this.#groupKind(group);
      const exists = this.#machines.some((one) => kindOf(one.word, one.make, one.model) === kind);
      if (group.plural && !group.definite && group.place === null && !exists)
        this.#gaps.push({ code: 'missing_inventory', what: 'machines without a number', spans: [group.span] });
    }
    this.#applyRests();
    this.#rows.applyKindless((one) => kindOf(one.word ?? this.#wordOf(one), one.make, one.model), this.#goneUnits);
    this.#rows.applyGone(this.#goneRows);
    for (const [kind, counts] of this.#plainCounts) {
      const gone = this.#goneKinds.get(kind);
      if (gone !== undefined && counts.length > 0) this.#contradiction ??= gone;
    }
    return { machines: this.#listOf(), gaps: this.#gaps, tooMany: this.#tooManyAt, contradiction: this.#contradiction };
  }
}

/** `957 55 01 23`: three digits and bare numbers may be a phone number. */
const isPhone = ({ unit, word, make, model }: Machine): boolean =>
  unit?.bare === true && word === null && make === null && model?.make === null && /^\d+$/.test(model.key);

export const createFinisher = (text: Text, listed: Listed): Finisher => new FleetFinisher(text, listed);
