/**
 * Copies the sealed rows (rows that never change) of a database into a backup. It lists them all in the base of the backup, and writes the
 * rows that no pack has into new packs. `packs.ts` explains the base and the packs.
 */
import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { checksumOf } from '#store/sqlite/checksum.ts';
import { rowsOf } from '#store/sqlite/find-damage.ts';
import {
  columnsOfTable,
  SEALED_KINDS,
  SEALED_TABLE,
  type SealedKind,
  type SealedRow,
} from '#store/sqlite/sealed-rows.ts';
import { UnsoundCopy } from './copy-database.ts';
import { keyOf, kindOfPack, type Pack, type PackFolder, packContent, packInserter, packName } from './packs.ts';

/** If the folder has more packs of a kind than this, a backup copies the rows of the two smallest packs into its new pack. */
const MOST_PACKS = 500;

/** The tables that only a base has. */
export const BASE_TABLES = `
  CREATE TABLE backup_packs (number INTEGER PRIMARY KEY, name TEXT NOT NULL);
  CREATE TABLE backup_rows (row INTEGER PRIMARY KEY, id TEXT NOT NULL, seq INTEGER NOT NULL, part INTEGER, sum INTEGER NOT NULL, pack INTEGER NOT NULL);
  CREATE TABLE backup_indexes (sql TEXT NOT NULL);
  CREATE TABLE backup_digest (digest TEXT NOT NULL)`;

/** A sealed row that a base needs, and the name of the pack that has it. */
export interface ListedRow extends SealedRow {
  readonly pack: string;
}

/** Copies the sealed rows of one backup. */
export class SealedCopy {
  /** Number of sealed rows that the base needs. */
  count = 0;
  /** Number of rows in the new packs. */
  readonly written: Record<SealedKind, number> = { segments: 0, rollups: 0 };
  readonly #database: DatabaseSync;
  /** The number and the time in the names of the files that this backup writes. */
  readonly #stamp: string;
  readonly #known: ReadonlyMap<string, Pack>;
  readonly #packs = new Map<string, number>();
  readonly #digest = createHash('sha256');
  #statements: { readonly read: StatementSync; readonly list: StatementSync } | undefined;

  constructor(database: DatabaseSync, packs: PackFolder, stamp: string) {
    this.#database = database;
    this.#stamp = stamp;
    const merged = new Set(SEALED_KINDS.flatMap((kind) => packsToMerge(packs.all(), kind)));
    this.#known = new Map([...packs.placesOf()].filter(([, pack]) => !merged.has(pack)));
  }

  /** Copies one sealed row. Returns the number of bytes that it wrote. */
  copy(row: number, kind: SealedKind): number {
    const database = this.#database;
    this.#statements ??= prepare(database);
    const [id, seq, part, sum, text, body] = this.#statements.read.get(row) as unknown as [
      string,
      number,
      number | null,
      number,
      string,
      Uint8Array | null,
    ];
    const key = { id, seq, sum };
    const known = this.#known.get(keyOf(key));
    const name = known?.name ?? packName(kind, this.#stamp);
    this.#statements.list.run(row, id, seq, part, sum, this.#numberOf(name));
    this.#digest.update(lineOf({ row, id, seq, part, sum }));
    this.count++;
    if (known !== undefined) return 0;
    if (checksumOf(text, body) !== sum)
      throw new UnsoundCopy(`the database is damaged: the row ${id} of history has changed`);
    const packed = packContent({ text, body });
    packInserter(database, kind)(key, packed);
    this.written[kind]++;
    return packed.data.length + (packed.body?.length ?? 0);
  }

  /** Writes the digest of the list, and the number of rows of the new packs. */
  finish(): void {
    this.#database.prepare('INSERT INTO main.backup_digest VALUES (?)').run(this.#digest.digest('hex'));
    for (const kind of SEALED_KINDS)
      this.#database.prepare(`INSERT INTO ${kind}.info VALUES (?)`).run(this.written[kind]);
  }

  #numberOf(name: string): number {
    const known = this.#packs.get(name);
    if (known !== undefined) return known;
    const number = this.#packs.size + 1;
    this.#packs.set(name, number);
    this.#database.prepare('INSERT INTO main.backup_packs VALUES (?, ?)').run(number, name);
    return number;
  }
}

function prepare(database: DatabaseSync): { readonly read: StatementSync; readonly list: StatementSync } {
  const present = columnsOfTable(database, 'source', SEALED_TABLE);
  const [part, body] = ['part_seq', 'body'].map((name) => (present.includes(name) ? name : 'NULL'));
  const read = database.prepare(
    `SELECT id, seq, ${part}, sum, data, ${body} FROM source.${SEALED_TABLE} WHERE rowid=?`,
  );
  read.setReturnArrays(true);
  return { read, list: database.prepare('INSERT INTO main.backup_rows VALUES (?, ?, ?, ?, ?, ?)') };
}

const lineOf = ({ row, id, seq, part, sum }: SealedRow): string => `${row} ${id} ${seq} ${part} ${sum}\n`;

/** Returns the two smallest packs of a kind if the folder has too many packs of that kind. */
function packsToMerge(packs: readonly Pack[], kind: SealedKind): Pack[] {
  const own = packs.filter(({ name }) => kindOfPack(name) === kind);
  if (own.length < MOST_PACKS) return [];
  const size = new Map(own.map((pack) => [pack, statSync(pack.file).size]));
  return own.sort((a, b) => (size.get(a) ?? 0) - (size.get(b) ?? 0)).slice(0, 2);
}

/** Returns true if the database is a base, so that it needs packs. */
export function isBase(database: DatabaseSync): boolean {
  return rowsOf(database, "SELECT 1 FROM main.sqlite_schema WHERE name='backup_rows'").length > 0;
}

/** Calls `take` for each sealed row that a base needs. Throws if the list differs from the list that the backup wrote. */
export function eachListed(database: DatabaseSync, take: (row: ListedRow) => void): void {
  const names = new Map(rowsOf(database, 'SELECT number, name FROM main.backup_packs') as [number, string][]);
  const digest = createHash('sha256');
  const list = database.prepare('SELECT row, id, seq, part, sum, pack FROM main.backup_rows ORDER BY row');
  list.setReturnArrays(true);
  for (const values of list.iterate()) {
    const [row, id, seq, part, sum, pack] = values as unknown as [
      number,
      string,
      number,
      number | null,
      number,
      number,
    ];
    const sealed = { row, id, seq, part, sum };
    digest.update(lineOf(sealed));
    take({ ...sealed, pack: names.get(pack) ?? 'unknown' });
  }
  const written = rowsOf(database, 'SELECT digest FROM main.backup_digest')[0]?.[0];
  if (written !== digest.digest('hex'))
    throw new Error('the list of the sealed history that the backup needs is damaged');
}
