/** Chooses the reader of a file by its first bytes, and for texts by its name. */
import type { GivenFile } from '#contract/site/setup.ts';
import { boundedText } from './bounded-text.ts';
import { isHtml, readHtml } from './html-text.ts';
import { type FileText, Unreadable } from './reading-types.ts';
import { decodeText, linesOf, readCsvFile } from './text-file.ts';

/** The header of a PDF may stand behind other bytes. */
const PDF_HEADER_WITHIN = 1024;
const TABLE_NAME = /\.(csv|tsv|tab)$/i;

const startsWith = (bytes: Uint8Array, ...start: readonly number[]): boolean =>
  start.every((byte, i) => bytes[i] === byte);

/** Reads a file; throws `Unreadable` if it cannot be read. */
export async function readFile({ name, content }: GivenFile): Promise<FileText> {
  const read = boundedText(await textOf(name, content));
  if (read.lines.some(({ text }) => /[\p{L}\p{N}]/u.test(text))) return read;
  throw new Unreadable({
    code: 'file_without_text',
    message: 'The file has no text. A scanned page is a picture.',
    remedy: 'Write what it says as text, or give the file from which it was printed.',
  });
}

async function textOf(name: string, content: Uint8Array): Promise<FileText> {
  const head = new TextDecoder('latin1').decode(content.subarray(0, PDF_HEADER_WITHIN));
  // The libraries are large, so only the thread that needs one loads it.
  if (head.includes('%PDF-')) return (await import('./pdf-file.ts')).readPdfFile(content);
  if (startsWith(content, 0x50, 0x4b, 0x03, 0x04)) return (await import('./xlsx-file.ts')).readXlsxFile(content);
  if (startsWith(content, 0xd0, 0xcf, 0x11, 0xe0))
    throw new Unreadable({
      code: 'file_locked',
      message: 'The file has a password, or is of an old kind (XLS, DOC).',
      remedy: 'Save it as XLSX or CSV without a password.',
    });
  if (TABLE_NAME.test(name)) return readCsvFile(content);
  const text = decodeText(content);
  return isHtml(head) ? readHtml(text) : linesOf(text);
}
