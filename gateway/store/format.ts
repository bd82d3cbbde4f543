/** The version of the layout of a data folder. It has a separate file, so that it can be read before the database is opened. */
import { readFileSync } from 'node:fs';
import { fileErrorCode, StoreError } from '#contract/base/store-error.ts';
import { writeDurably } from '#store/base/durable.ts';

/**
 * The layout version of a new folder. Layout 2 added checksums of rows. Layout 3 added compressed history segments (documents with samples)
 * that name the origin of each sample. Layout 4 stores the bytes of segments and rollups in a column of their own.
 */
const FORMAT = 4;
/**
 * The layout version of a folder with a project that is copied to head office. A gateway that does not know this layout would write documents
 * without their registers, and their changes would not be copied.
 */
const SYNC_FORMAT = 5;

/** Checks the layout version of a data folder. If the version is older or absent, writes the version of this gateway. If it is newer, throws `StoreError`. */
export function checkFormat(folder: string, file: string): void {
  const text = readText(folder, file);
  if (text === undefined) {
    writeFormat(folder, file, FORMAT);
    return;
  }
  const format = parseFormat(text);
  if (format === undefined) throw new StoreError('format_unreadable', file);
  if (format > SYNC_FORMAT) throw new StoreError('format_newer', folder);
  // Write the version before anything else changes. From then on an earlier gateway must not open the folder, because it does not update
  // checksums and cannot read the bytes of the new segments.
  if (format < FORMAT) writeFormat(folder, file, FORMAT);
}

/** Writes the layout version of a folder with a project that is copied to head office. */
export function raiseFormat(folder: string, file: string): void {
  const text = readText(folder, file);
  if (text === undefined || parseFormat(text) !== SYNC_FORMAT) writeFormat(folder, file, SYNC_FORMAT);
}

function readText(folder: string, file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new StoreError(fileErrorCode(error), folder, error);
  }
}

function parseFormat(text: string): number | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || !('format' in value)) return undefined;
  return Number.isSafeInteger(value.format) && Number(value.format) >= 1 ? Number(value.format) : undefined;
}

function writeFormat(folder: string, file: string, format: number): void {
  try {
    writeDurably(file, `${JSON.stringify({ format })}\n`);
  } catch (error) {
    throw new StoreError(fileErrorCode(error), folder, error);
  }
}
