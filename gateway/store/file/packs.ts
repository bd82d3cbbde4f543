/**
 * Packs: the files of a backup folder that contain the sealed rows of history. These are sealed segments (the samples of one machine and
 * hour) and rollups (the statistics of one machine and day). A sealed row never changes, so the folder has each sealed row once, and all
 * backups of the folder use it.
 *
 *   backup/headframe-<stamp>.base.db            every other row, and the list of the sealed rows that this backup needs
 *   backup/history-segments-<stamp>.pack        the sealed segments that no earlier pack had at that time
 *   backup/history-rollups-<stamp>.pack         the same for rollups
 *
 * The stamp is the number and the time of a backup, see `backup-files.ts`. A pack is an SQLite file with one table. A row has the JSON text
 * of a document, compressed with zstd, the bytes of the document and its checksum. A backup finds a row by its id, sequence number and
 * checksum, in any pack of the folder. A pack of an earlier version has no column for bytes; its texts contain them as base64.
 */
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { checksumOf } from '#store/sqlite/checksum.ts';
import { rowsOf } from '#store/sqlite/find-damage.ts';
import { columnsOfTable, type SealedKind, type SealedRow } from '#store/sqlite/sealed-rows.ts';
import type { Content } from '#store/sqlite/table.ts';
import { byAge } from './backup-files.ts';

const NAME = /^history-(segments|rollups)-[+\dTZ-]+\.pack$/;
const LEVEL = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };
/** The largest JSON text of a row, in bytes. A row with a larger text counts as damaged, so that a damaged file cannot fill the memory. */
const MOST_TEXT = 256 << 20;
/** Number of rows that one statement reads, with and without their content. */
const CHUNK = 100;
const KEYS_CHUNK = 1000;

/** The identity of a sealed row. */
export type RowKey = Pick<SealedRow, 'id' | 'seq' | 'sum'>;

/** Returns a text that is the same for equal rows. */
export const keyOf = ({ id, seq, sum }: RowKey): string => `${id} ${seq} ${sum}`;

/** Returns the kind of the rows of a pack; undefined if the name is not the name of a pack. */
export const kindOfPack = (name: string): SealedKind | undefined => NAME.exec(name)?.[1] as SealedKind | undefined;

/** Returns the files of the packs of a backup folder, the oldest first; empty if the folder cannot be read. */
export function listPacks(inner: string): string[] {
  try {
    const names = readdirSync(inner).filter((name) => NAME.test(name));
    return names.sort(byAge).map((name) => join(inner, name));
  } catch {
    return [];
  }
}

/** Returns the name of the pack of a kind that a backup writes. `stamp` is the number and the time in the name of the backup. */
export const packName = (kind: SealedKind, stamp: string): string => `history-${kind}-${stamp}.pack`;

/** SQL that creates the tables of a pack in a schema. */
export function packTables(schema: string): string {
  return `CREATE TABLE ${schema}.sealed (id TEXT NOT NULL, seq INTEGER NOT NULL, sum INTEGER NOT NULL, data BLOB NOT NULL, body BLOB);
    CREATE TABLE ${schema}.info (rows INTEGER NOT NULL)`;
}

/** The content of a row of a pack: the compressed JSON text of a document, and its bytes. */
export interface PackedContent {
  readonly data: Uint8Array;
  readonly body: Uint8Array | null;
}

/** Returns a function that adds a row to a new pack. */
export function packInserter(database: DatabaseSync, schema: string): (key: RowKey, content: PackedContent) => void {
  const insert = database.prepare(`INSERT INTO ${schema}.sealed (id, seq, sum, data, body) VALUES (?, ?, ?, ?, ?)`);
  return ({ id, seq, sum }, { data, body }) => void insert.run(id, seq, sum, data, body);
}

/** Returns the content of a row in the form of a pack. */
export function packContent({ text, body }: Content): PackedContent {
  return { data: zstdCompressSync(text, LEVEL), body };
}

/** Returns the columns of `PackedContent` of an open pack, as SQL. */
export function contentColumns(database: DatabaseSync): string {
  return columnsOfTable(database, 'main', 'sealed').includes('body') ? 'data, body' : 'data, NULL';
}

/** Opens an SQLite file that no process changes, for reading. */
export function openImmutable(file: string): DatabaseSync {
  const url = pathToFileURL(file);
  url.search = 'immutable=1';
  return new DatabaseSync(url, { readOnly: true });
}

/** The intact rows of a pack, and its damage. */
export interface Pack {
  readonly name: string;
  readonly file: string;
  /** True if the content of each row was read and checked; false if only the keys of the rows were read. */
  readonly isChecked: boolean;
  /** Row numbers of the intact rows, by key. If the content was not read, all rows count as intact. */
  readonly rows: ReadonlyMap<string, number>;
  /** A sentence about the damage; null if the pack is intact. */
  readonly damage: string | null;
}

