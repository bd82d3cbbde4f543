/**
 * A node of the simulator on a real SQLite file: the tables, the commits and the transactions of the store. Only the queue and the syncs of a
 * connection are left out, so that a history runs step by step.
 */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { fillWithDefaultSettings, type RxDocumentData, type RxJsonSchema } from 'rxdb/plugins/core';
import type { CollectionName, ProjectWrite } from '#contract/base/view.ts';
import { OWNERSHIP } from '#contract/ownership/table.ts';
import type { SyncEnv } from '#domain/sync/env.ts';
import type { LocalWrite } from '#domain/sync/node.ts';
import { type Doc, keyOf } from '#domain/sync/registers/documents.ts';
import type { Data } from '#domain/sync/registers/paths.ts';
import { lifeText } from '#domain/sync/registers/registers.ts';
import type { Claim, CloudChannel, Item, LogRow, SyncTx } from '#domain/sync/store.ts';
import { hasBodies } from '#store/base/body.ts';
import { indexSpecs, plainColumns } from '#store/sqlite/columns.ts';
import { type CommitterOptions, writeAll } from '#store/sqlite/commit.ts';
import { Connection } from '#store/sqlite/connection.ts';
import { byCollection } from '#store/sqlite/database.ts';
import { MergedRows } from '#store/sqlite/merged-rows.ts';
import { newOutcome, type Outcome, type RowWriterOptions } from '#store/sqlite/row-writer.ts';
import { ENVELOPE } from '#store/sqlite/rx-schema.ts';
import { Table } from '#store/sqlite/table.ts';
import { foldRows } from '#store/sync/fold.ts';
import { createFollower } from '#store/sync/local-commit.ts';
import { addProject, Projects } from '#store/sync/projects.ts';
import { SqliteSyncTx } from '#store/sync/sync-tx.ts';
import { TABLES } from '#store/sync/tables.ts';
import type { Twin } from './twin.ts';

export const PROJECT = 'project_1';

/** A connection whose transactions run at once. */
class DirectConnection extends Connection {
  direct<T>(work: () => T): T {
    let result: T | undefined;
    const job = {
      rows: 0,
      ready: true,
      failure: undefined as { error: unknown } | undefined,
      run: () => {
        result = work();
      },
      emit: () => {},
      resolve: () => {},
      reject: () => {},
    };
    this.transact([job]);
    if (job.failure !== undefined) throw job.failure.error;
    return result as T;
  }

  checkpoint(): void {
    this.writer.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  }
}

/** Notes the documents that a transaction writes. */
export class NotingTx extends SqliteSyncTx {
  readonly #note: (key: string) => void;

  constructor(options: ConstructorParameters<typeof SqliteSyncTx>[0], note: (key: string) => void) {
    super(options);
    this.#note = note;
  }

  override put(doc: Doc, items: readonly Item[]): void {
    this.#note(keyOf(doc));
    super.put(doc, items);
  }

  override remove(...args: Parameters<SqliteSyncTx['remove']>): void {
    this.#note(args[0]);
    super.remove(...args);
  }
}

/** An open file with its tables. */
class OpenFile {
  readonly connection: DirectConnection;
  readonly rows: RowWriterOptions;
  readonly projects = new Projects();

  constructor(file: string, id: string, token: string) {
    this.connection = new DirectConnection(file);
    const { connection } = this;
    const schema = fillWithDefaultSettings(ENVELOPE) as unknown as RxJsonSchema<RxDocumentData<unknown>>;
    const tables = byCollection(
      (name) =>
        new Table(`${name}_0`, 'id', schema, indexSpecs(name), {
          columns: plainColumns(name),
          partPath: 'project_id',
          hasBodies: hasBodies(name),
        }),
    );
    const instances = byCollection((name) => ({ internals: { connection, table: tables[name] }, emit: () => {} }));
    this.rows = { connection, instances, token: 'tokentoken' };
    connection.direct(() => {
      for (const table of Object.values(tables)) table.prepare(connection);
      for (const sql of TABLES) connection.execute(sql);
      addProject(connection, PROJECT, { id, life: { number: 1, token }, fresh: true, floors: {} });
      this.projects.load(connection);
    });
  }
}

