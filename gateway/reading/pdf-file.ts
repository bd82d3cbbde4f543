/**
 * Reads the text of a PDF file. A PDF has pieces of text with positions and no lines. Pieces of the same height are a line. Pieces of a
 * line that stand far apart are the cells of a table: they get the column of the heading above which they stand, so that an empty cell
 * does not move the others.
 */
import { getDocumentProxy } from 'unpdf';
import { areHeadings } from '#domain/planner/tables.ts';
import { type FileText, type PartGap, READ_BOUNDS, type ReadLine, Unreadable } from './reading-types.ts';

/** A piece of text and its position on the page. */
interface Piece {
  readonly text: string;
  readonly x: number;
  readonly end: number;
  readonly y: number;
  readonly size: number;
}
type Cell = Pick<Piece, 'text' | 'x' | 'end'>;
interface Line {
  readonly cells: readonly Cell[];
  readonly y: number;
  readonly size: number;
}

/** Pieces are of one line if their heights differ by less than this share of the size of the font. */
const SAME_LINE = 0.5;
/** A space between two pieces that is wider than this share of the size of the font divides two cells. */
const CELL_SPACE = 0.7;
const WORD_SPACE = 0.15;
const LEAST_COLUMNS = 3;
/** The second line of a cell stands less than this share of the size of the font below the first one. */
const WRAPPED = 1.5;
/** It stands nearer than this share of the distance between two rows. */
const NEARER = 0.85;
/** The next row stands at most so many times this distance below. */
const NEXT = 1.5;

/** Puts the pieces of a page into lines, and the pieces of a line into cells. */
function linesOf(pieces: readonly Piece[]): Line[] {
  const lines: Piece[][] = [];
  for (const piece of pieces.toSorted((a, b) => b.y - a.y || a.x - b.x)) {
    const first = lines.at(-1)?.[0];
    if (first !== undefined && Math.abs(first.y - piece.y) < SAME_LINE * piece.size) lines.at(-1)?.push(piece);
    else lines.push([piece]);
  }
  return lines.map((line) => {
    const cells: Cell[] = [];
    for (const { text, x, end, size } of line.toSorted((a, b) => a.x - b.x)) {
      const last = cells.at(-1);
      if (last === undefined || x - last.end > CELL_SPACE * size) cells.push({ text, x, end });
      else {
        const space = x - last.end > WORD_SPACE * size && !last.text.endsWith(' ') ? ' ' : '';
        cells[cells.length - 1] = { text: `${last.text}${space}${text}`, x: last.x, end: Math.max(last.end, end) };
      }
    }
    return { cells, y: line[0]?.y ?? 0, size: line[0]?.size ?? 1 };
  });
}

/** Returns the cells in the columns of the headings; undefined if two cells stand in one column. */
function inColumns(cells: readonly Cell[], heads: readonly Cell[]): string[] | undefined {
  const row = heads.map(() => '');
  for (const { text, x, end } of cells) {
    const overlap = heads.map((head) => Math.min(end, head.end) - Math.max(x, head.x));
    const most = Math.max(...overlap);
    const column = overlap.indexOf(most);
    // Without an overlap the cell belongs to the nearest heading; `overlap` is then the distance, and negative.
    if (row[column] !== '') return undefined;
    row[column] = text;
  }
  return row;
}

const clean = (text: string): string => text.replace(/\s+/gu, ' ').replaceAll(';', ',').trim();

/** A line of the text of a page, and the number of its first line there; undefined for a heading that is repeated from the page before. */
interface TextLine {
  readonly text: string;
  readonly n: number | undefined;
}

const isSame = (a: readonly Cell[], b: readonly Cell[]): boolean =>
  a.map(({ text }) => clean(text)).join(';') === b.map(({ text }) => clean(text)).join(';');

/** True if each cell stands below a heading. */
const isBelow = (cells: readonly Cell[], heads: readonly Cell[]): boolean =>
  cells.every(({ x, end }) => heads.some((head) => x < head.end && end > head.x));

/** True if a line without a first cell is a row all the same: it has many cells, or a number. The first cell then counts for several rows. */
const isFull = ([, ...others]: readonly string[]): boolean =>
  2 * others.filter((text) => text !== '').length >= others.length || others.some((text) => /\d/.test(text));

/** The least distance between two rows of the table that begins with line `from`. */
function rowStep(lines: readonly Line[], from: number, heads: readonly Cell[]): number {
  let least = Number.POSITIVE_INFINITY;
  let before: Line | undefined;
  for (const line of lines.slice(from)) {
    const row = inColumns(line.cells, heads);
    if (row === undefined) break;
    const isRow = line.cells.length > 1 && (row[0] !== '' || isFull(row));
    if (isRow && before !== undefined) least = Math.min(least, before.y - line.y);
    before = isRow ? line : undefined;
  }
  return least;
}

const isNear = (above: Line, line: Line, step: number): boolean =>
  above.y - line.y <= NEXT * step && step < Number.POSITIVE_INFINITY;

/**
 * Returns what the second line of cells adds to a row. Undefined if the line is no second line: it has a first cell, is as far away as the
 * next row, or is a row without a first cell. In doubt it is a row, so that no machine disappears in the one above.
 */
function wrappedCells(line: Line, above: Line | undefined, heads: readonly Cell[], step: number): string[] | undefined {
  const distance = above === undefined ? Number.POSITIVE_INFINITY : above.y - line.y;
  if (distance >= Math.min(WRAPPED * line.size, NEARER * step)) return undefined;
  const row = inColumns(line.cells, heads);
  return row?.[0] === '' && !isFull(row) ? row : undefined;
}