/** How a pack is read. */
interface PackReading {
  /** If false, only the keys of the rows are read, which are a small part of the file. */
  readonly withContent: boolean;
  /** Called between two reads of rows, for example to pause. */
  readonly onChunk?: () => void;
}

/** Reads the rows of a pack. If the pack is damaged, the function does not throw; the result says so. */
export function readPack(file: string, { withContent, onChunk }: PackReading): Pack {
  const common = { name: basename(file), file, isChecked: withContent };
  const rows = new Map<string, number>();
  let damaged = 0;
  let database: DatabaseSync | undefined;
  try {
    database = openImmutable(file);
    const chunk = withContent ? CHUNK : KEYS_CHUNK;
    const columns = withContent ? `id, seq, sum, ${contentColumns(database)}` : 'id, seq, sum';
    const sql = `SELECT rowid, ${columns} FROM sealed WHERE rowid>? ORDER BY rowid LIMIT ${chunk}`;
    for (let found = rowsOf(database, sql, -1); ; found = rowsOf(database, sql, Number(found.at(-1)?.[0]))) {
      for (const [row, id, seq, sum, data, body] of found) {
        const key = { id: String(id), seq: Number(seq), sum: Number(sum) };
        if (withContent && contentOf(data, body, key.sum) === undefined) damaged++;
        else rows.set(keyOf(key), Number(row));
      }
      if (found.length < chunk) break;
      onChunk?.();
    }
    const expected = Number(rowsOf(database, 'SELECT rows FROM info')[0]?.[0]);
    const lost = Math.max(damaged, expected - rows.size);
    const damage = lost === 0 && expected === rows.size ? null : `${lost} of its ${expected} rows cannot be read`;
    return { ...common, rows, damage };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { ...common, rows, damage: `only ${rows.size} of its rows can be read (${why})` };
  } finally {
    database?.close();
  }
}

/** Returns the content of a row of a pack; undefined if the content differs from what the backup wrote. */
function contentOf(data: unknown, bytes: unknown, sum: number): Content | undefined {
  try {
    const text = zstdDecompressSync(data as Uint8Array, { maxOutputLength: MOST_TEXT }).toString('utf8');
    const body = bytes as Uint8Array | null;
    return checksumOf(text, body) === sum ? { text, body } : undefined;
  } catch {
    return undefined;
  }
}

/** The packs of a backup folder. Reads each pack once, when it is first needed. */
export class PackFolder {
  readonly inner: string;
  readonly #packs = new Map<string, Pack>();
  readonly #isChecked: (name: string) => boolean;
  readonly #onChunk: () => void;
  #all: readonly Pack[] | undefined;

  /** `isChecked` returns true for packs that must be read and checked completely; by default all packs. */
  constructor(inner: string, isChecked: (name: string) => boolean = () => true, onChunk: () => void = () => {}) {
    this.inner = inner;
    this.#isChecked = isChecked;
    this.#onChunk = onChunk;
  }

  /** Returns all packs, the oldest first. */
  all(): readonly Pack[] {
    this.#all ??= listPacks(this.inner).map((file) => this.#read(file));
    return this.#all;
  }

  /** Lists the files of the folder again. Call it after a backup has written new packs. */
  refresh(): void {
    this.#all = undefined;
  }

  /**
   * Returns for the key of each intact row the pack that has the row. If several packs have it, the function returns the newest of them.
   */
  placesOf(): ReadonlyMap<string, Pack> {
    return new Map(this.all().flatMap((pack) => [...pack.rows.keys()].map((key) => [key, pack] as const)));
  }

  #read(file: string): Pack {
    const withContent = this.#isChecked(basename(file));
    const pack = this.#packs.get(file) ?? readPack(file, { withContent, onChunk: this.#onChunk });
    this.#packs.set(file, pack);
    return pack;
  }
}

/**
 * Returns a function that reads the content of a row from packs; it returns undefined if the row is damaged. Dispose it to close the files.
 */
export function openPackReader(): { read(pack: Pack, key: RowKey): Content | undefined } & Disposable {
  const open = new Map<Pack, DatabaseSync>();
  return {
    read(pack, key) {
      const row = pack.rows.get(keyOf(key));
      if (row === undefined) return undefined;
      let database = open.get(pack);
      if (database === undefined) {
        for (const one of open.values()) one.close();
        open.clear();
        database = openImmutable(pack.file);
        open.set(pack, database);
      }
      const [found] = rowsOf(database, `SELECT ${contentColumns(database)} FROM sealed WHERE rowid=?`, row);
      return contentOf(found?.[0], found?.[1], key.sum);
    },
    [Symbol.dispose]() {
      for (const one of open.values()) one.close();
    },
  };
}
