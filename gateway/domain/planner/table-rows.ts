/** What a row of a table says: its machines, its place, and its people. */

import type { Unit } from '#domain/sentences/items.ts';
import { nameAt } from '#domain/sentences/names.ts';
import { MONTHS } from '#domain/sentences/noise.ts';
import { placeAt, wordsOf } from '#domain/sentences/places.ts';
import { MAX_MACHINES, unitsAt } from '#domain/sentences/units.ts';
import { MEASURE_WORDS } from '#domain/words/aside-headings.ts';
import { clueAt, type Language } from '#domain/words/grammar.ts';
import { KIND_WORDS, type KindWord } from '#domain/words/kind-words.ts';
import { kindOfMake, MAKES } from '#domain/words/makes.ts';
import type { PlaceKind } from '#domain/words/place-words.ts';
import { isHire } from '#domain/words/plain-words.ts';
import { ROLE_WORDS, type Role } from '#domain/words/shift-words.ts';
import { type Span, spanOf, tokenize } from '#domain/words/text.ts';
import { type Doubt, kindOfModel, type Machine } from './fleet-types.ts';
import { doubtInCell } from './parts.ts';
import type { Cell, Column, Row } from './tables.ts';

const YEAR = /^(19|20)\d\d$/;
const LONGEST_NAME = 60;

export interface RowPlace {
  readonly name: string;
  readonly kind: PlaceKind;
  readonly span: Span;
}

function kindIn(text: string): KindWord | null {
  const tokens = tokenize(text);
  let best: { word: KindWord; length: number } | null = null;
  for (let at = 0; at < tokens.length; at++) {
    const found = KIND_WORDS.at(tokens, at, tokens.length);
    if (found === null) continue;
    const length = found.to - at;
    const isBetter =
      best === null ||
      (best.word.general && !found.value.general) ||
      (best.word.general === found.value.general && length > best.length);
    if (isBetter) best = { word: found.value, length };
  }
  return best?.word ?? null;
}

function makeIn(text: string): { make: string; rest: string } | null {
  const tokens = tokenize(text);
  const found = MAKES.at(tokens, 0, tokens.length);
  return found === null ? null : { make: found.value, rest: text.slice(tokens[found.to]?.start ?? text.length).trim() };
}

const digitsOf = (text: string | undefined): number | null =>
  text !== undefined && YEAR.test(text) ? Number(text) : null;

/** The unit numbers of a cell: one number, or a range or list of numbers. */
function unitsIn(text: string, language: Language): Unit[] {
  const tokens = tokenize(text);
  const found = unitsAt(tokens, 0, tokens.length, {
    language,
    bare: true,
    spaced: true,
    stops: () => false,
    counts: () => false,
  });
  if (found !== null && found.to === tokens.length && found.list.units.length > 1) return [...found.list.units];
  return [{ text, bare: /^\d+$/.test(text) }];
}

/** The numbers of the machines of a row. A row with a count and no number has machines without a number. */
function rowUnits(unit: string | undefined, count: string | undefined, language: Language): (Unit | null)[] {
  if (unit !== undefined) return unitsIn(unit, language);
  const many = count !== undefined && /^\d{1,4}$/.test(count) ? Number(count) : 0;
  return many > MAX_MACHINES ? [] : Array.from({ length: many }, () => null);
}

/** A row whose remark says `sold`, `verschrottet` or `belongs to …` is no machine of the site. */
function isGone({ remarks }: Row, language: Language): boolean {
  const tokens = tokenize(remarks);
  return tokens.some((_, at) => {
    const clue = clueAt({ tokens, language }, at, tokens.length)?.value;
    return clue === 'gone' || clue === 'theirs';
  });
}

/** What the words of a row leave open: a remark that the planner does not understand, or a number that is a sentence. */
function doubtOfRow({ cells, others, asides, section }: Row, language: Language): Doubt | null {
  const looked = [...others, ...(['unit', 'kind', 'count'] as const).flatMap((column) => cells.get(column) ?? [])];
  const inText = (cell: Cell, { reason, span }: Doubt): Doubt => ({
    reason,
    span: { start: cell.start + span.start, end: cell.start + span.end },
  });
  for (const cell of looked) {
    const doubt = doubtInCell({ raw: cell.text, tokens: tokenize(cell.text), language });
    if (doubt !== null) return inText(cell, doubt);
  }
  // `Sold`: the rows below it. Words that nobody knows are names of the section.
  const above = section === null ? null : doubtInCell({ raw: section.text, tokens: tokenize(section.text), language });
  if (section !== null && above !== null && above.reason !== 'unknown_words') return inText(section, above);
  for (const one of asides) {
    const doubt = doubtOfAside(one, language);
    if (doubt !== null) return inText(one.cell, doubt);
  }
  return null;
}

/** A word of a measure with fewer letters is taken for a unit: `h`, `kg`, `EUR`. */
const SHORTEST_WORD = 4;

/**
 * The doubt that a cell beside the machine raises. Words that say that a machine is gone, not yet there or hired always count. Other words
 * count in a column of measures, because no word belongs there.
 */
