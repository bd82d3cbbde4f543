/**
 * Reads the text of a PDF file. A PDF has pieces of text with positions and no lines. Pieces of the same height are a line. Pieces of a
 * line that stand far apart are the cells of a table: they get the column of the heading above which they stand, so that an empty cell
 * does not move the others.
 */
import { getDocumentProxy } from 'unpdf';
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

/** Pieces are of one line if their heights differ by less than this share of the size of the font. */
const SAME_LINE = 0.5;
/** A space between two pieces that is wider than this share of the size of the font divides two cells. */
const CELL_SPACE = 0.7;
const WORD_SPACE = 0.15;
const LEAST_COLUMNS = 3;

/** Puts the pieces of a page into lines, and the pieces of a line into cells. */
function linesOf(pieces: readonly Piece[]): Cell[][] {
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
    return cells;
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

/** The text of the lines of a page. */
function textsOf(lines: readonly (readonly Cell[])[]): string[] {
  let heads: readonly Cell[] = [];
  return lines.map((cells) => {
    const texts = cells.map(({ text }) => clean(text));
    if (cells.length < 2) {
      heads = [];
      return texts.join('');
    }
    if (heads.length < LEAST_COLUMNS) {
      heads = cells;
      return texts.join('; ');
    }
    const row = inColumns(cells, heads);
    if (row !== undefined) return row.map(clean).join('; ');
    heads = cells;
    return texts.join('; ');
  });
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
  for (let n = 1; n <= pages; n++) {
    const pieces = await piecesOf(document, n).catch((error: unknown) => {
      throw failed(error);
    });
    const texts = textsOf(linesOf(pieces)).filter((text) => text !== '');
    if (lines.length > 0) lines.push({ text: '', part: '', n: 0 });
    for (const [i, text] of texts.entries()) lines.push({ text, part: `page ${n}, line`, n: i + 1 });
  }
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
