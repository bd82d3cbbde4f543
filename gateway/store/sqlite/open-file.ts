/** Opens the database file: checks the version of SQLite, sets its pragmas, and checks the file if the last process did not close it. */
import { DatabaseSync } from 'node:sqlite';
import { StoreError } from '#contract/base/store-error.ts';
import { fatalCode, isBusy, isReadOnly } from './errors.ts';
import { damagedDocuments } from './find-damage.ts';
import { damagedMeta, prepareMeta } from './meta-table.ts';
import { textKey } from './text-key.ts';

/** Options and callbacks for opening a database file. */
export interface ConnectionOptions {
  /** Called once, when an error makes the file unusable for this process. */
  readonly onFatal?: ((error: StoreError) => void) | undefined;
  /** Called if the last process did not close the file. */
  readonly onUnclean?: (() => void) | undefined;
  /** Called with the writing connection after the checks of the file, and before the store reads or writes. */
  readonly onOpen?: ((database: DatabaseSync) => void) | undefined;
  /** Called after each sync with the last sequence number that is on disk. */
  readonly onDurable?: ((seq: number) => void) | undefined;
  /** Returns true if a backup can replace the file. A damaged document then makes the open fail, so that the backup is used. */
  readonly canRecover?: (() => boolean) | undefined;
  readonly log?: ((message: string, data: object) => void) | undefined;
}

/** SQLite 3.51.3 fixed a race at the reset of the WAL that could lose pages (https://www.sqlite.org/releaselog/3_51_3.html). */
const MIN_SQLITE = [3, 51, 3] as const;

/** Up to this size, all pages of the file are checked at open. The check takes about a third of a second. */
const CHECKED_AT_OPEN = 64 << 20;

/** In a larger file, only the documents of tables with at most this many rows are checked at open. */
const FEW_ROWS = 5000;

interface OpenFile {
  readonly writer: DatabaseSync;
  readonly reader: DatabaseSync;
  /** True if the last process did not close the file and the file is too large to check all its pages at open. */
  readonly unchecked: boolean;
  /** Descriptions of damaged documents that no backup can replace: one text for each table. */
  readonly damage: readonly string[];
}

/**
 * Opens a connection that writes and a connection that only reads. `onOpen` runs before the second connection opens. Throws `StoreError`.
 */
export function openFile(file: string, options: ConnectionOptions): OpenFile {
  let writer: DatabaseSync | undefined;
  try {
    writer = new DatabaseSync(file, { returnArrays: true, timeout: 2000 });
    assertVersion(writer);
    const checked = prepareFile(writer, options);
    options.onOpen?.(writer);
    // From now on `Connection` waits for locks, without blocking the process, and `wal.ts` syncs the commits.
    writer.exec('PRAGMA busy_timeout=0; PRAGMA synchronous=NORMAL');
    return { writer, reader: openReader(file), ...checked };
  } catch (error) {
    writer?.close();
    throw asStoreError(error, file);
  }
}

function openReader(file: string): DatabaseSync {
  const reader = new DatabaseSync(file, { returnArrays: true, readOnly: true, timeout: 1000 });
  reader.exec('PRAGMA cache_size=-16384; PRAGMA temp_store=MEMORY');
  // Conditions on fields without a column use this SQL function.
  reader.function('text_key', { deterministic: true }, (value) => (typeof value === 'string' ? textKey(value) : value));
  return reader;
}

function assertVersion(database: DatabaseSync): void {
  const version = String(one(database, 'SELECT sqlite_version()'));
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  const [a, b, c] = MIN_SQLITE;
  const old = major !== a ? major < a : minor !== b ? minor < b : patch < c;
  if (old) throw new StoreError('sqlite_too_old', version);
}

/** Sets the pragmas, and checks the file if the last process did not close it. */
function prepareFile(
  database: DatabaseSync,
  { onUnclean, canRecover }: ConnectionOptions,
): Pick<OpenFile, 'unchecked' | 'damage'> {
  // Lets `compact` return free pages to the disk. SQLite ignores this pragma for a file that has tables already.
  database.exec('PRAGMA auto_vacuum=INCREMENTAL');
  database.exec('PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL');
  database.exec(
    'PRAGMA wal_autocheckpoint=0; PRAGMA journal_size_limit=67108864; PRAGMA cache_size=-16384; PRAGMA temp_store=MEMORY',
  );
  prepareMeta(database);
  const corrupt = (what: string): StoreError => new StoreError('corrupt', database.location() ?? '', new Error(what));
  const [wrong] = damagedMeta(database);
  if (wrong !== undefined) throw corrupt(wrong);
  const clean = one(database, "SELECT value FROM rx_meta WHERE key='open'") === 0;
  database.exec("UPDATE rx_meta SET value=1 WHERE key='open'");
  if (clean) return { unchecked: false, damage: [] };
  onUnclean?.();
  const large =
    Number(one(database, 'PRAGMA page_count')) * Number(one(database, 'PRAGMA page_size')) > CHECKED_AT_OPEN;
  const check = one(database, large ? "PRAGMA quick_check('rx_meta')" : 'PRAGMA quick_check(1)');
  if (check !== 'ok') throw corrupt(String(check));
  const damage = damagedDocuments(database, large ? { most: FEW_ROWS } : {});
  if (damage[0] !== undefined && canRecover?.()) throw corrupt(damage[0]);
  return { unchecked: large, damage };
}

function one(database: DatabaseSync, sql: string): unknown {
  return (database.prepare(sql).get() as unknown as unknown[])[0];
}

function asStoreError(error: unknown, file: string): unknown {
  if (error instanceof StoreError) return error;
  const code = isBusy(error) ? 'locked' : fatalCode(error);
  return code ? new StoreError(isReadOnly(code, file) ? 'read_only' : code, file, error) : error;
}
