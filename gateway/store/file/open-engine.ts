/**
 * Opens the SQLite engine of a data folder, and recovers a damaged database first.
 *
 *   recorded damage? -> repair or restore -> open -> corrupt? -> repair or restore once -> open -> background work
 */
import { join } from 'node:path';
import { makeId } from '#contract/base/ids.ts';
import { StoreError } from '#contract/base/store-error.ts';
import { AUDIT_HEAD_KEY, type AuditHead, parseHead } from '#store/base/audit-chain.ts';
import { hasBodies } from '#store/base/body.ts';
import type { Problem } from '#store/base/problem.ts';
import { indexSpecs, plainColumns } from '#store/sqlite/columns.ts';
import type { Connection } from '#store/sqlite/connection.ts';
import { createDatabase, isCollection, type StoreDatabase } from '#store/sqlite/database.ts';
import { createSqliteEngine, type SqliteEngine } from '#store/sqlite/engine.ts';
import { createSqliteStorage, type SqliteStorage } from '#store/sqlite/storage.ts';
import type { SyncStore } from '#store/sync/replica.ts';
import { SqliteReplica } from '#store/sync/sqlite-replica.ts';
import { syncEnv } from '#store/sync/sync-env.ts';
import { startAuditChain } from './audit-start.ts';
import { addMissingChecksums, checkInBackground, type Log } from './background-work.ts';
import { listBackups } from './backup-files.ts';
import { asStoreErrors, LostCommits } from './lost-commits.ts';
import { noteDamage, type Recovery, recover, recoverNoted } from './recover.ts';
import { storeProblems } from './store-problems.ts';

export interface StoreOptions {
  /** The data folder; the store creates it when it is absent. */
  readonly folder: string;
  /** Returns the present time in milliseconds since 1970. */
  readonly clock: () => number;
  /** Returns this many random bytes. */
  readonly random: (bytes: number) => Uint8Array;
  readonly log?: Log;
  /** cloud: this node is head office. Default: a site. */
  readonly role?: 'site' | 'cloud';
  /** Called once, after an error that makes the database unusable. All later writes are rejected, so the process should end. */
  readonly onFatal?: (error: StoreError) => void;
}

/** The engine, with the problems of its database file. */
export interface FileEngine extends SqliteEngine {
  /** The tables of the replication to head office. */
  readonly sync: SyncStore;
  /** Stops the store because other code found damage. The next open repairs the database or restores the newest intact backup. */
  markCorrupt(what: string): void;
  /** Returns the problems of the database that health reports now. */
  problems(): Problem[];
  /** Stores the id that this gateway has from the next open on. */
  takeIdentity(id: string): Promise<void>;
}

/**
 * Opens the engine. `inner` is the folder inside the data folder that has the database. `beforeSync` is called before the database gets the
 * tables of the replication. Throws `StoreError`.
 */
