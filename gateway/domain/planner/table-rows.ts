/** What a row of a table says: its machines, its place, and its people. */

import type { Unit } from '#domain/sentences/items.ts';
import { keyOfModel } from '#domain/sentences/models.ts';
import { nameAt } from '#domain/sentences/names.ts';
import { placeAt, wordsOf } from '#domain/sentences/places.ts';
import { MAX_MACHINES, unitsAt } from '#domain/sentences/units.ts';
import type { Language } from '#domain/words/grammar.ts';
import { KIND_WORDS, type KindWord } from '#domain/words/kind-words.ts';
import { kindOfMake, MAKES } from '#domain/words/makes.ts';
import type { PlaceKind } from '#domain/words/place-words.ts';
import { ROLE_WORDS, type Role } from '#domain/words/shift-words.ts';
import { type Span, tokenize } from '#domain/words/text.ts';
import { type Doubt, type FleetGap, kindOfModel, type Machine } from './fleet-types.ts';
import { doubtOfRow, isGone } from './row-doubts.ts';
import type { Cell, Column, Row } from './tables.ts';

const YEAR = /^(19|20)\d\d$/;
const LONGEST_NAME = 60;
/** What the gap of a row says that counts more machines than a plan makes of one kind. */
export const TOO_MANY = 'too many';

export interface RowPlace {
  readonly name: string;
  readonly kind: PlaceKind;
  readonly span: Span;
}

export function kindIn(text: string): KindWord | null {
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

/** What one row says. */
export interface RowRead {
  readonly machines: readonly Machine[];
  readonly place: RowPlace | null;
  readonly person: RowPerson | null;
  /** Why the row has fewer machines than it names. */
  readonly gap: FleetGap | null;
  /** The machines that are not there any more, as the row says. Null for a row that does not say so. */
  readonly gone: readonly Machine[] | null;
}

const NOTHING: RowRead = { machines: [], place: null, person: null, gap: null, gone: null };

/** The kind and model that the cells of a row tell. `isAbove`: only the heading of the section tells the kind. */
function kindOfRow(row: Row) {
  const text = (column: Column): string | undefined => row.cells.get(column)?.text;
  const both = text('makemodel');
  const made = text('make') ?? both;
  const make = made === undefined ? null : makeIn(made);
  const own = text('model') ?? (both === undefined ? undefined : (make?.rest ?? both));
  const model = own === undefined || own === '' ? null : { make: make?.make ?? null, model: own, key: keyOfModel(own) };
  const told = kindOfModel(model) ?? (make === null ? null : kindOfMake(make.make));
  const typed = text('kind');
  const word = kindIn(typed ?? '') ?? (typed === undefined ? kindIn(text('unit') ?? '') : null);
  const kind = word === null ? told : word.general && told !== null ? told : word.kind;
  const above = kind === null && typed === undefined && row.section !== null ? kindIn(row.section.text) : null;
  return {
    word: word ?? above ?? (kind === null ? null : { kind, general: false, weak: false }),
    isAbove: above !== null,
    make: make?.make ?? text('make') ?? null,
    model,
  };
}

/** The machines of a row without their doubts. */
function machinesOf(
  row: Row,
  { word, make, model }: ReturnType<typeof kindOfRow>,
  place: string | null,
  language: Language,
) {
  const text = (column: Column): string | undefined => row.cells.get(column)?.text;
  const span = { start: row.start, end: row.end };
  return rowUnits(text('unit'), text('count'), language).map(
    (unit): Machine => ({
      ...{ unit, word, make, model, place, spans: [span], group: -1 },
      year: digitsOf(text('year')),
      serial: text('serial') ?? null,
      ...(word === null && { typed: text('kind') ?? '' }),
    }),
  );
}

export function readRow(row: Row, language: Language): RowRead {
  const told = kindOfRow(row);
  const isPerson = row.cells.has('name');
  if (isGone(row, language)) return { ...NOTHING, gone: isPerson ? [] : machinesOf(row, told, null, language) };
  const place = placeOf(row.cells.get('place'), language);
  const person = readPerson(row, language);
  if (isPerson) return { ...NOTHING, place, person };
  if (told.word === null && !row.cells.has('unit')) return { ...NOTHING, place, person };
  const { section, start, end } = row;
  const above: Doubt | null =
    told.isAbove && section !== null
      ? { reason: 'section_kind', span: { start: section.start, end: section.end } }
      : null;
  const doubt = doubtOfRow(row, language) ?? above;
  const machines = machinesOf(row, told, place?.name ?? null, language).map((one) =>
    doubt === null ? one : { ...one, doubt },
  );
  const count = row.cells.get('count')?.text;
  const isCounted = machines.length > 0 || count === '0';
  const what = Number(count) > MAX_MACHINES ? TOO_MANY : 'no number';
  const gap: FleetGap | null = isCounted ? null : { code: 'missing_inventory', what, spans: [{ start, end }] };
  return { machines, place, person, gap, gone: null };
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

function readPerson({ cells, start, end }: Row, language: Language): RowPerson | null {
  const text = (column: Column): string | null => cells.get(column)?.text ?? null;
  const cell = text('name') ?? text('driver');
  if (cell === null || cell.length > LONGEST_NAME) return null;
  const names = namesIn(cell, language);
  const isDriver = text('name') === null;
  const role = isDriver ? 'operator' : roleIn(text('role') ?? text('kind') ?? undefined);
  // The column `Machine` of a list of duties has numbers; beside drivers it is read as the type.
  const unit = text('unit') ?? (isDriver ? text('kind') : null);
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
