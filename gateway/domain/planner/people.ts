/** Operators and mechanics: names behind a role or a crew, with their numbers and machines. */
import type { Read, Text } from '#domain/sentences/items.ts';
import { nameAt, PARTICLES, type UnitIndex, unitAt } from '#domain/sentences/names.ts';
import { negationOf } from '#domain/sentences/negation.ts';
import { wordsOf } from '#domain/sentences/places.ts';
import { keyOfUnit } from '#domain/sentences/units.ts';
import { clueAt, NUMBER_WORDS, THE_WORDS } from '#domain/words/grammar.ts';
import { KIND_WORDS } from '#domain/words/kind-words.ts';
import { ROLE_WORDS, type Role, SHIFT_NAMES } from '#domain/words/shift-words.ts';
import { fold, type Span, spanOf } from '#domain/words/text.ts';
import type { Crews } from './crews.ts';
import { DRIVES, peopleIn } from './people-clauses.ts';
import { isAttendance, isNamedLater, isNumberOf, namesLater, STAFF } from './people-later.ts';
import { PeopleList, type Person } from './people-list.ts';
import { pairsIn } from './people-pairs.ts';
import type { PlannedOperator, PlannedPerson, PlannedShift } from './plan-types.ts';
import { isSameShift, shiftNameAt } from './shifts.ts';
import type { RowPerson } from './table-rows.ts';

const WORKSHOPS = new Set(['atelier', 'taller', 'werkstatt', 'workshop', 'oficina']);
export interface PeopleRead {
  readonly operators: readonly PlannedOperator[];
  readonly mechanics: readonly PlannedPerson[];
  readonly unclear: readonly Span[];
  /** Where the text names each person. */
  readonly spans: ReadonlyMap<PlannedPerson, readonly Span[]>;
}

class PeopleReader extends PeopleList {
  private hasMachine({ items }: Read): boolean {
    return items.some(({ type }) => type === 'make' || type === 'model' || type === 'times');
  }

  private bulletEnd(from: number, to: number): number {
    let at = from;
    while (at < to && this.tokens[at]?.isSign === true) at++;
    return at;
  }

  private colonOf(from: number, to: number): number | null {
    for (let at = from; at < Math.min(to, from + 14); at++) {
      if (this.tokens[at]?.key === ':') return at;
      if (this.tokens[at]?.key === ',' || this.tokens[at]?.key === '.') return null;
      // `Instandhaltung - Ronny Fuchs`
      if (
        this.tokens[at]?.key === '-' &&
        this.tokens[at]?.glued === false &&
        this.tokens[at + 1]?.glued === false &&
        at > from &&
        ROLE_WORDS.at(this.tokens, this.bulletEnd(from, to), at)?.to === at
      )
        return at;
    }
    return null;
  }

  private headOf(
    from: number,
    to: number,
  ): { role: Role | null; crew: string | null; unit: string | null; onlyRole: boolean; isCrew: boolean } {
    const head = {
      isCrew: false,
      role: null as Role | null,
      crew: null as string | null,
      unit: null as string | null,
      onlyRole: true,
    };
    for (let at = from; at < to; ) {
      const role = ROLE_WORDS.at(this.tokens, at, to);
      const crew = this.crews.find(this.text, at, to);
      const unit = unitAt(this.text, at, to, this.units);
      if (role !== null) {
        if (head.role === null || role.value === 'other') head.role = role.value;
        at = role.to;
      } else if (crew !== null) {
        head.crew ??= crew.name;
        head.isCrew = true;
        head.onlyRole = false;
        at = crew.to;
      } else if (unit !== null) {
        head.unit ??= unit.unit;
        head.onlyRole = false;
        at = unit.to;
      } else {
        const shift = SHIFT_NAMES.at(this.tokens, at, to);
        if (
          shift !== null &&
          head.crew === null &&
          /shift|schicht|turno|poste|quart|dienst/.test(fold(wordsOf(this.tokens, at, shift.to)))
        )
          head.crew = wordsOf(this.tokens, at, shift.to);
        if (
          this.tokens[at]?.isSign === false &&
          !PARTICLES.has(this.tokens[at]?.key ?? '') &&
          clueAt(this.text, at, to)?.value !== 'and'
        )
          head.onlyRole = false;
        at = shift?.to ?? at + 1;
      }
    }
    if (head.role === null && to === from + 1 && WORKSHOPS.has(this.tokens[from]?.key ?? '')) head.role = 'mechanic';
    return head;
  }

