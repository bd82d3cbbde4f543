/**
 * Copies a database that is in use into a backup folder: the base, which has all rows except sealed history, and packs with the sealed rows
 * that no pack of the folder has yet. See `packs.ts` for the files. The copy has the state of one moment and is made in small steps.
 *
 *   one read transaction: rows of every table ──▶ base.new          sealed rows ──▶ in a pack? ─yes─▶ only listed in the base
 *                                                                                        └─no──▶ *.pack.new, and listed
 *   check and sync the drafts ──▶ rename the packs ──▶ rename the base
 *
 * The base appears after its packs. So after a crash the folder may have a pack that no base needs yet; the next backup uses its rows.
 */
import { closeSync, fdatasyncSync, openSync, renameSync, rmSync, statfsSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { syncFile, syncFolder } from '#store/base/durable.ts';
import { quote } from '#store/sqlite/columns.ts';
import { rowsOf } from '#store/sqlite/find-damage.ts';
import { columnsOfTable, SEALED_KINDS, type SealedKind, sealedKindSql } from '#store/sqlite/sealed-rows.ts';
import { UnsoundCopy } from './copy-database.ts';
import { countRows, type Inspection, inspectFile } from './inspect.ts';
import { type PackFolder, packName, packTables, readPack } from './packs.ts';
import { BASE_TABLES, SealedCopy } from './sealed-copy.ts';

/** Number of rows of one step. After each step, or after 1 MB, the thread pauses, so that other writers get the disk. */
const STEP_ROWS = 200;
const STEP_BYTES = 1 << 20;
const PAUSE_MS = 10;
/** The backup syncs its drafts (unfinished files) after this many bytes. More bytes in one sync would delay the syncs of the journal. */
const SYNC_BYTES = 8 << 20;
/** The share of the disk that must stay free. */
const LEFT_FREE = 0.1;
export interface BaseCopied {
  /** The number of bytes that this backup wrote. */
  readonly bytes: number;
  /** The number of sealed rows that the backup needs. `written` is the number of sealed rows that it had to write. */
  readonly sealed: number;
  readonly written: number;
  readonly seq: number;
}

/** Counts the work of the thread. After a certain amount it pauses the thread, or syncs the drafts. */
class Pace {
  readonly #drafts: readonly string[];
  readonly #folder: string;
  #bytes = 0;
  #unsynced = 0;

  constructor(drafts: readonly string[], folder: string) {
    this.#drafts = drafts;
    this.#folder = folder;
  }

  /** Counts copied bytes, and pauses the thread after each 1 MB. */
  note(bytes: number): void {
    this.#bytes += bytes;
    this.#unsynced += bytes;
    if (this.#bytes >= STEP_BYTES) this.step();
  }

  /** Ends a step. */
  step(): void {
    this.#bytes = 0;
    if (this.#unsynced >= SYNC_BYTES) {
      this.#unsynced = 0;
      this.checkRoom();
      for (const file of this.#drafts) {
        const handle = openSync(file, 'r+');
        fdatasyncSync(handle);
        closeSync(handle);
      }
    }
    pauseThread();
  }

  /** Throws if less than a tenth of the disk is free. */
  checkRoom(): void {
    if (!hasRoom(this.#folder, 0))
      throw new Error('less than a tenth of the disk would stay free after the backup; free some disk space');
  }
}

/** Returns true if a tenth of the disk stays free after this number of bytes was written. */
export function hasRoom(folder: string, bytes: number): boolean {
  const { bavail, blocks, bsize } = statfsSync(folder);
  return bavail * bsize - bytes >= blocks * bsize * LEFT_FREE;
}

/** Pauses a background thread for a short time, so that other work gets the disk. */
export function pauseThread(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
}

/**
 * Copies `source` to the base `target` and to new packs beside it. Throws `UnsoundCopy` if the database or the copy is damaged. Blocks its
 * thread, so the gateway must call it in a worker.
 */
export function copyBase(source: string, target: string, packs: PackFolder): BaseCopied {
  const inner = dirname(target);
  const stamp = basename(target).slice('headframe-'.length, -'.base.db'.length);
  const base = `${target}.new`;
  const packFiles = SEALED_KINDS.map((kind) => join(inner, packName(kind, stamp)));
  const drafts = [base, ...packFiles.map((file) => `${file}.new`)];
  for (const file of drafts) rmSync(file, { force: true });
  try {
    const { damage } = inspectFile(source);
    if (damage[0] !== undefined) throw new UnsoundCopy(`the database is damaged: ${damage[0]}`);
    const copied = copyRows(source, drafts, packs, stamp);
    const { seq } = checkBase(base, copied);
    syncFile(base);
    let bytes = statSync(base).size;
    for (const [i, file] of packFiles.entries()) {
      const draft = `${file}.new`;
      if ((copied.written[SEALED_KINDS[i] as SealedKind] ?? 0) === 0) rmSync(draft);
      else bytes += finishPack(draft, file);
    }
    syncFolder(inner);
    renameSync(base, target);
    syncFolder(inner);
    const { segments, rollups } = copied.written;
    return { bytes, seq, sealed: copied.sealed, written: segments + rollups };
  } catch (error) {
    for (const file of drafts) rmSync(file, { force: true });
    throw error;
  }
}

/** Checks the draft of a pack, syncs and renames it. Returns its size. */
export function finishPack(draft: string, file: string): number {
  const { damage } = readPack(draft, { withContent: true });
  if (damage !== null) throw new UnsoundCopy(`the new pack ${basename(file)} is damaged: ${damage}`);
  syncFile(draft);
  renameSync(draft, file);
  return statSync(file).size;
}

/** What `copyRows` has copied. */
interface CopiedRows {
  /** Number of rows of each table in the source. */
  readonly expected: Readonly<Record<string, number>>;
  readonly table: string | undefined;
  readonly sealed: number;
  readonly written: Readonly<Record<SealedKind, number>>;
}

/** Checks the draft of a base: its rows, and their number. */
function checkBase(draft: string, { expected, table, sealed }: CopiedRows): Inspection {
  const inspection = inspectFile(draft);
  if (inspection.damage[0] !== undefined) throw new UnsoundCopy(`the copy is damaged: ${inspection.damage[0]}`);
  for (const [name, rows] of Object.entries(expected)) {
    const found = (inspection.rows[name] ?? 0) + (name === table ? sealed : 0);
    if (found !== rows) throw new Error(`the copy has ${found} of ${rows} rows of ${name}`);
  }
  return inspection;
}

function copyRows(source: string, drafts: readonly string[], packs: PackFolder, stamp: string): CopiedRows {
  const [base = '', ...packDrafts] = drafts;
  const pace = new Pace(drafts, dirname(base));
  pace.checkRoom();
  const url = pathToFileURL(source);
  url.search = 'mode=ro';
  const database = new DatabaseSync(pathToFileURL(base), { timeout: 5000 });
  try {
    database.exec(
      'PRAGMA auto_vacuum=INCREMENTAL; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-8192',
    );
    database.prepare('ATTACH ? AS source').run(url.href);
    for (const [i, kind] of SEALED_KINDS.entries()) {
      database.prepare(`ATTACH ? AS ${kind}`).run(packDrafts[i] ?? '');
      database.exec(`PRAGMA ${kind}.journal_mode=OFF; PRAGMA ${kind}.synchronous=OFF; ${packTables(kind)}`);
    }
    // One transaction, so that all rows are of one moment.
    database.exec('BEGIN');
    const expected = countRows(database, 'source');
    const definitions = "FROM source.sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' AND type";
    for (const [sql] of rowsOf(database, `SELECT sql ${definitions}='table'`)) database.exec(String(sql));
    database.exec(BASE_TABLES);
    const sealed = new SealedCopy(database, packs, stamp);
    database.exec(`INSERT INTO main.backup_indexes SELECT sql ${definitions}='index'`);
    let table: string | undefined;
    for (const name of Object.keys(expected)) if (copyTable(database, name, sealed, pace)) table = name;
    sealed.finish();
    database.exec('COMMIT');
    return { expected, table, sealed: sealed.count, written: sealed.written };
  } finally {
    database.close();
  }
}

/** Copies a table that has no row numbers, in the order of its primary key. */
function copyByKey(database: DatabaseSync, table: string, pace: Pace): void {
  const name = quote(table);
  const names = rowsOf(database, "SELECT name FROM pragma_table_info(?, 'source') WHERE pk>0 ORDER BY pk", table);
  const key = names.map(([column]) => quote(String(column))).join(', ');
  const marks = names.map(() => '?').join(', ');
  const after = `WHERE (${key}) > (${marks})`;
  for (let last: (string | number)[] | undefined = []; last !== undefined; pace.step()) {
    const order = `FROM source.${name} ${last.length > 0 ? after : ''} ORDER BY ${key} LIMIT`;
    database.prepare(`INSERT INTO main.${name} SELECT * ${order} ${STEP_ROWS}`).run(...last);
    const [row] = rowsOf(database, `SELECT ${key} ${order} 1 OFFSET ${STEP_ROWS - 1}`, ...last);
    last = row as (string | number)[] | undefined;
  }
}

/** Copies the rows of one table. Returns true if the table may have sealed rows. */
function copyTable(database: DatabaseSync, table: string, sealed: SealedCopy, pace: Pace): boolean {
  const name = quote(table);
  const [options] = rowsOf(database, "SELECT wr FROM pragma_table_list WHERE schema='source' AND name=?", table);
  if (options?.[0] === 1) {
    copyByKey(database, table, pace);
    return false;
  }
  const columns = columnsOfTable(database, 'source', table);
  const list = ['rowid', ...columns.map(quote)].join(', ');
  const length = columns.includes('body') ? 'octet_length(data) + ifnull(octet_length(body), 0)' : 'octet_length(data)';
  const kind = sealedKindSql(database, 'source', table);
  const page = database.prepare(
    `SELECT rowid, ${kind} FROM source.${name} WHERE rowid>? ORDER BY rowid LIMIT ${STEP_ROWS}`,
  );
  page.setReturnArrays(true);
  const copy = database.prepare(
    `INSERT INTO main.${name} (${list}) SELECT ${list} FROM source.${name} WHERE rowid BETWEEN ? AND ?`,
  );
  const size = kind === 'NULL' ? undefined : database.prepare(`SELECT ${length} FROM source.${name} WHERE rowid=?`);
  size?.setReturnArrays(true);
  for (let after = -1; ; ) {
    const rows = page.all(after) as unknown as [row: number, kind: SealedKind | null][];
    for (const [row, kindOfRow] of rows) {
      if (kindOfRow !== null) pace.note(sealed.copy(row, kindOfRow));
      else if (size !== undefined) {
        copy.run(row, row);
        pace.note(Number((size.get(row) as unknown as unknown[])[0]));
      }
    }
    const [first, last] = [rows[0]?.[0], rows.at(-1)?.[0]];
    if (size === undefined && first !== undefined && last !== undefined) {
      copy.run(first, last);
      pace.step();
    }
    if (last === undefined || rows.length < STEP_ROWS) return size !== undefined;
    after = last;
  }
}