export async function openFileEngine(
  options: StoreOptions,
  inner: string,
  beforeSync: () => void = () => {},
): Promise<FileEngine> {
  await using opened = new AsyncDisposableStack();
  const { storage, database, lost } = await openSound(options, inner, opened);
  const { state } = lost;
  const connection = storage.connection(database.name);
  if (!connection) throw new Error('the RxDB database is open, but its SQLite file is not');
  const { clock, random, log } = options;
  const { incarnation } = state;
  const nodeId = await readNodeId(connection, options);
  const onAudit = (head: AuditHead): void => lost.noteAudit(head);
  let replica: SqliteReplica | undefined;
  const { engine, tables, transact } = createSqliteEngine({
    ...{ storage, database, connection, nodeId, incarnation, clock, onAudit },
    follow: (rows) => {
      const env = (now: number) => syncEnv(options, now);
      replica = new SqliteReplica({
        ...{ connection, rows, env, clock, nodeId, incarnation, beforeFirst: beforeSync },
        transact: (_, count, run) => transact(count, run, false),
      });
      return replica.follower;
    },
  });
  await replica?.prepare();
  const head = parseHead(await connection.write({ rows: 0, run: () => connection.getMeta(AUDIT_HEAD_KEY) }));
  await startAuditChain({ engine, head, marked: lost.audit, clock, random, log });
  const check = opened.use(checkInBackground(connection, log));
  opened.use(addMissingChecksums(connection, Object.values(tables), log));
  const resources = opened.move();
  return {
    ...engine,
    sync: replica as SqliteReplica,
    markCorrupt: (what) => connection.markCorrupt(new Error(what)),
    problems: () => storeProblems({ state, connection, checking: check.running(), now: clock() }),
    takeIdentity: (id) => connection.write({ rows: 0, run: () => connection.setMeta('node', id) }),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

interface Opened {
  readonly storage: SqliteStorage;
  readonly database: StoreDatabase;
  readonly lost: LostCommits;
}

/** Opens the database. If it is damaged, recovers it from the newest intact backup and opens it again, once. */
async function openSound(options: StoreOptions, inner: string, opened: AsyncDisposableStack): Promise<Opened> {
  const { folder } = options;
  const now = new Date(options.clock()).toISOString();
  const { recovery: first, hasNoBackup } = asStoreErrors(folder, () => recoverNoted(folder, now));
  logRecovery(options, first);
  try {
    return await openDatabase(options, inner, opened, { recovery: first, hasNoBackup });
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'corrupt') throw error;
    const what = error.cause instanceof Error ? error.cause.message : error.message;
    // The first recovery only repaired the database and did not replace it. The database may also have lost commits, so restoring a backup
    // can still help.
    const replaced = first !== undefined && first.kept !== null;
    const recovery = replaced ? undefined : asStoreErrors(folder, () => recover(folder, what, now));
    // No backup is intact. Open once more without recovery: if only documents are damaged, the store serves the other documents.
    if (recovery === undefined && (replaced || listBackups(folder).length === 0)) throw error;
    logRecovery(options, recovery);
    return await openDatabase(options, inner, opened, { recovery, hasNoBackup: recovery === undefined });
  }
}

function logRecovery(options: StoreOptions, recovery: Recovery | undefined): void {
  if (recovery === undefined) return;
  const how =
    recovery.kept === null
      ? 'the gateway repaired it from a backup and nothing was lost'
      : 'the gateway restored a backup in its place';
  options.log?.('error', `the database was damaged; ${how}`, { ...recovery });
}

interface RecoveryState {
  readonly recovery: Recovery | undefined;
  /** True if no backup is intact. Damaged documents must then not stop the store, because no backup can replace them. */
  readonly hasNoBackup: boolean;
}

async function openDatabase(
  options: StoreOptions,
  inner: string,
  opened: AsyncDisposableStack,
  { recovery, hasNoBackup }: RecoveryState,
): Promise<Opened> {
  const { folder, clock, random, log } = options;
  const file = join(inner, 'headframe.db');
  await using own = new AsyncDisposableStack();
  const lost = own.use(new LostCommits({ folder, file: join(inner, 'mark'), recovery, clock, random, log }));
  const storage = createSqliteStorage({
    file: () => file,
    clock,
    indexes: (collection) => (isCollection(collection) ? indexSpecs(collection) : []),
    columns: (collection) => (isCollection(collection) ? plainColumns(collection) : []),
    partBy: (collection) => (isCollection(collection) ? 'project_id' : undefined),
    hasBodies,
    connection: {
      onUnclean: () => log?.('warn', 'the gateway did not stop cleanly last time; checking the database', { file }),
      onOpen: (database) => lost.check(database),
      onDurable: (seq) => lost.note(seq),
      canRecover: () => !hasNoBackup && listBackups(folder).length > 0,
      log: (message, data) => log?.('warn', message, data),
      onFatal: (error) => {
        log?.('error', error.message, { code: error.code, cause: String(error.cause) });
        if (error.code === 'corrupt') recordDamage(options, String(error.cause));
        options.onFatal?.(error);
      },
    },
  });
  const database = await createDatabase(storage, inner, own);
  opened.use(own.move());
  return { storage, database, lost };
}

/** Records damage for the next start. If the record cannot be written, the check of the next start finds the damage. */
function recordDamage({ folder, log }: StoreOptions, what: string): void {
  try {
    noteDamage(folder, what);
  } catch (error) {
    log?.('error', 'the damage could not be recorded', { error: String(error) });
  }
}

/** Reads the id of this gateway, and creates it at the first start. */
function readNodeId(connection: Connection, { clock, random }: StoreOptions): Promise<string> {
  return connection.write({
    rows: 0,
    run: () => {
      const known = connection.getMeta('node');
      if (typeof known === 'string') return known;
      const created = makeId('gateway', clock(), random(10));
      connection.setMeta('node', created);
      return created;
    },
  });
}
