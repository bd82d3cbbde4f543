/**
 * Values of SQLite in the columns of PostgreSQL, and back.
 *
 * SQLite compares numbers before texts, and texts by their bytes. A column of PostgreSQL has one type, so a column whose values may be
 * numbers or texts is `bytea`, which PostgreSQL compares by bytes:
 *
 *   1 | number as 8 bytes in an order that keeps the order of numbers     2 | text as UTF-8     3 | bytes
 *
 * Texts of PostgreSQL cannot have the character U+0000. It is stored as U+0001 U+0002, and U+0001 as U+0001 U+0001.
 */
import { Buffer } from 'node:buffer';
import type { SQLInputValue } from 'node:sqlite';

/** A value in SQLite. */
export type Value = string | number | null | Uint8Array;

/** Returns a value as a row has it: of a surrogate without its pair, SQLite and PostgreSQL store U+FFFD. Throws if no row can have it. */
export function rowValue(value: SQLInputValue): Value {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value === 'number' || value === null || value instanceof Uint8Array) return value;
  throw new TypeError(`a row cannot have a value of the type ${typeof value}`);
}

/** text, int, real and bytes: the type of PostgreSQL. key: `bytea` in the form above. */
export type ColumnType = 'text' | 'int' | 'real' | 'bytes' | 'key';

export const SQL_TYPES: Readonly<Record<ColumnType, string>> = {
  text: 'text COLLATE "C"',
  int: 'bigint',
  real: 'double precision',
  bytes: 'bytea',
  key: 'bytea',
};

/** The types of arrays of these columns, for the parameters of a statement. */
export const ARRAY_TYPES: Readonly<Record<ColumnType, string>> = {
  text: 'text[]',
  int: 'bigint[]',
  real: 'double precision[]',
  bytes: 'bytea[]',
  key: 'bytea[]',
};

export const NUMBER_TAG = 1;
export const TEXT_TAG = 2;
const BYTES_TAG = 3;

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the two characters that are stored in another form.
const ESCAPED = /[\u0000\u0001]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
const STORED = /\u0001[\u0001\u0002]/g;

export const toText = (text: string): string =>
  text.replace(ESCAPED, (char) => (char === '\u0000' ? '\u0001\u0002' : '\u0001\u0001'));

export const fromText = (text: string): string =>
  text.includes('\u0001') ? text.replace(STORED, (pair) => (pair[1] === '\u0002' ? '\u0000' : '\u0001')) : text;

/** Returns the bytes of a number or a text; see above. */
export function toKey(value: Value): Buffer | null {
  if (value === null) return null;
  if (typeof value === 'string') return Buffer.concat([Buffer.of(TEXT_TAG), Buffer.from(value, 'utf8')]);
  if (typeof value !== 'number') return Buffer.concat([Buffer.of(BYTES_TAG), value]);
  const bytes = Buffer.alloc(9);
  bytes[0] = NUMBER_TAG;
  // Minus zero equals zero.
  bytes.writeDoubleBE(value === 0 ? 0 : value, 1);
  // A negative number has its bits inverted, and a positive one only its sign. So the order of bytes is the order of numbers.
  if (value < 0) for (let i = 1; i < 9; i++) bytes[i] = ~(bytes[i] as number);
  else bytes[1] = (bytes[1] as number) ^ 0x80;
  return bytes;
}

function fromKey(bytes: Buffer): Value {
  const [tag] = bytes;
  const rest = bytes.subarray(1);
  if (tag === TEXT_TAG) return rest.toString('utf8');
  if (tag === BYTES_TAG) return new Uint8Array(rest);
  const copy = Buffer.from(rest);
  if ((copy[0] as number) & 0x80) copy[0] = (copy[0] as number) ^ 0x80;
  else for (let i = 0; i < 8; i++) copy[i] = ~(copy[i] as number);
  return copy.readDoubleBE(0);
}

/** Returns a value in the form in which a column of PostgreSQL has it. */
export function toColumn(type: ColumnType, value: Value): Value {
  if (value === null) return null;
  if (type === 'key') return toKey(value);
  if (type === 'text') return toText(String(value));
  return type === 'bytes' && value instanceof Uint8Array ? Buffer.from(value) : value;
}

/** Returns a value of a column of PostgreSQL in the form in which SQLite has it. */
export function fromColumn(type: ColumnType, value: unknown): Value {
  if (value === null || value === undefined) return null;
  if (type === 'text') return fromText(String(value));
  if (type === 'int' || type === 'real') return Number(value);
  return type === 'key' ? fromKey(value as Buffer) : new Uint8Array(value as Buffer);
}
