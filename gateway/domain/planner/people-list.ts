/** Names of people in a list, each with its number, crew and machine. */

import type { Text } from '#domain/sentences/items.ts';
import { nameAt, type UnitIndex, unitAt } from '#domain/sentences/names.ts';
import { wordsOf } from '#domain/sentences/places.ts';
import { clueAt, THE_WORDS } from '#domain/words/grammar.ts';
import { BADGE_WORDS, ROLE_WORDS, type Role } from '#domain/words/shift-words.ts';
import { fold, type Span, spanOf, type Token } from '#domain/words/text.ts';
import type { Crews } from './crews.ts';

const LOWER_SHARE = 40;

export interface Person {
  name: string;
  role: Role | null;
  crew: string | null;
  badge: string | null;
  number: string | null;
  machine: string | null;
  readonly spans: Span[];
}

export abstract class PeopleList {
  protected readonly text: Text;
  protected readonly crews: Crews;
  protected readonly units: UnitIndex;
  protected readonly tokens: readonly Token[];
  /** A text that is typed without capital letters. */
  protected readonly isLower: boolean;
  protected readonly people: Person[] = [];
  protected readonly unclear: Span[] = [];
  protected listRole: Role | null = null;
  readonly #folded = new Map<string, string>();
  /** The folded name. A roster compares each name with all others. */
  protected readonly folded = (name: string): string => {
    const known = this.#folded.get(name);
    if (known !== undefined) return known;
    const key = fold(name);
    this.#folded.set(name, key);
    return key;
  };
  protected readonly find = (name: string): Person | undefined => {
    const key = this.folded(name);
    return (
      this.people.find((one) => this.folded(one.name) === key) ??
      (key.includes(' ') ? undefined : this.people.find((one) => this.folded(one.name).split(' ')[0] === key))
    );
  };

  constructor(text: Text, crews: Crews, units: UnitIndex) {
    this.text = text;
    this.crews = crews;
    this.units = units;
    this.tokens = text.tokens;
    const capitals = text.raw.match(/\p{Lu}/gu)?.length ?? 0;
    this.isLower = capitals * LOWER_SHARE < (text.raw.match(/\p{Ll}/gu)?.length ?? 0);
  }

  /** `Fermín` may be `Fermín Aldana`, whom the text names later. */
  private readonly shorter = (words: string): Person | undefined => {
    const [first = '', ...more] = fold(words).split(' ');
    const same = more.length === 0 ? [] : this.people.filter((one) => this.folded(one.name) === first);
    return same.length === 1 ? same[0] : undefined;
  };

  protected readonly put = (name: { start: number; to: number }, role: Role | null, crew: string | null): Person => {
    const words = wordsOf(this.tokens, name.start, name.to);
    const person = this.add(words, role, spanOf(this.tokens, name.start, name.to));
    person.crew ??= crew;
    return person;
  };

  protected readonly add = (words: string, role: Role | null, span: Span): Person => {
    const known = this.find(words) ?? this.shorter(words);
    if (known !== undefined) {
      if (known.name.length < words.length && fold(words).startsWith(`${fold(known.name)} `)) known.name = words;
      known.role ??= role;
      known.spans.push(span);
      return known;
    }
    const made: Person = {
      name: words,
      role,
      crew: null,
      badge: null,
      number: null,
      machine: null,
      spans: [span],
    };
    this.people.push(made);
    return made;
  };