  /** `Our mechanic is Sepp.`, `Dale normally drives 101, Sione 104.` */
  private sentence(read: Read): void {
    const { from, to } = read.sentence;
    const { gone } = negationOf(read.items);
    if (gone.size > 0 || this.hasMachine(read)) return;
    const role = this.firstRole(from, to);
    if (read.items.some(({ type }) => type === 'place') && role === null) return;
    let drives = false;
    for (let at = from; at < to; at++) drives ||= DRIVES.at(this.tokens, at, to) !== null;
    if (role?.value === 'other') return;
    if (role !== null) {
      const unit = this.firstUnit(role.to, to);
      const start = this.verbEnd(unit?.to ?? role.to, to);
      const name = start === null ? null : this.nameAfter(start, to);
      if (name !== null) {
        const person = this.find(wordsOf(this.tokens, name.start, name.to)) ?? this.put(name, role.value, null);
        if (unit !== null && role.value === 'operator') person.machine ??= unit.unit;
        this.list(name.start, to, role.value, null, null, false);
      } else if (role.value === 'mechanic') this.beforeVerb(from, role.at, role.value);
      else if (this.tokens[role.to - 1] !== undefined) this.trailing(from, role.at, role.value);
      return;
    }
    if (drives) this.drivers(read, from, to);
  }

  /** `Tom and Billy drive the artics`, `the mechanic is called Fabio` */
  private clauses(read: Read): void {
    const known = ({ start, to }: { start: number; to: number }) =>
      this.people.some((one) => fold(one.name) === fold(wordsOf(this.tokens, start, to)));
    for (const { role, unit, ...name } of peopleIn(this.text, read, this.units, known, this.isLower)) {
      const person = this.put(name, role, null);
      if (role === 'operator') person.machine ??= unit;
    }
  }

  /** `Bob Stone`, `T1 - Bob Stone` */
  private isListLine(at: number, to: number): boolean {
    const unit = unitAt(this.text, at, to, this.units);
    return nameAt(this.text, at, to) !== null || (unit !== null && this.isBeforeName(unit.to, to));
  }

  private firstRole(from: number, to: number): { at: number; to: number; value: Role } | null {
    for (let at = from; at < to; at++) {
      const role = ROLE_WORDS.at(this.tokens, at, to);
      // `perfuradora` is a machine, `perfurador` a person.
      if (role !== null && (KIND_WORDS.at(this.tokens, at, to)?.to ?? 0) < role.to)
        return { at, to: role.to, value: role.value };
    }
    return null;
  }

  /** The end of `is`, `es`, `das ist` within some words; null if there is none. */
  private verbEnd(from: number, to: number): number | null {
    for (let at = from; at < Math.min(to, from + 6); at++) {
      if (
        clueAt(this.text, at, to)?.value === 'is' ||
        ['is', 'are', 's', 'estan', 'esta', 'estao'].includes(this.tokens[at]?.key ?? '') ||
        this.tokens[at]?.key === ':'
      )
        return clueAt(this.text, at, to)?.to ?? at + 1;
    }
    // `Fahrer Uwe Kranz`
    return nameAt(this.text, from, to, this.isLower) === null ? null : from;
  }

  private nameAfter(from: number, to: number): { start: number; to: number } | null {
    const start = THE_WORDS[this.text.language].at(this.tokens, from, to)?.to ?? from;
    const name = nameAt(this.text, start, to, this.isLower);
    if (name !== null) return name;
    // `schlosser is der uwe`: a text without capitals.
    const token = this.tokens[start];
    if (
      start === from ||
      token === undefined ||
      token.isSign ||
      start + 1 < to - 1 ||
      this.text.language !== 'de' ||
      /\d/.test(token.text)
    )
      return null;
    return { start, to: start + 1 };
  }

  /** `big jim n tommo fix stuff` */
  private beforeVerb(from: number, to: number, role: Role): void {
    const parts: [number, number][] = [];
    let start = from;
    for (let at = from; at <= to; at++) {
      if (at < to && clueAt(this.text, at, to)?.value !== 'and' && this.tokens[at]?.key !== ',') continue;
      if (at > start) parts.push([start, at]);
      start = at + 1;
    }
    const isFine =
      parts.length > 0 &&
      parts.every(
        ([a, b]) => b - a <= 2 && this.tokens.slice(a, b).every((token) => !token.isSign && !/\d/.test(token.text)),
      );
    const verb = fold(wordsOf(this.tokens, to, to + 2));
    if (isFine && /^fix(es)? /.test(verb)) for (const [a, b] of parts) this.put({ start: a, to: b }, role, null);
  }