function doubtOfAside({ cell, aside }: Row['asides'][number], language: Language): Doubt | null {
  // Numbers, dates and units.
  if (!/\p{L}{3}/u.test(cell.text)) return null;
  const tokens = tokenize(cell.text);
  const hard = doubtInCell({ raw: cell.text, tokens, language });
  if (hard !== null && hard.reason !== 'unknown_words') return hard;
  const doubtAt = (at: number, reason: 'others' | 'unknown_words'): Doubt | null =>
    at < 0 ? null : { reason, span: spanOf(tokens, at, at + 1) };
  const hired = doubtAt(
    tokens.findIndex(({ key }) => isHire(key)),
    'others',
  );
  if (hired !== null || aside === 'paper') return hired;
  const isMeasure = (at: number) =>
    MEASURE_WORDS.at(tokens, at, tokens.length) !== null || MONTHS.at(tokens, at, tokens.length) !== null;
  const strange = tokens.findIndex(
    ({ text, isSign }, at) => !isSign && text.length >= SHORTEST_WORD && !/\d/.test(text) && !isMeasure(at),
  );
  return doubtAt(strange, 'unknown_words');
}

export function readRow(row: Row, language: Language): { machines: Machine[]; place: RowPlace | null } {
  const text = (column: Column): string | undefined => row.cells.get(column)?.text;
  const place = placeOf(row.cells.get('place'), language);
  const unit = text('unit');
  const both = text('makemodel');
  const made = text('make') ?? both;
  const make = made === undefined ? null : makeIn(made);
  const own = text('model') ?? (both === undefined ? undefined : (make?.rest ?? both));
  const word = kindIn(text('kind') ?? '') ?? (text('kind') === undefined ? kindIn(unit ?? '') : null);
  const model =
    own === undefined || own === ''
      ? null
      : { make: make?.make ?? null, model: own, key: own.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '') };
  const told = kindOfModel(model) ?? (make === null ? null : kindOfMake(make.make));
  const kind = word === null ? told : word.general && told !== null ? told : word.kind;
  if (isGone(row, language)) return { machines: [], place: null };
  if (kind === null || text('name') !== undefined) return { machines: [], place };
  const doubt = doubtOfRow(row, language);
  const machines = rowUnits(unit, text('count'), language).map(
    (one): Machine => ({
      unit: one,
      word: word ?? { kind, general: false, weak: false },
      make: make?.make ?? text('make') ?? null,
      model,
      place: place?.name ?? null,
      year: digitsOf(text('year')),
      serial: text('serial') ?? null,
      spans: [{ start: row.start, end: row.end }],
      group: -1,
      ...(doubt && { doubt }),
    }),
  );
  return { machines, place };
}

/** A person of a row, or the drivers of its machine. */
export interface RowPerson {
  readonly names: readonly string[];
  readonly role: Role | null;
  readonly unit: string | null;
  readonly crew: string | null;
  readonly badge: string | null;
  readonly number: string | null;
  readonly span: Span;
}

/** The names of a cell: `Juan Pérez / Luis Soto`. Remarks such as `vacante` are none. */
function namesIn(cell: string, language: Language): string[] {
  const tokens = tokenize(cell);
  const text = { raw: cell, tokens, language };
  const names: string[] = [];
  for (let at = 0; at < tokens.length; ) {
    const name = nameAt(text, at, tokens.length);
    if (name === null) {
      if (tokens[at]?.isSign === false) return names;
      at++;
      continue;
    }
    names.push(wordsOf(tokens, name.start, name.to));
    at = name.to;
    // `Pérez, Juan` is one name; a comma divides names of several words.
    if (tokens[at]?.key === ',' && name.to === name.start + 1 && names.length === 1) {
      const first = nameAt(text, at + 1, tokens.length);
      if (first !== null) return [`${wordsOf(tokens, first.start, first.to)} ${names[0]}`];
    }
  }
  return names;
}

function roleIn(cell: string | undefined): Role | null {
  const tokens = tokenize(cell ?? '');
  const roles = tokens.flatMap((_, at) => ROLE_WORDS.at(tokens, at, tokens.length)?.value ?? []);
  return roles.find((role) => role === 'other') ?? roles[0] ?? null;
}

export function readPerson({ cells, start, end, ...row }: Row, language: Language): RowPerson | null {
  const text = (column: Column): string | null => cells.get(column)?.text ?? null;
  const cell = text('name') ?? text('driver');
  if (cell === null || cell.length > LONGEST_NAME || isGone({ cells, start, end, ...row }, language)) return null;
  const names = namesIn(cell, language);
  const isDriver = text('name') === null;
  const role = isDriver ? 'operator' : roleIn(text('role') ?? text('kind') ?? undefined);
  const unit = text('unit');
  return {
    names: isDriver ? names : names.slice(0, 1),
    role,
    unit,
    crew: text('crew'),
    badge: text('badge'),
    number: text('number') ?? (!isDriver && unit !== null && /^\d{3,}$/.test(unit) ? unit : null),
    span: { start, end },
  };
}

function placeOf(cell: Cell | undefined, language: Language): RowPlace | null {
  if (cell === undefined || cell.text.length > LONGEST_NAME) return null;
  const tokens = tokenize(cell.text);
  const found = placeAt(tokens, 0, tokens.length, language) ?? placeAt(tokens, 0, tokens.length, 'en');
  const kind = found === null || found.to < tokens.length - 1 ? (found?.kind ?? 'zone') : found.kind;
  return { name: cell.text, kind: kind === 'site' ? 'pit' : kind, span: { start: cell.start, end: cell.end } };
}
