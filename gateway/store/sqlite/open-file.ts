/** Opens the file: what SQLite must be, how it writes, and the check after a stop without close. */
import { DatabaseSync } from 'node:sqlite';
import { StoreError } from '#contract/base/store-error.ts';
import { fatalCode, isBusy, isReadOnly } from './errors.ts';
import { damagedDocuments } from './find-damage.ts';
import { damagedMeta, prepareMeta } from './meta-table.ts';
import { textKey } from './text-key.ts';

/** What the opener of a database file is told. */
export interface ConnectionOptions {
  /** Called once when the file may not be used any more. */
  readonly onFatal?: ((error: StoreError) => void) | undefined;
  /** Reports a stop without close. */
  readonly onUnclean?: (() => void) | undefined;
  /** Runs on the writing connection before anything else does. */
  readonly onOpen?: ((database: DatabaseSync) => void) | undefined;
  /** Called when everything up to this sequence number is on disk. */
  readonly onDurable?: ((seq: number) => void) | undefined;
  /** True when an unreadable document is a reason to give the file up: there is something to put in its place. */
  readonly canRecover?: (() => boolean) | undefined;
  readonly log?: ((message: string, data: object) => void) | undefined;
}

/** SQLite 3.51.3 mended a WAL reset race that could lose pages (https://www.sqlite.org/releaselog/3_51_3.html). */
const MIN_SQLITE = [3, 51, 3] as const;

/** Up to this size the pages are checked before anything is served: a third of a second. */
const CHECKED_AT_OPEN = 64 << 20;

/** Of a larger file, tables of so many rows have their documents looked at. */
const FEW_ROWS = 5000;

interface OpenFile {
  readonly writer: DatabaseSync;
  readonly reader: DatabaseSync;
  /** The last process did not close the file, and it is too large to be checked here. */
  readonly unchecked: boolean;
  /** Documents that are not what was written, where nothing can take their place: a sentence per table. */
  readonly damage: readonly string[];
}

/** A connection that writes and one that only reads; what is told runs before the reader opens. */
export function openFile(file: string, options: ConnectionOptions): OpenFile {
  let writer: DatabaseSync | undefined;
  try {
    writer = new DatabaseSync(file, { returnArrays: true, timeout: 2000 });
    assertVersion(writer);
    const checked = prepareFile(writer, options);
    options.onOpen?.(writer);
    // from here on waiting is done in write(), where it blocks nobody; and so are the syncs of commits (wal.ts)
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
  // for values that no column holds
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

/** Sets how the file is written, and checks it after a stop without close. */
function prepareFile(
  database: DatabaseSync,
  { onUnclean, canRecover }: ConnectionOptions,
): Pick<OpenFile, 'unchecked' | 'damage'> {
  // Only a file without a table takes it: pages that a purge frees can then go back to the disk.
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