  /** Names in a this.list, each with its attributes. */
  protected list(
    from: number,
    to: number,
    role: Role | null,
    crew: string | null,
    unit: string | null,
    isCrew: boolean,
  ): void {
    let open: Person[] = [];
    let last: Person | null = null;
    let nextRole = role;
    let depth = 0;
    let sinceComma = 0;
    let separated = true;
    let ahead: string | null = null;
    for (let at = from; at < to; ) {
      const token = this.tokens[at];
      if (token === undefined) break;
      // `EX-01 (operator Ana Ruiz), truck HT-01`: the bracket around the list ends.
      if (token.key === ')' && depth === 0) break;
      if (token.key === '(') depth++;
      if (token.key === ')') depth = Math.max(0, depth - 1);
      if (token.key === ';') {
        open = [];
        last = null;
      }
      const own = ROLE_WORDS.at(this.tokens, at, to);
      if (own !== null) {
        const next = nameAt(this.text, this.tokens[own.to]?.key === ':' ? own.to + 1 : own.to, to);
        if (next !== null && depth === 0) nextRole = own.value;
        else for (const one of open.filter((person) => depth === 0 || person === last)) one.role = own.value;
        if (next === null && depth === 0) open = [];
        at = own.to;
        continue;
      }
      const badge = BADGE_WORDS.at(this.tokens, at, to);
      const number = badge === null ? null : this.numberAfter(badge.to, to);
      if (badge !== null && number !== null && last !== null) {
        if (badge.value === 'badge') last.badge ??= number.text;
        else last.number ??= number.text;
        at = number.to;
        continue;
      }
      // `EX-01: Juan Pérez`: the machine stands before the name.
      const first = last === null || sinceComma === 0 ? unitAt(this.text, at, to, this.units) : null;
      if (first !== null && depth === 0 && this.isBeforeName(first.to, to)) {
        ahead = first.unit;
        at = first.to;
        continue;
      }
      const machine = last === null ? null : unitAt(this.text, at, to, this.units);
      if (machine !== null && last !== null && (depth > 0 || sinceComma <= 4)) {
        // `Bev and Ray on trucks 40 and 41`: as many machines as names.
        const and = clueAt(this.text, machine.to, to);
        const second = and?.value === 'and' ? unitAt(this.text, and.to, to, this.units) : null;
        const free = open.filter((one) => one.machine === null).slice(-2);
        const [first] = free;
        if (second !== null && first !== undefined && free.length === 2) {
          first.machine = machine.unit;
          last.machine ??= second.unit;
          at = second.to;
          continue;
        }
        last.machine ??= machine.unit;
        at = machine.to;
        continue;
      }
      const team = last === null ? null : this.crews.find(this.text, at, to);
      if (team !== null && last !== null) {
        last.crew ??= team.name;
        at = team.to;
        continue;
      }
      separated =
        this.isSeparated(at) || (separated && THE_WORDS[this.text.language].at(this.tokens, at - 1, at) !== null);
      const name = depth === 0 ? nameAt(this.text, at, to, this.isLower && (last === null || separated)) : null;
      if (
        name !== null &&
        (last === null ||
          sinceComma === 0 ||
          token.line !== this.tokens[at - 1]?.line ||
          separated ||
          nextRole !== role)
      ) {
        last = this.put(name, nextRole ?? (isCrew ? 'operator' : null), crew);
        if (unit !== null) last.machine ??= unit;
        open.push(last);
        if (ahead !== null) last.machine ??= ahead;
        ahead = null;
        nextRole = role ?? nextRole;
        at = name.to;
        sinceComma = 1;
        continue;
      }
      if (token.key === ',' || token.key === ';') sinceComma = 0;
      else sinceComma++;
      at++;
    }
  }

  /** The machine within some words behind a role. */
  protected firstUnit(from: number, to: number): { unit: string; to: number } | null {
    for (let at = from; at < Math.min(to, from + 5); at++) {
      const unit = unitAt(this.text, at, to, this.units);
      if (unit !== null) return unit;
      // `operators are Ana Ruiz on HT-01`: the machine behind a name belongs to the name.
      const name = nameAt(this.text, at, to);
      if (name !== null && name.to - name.start > 1) return null;
    }
    return null;
  }

  protected isBeforeName(at: number, to: number): boolean {
    const next = [':', '-', '=', '>'].includes(this.tokens[at]?.key ?? '') ? at + 1 : at;
    return nameAt(this.text, next, to) !== null;
  }

  protected isSeparated(at: number): boolean {
    return (
      [',', ';', '/', '-', '&', '•'].includes(this.tokens[at - 1]?.key ?? '') ||
      clueAt(this.text, at - 1, at)?.value === 'and' ||
      this.tokens[at - 1]?.key === '.'
    );
  }

  protected numberAfter(from: number, to: number): { text: string; to: number } | null {
    for (let at = from; at < Math.min(to, from + 3); at++) {
      const token = this.tokens[at];
      if (token === undefined) return null;
      if (/\d/.test(token.text)) {
        let end = at + 1;
        while (
          end + 1 < to &&
          this.tokens[end]?.key === '-' &&
          this.tokens[end]?.glued === true &&
          this.tokens[end + 1]?.glued === true
        )
          end += 2;
        return { text: wordsOf(this.tokens, at, end), to: end };
      }
      if (token.glued && /^[A-Z]{1,3}$/.test(token.text) && this.tokens[at + 1]?.key === '-') {
        return { text: wordsOf(this.tokens, at, at + 3), to: at + 3 };
      }
      if (!token.isSign && !['no', 'numero', 'nr', 'n', 'is', 'id', 'num'].includes(token.key)) return null;
    }
    return null;
  }
}
