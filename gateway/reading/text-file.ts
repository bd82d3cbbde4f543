/** Reads CSV files and plain texts. */
import { parseCsv } from 'hucre/csv';
import { type FileText, Unreadable } from './reading-types.ts';
import { createRows } from './rows.ts';

/** Decodes a text: UTF-16 with a byte order mark, UTF-8, or else the code page of Windows for western languages. */
export function decodeText(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  // Texts of the encodings below have no byte 0.
  if (bytes.includes(0))
    throw new Unreadable({
      code: 'file_unreadable',
      message: 'The file is no text, and of no kind that the gateway reads.',
      remedy: 'Save it as CSV, XLSX, PDF or text.',
    });
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

export function readCsvFile(bytes: Uint8Array): FileText {
  const rows = createRows();
  for (const [i, cells] of parseCsv(decodeText(bytes)).entries()) rows.add(cells, 'row', i + 1);
  return { lines: rows.lines, gaps: rows.gaps(), isTable: true };
}

export function linesOf(text: string): FileText {
  const lines = text.split(/\r\n|\r|\n/).map((line, i) => ({ text: line.trimEnd(), part: 'line', n: i + 1 }));
  return { lines, gaps: [], isTable: false };
}
