/** The machine and the place of one row of a table. */
import { kindOfModel, type Machine } from './fleet-types.ts';
import type { Language } from './grammar.ts';
import { KIND_WORDS, type KindWord } from './kind-words.ts';
import { kindOfMake, MAKES } from './makes.ts';
import type { PlaceKind } from './place-words.ts';
import { placeAt } from './places.ts';
import type { Cell, Column, Row } from './tables.ts';
import { type Span, tokenize } from './text.ts';

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

export function readRow(row: Row, language: Language): { machine: Machine | null; place: RowPlace | null } {
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
  if (unit === undefined || kind === null || unit.length > LONGEST_NAME || text('name') !== undefined)
    return { machine: null, place };
  const machine: Machine = {
    unit: { text: unit, bare: /^\d+$/.test(unit) },
    word: word ?? { kind, general: false, weak: false },
    make: make?.make ?? text('make') ?? null,
    model,
    place: place?.name ?? null,
    year: digitsOf(text('year')),
    serial: text('serial') ?? null,
    spans: [{ start: row.start, end: row.end }],
    group: -1,
  };
  return { machine, place };
}

function placeOf(cell: Cell | undefined, language: Language): RowPlace | null {
  if (cell === undefined || cell.text.length > LONGEST_NAME) return null;
  const tokens = tokenize(cell.text);
  const found = placeAt(tokens, 0, tokens.length, language) ?? placeAt(tokens, 0, tokens.length, 'en');
  const kind = found === null || found.to < tokens.length - 1 ? (found?.kind ?? 'zone') : found.kind;
  return { name: cell.text, kind: kind === 'site' ? 'pit' : kind, span: { start: cell.start, end: cell.end } };
}
