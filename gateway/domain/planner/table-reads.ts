/** Reads all tables of a text, and keeps the rows and headings of which nothing was read. */
import { PLAN_LIMITS } from '#contract/base/names.ts';
import type { Language } from '#domain/words/grammar.ts';
import { PLACE_WORDS } from '#domain/words/place-words.ts';
import { type Span, tokenize } from '#domain/words/text.ts';
import type { FleetGap, Machine } from './fleet-types.ts';
import { doubtOfSection } from './row-doubts.ts';
import { kindIn, type RowPerson, type RowPlace, readRow } from './table-rows.ts';
import type { Row, Table } from './tables.ts';

export interface TablesRead {
  readonly machines: readonly Machine[];
  /** Machines of rows that say that they are not there any more. */
  readonly gone: readonly Machine[];
  readonly persons: readonly RowPerson[];
  readonly places: readonly RowPlace[];
  readonly gaps: readonly FleetGap[];
  /** Rows and headings of sections that say nothing the planner reads. A row of a person counts if `listed` has its span. */
  unread(listed: ReadonlySet<Span>): Span[];
}

/** Puts the gaps with the same words together. */
function joined(gaps: readonly FleetGap[]): FleetGap[] {
  const groups = Map.groupBy(gaps, ({ code, what }) => `${code} ${what}`);
  return [...groups.values()].map((group) => ({
    ...(group[0] as FleetGap),
    spans: group.flatMap(({ spans }) => spans),
  }));
}

const OF_MACHINES = ['make', 'model', 'makemodel', 'serial', 'count'] as const;

/** True if a row tells of a machine besides its place. `Location; Type` may also be a list of places: `Main; Pit`. */
function tellsMachine(cells: Row['cells']): boolean {
  if (OF_MACHINES.some((column) => cells.has(column))) return true;
  const kind = cells.get('kind');
  const tokens = tokenize(kind?.text ?? '');
  return kind !== undefined && !tokens.some((_, at) => PLACE_WORDS.at(tokens, at, tokens.length) !== null);
}

export function readTables(tables: readonly Table[], language: Language): TablesRead {
  const sections = tables
    .flatMap((table) => table.sections)
    .filter((cell) => kindIn(cell.text) === null && doubtOfSection(cell, language) === null);
  const rows = tables.flatMap((table) => table.rows.map((row) => ({ row, read: readRow(row, language) })));
  const machines: Machine[] = [];
  /** Rows may have ranges, so a small text can name a million machines. */
  const beyond: Span[] = [];
  let left = 0;
  for (const { read } of rows) {
    const room = Math.max(0, PLAN_LIMITS.equipment - machines.length);
    machines.push(...read.machines.slice(0, room));
    const rest = read.machines.slice(room);
    left += rest.length;
    beyond.push(...(rest[0]?.spans ?? []));
  }
  const gaps = joined(rows.flatMap(({ read }) => read.gap ?? []));
  if (left > 0) gaps.push({ code: 'list_too_long', what: String(left), spans: beyond });
  return {
    machines,
    gone: rows.flatMap(({ read }) => read.gone ?? []),
    persons: rows.flatMap(({ read }) => read.person ?? []),
    places: rows.flatMap(({ read }) => read.place ?? []),
    gaps,
    unread(listed) {
      const silent = rows.flatMap(({ row: { cells, start, end }, read }): Span[] => {
        const { person, machines: made, place, gap, gone } = read;
        const isPerson = person !== null && (person.role === 'other' || listed.has(person.span));
        const isMachine = made.length > 0 || gap !== null;
        const isPlace = place !== null && !tellsMachine(cells);
        const isRead = isPerson || (!cells.has('name') && (isMachine || isPlace));
        return gone !== null || isRead ? [] : [{ start, end }];
      });
      return [...sections, ...silent].map(({ start, end }) => ({ start, end }));
    },
  };
}
