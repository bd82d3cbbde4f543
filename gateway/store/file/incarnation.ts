/**
 * Incarnations of a database. An incarnation is the time between two losses of commits. After a loss, the database would use the sequence
 * numbers of the lost commits again, and a reader of the change feed that has already read these numbers would miss the new commits. So the
 * database begins a new incarnation: it gets a new number and a new random token, which readers compare with the ones that they know, and
 * sequence numbers from an unused range.
 *
 *   incarnation 1: 1, 2, ... 57 | restored to the state of 40 | incarnation 2: 2^40 + 1, ...
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Incarnation } from '#store/base/engine.ts';
import { parseTime } from '#store/base/hlc.ts';
import { META_PUT, metaChecksum } from '#store/sqlite/meta-table.ts';
import type { HighWaterMark } from './high-water-mark.ts';

/** The size of the range of sequence numbers of one incarnation: more numbers than a gateway can use. */
const SPAN = 2 ** 40;
const MAX_LOSSES = 20;

/** A loss of commits: commits that were on disk and are not in the database any more. */
export interface Loss {
  /** ISO 8601 time at which the store found the loss. */
  readonly found_at: string;
  /** The number of lost rows; null if it is unknown, because the high-water mark and the database have different incarnations. */
  readonly rows: number | null;
  /** Time of the last commit in the database; null if it has none. */
  readonly from: string | null;
  /** Time of the last lost commit according to the high-water mark; null without a mark. */
  readonly to: string | null;
  /** The folder with the files of the damaged database; null if no database was damaged. */
  readonly kept: string | null;
  /** A sentence about stored history that the backup lacked; null or absent if it was complete. */
  readonly missing?: string | null;
}

/** A repair of damage by which no data was lost. */
export interface Repair {
  /** The time in the format ISO 8601. */
  readonly at: string;
  /** The number of documents that were copied from the backup; 0 if the repair only built indexes again. */
  readonly rows: number;
}

/** The state that a database stores about itself in `rx_meta`. */
export interface DatabaseState {
  readonly incarnation: Incarnation;
  readonly seq: number;
  /** Time of the last commit; null before the first. */
  readonly at: string | null;
  /** Losses of commits, the newest last. */
  readonly losses: readonly Loss[];
  /** The last repair; null if there was none. */
  readonly mended: Repair | null;
}

/** Reads the state of a database. */
export function readDatabaseState(database: DatabaseSync): DatabaseState {
  const meta = (key: string): unknown => {
    const row: unknown = database.prepare('SELECT value FROM rx_meta WHERE key=?').get(key);
    // A row is an object or an array, which depends on the options of the connection.
    return row === undefined ? undefined : Object.values(row as object)[0];
  };
  const hlc = meta('hlc');
  return {
    incarnation: { number: Number(meta('incarnation') ?? 1), token: String(meta('token') ?? '') },
    seq: Number(meta('seq') ?? 0),
    at: typeof hlc === 'string' ? new Date(parseTime(hlc).ms).toISOString() : null,
    losses: JSON.parse(String(meta('losses') ?? '[]')) as Loss[],
    mended: JSON.parse(String(meta('mended') ?? 'null')) as Repair | null,
  };
}

export interface SettleOptions {
  readonly mark: HighWaterMark | undefined;
  /** Folder with the files of the damaged database that a backup replaced; null if none was replaced. */
  readonly kept: string | null;
  /** A sentence about stored history that the backup lacked; null if it was complete. */
  readonly missing: string | null;
  /** The time in the format ISO 8601. */
  readonly now: string;
  readonly random: (bytes: number) => Uint8Array;
}

/** Begins a new incarnation of the database if commits were lost. For a new database, creates the token of its first incarnation. */
export function settleIncarnation(
  database: DatabaseSync,
  { mark, kept, missing, now, random }: SettleOptions,
): { readonly state: DatabaseState; readonly loss: Loss | undefined } {
  const known = readDatabaseState(database);
  const last: HighWaterMark = mark ?? { incarnation: known.incarnation.number, seq: known.seq, at: '' };
  const lost = kept !== null || last.seq > known.seq || last.incarnation > known.incarnation.number;
  if (!lost && known.incarnation.token !== '') return { state: known, loss: undefined };
  const token = Buffer.from(random(10)).toString('hex');
  const sameIncarnation = last.incarnation === known.incarnation.number;
  const loss: Loss | undefined = lost
    ? {
        found_at: now,
        rows: mark && sameIncarnation ? mark.seq - known.seq : null,
        from: known.at,
        to: mark?.at ?? null,
        kept,
        missing,
      }
    : undefined;
  const highest = Math.max(last.incarnation, known.incarnation.number);
  const number = lost ? highest + 1 : highest;
  const seq = lost ? (number - 1) * SPAN : known.seq;
  const losses = loss ? [...known.losses, loss].slice(-MAX_LOSSES) : known.losses;
  const statement = database.prepare(META_PUT);
  const put = (key: string, value: string | number) => statement.run(key, value, metaChecksum(key, value));
  database.exec('BEGIN IMMEDIATE');
  put('incarnation', number);
  put('token', token);
  put('seq', seq);
  put('floor', (number - 1) * SPAN);
  put('losses', JSON.stringify(losses));
  database.exec('COMMIT');
  return { state: { ...known, incarnation: { number, token }, seq, losses }, loss };
}
