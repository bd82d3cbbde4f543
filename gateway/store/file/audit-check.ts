/**
 * Checks the hash chain of the audit log in a database file. It finds an entry that was changed, deleted, inserted or moved. It compares the
 * end of the chain with the head in the same database, with the high-water mark, and with the heads of the backups.
 *
 * The check does not need a key. A person who can write all files of the data folder can also write a new chain into all of them. Only an
 * exported copy of the log, or a head that somebody noted elsewhere, shows this.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { AUDIT_OBJECT, type AuditLink, type Linked } from '#contract/base/audit-entry.ts';
import type { Stored } from '#contract/base/view.ts';
import {
  AUDIT_HEAD_KEY,
  type AuditHead,
  CHAIN_RESUMED,
  CHAIN_STARTED,
  type EarlierEntries,
  hashOfEntry,
  headOf,
  type LostEntries,
  NO_HASH,
  parseHead,
  textOfUnchained,
} from '#store/base/audit-chain.ts';
import { parseTime } from '#store/base/hlc.ts';
import { rowsOf } from '#store/sqlite/find-damage.ts';
import { textKey } from '#store/sqlite/text-key.ts';
import { listBackups } from './backup-files.ts';
import { readHighWaterMark } from './high-water-mark.ts';
import { openToRead } from './inspect.ts';

/** Something that is wrong with the log: which entry, its time as far as it is known, and what is wrong. */
export interface AuditFault {
  readonly number: number | null;
  readonly at: string | null;
  readonly what: string;
}

/** The result of a check. */
export interface AuditCheck {
  /** Number of entries in the chain, and of entries of earlier versions. */
  readonly entries: number;
  readonly earlier: number;
  readonly head: AuditHead | null;
  /** The first fault; null if the log is intact. */
  readonly fault: AuditFault | null;
  /** The losses that the log itself records, each with the time of the record. */
  readonly losses: readonly (LostEntries & { readonly at: string })[];
}

type Data = Linked & { readonly type?: unknown; readonly data?: Readonly<Record<string, unknown>> };
type Entry = Stored<Data & Record<string, unknown>> & {
  readonly _deleted?: unknown;
  readonly _rev?: unknown;
  readonly _meta?: { readonly lwt?: unknown };
};

const TABLE = 'events_0';
const NUMBER = '".data.chain.number"';
/** The largest number of losses that a check returns, the newest. */
const MOST_LOSSES = 20;

/** Returns a sentence about a fault. */
export function faultSentence({ number, at, what }: AuditFault): string {
  const entry = number === null ? 'The audit log was changed' : `The audit log was changed at entry ${number}`;
  return `${entry}${at === null ? '' : ` of ${at}`}: ${what}.`;
}

/** Checks the audit log of a data folder, also against the high-water mark and the backups. The gateway may run meanwhile. */
export function checkAuditLog(folder: string): AuditCheck {
  // Read the mark and the backups before the database, so that the database has every entry that they know.
  const mark = readHighWaterMark(join(folder, 'store', 'mark'))?.audit;
  const known: KnownHead[] = mark === undefined ? [] : [{ head: mark, where: 'the high-water mark' }];
  for (const file of listBackups(folder)) {
    const head = headIn(file);
    if (head !== undefined) known.push({ head, where: `the backup ${file}` });
  }
  return withDatabase(join(folder, 'store', 'headframe.db'), (database) => {
    const check = checkAuditChain(database);
    return { ...check, fault: check.fault ?? compareHeads(database, check.head, known) };
  });
}

/** Checks the audit log of one database file, such as a backup. */
export function checkAuditFile(file: string): AuditCheck {
  return withDatabase(file, checkAuditChain);
}

/** A head of the chain that another file knows. */
interface KnownHead {
  readonly head: AuditHead;
  readonly where: string;
}

function withDatabase(file: string, check: (database: DatabaseSync) => AuditCheck): AuditCheck {
  if (!existsSync(file)) return { entries: 0, earlier: 0, head: null, fault: null, losses: [] };
  const database = openToRead(file);
  try {
    database.exec('BEGIN');
    return check(database);
  } catch (error) {
    const what = `it cannot be read: ${error instanceof Error ? error.message : String(error)}`;
    return { entries: 0, earlier: 0, head: null, fault: { number: null, at: null, what }, losses: [] };
  } finally {
    database.close();
  }
}