/** The text of the lines of a page. `before` are the headings of the table at the end of the page before. */
function textsOf(lines: readonly Line[], before: readonly Cell[]): { texts: TextLine[]; heads: readonly Cell[] } {
  const texts: TextLine[] = [];
  let heads: readonly Cell[] = [];
  /** The headings of the page before, until a table of this page begins. */
  let carried = before;
  /** The last row of the table. */
  let row: string[] | undefined;
  let step = Number.POSITIVE_INFINITY;
  const startTable = (cells: readonly Cell[], from: number) => {
    heads = cells;
    step = cells.length < LEAST_COLUMNS ? Number.POSITIVE_INFINITY : rowStep(lines, from, cells);
  };
  const add = (cells: readonly string[], n: number | undefined) => {
    row = undefined;
    texts.push({ text: cells.map(clean).join('; ').trimEnd(), n });
  };
  const addRow = (cells: string[], n: number | undefined) => {
    add(cells, n);
    row = cells;
  };
  for (const [i, line] of lines.entries()) {
    const { cells } = line;
    const own = cells.map(({ text }) => text);
    const above = lines[i - 1];
    const more = row === undefined ? undefined : wrappedCells(line, above, heads, step);
    // A page may have several tables.
    if (areHeadings(own) && !isSame(cells, heads) && !isSame(cells, carried)) {
      carried = [];
      startTable(cells, i);
      add(own, i + 1);
      continue;
    }
    if (row !== undefined && more !== undefined) {
      const { n } = texts.pop() ?? { n: i + 1 };
      addRow(
        row.map((text, c) => `${text} ${more[c]}`.trim()),
        n,
      );
      continue;
    }
    if (heads.length === 0 && carried.length > 0 && cells.length > 1 && isBelow(cells, carried)) {
      if (!isSame(cells, carried))
        add(
          carried.map(({ text }) => text),
          undefined,
        );
      startTable(carried, i);
    }
    if (cells.length > 1) carried = [];
    const [first] = cells;
    const second = heads[1];
    if (cells.length < 2) {
      // One short cell in the first column is the heading of a section. In another column it is a row, if it is as near as the next row.
      const placed =
        above !== undefined && isNear(above, line, step) && isBelow(cells, heads) ? inColumns(cells, heads) : undefined;
      if (row !== undefined && placed !== undefined && placed[0] === '') addRow(placed, i + 1);
      else if (first !== undefined && heads.length >= LEAST_COLUMNS && second !== undefined && first.end < second.x)
        addRow([first.text, ...heads.slice(1).map(() => '')], i + 1);
      else {
        if (heads.length > 0) carried = heads;
        heads = [];
        add(own, i + 1);
      }
      continue;
    }
    const placed = heads.length < LEAST_COLUMNS ? undefined : inColumns(cells, heads);
    if (placed !== undefined) addRow(placed, i + 1);
    else {
      startTable(cells, i);
      add(own, i + 1);
    }
  }
  return { texts: texts.filter(({ text }) => text !== ''), heads: heads.length >= LEAST_COLUMNS ? heads : carried };
}

const failed = (error: unknown): Unreadable => {
  const isLocked = (error as { name?: string }).name === 'PasswordException';
  return new Unreadable(
    isLocked
      ? { code: 'file_locked', message: 'The PDF has a password.', remedy: 'Save it without a password.' }
      : {
          code: 'file_unreadable',
          message: 'The PDF is damaged.',
          remedy: 'Print it to a new PDF, or copy its text into the description.',
        },
    error,
  );
};

export async function readPdfFile(bytes: Uint8Array): Promise<FileText> {
  const lines: ReadLine[] = [];
  const gaps: PartGap[] = [];
  const document = await getDocumentProxy(bytes.slice(), { stopAtErrors: true, verbosity: 0 }).catch(
    (error: unknown) => {
      throw failed(error);
    },
  );
  const pages = Math.min(document.numPages, READ_BOUNDS.pages);
  const unread: number[] = [];
  let cause: unknown;
  let heads: readonly Cell[] = [];
  for (let n = 1; n <= pages; n++) {
    const pieces = await piecesOf(document, n).catch((error: unknown): Piece[] => {
      cause = error;
      return [];
    });
    if (pieces.length === 0) unread.push(n);
    const page = textsOf(linesOf(pieces), heads);
    heads = page.heads;
    if (lines.length > 0) lines.push({ text: '', part: '', n: 0 });
    for (const { text, n: line } of page.texts)
      lines.push(line === undefined ? { text, part: '', n: 0 } : { text, part: `page ${n}, line`, n: line });
  }
  if (cause !== undefined && unread.length === pages) throw failed(cause);
  if (unread.length > 0 && unread.length < pages)
    gaps.push({
      code: 'file_part_not_read',
      message: `Pages without text, or damaged: ${unread.join(', ')}. They were not read.`,
      remedy: 'If they describe the site, write what they say into the description.',
    });
  if (document.numPages > pages)
    gaps.push({
      code: 'file_part_not_read',
      message: `The PDF has ${document.numPages} pages. Only the first ${pages} were read.`,
      remedy: 'Save the pages that describe the site as an own file.',
    });
  return { lines, gaps, isTable: false };
}

async function piecesOf(document: Awaited<ReturnType<typeof getDocumentProxy>>, n: number): Promise<Piece[]> {
  const page = await document.getPage(n);
  const { items } = await page.getTextContent();
  page.cleanup();
  return items.flatMap((item): Piece[] => {
    if (!('str' in item) || item.str.trim() === '') return [];
    const [, , , , x = 0, y = 0] = item.transform as number[];
    return [{ text: item.str, x, end: x + item.width, y, size: item.height || 1 }];
  });
}