  /** `Sylvain Gagnon and Mélanie Tremblay are operators.` */
  private trailing(from: number, to: number, role: Role): void {
    const name = nameAt(this.text, from, to);
    if (name === null || name.to - name.start < 2) return;
    const rest = this.tokens.slice(name.to, to).map(({ key }) => key);
    const isLinked =
      rest.length <= 12 &&
      rest.some((key) =>
        ['is', 'are', 'es', 'son', 'e', 'sao', 'est', 'sont', 'ist', 'sind', ',', 'works', '-'].includes(key),
      );
    if (isLinked) this.list(from, to, role, null, null, false);
  }

  /** Pairs of a name and a machine, in the order in which the this.sentence has them. */
  private drivers(read: Read, from: number, to: number): void {
    const names: { start: number; to: number }[] = [];
    const machines: { unit: string; at: number; to: number }[] = [];
    for (let at = from; at < to; ) {
      const unit = unitAt(this.text, at, to, this.units);
      if (unit !== null) {
        machines.push({ ...unit, at });
        at = unit.to;
        continue;
      }
      const name = nameAt(this.text, at, to);
      const isOpening =
        at === from &&
        name !== null &&
        name.to === name.start + 1 &&
        this.find(wordsOf(this.tokens, name.start, name.to)) === undefined &&
        DRIVES.at(this.tokens, name.to, to) === null;
      if (name !== null && !isOpening) names.push(name);
      at = name?.to ?? at + 1;
    }
    if (machines.length === 0 || names.length !== machines.length || names.length > 6) return;
    if (read.items.some(({ type }) => type === 'make')) return;
    for (const [i, name] of names.entries()) {
      const person = this.put(name, 'operator', null);
      person.machine ??= machines[i]?.unit ?? null;
    }
  }

  /** `about 40 operators`: this.people without names. */
  private countOf({ sentence: { from, to }, items }: Read): void {
    for (let at = from; at < to; at++) {
      const role = ROLE_WORDS.at(this.tokens, at, to);
      if (role === null || role.value === 'other') continue;
      const before = this.tokens.slice(Math.max(from, at - 4), at);
      const isCount = before.some(
        (token, i) =>
          (/^([2-9]|\d{2,3})$/.test(token.key) && !isNumberOf(items, at - before.length + i)) ||
          (NUMBER_WORDS[this.text.language].at(this.tokens, at - before.length + i, at)?.value ?? 0) > 1 ||
          clueAt(this.text, at - before.length + i, at)?.value === 'vague',
      );
      const isUnknown = isNamedLater(this.text, role.to, Math.min(to, role.to + 6));
      if ((isCount || isUnknown) && this.tokens[role.to]?.key !== ':')
        this.unclear.push(spanOf(this.tokens, at - before.length, to));
    }
  }

  read(read: Read): void {
    const { from, to } = read.sentence;
    if (isAttendance(this.text, read.sentence)) return;
    const named = this.people.length;
    if (read.sentence.afterGap) this.listRole = null;
    const isTheirs = read.items.some((item) => item.type === 'clue' && item.clue === 'theirs');
    const colon = this.colonOf(from, to);
    const head = this.headOf(from, colon ?? to);
    const isStaff = colon !== null && colon > from && STAFF.at(this.tokens, colon - 1, colon) !== null;
    const isHead = colon !== null && (head.role !== null || head.crew !== null || isStaff);
    if (!isTheirs) {
      if (isHead && colon + 1 >= to) this.listRole = head.role ?? this.listRole;
      else if (isHead && head.role === 'other') void 0;
      else if (isHead)
        this.list(
          colon + 1,
          to,
          head.role ?? (head.crew === null ? null : (this.listRole ?? null)),
          head.crew,
          head.unit,
          head.isCrew,
        );
      else if (head.role !== null && head.onlyRole && read.sentence.startsLine) this.listRole = head.role;
      else if (
        (colon === null || unitAt(this.text, this.bulletEnd(from, to), to, this.units)?.to === colon) &&
        this.listRole !== null &&
        this.listRole !== 'other' &&
        read.sentence.startsLine &&
        this.isListLine(this.bulletEnd(from, to), to) &&
        !this.hasMachine(read)
      )
        this.list(this.bulletEnd(from, to), to, this.listRole, null, null, false);
      else {
        this.sentence(read);
        this.clauses(read);
      }
    }
    this.countOf(read);
    if (this.people.length === named && namesLater(this.text, read.sentence))
      this.unclear.push(spanOf(this.tokens, from, to));
  }

