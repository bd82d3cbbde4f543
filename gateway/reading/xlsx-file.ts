/** Reads the sheets of an XLSX file as lines of text. */
import { readXlsx, type Sheet } from 'hucre/xlsx';
import { type FileText, type PartGap, READ_BOUNDS, Unreadable } from './reading-types.ts';
import { type CellValue, clean, createRows } from './rows.ts';
import { checkZip, damaged } from './zip-limits.ts';

const WORKBOOK = 'xl/workbook.xml';

const partGap = (message: string, remedy: string): PartGap => ({ code: 'file_part_not_read', message, remedy });

const nameOf = ({ name }: Sheet): string => clean(name).slice(0, READ_BOUNDS.name);

/** Formats of numbers that show leading zeros (`000`), perhaps with letters before them (`"HT-"00`). */
const ZEROS = /^(?:"([^"]*)")?(0+)$/;

/** The value as the sheet shows it. */
function shownValue({ cells }: Sheet, value: CellValue, row: number, column: number): CellValue {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0) return value;
  const [, letters = '', zeros = ''] = ZEROS.exec(cells?.get(`${row},${column}`)?.style?.numFmt ?? '') ?? [];
  return letters + String(value).padStart(zeros.length, '0');
}

/** Copies the value of merged cells to the rows below its first one. Cells of a merged title are not copied to the right. */
function withMerges({ merges = [] }: Sheet, rows: CellValue[][]): void {
  let left = READ_BOUNDS.rows * READ_BOUNDS.columns;
  for (const { startRow, endRow, startCol } of merges) {
    const value = rows[startRow]?.[startCol];
    if (startCol >= READ_BOUNDS.columns || value === null || value === undefined) continue;
    for (let r = startRow + 1; r <= Math.min(endRow, rows.length - 1) && left > 0; r++, left--) {
      const row = rows[r];
      if (row !== undefined) row[startCol] ??= value;
    }
  }
}

interface ShownRows {
  readonly rows: readonly { readonly cells: readonly CellValue[]; readonly n: number }[];
  /** How many rows and columns with values the sheet does not show. */
  readonly unseen: { readonly rows: number; readonly columns: number };
}

const isEmpty = (value: CellValue): boolean => value === null || value === undefined || value === '';

/** The cells of the sheet that a person sees. */
function shownOf(sheet: Sheet): ShownRows {
  const rows = sheet.rows.map((row, r) => row.map((value, c) => shownValue(sheet, value, r, c)));
  withMerges(sheet, rows);
  const unseenColumns = new Set<number>();
  const isHiddenColumn = (c: number): boolean => sheet.columns?.[c]?.hidden === true;
  let unseenRows = 0;
  const shown = rows.flatMap((row, r) => {
    if (sheet.rowDefs?.get(r)?.hidden === true) {
      if (!row.every(isEmpty)) unseenRows++;
      return [];
    }
    for (const [c, value] of row.entries()) if (isHiddenColumn(c) && !isEmpty(value)) unseenColumns.add(c);
    return [{ cells: row.filter((_, c) => !isHiddenColumn(c)), n: r + 1 }];
  });
  return { rows: shown, unseen: { rows: unseenRows, columns: unseenColumns.size } };
}

/** A hidden row without its number. The library that reads the file takes such a row for a shown one. */
const HIDDEN_UNNUMBERED = /<(?:\w{1,20}:)?row\s(?![^>]{0,500}\br=)[^>]{0,500}\bhidden=["'](?:1|true)/;

function refuseUnnumbered(name: string, content: Uint8Array): void {
  if (name.startsWith('xl/worksheets/') && HIDDEN_UNNUMBERED.test(new TextDecoder('latin1').decode(content)))
    throw new Unreadable({
      code: 'file_unreadable',
      message: 'The file hides rows without their numbers, so the gateway does not know which rows a person sees.',
      remedy: 'Open it in a spreadsheet program, and save it as XLSX or CSV.',
    });
}

export async function readXlsxFile(bytes: Uint8Array): Promise<FileText> {
  if (!checkZip(bytes, refuseUnnumbered).includes(WORKBOOK))
    throw new Unreadable({
      code: 'file_unreadable',
      message: 'The file is an archive, but no XLSX file.',
      remedy: 'Give the files of the archive, as XLSX, CSV, PDF or text.',
    });
  const hidden: string[] = [];
  const left: string[] = [];
  let shown = 0;
  const book = await readXlsx(bytes, {
    readStyles: true,
    sheets(info) {
      if (info.hidden || info.veryHidden) hidden.push(info.name);
      else if (++shown > READ_BOUNDS.sheets) left.push(info.name);
      else return true;
      return false;
    },
  }).catch((error: unknown) => {
    throw damaged(error);
  });
  const rows = createRows();
  const unseen = { rows: 0, columns: 0 };
  for (const sheet of book.sheets) {
    rows.divide();
    const part = `sheet ${nameOf(sheet)}, row`;
    const shownRows = shownOf(sheet);
    unseen.rows += shownRows.unseen.rows;
    unseen.columns += shownRows.unseen.columns;
    for (const { cells, n } of shownRows.rows) rows.add(cells, part, n);
  }
  const gaps = rows.gaps();
  if (hidden.length > 0)
    gaps.push(
      partGap(
        `Hidden sheets were not read: ${hidden.join(', ').slice(0, READ_BOUNDS.cell)}.`,
        'Show them in the file if they count.',
      ),
    );
  if (unseen.rows + unseen.columns > 0)
    gaps.push(
      partGap(
        `The file hides ${unseen.rows} rows and ${unseen.columns} columns with values. They were not read.`,
        'Show them in the file, or remove its filters, if they count.',
      ),
    );
  if (left.length > 0)
    gaps.push(
      partGap(
        `The file has more than ${READ_BOUNDS.sheets} sheets. Not read: ${left.join(', ').slice(0, READ_BOUNDS.cell)}.`,
        'Copy the sheets that describe the site into a new file.',
      ),
    );
  return { lines: rows.lines, gaps, isTable: true };
}