/** The files of one history. */
export class SqliteFiles implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'headframe-sim-'));
  readonly #open: OpenFile[] = [];
  #files = 0;

  /** Makes the store of a node. */
  readonly make = (id: string, token: string): SqliteTwin =>
    new SqliteTwin(this, id, this.open(this.path(), id, token));

  path(): string {
    return join(this.#folder, `${++this.#files}.db`);
  }

  open(path: string, id: string, token: string): OpenFile {
    const file = new OpenFile(path, id, token);
    this.#open.push(file);
    return file;
  }

  /** Opens a copy of a file. */
  copyOf(path: string): OpenFile {
    const copy = this.path();
    copyFileSync(path, copy);
    return this.open(copy, '', '');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { connection } of this.#open) await connection.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

export class SqliteTwin implements Twin {
  readonly #files: SqliteFiles;
  readonly #nodeId: string;
  #file: OpenFile;
  readonly #docs = new Map<string, Doc>();
  readonly #changed = new Set<string>();
  ownership: SyncEnv['ownership'] = OWNERSHIP;

  constructor(files: SqliteFiles, id: string, file: OpenFile) {
    this.#files = files;
    this.#nodeId = id;
    this.#file = file;
    this.#readAll();
  }

  #open(outcome: Outcome): NotingTx {
    return this.#opened(new MergedRows(this.#file.rows, outcome));
  }

  #opened(rows: MergedRows): NotingTx {
    const { connection: db, projects } = this.#file;
    const p = projects.number(PROJECT) as number;
    const options = {
      db,
      rows,
      project: PROJECT,
      p,
      env: { ownership: this.ownership, role: 'cloud' as const, now: 0 },
    };
    return new NotingTx(options, (key) => this.#changed.add(key));
  }

  run<T>(work: (tx: SyncTx) => T): T {
    const result = this.#file.connection.direct(() => {
      const tx = this.#open(newOutcome());
      const done = work(tx);
      tx.finish();
      return done;
    });
    this.#refresh();
    return result;
  }

  /** Commits as the product does. */
  commit(env: SyncEnv, writes: readonly LocalWrite[]): LogRow | undefined {
    const { connection, rows, projects } = this.#file;
    const before = this.tx.head().n;
    const follower = createFollower({
      db: connection,
      projects,
      env: () => env,
      open: (_, __, merged) => this.#opened(merged),
    });
    const options: CommitterOptions = {
      ...rows,
      nodeId: this.#nodeId,
      life: 1,
      clock: () => env.now,
      emit: () => {},
      follower,
    };
    connection.direct(() => {
      const outcome = newOutcome();
      writeAll(options, outcome, writes.map(toWrite));
      for (const collection of ['live', 'telemetry'] as const) this.#fold(env, collection, writes, outcome);
    });
    this.#refresh();
    return this.tx.head().n > before ? this.tx.row(before + 1) : undefined;
  }

  #fold(env: SyncEnv, collection: CollectionName, writes: readonly LocalWrite[], outcome: Outcome): void {
    const { rows } = this.#file;
    const merged = new MergedRows(rows, outcome);
    const written = writes.filter((write) => write.collection === collection);
    const found = written.map(({ id }) => merged.read(collection, id)).filter((row) => row !== undefined);
    const tx = this.#open(outcome);
    foldRows(tx, env, collection, this.#nodeId, found);
  }

  #readAll(): void {
    this.#docs.clear();
    const keys = "SELECT key FROM sync_docs WHERE state IS NULL OR state NOT IN ('gone', 'aged', 'replaced')";
    for (const [key] of this.#file.connection.peekAll(keys)) this.#changed.add(String(key));
    this.#refresh();
  }

  /** Reads the changed documents again from the file. */
  #refresh(): void {
    const { tx } = this;
    for (const key of this.#changed) {
      const doc = tx.get(key);
      if (doc === undefined) this.#docs.delete(key);
      else this.#docs.set(key, withSameRegisters(this.#docs.get(key), doc));
    }
    this.#changed.clear();
  }

  backup(): () => void {
    const copy = this.#copy();
    return () => {
      this.#file = this.#files.copyOf(copy);
      this.#readAll();
    };
  }

  /** Copies the file, as a backup of the disk. */
  #copy(): string {
    this.#file.connection.checkpoint();
    const copy = this.#files.path();
    copyFileSync(this.#file.connection.file, copy);
    return copy;
  }

  clone(): SqliteTwin {
    const copy = new SqliteTwin(this.#files, this.#nodeId, this.#files.copyOf(this.#copy()));
    copy.ownership = this.ownership;
    copy.#readAll();
    return copy;
  }

  shown(_: SyncEnv, { collection, id }: Doc): Data {
    return new MergedRows(this.#file.rows, newOutcome()).read(collection as CollectionName, id)?.data ?? {};
  }

  get docs(): ReadonlyMap<string, Doc> {
    return this.#docs;
  }

  get log(): readonly LogRow[] {
    return this.tx.rows(0, 1_000_000);
  }

  get allClaims(): ReadonlyMap<string, readonly Claim[]> {
    const { connection } = this.#file;
    const names = connection.peekAll('SELECT DISTINCT name FROM sync_claims').map(([name]) => String(name));
    return new Map(names.map((name) => [name, this.tx.claims(name)]));
  }

  get channels(): ReadonlyMap<string, CloudChannel> {
    const { connection } = this.#file;
    const names = connection.peekAll("SELECT name FROM sync_state WHERE kind='cloud' ORDER BY rowid");
    return new Map(names.map(([name]) => [String(name), this.tx.cloudChannel(String(name))]));
  }

  get life(): string {
    const { id, life } = this.tx.node();
    return lifeText(id, life.number, life.token);
  }

  /** The state on disk, outside of a transaction. */
  get tx(): SyncTx {
    return this.#open(newOutcome());
  }
}

/** Registers that did not change stay the same objects: the truth of a history compares them so. */
export function withSameRegisters(old: Doc | undefined, doc: Doc): Doc {
  const registers = new Map(
    [...doc.registers].map(([path, register]) => {
      const before = old?.registers.get(path);
      return [path, before !== undefined && isDeepStrictEqual(before, register) ? before : register];
    }),
  );
  return { ...doc, registers };
}

export const toWrite = ({ collection, id, object, data, chosen }: LocalWrite): ProjectWrite => ({
  collection: collection as CollectionName,
  id,
  object,
  project_id: PROJECT,
  data: (data ?? {}) as Record<string, unknown>,
  ...(data === undefined && { deleted: true }),
  ...(chosen && { chosen }),
});