/** Returns the head that a backup stores; undefined if the backup is of an earlier version or cannot be read. */
function headIn(file: string): AuditHead | undefined {
  try {
    const database = openToRead(file);
    try {
      return storedHead(database);
    } finally {
      database.close();
    }
  } catch {
    return undefined;
  }
}

function storedHead(database: DatabaseSync): AuditHead | undefined {
  const [row] = rowsOf(database, 'SELECT value FROM main.rx_meta WHERE key=?', AUDIT_HEAD_KEY);
  return parseHead(row?.[0]);
}

/** Returns a fault if the database lacks an entry that another file knows, or has another entry in its place. */
function compareHeads(database: DatabaseSync, own: AuditHead | null, known: readonly KnownHead[]): AuditFault | null {
  for (const { head, where } of known) {
    const { life, number, hash } = head;
    const found = own === null || own.number < number ? undefined : linkAt(database, number);
    // After a loss of commits a later life continues from an earlier entry, and an entry of the log records the loss.
    if (found?.hash === hash || (own !== null && own.life > life && (found?.life ?? own.life) > life)) continue;
    const what = found === undefined ? 'it is missing' : 'it has another content';
    return { number, at: null, what: `${what}, but ${where} has its hash` };
  }
  return null;
}

function linkAt(database: DatabaseSync, number: number): AuditLink | undefined {
  const sql = `SELECT data FROM main.${TABLE} WHERE ".object"='audit' AND del=0 AND ${NUMBER}=?`;
  const [row] = rowsOf(database, sql, number);
  return row && (JSON.parse(String(row[0])) as Entry).data.chain;
}

function checkAuditChain(database: DatabaseSync): AuditCheck {
  if (!hasNumbers(database)) return { entries: 0, earlier: 0, head: null, fault: null, losses: [] };
  const unchained = readUnchained(database);
  const walk = new ChainWalk();
  // SQLite sorts NULL first, so the entries without a number are left out here.
  const sql = `SELECT id, seq, rev, del, lwt, data FROM main.${TABLE}
    WHERE ".object"='audit' AND del=0 AND ${NUMBER} IS NOT NULL ORDER BY ${NUMBER}, seq`;
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  for (const row of statement.iterate()) walk.take(row as unknown as unknown[]);
  walk.end(storedHead(database), unchained);
  const { entries, head, fault, losses } = walk;
  return { entries, earlier: unchained.entries, head, fault, losses };
}

/** Returns false for a database of a version before the chain. */
function hasNumbers(database: DatabaseSync): boolean {
  const sql = "SELECT 1 FROM pragma_table_info(?, 'main') WHERE name='.data.chain.number'";
  return rowsOf(database, sql, TABLE).length > 0;
}

/** Reads the entries without a number, in list order. */
function readUnchained(database: DatabaseSync): EarlierEntries {
  const sql = `SELECT data FROM main.${TABLE} WHERE ".object"='audit' AND del=0 AND ${NUMBER} IS NULL ORDER BY ".created_at", id`;
  const hash = createHash('sha256');
  let entries = 0;
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  for (const row of statement.iterate()) {
    entries++;
    const entry = parseEntry((row as unknown as unknown[])[0]);
    hash.update(entry === undefined ? 'unreadable' : textOfUnchained(entry));
  }
  return { entries, sha256: hash.digest('hex') };
}

/** Parses the text of an entry. Undefined if the text is not what the gateway writes. */
function parseEntry(data: unknown): Entry | undefined {
  try {
    const entry = JSON.parse(String(data)) as Entry;
    return JSON.stringify(entry) === data ? entry : undefined;
  } catch {
    return undefined;
  }
}

/** Follows the chain from its first entry, and keeps the first fault. */
class ChainWalk {
  entries = 0;
  head: AuditHead | null = null;
  fault: AuditFault | null = null;
  losses: AuditCheck['losses'] = [];
  #earlier: EarlierEntries | undefined;

