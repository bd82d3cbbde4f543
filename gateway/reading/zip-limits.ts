/**
 * Checks a ZIP archive before anything reads it: the number of its parts, and the bytes to which they unpack. The sizes in the directory
 * of an archive may be wrong, so each part is unpacked once, up to the size that the directory gives.
 */
import { inflateRawSync } from 'node:zlib';
import { READ_BOUNDS, Unreadable } from './reading-types.ts';

const END_OF_DIRECTORY = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;
const LOCAL_ENTRY = 0x04034b50;
const ZIP64_LOCATOR = 0x07064b50;
const ZIP64_LOCATOR_LENGTH = 20;
/** A field with this value has its true value in the directory of ZIP64. */
const ELSEWHERE = 0xffffffff;
const ELSEWHERE_16 = 0xffff;
/** Lengths of the fixed parts of the records (APPNOTE 4.3). */
const END_LENGTH = 22;
const ENTRY_LENGTH = 46;
const LOCAL_LENGTH = 30;
const MAX_COMMENT = 65_535;
const DEFLATED = 8;
const ENCRYPTED = 1;

const SAVE_AGAIN = 'Open it in a spreadsheet program, and save it as XLSX or CSV.';

export const damaged = (cause?: unknown): Unreadable =>
  new Unreadable(
    { code: 'file_unreadable', message: 'The file is damaged, or is no file of this kind.', remedy: SAVE_AGAIN },
    cause,
  );

const tooLarge = (): Unreadable =>
  new Unreadable({
    code: 'file_unreadable',
    message: `The file unpacks to more than ${READ_BOUNDS.unpacked / 1024 / 1024} MiB, or has more than ${READ_BOUNDS.parts} parts.`,
    remedy: 'Copy the sheets that describe the site into a new file.',
  });

const locked = (): Unreadable =>
  new Unreadable({
    code: 'file_locked',
    message: 'The file has a password.',
    remedy: 'Save it without a password.',
  });

/** Returns the position of the record that ends the directory. */
function endOf(view: DataView): number {
  const first = Math.max(0, view.byteLength - END_LENGTH - MAX_COMMENT);
  for (let at = view.byteLength - END_LENGTH; at >= first; at--)
    if (view.getUint32(at, true) === END_OF_DIRECTORY) return at;
  throw damaged();
}

/**
 * Refuses an archive with a second directory (ZIP64, APPNOTE 4.3.14). A small file never needs one, and the library that reads the file
 * would read the parts of the second directory, which nobody has checked.
 */
function refuseZip64(view: DataView, end: number): void {
  const isElsewhere =
    [4, 6, 8, 10].some((field) => view.getUint16(end + field, true) === ELSEWHERE_16) ||
    [12, 16].some((field) => view.getUint32(end + field, true) === ELSEWHERE);
  const locator = end - ZIP64_LOCATOR_LENGTH;
  if (isElsewhere || (locator >= 0 && view.getUint32(locator, true) === ZIP64_LOCATOR)) throw damaged();
}

/**
 * Returns the names of the parts; throws `Unreadable` if the archive is damaged, has a password, or unpacks to too much. `look` sees the
 * content of each part.
 */
export function checkZip(bytes: Uint8Array, look: (name: string, content: Uint8Array) => void): string[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const end = endOf(view);
    refuseZip64(view, end);
    const count = view.getUint16(end + 10, true);
    if (count > READ_BOUNDS.parts) throw tooLarge();
    let at = view.getUint32(end + 16, true);
    let unpacked = 0;
    const names: string[] = [];
    for (let i = 0; i < count; i++) {
      if (view.getUint32(at, true) !== DIRECTORY_ENTRY) throw damaged();
      if ((view.getUint16(at + 8, true) & ENCRYPTED) !== 0) throw locked();
      const size = view.getUint32(at + 24, true);
      unpacked += size;
      if (unpacked > READ_BOUNDS.unpacked) throw tooLarge();
      const nameLength = view.getUint16(at + 28, true);
      const name = new TextDecoder().decode(bytes.subarray(at + ENTRY_LENGTH, at + ENTRY_LENGTH + nameLength));
      names.push(name);
      look(name, unpackedPart(bytes, view, at, size));
      at += ENTRY_LENGTH + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    }
    return names;
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    // A position outside of the file, or a part that does not unpack.
    throw damaged(error);
  }
}

function unpackedPart(bytes: Uint8Array, view: DataView, entry: number, size: number): Uint8Array {
  const packed = view.getUint32(entry + 20, true);
  const local = view.getUint32(entry + 42, true);
  if (view.getUint32(local, true) !== LOCAL_ENTRY) throw damaged();
  const start = local + LOCAL_LENGTH + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
  if (start + packed > bytes.byteLength) throw damaged();
  if (view.getUint16(entry + 10, true) !== DEFLATED) {
    if (packed !== size) throw damaged();
    return bytes.subarray(start, start + packed);
  }
  try {
    // One byte is the least that zlib takes as a limit.
    return inflateRawSync(bytes.subarray(start, start + packed), { maxOutputLength: Math.max(1, size) });
  } catch (error) {
    throw (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge() : damaged(error);
  }
}
