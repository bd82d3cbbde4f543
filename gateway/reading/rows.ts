/** Turns the rows of a table into lines of text, with limits of rows, columns and characters. */
import { type PartGap, READ_BOUNDS, type ReadLine } from './reading-types.ts';

/** A cell as a reader of files returns it. */
export type CellValue = string | number | boolean | Date | null | undefined;

/** A date without a time of day, or the date and the time. */
function dateText(date: Date): string {
  if (Number.isNaN(date.getTime())) return '';
  const [day = '', time = ''] = date.toISOString().split('T');
  return time.startsWith('00:00:00') ? day : `${day} ${time.slice(0, 5)}`;
}

const textOf = (value: CellValue): string =>
  value instanceof Date ? dateText(value) : value === null || value === undefined ? '' : String(value);

/** `;` divides the cells of a line, so a cell has none. A line has no line ends. */
export const clean = (text: string): string =>
  text.replace(/\s+/gu, ' ').replaceAll(';', ',').replaceAll('"', "'").trim();

/** Collects the rows of all tables of one file. */
export function createRows() {
  const lines: ReadLine[] = [];
  let rows = 0;
  /** Columns of the widest row of the table. */
  let width = 0;
  let left = { rows: 0, columns: 0, cells: 0 };

  return {
    lines,
    /**
     * Adds row `n` of a part of the file. Empty rows are left out, and a short row gets empty cells, so that the table stays one table.
     */
    add(cells: readonly CellValue[], part: string, n: number): void {
      const texts = cells.map((cell) => clean(textOf(cell)));
      const last = texts.findLastIndex((text) => text !== '');
      if (last < 0) return;
      if (rows >= READ_BOUNDS.rows) {
        left = { ...left, rows: left.rows + 1 };
        return;
      }
      rows++;
      if (last >= READ_BOUNDS.columns) left = { ...left, columns: Math.max(left.columns, last + 1) };
      width = Math.min(Math.max(width, last + 1), READ_BOUNDS.columns);
      const kept = Array.from({ length: width }, (_, i) => texts[i] ?? '');
      const long = kept.filter(({ length }) => length > READ_BOUNDS.cell).length;
      left = { ...left, cells: left.cells + long };
      lines.push({
        text: kept
          .map((text) => text.slice(0, READ_BOUNDS.cell))
          .join('; ')
          .trimEnd(),
        part,
        n,
      });
    },
    /** Divides two tables by an empty line. */
    divide(): void {
      width = 0;
      if (lines.length > 0 && lines.at(-1)?.text !== '') lines.push({ text: '', part: '', n: 0 });
    },
    /** What was beyond the limits. */
    gaps(): PartGap[] {
      const { rows: beyond, columns, cells } = left;
      const gaps: PartGap[] = [];
      const add = (message: string, remedy: string) => gaps.push({ code: 'file_part_not_read', message, remedy });
      if (beyond > 0)
        add(
          `The file has more than ${READ_BOUNDS.rows} rows. The last ${beyond} were not read.`,
          'Divide the file, and set up the site with one part after the other.',
        );
      if (columns > 0)
        add(
          `The file has ${columns} columns. Only the first ${READ_BOUNDS.columns} were read.`,
          'Remove the columns that say nothing about machines, places or people.',
        );
      if (cells > 0)
        add(
          `${cells} cells have more than ${READ_BOUNDS.cell} characters. Only their beginning was read.`,
          'Write what is in these cells as an own line of the description.',
        );
      return gaps;
    },
  };
}
