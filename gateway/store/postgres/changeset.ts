/**
 * Reads a changeset of SQLite's session extension: the rows that a transaction inserted, changed or deleted. Several changes of one row are
 * one change in it. The format is described at https://www.sqlite.org/session/sqlite3changeset_new.html and in sqlite3session.c:
 *
 *   table:   'T', number of columns, one byte for each column (not 0: part of the primary key), name, 0
 *   change:  18 insert | 23 update | 9 delete, one byte that is not used here, old values (update, delete), new values (insert, update)
 *   value:   0 not in this change | 1 integer | 2 float | 3 text | 4 bytes | 5 null
 */
import type { Value } from './values.ts';

export interface RowChange {
  readonly table: string;
  readonly operation: 'insert' | 'update' | 'delete';
  /**
   * The values by number of the column. insert: the complete row; update: the primary key and the changed values; delete: the complete old
   * row. Undefined: not changed.
   */
  readonly values: readonly (Value | undefined)[];
}

const TABLE = 0x54;
const OPERATIONS: Readonly<Record<number, RowChange['operation']>> = { 18: 'insert', 23: 'update', 9: 'delete' };

class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  byte(): number {
    return this.#bytes[this.#at++] as number;
  }

  /** A number of SQLite with 1 to 9 bytes. Lengths have at most 5. */
  length(): number {
    let value = 0;
    for (;;) {
      const byte = this.byte();
      value = value * 128 + (byte & 0x7f);
      if (byte < 0x80) return value;
    }
  }

  name(): string {
    const end = this.#bytes.indexOf(0, this.#at);
    const name = this.#bytes.toString('utf8', this.#at, end);
    this.#at = end + 1;
    return name;
  }

  value(): Value | undefined {
    const type = this.byte();
    if (type === 0) return undefined;
    if (type === 5) return null;
    if (type === 1 || type === 2) {
      const at = this.#at;
      this.#at += 8;
      return type === 1 ? Number(this.#bytes.readBigInt64BE(at)) : this.#bytes.readDoubleBE(at);
    }
    const length = this.length();
    const at = this.#at;
    this.#at += length;
    if (type === 3) return this.#bytes.toString('utf8', at, at + length);
    return new Uint8Array(this.#bytes.subarray(at, at + length));
  }
}

/** Returns the changes of a changeset. */
export function readChangeset(changeset: Uint8Array): RowChange[] {
  const read = new ByteReader(changeset);
  const changes: RowChange[] = [];
  let table = '';
  let isKey: boolean[] = [];
  const record = (): (Value | undefined)[] => isKey.map(() => read.value());
  while (!read.isAtEnd) {
    const kind = read.byte();
    if (kind === TABLE) {
      isKey = Array.from({ length: read.length() }, () => false).map(() => read.byte() !== 0);
      table = read.name();
      continue;
    }
    const operation = OPERATIONS[kind];
    if (operation === undefined) throw new Error(`a changeset has the unknown operation ${kind}`);
    read.byte();
    const old = operation === 'insert' ? [] : record();
    const now = operation === 'delete' ? old : record();
    const values = operation === 'update' ? now.map((value, i) => (isKey[i] ? old[i] : value)) : now;
    changes.push({ table, operation, values });
  }
  return changes;
}
