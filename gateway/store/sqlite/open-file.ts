/** Opens the file: what SQLite must be, how it writes, and the check after a stop without close. */
import { DatabaseSync } from 'node:sqlite';
import { StoreError } from '#store/store-error.ts';
import { fatalCode, isBusy } from './errors.ts';
import { textKey } from './text-key.ts';

/** SQLite 3.51.3 mended a WAL reset race that could lose pages (https://www.sqlite.org/releaselog/3_51_3.html). */
const MIN_SQLITE = [3, 51, 3] as const;

/** A connection that writes and one that only reads; `onUnclean` reports a stop without close before the pages are checked. */
export function openFile(
  file: string,
  onUnclean: (() => void) | undefined,
): { readonly writer: DatabaseSync; readonly reader: DatabaseSync } {
  let writer: DatabaseSync | undefined;
  try {
    writer = new DatabaseSync(file, { returnArrays: true, timeout: 2000 });
    assertVersion(writer);
    prepareFile(writer, onUnclean);
    // from here on waiting is done in write(), where it blocks nobody
    writer.exec('PRAGMA busy_timeout=0');
    return { writer, reader: openReader(file) };
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
  const version = String((database.prepare('SELECT sqlite_version()').get() as unknown as unknown[])[0]);
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  const [a, b, c] = MIN_SQLITE;
  const old = major !== a ? major < a : minor !== b ? minor < b : patch < c;
  if (old) throw new StoreError('sqlite_too_old', version);
}

function prepareFile(database: DatabaseSync, onUnclean: (() => void) | undefined): void {
  database.exec('PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL');
  database.exec(
    'PRAGMA wal_autocheckpoint=4000; PRAGMA journal_size_limit=67108864; PRAGMA cache_size=-16384; PRAGMA temp_store=MEMORY',
  );
  database.exec('CREATE TABLE IF NOT EXISTS rx_meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID');
  database.exec("INSERT OR IGNORE INTO rx_meta VALUES ('open', 0)");
  const open = database.prepare("SELECT value FROM rx_meta WHERE key='open'").get() as unknown as unknown[];
  if (open[0] === 0) {
    database.exec("UPDATE rx_meta SET value=1 WHERE key='open'");
    return;
  }
  onUnclean?.();
  const verdict = database.prepare('PRAGMA quick_check(1)').get() as unknown as unknown[];
  if (verdict[0] !== 'ok') throw new StoreError('corrupt', database.location() ?? '', new Error(String(verdict[0])));
}

function asStoreError(error: unknown, file: string): unknown {
  if (error instanceof StoreError) return error;
  const code = isBusy(error) ? 'locked' : fatalCode(error);
  return code ? new StoreError(code, file, error) : error;
}