  take(row: readonly unknown[]): void {
    const number = (this.head?.number ?? 0) + 1;
    const entry = parseEntry(row[5]);
    const link = entry?.data?.chain;
    if (entry === undefined || link === undefined) {
      this.#find({ number, at: null, what: 'its text is not what the gateway wrote' });
      return;
    }
    const what = this.#wrong(row, entry, link, number);
    // The time of a missing entry is unknown.
    if (what !== undefined) this.#find({ number, at: link.number > number ? null : timeOf(entry), what });
    else this.#note(entry);
    this.entries++;
    this.head = headOf(link);
  }

  /** Returns what is wrong with an entry that should have this number. */
  #wrong(row: readonly unknown[], entry: Entry, link: AuditLink, number: number): string | undefined {
    if (!fitsRow(row, entry) || hashOfEntry(entry) !== link.hash) return 'its content differs from its hash';
    if (link.number < number) return `a second entry has the number ${link.number}`;
    if (link.number > number)
      return `${link.number - number} entries before entry ${link.number} of ${timeOf(entry)} are missing`;
    if (link.previous !== (this.head?.hash ?? NO_HASH)) return 'it does not follow the entry before it';
    const life = this.head?.life ?? 0;
    if (link.life < life || (link.life > life && !isAboutChain(entry)))
      return `it belongs to the life ${link.life} of the database, but no entry says that this life began`;
    return undefined;
  }

  /** Keeps what an entry of the store says about the chain. */
  #note(entry: Entry): void {
    if (!isAboutChain(entry)) return;
    const { earlier, lost } = (entry.data.data ?? {}) as { earlier?: EarlierEntries; lost?: LostEntries | null };
    if (earlier) this.#earlier = earlier;
    if (lost) this.losses = [...this.losses, { ...lost, at: timeOf(entry) ?? '' }].slice(-MOST_LOSSES);
  }

  /** Compares the end of the chain with the stored head, and the entries without a number with what `chain_started` says. */
  end(stored: AuditHead | undefined, unchained: EarlierEntries): void {
    const last = this.head;
    if (stored !== undefined && (last === null || last.number < stored.number))
      this.#find({
        number: (last?.number ?? 0) + 1,
        at: null,
        what: `the entries up to ${stored.number} at the end are missing`,
      });
    else if (last !== null && last.hash !== stored?.hash)
      this.#find({ number: last.number, at: null, what: 'the database did not write it as its last entry' });
    const earlier = this.#earlier ?? { entries: 0, sha256: unchained.entries === 0 ? unchained.sha256 : '' };
    if (last !== null && (earlier.entries !== unchained.entries || earlier.sha256 !== unchained.sha256))
      this.#find({
        number: null,
        at: null,
        what: 'the entries without a number differ from those that the chain began with',
      });
  }

  #find(fault: AuditFault): void {
    this.fault ??= fault;
  }
}

const isAboutChain = ({ data }: Entry): boolean => data.type === CHAIN_STARTED || data.type === CHAIN_RESUMED;

const timeOf = ({ created_at }: Entry): string | null => (typeof created_at === 'string' ? created_at : null);

/** The fields of a stored entry, sorted. */
const FIELDS =
  '_attachments,_deleted,_meta,_rev,created_at,data,hlc,id,object,origin,origin_seq,project_id,revision,updated_at';

/** Returns true if the fields of a row, and the fields of its document that the hash does not cover, are as the store writes them. */
function fitsRow([id, seq, rev, del, lwt]: readonly unknown[], entry: Entry): boolean {
  return (
    Object.keys(entry).sort().join() === FIELDS &&
    entry.object === AUDIT_OBJECT &&
    id === textKey(entry.id) &&
    seq === entry.origin_seq &&
    rev === entry._rev &&
    del === Number(entry._deleted) &&
    lwt === entry._meta?.lwt &&
    entry.revision === 1 &&
    entry.updated_at === entry.created_at &&
    entry.origin === entry.data.chain?.gateway_id &&
    entry.hlc === `${entry.data.chain?.clock}-${entry.origin}` &&
    lwt === parseTime(entry.hlc).ms
  );
}
