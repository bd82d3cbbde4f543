/** The version of a data folder's layout, in a file of its own so that it can be read before anything is opened. */
import { readFileSync } from 'node:fs';
import { fileErrorCode, StoreError } from '#contract/base/store-error.ts';
import { writeDurably } from '#store/base/durable.ts';

/** The layout this version writes: 2 has checksums of rows. */
const FORMAT = 2;

/** Checks the format of a data folder and states this one's where it is older or absent; throws `StoreError` and changes nothing when it cannot be used. */
export function checkFormat(folder: string, file: string): void {
  const text = readText(folder, file);
  if (text === undefined) {
    writeFormat(folder, file);
    return;
  }
  const format = parseFormat(text);
  if (format === undefined) throw new StoreError('format_unreadable', file);
  if (format > FORMAT) throw new StoreError('format_newer', folder);
  // before anything is changed: a version that knows no checksums would leave wrong ones behind
  if (format < FORMAT) writeFormat(folder, file);
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

function writeFormat(folder: string, file: string): void {
  try {
    writeDurably(file, `${JSON.stringify({ format: FORMAT })}\n`);
  } catch (error) {
    throw new StoreError(fileErrorCode(error), folder, error);
  }
}