  pairs(reads: readonly Read[]): void {
    for (const pair of pairsIn(this.text, reads, this.units)) {
      const known = this.find(wordsOf(this.tokens, pair.start, pair.to));
      if (known === undefined || known.role === 'operator') this.put(pair, 'operator', null).machine ??= pair.unit;
    }
  }

  /** `Guardia A (Juan Pérez, Luis Soto)`: people that have been read, behind a crew or a shift. */
  members(reads: readonly Read[], shifts: readonly PlannedShift[]): void {
    for (const { sentence } of reads) {
      let crew: string | null = null;
      for (let at = sentence.from; at < sentence.to; ) {
        if ([';', '.'].includes(this.tokens[at]?.key ?? '')) crew = null;
        const team = this.crews.find(this.text, at, sentence.to);
        const name = team === null ? nameAt(this.text, at, sentence.to) : null;
        const shift = team === null && this.crews.crews.length === 0 ? shiftNameAt(this.text, at, sentence.to) : null;
        const own =
          shift === null ? undefined : shifts.find((one) => isSameShift(one.name, wordsOf(this.tokens, at, shift.to)));
        if (team !== null) crew = team.name;
        else if (shift !== null) crew = own?.name ?? null;
        else if (name !== null && crew !== null) {
          const words = fold(wordsOf(this.tokens, name.start, name.to));
          const person = this.people.find((one) => fold(one.name) === words);
          if (person !== undefined) person.crew ??= crew;
        }
        at = Math.max(at + 1, team?.to ?? shift?.to ?? name?.to ?? 0);
      }
    }
  }

  /** A person of a table. A row that names a machine of the plan and no role is its operator. */
  row({ names, role, unit, crew, badge, number, span }: RowPerson): void {
    const machine = unit === null ? null : (this.units.numbers.get(keyOfUnit(unit)) ?? null);
    for (const name of names) {
      const person = this.add(name, role ?? (machine === null ? null : 'operator'), span);
      person.crew ??= crew === null ? null : this.crews.named(crew);
      person.badge ??= badge;
      person.number ??= number !== null && number === unit && machine !== null ? null : number;
      person.machine ??= machine;
    }
  }

  result(): PeopleRead {
    const of = (role: Role) =>
      this.people.filter((one) => (one.role ?? (one.machine === null ? null : 'operator')) === role);
    const cite = (spans: readonly Span[]) => [
      ...new Set(spans.map(({ start, end }) => this.text.raw.slice(start, end))),
    ];
    const base = ({ name, crew, badge, number, spans }: Person): PlannedPerson => ({
      name,
      crew,
      badge_id: badge,
      employee_number: number,
      from: cite(spans),
    });
    const operators = of('operator').map((one) => ({ ...base(one), machine: one.machine }));
    const mechanics = of('mechanic').map(base);
    const own = [of('operator'), of('mechanic')].flat().map((one) => one.spans);
    return {
      operators,
      mechanics,
      spans: new Map<PlannedPerson, readonly Span[]>([...operators, ...mechanics].map((one, i) => [one, own[i] ?? []])),
      unclear:
        this.people.length === 0
          ? this.unclear
          : this.unclear.filter(({ start, end }) => /\d|\p{L}/u.test(this.text.raw.slice(start, end))),
    };
  }
}

export function readPeople(
  text: Text,
  reads: readonly Read[],
  crews: Crews,
  units: UnitIndex,
  persons: readonly RowPerson[],
  shifts: readonly PlannedShift[],
): PeopleRead {
  const reader = new PeopleReader(text, crews, units);
  for (const person of persons) reader.row(person);
  for (const read of reads) reader.read(read);
  reader.pairs(reads);
  reader.members(reads, shifts);
  return reader.result();
}
