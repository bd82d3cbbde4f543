/** Reads the sheets of an XLSX file as lines of text. */
import { readXlsx } from 'hucre/xlsx';
import { type FileText, type PartGap, READ_BOUNDS, Unreadable } from './reading-types.ts';
import { createRows } from './rows.ts';
import { checkZip, damaged } from './zip-limits.ts';

const WORKBOOK = 'xl/workbook.xml';

const partGap = (message: string, remedy: string): PartGap => ({ code: 'file_part_not_read', message, remedy });

export async function readXlsxFile(bytes: Uint8Array): Promise<FileText> {
  if (!checkZip(bytes).includes(WORKBOOK))
    throw new Unreadable({
      code: 'file_unreadable',
      message: 'The file is an archive, but no XLSX file.',
      remedy: 'Give the files of the archive, as XLSX, CSV, PDF or text.',
    });
  const hidden: string[] = [];
  const left: string[] = [];
  let shown = 0;
  const book = await readXlsx(bytes, {
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
  for (const sheet of book.sheets) {
    rows.divide();
    for (const [i, row] of sheet.rows.entries()) rows.add(row, `sheet ${sheet.name}, row ${i + 1}`);
  }
  const gaps = rows.gaps();
  if (hidden.length > 0)
    gaps.push(partGap(`Hidden sheets were not read: ${hidden.join(', ')}.`, 'Show them in the file if they count.'));
  if (left.length > 0)
    gaps.push(
      partGap(
        `The file has more than ${READ_BOUNDS.sheets} sheets. Not read: ${left.join(', ').slice(0, READ_BOUNDS.cell)}.`,
        'Copy the sheets that describe the site into a new file.',
      ),
    );
  return { lines: rows.lines, gaps, isTable: true };
}
