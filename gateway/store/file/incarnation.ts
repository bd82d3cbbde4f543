/**
 * Lives of a database. A file that was put back, or that lost commits, would give the numbers of the lost ones again; so it
 * begins a new life: a number and a token that followers compare, and sequence numbers from a range that no life used.
 *
 *   life 1: 1, 2, ... 57 | put back to 40 | life 2: 2^40 + 1, ...
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Incarnation } from '#store/base/engine.ts';
import { parseTime } from '#store/base/hlc.ts';
import { META_PUT, metaChecksum } from '#store/sqlite/meta-table.ts';
import type { HighWaterMark } from './high-water-mark.ts';

/** Numbers of one life: more than a gateway can write. */
const SPAN = 2 ** 40;
const MAX_LOSSES = 20;

/** Commits that were on disk once and are not in the database. */
export interface Loss {
  /** When it was found. */
  readonly found_at: string;
  /** Rows written in between; null where lives differ. */
  readonly rows: number | null;
  /** The last commit that is there, and the last that is known to have been; null for none. */
  readonly from: string | null;
  readonly to: string | null;
  /** Folder that keeps the damaged files; null when there are none. */
  readonly kept: string | null;
}

/** Damage that was mended without loss. */
export interface Repair {
  /** ISO 8601. */
  readonly at: string;
  /** Documents that were taken from the backup; 0 when only indexes were made again. */
  readonly rows: number;
}

/** What a database says of itself. */
export interface DatabaseState {
  readonly incarnation: Incarnation;
  readonly seq: number;
  /** Time of the last commit; null before the first. */
  readonly at: string | null;
  /** The newest last. */
  readonly losses: readonly Loss[];
  /** The last time; null for never. */
  readonly mended: Repair | null;
}

/** Reads what a database of ours says of itself. */
export function readDatabaseState(database: DatabaseSync): DatabaseState {
  const meta = (key: string): unknown => {
    const row: unknown = database.prepare('SELECT value FROM rx_meta WHERE key=?').get(key);
    // rows are objects or arrays, as the connection was opened
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
  /** Folder that keeps the files of the database that this one replaces. */
  readonly kept: string | null;
  /** ISO 8601. */
  readonly now: string;
  readonly random: (bytes: number) => Uint8Array;
}

/** Begins a new life when commits are missing; the first open of a file mints its token. */
export function settleIncarnation(
  database: DatabaseSync,
  { mark, kept, now, random }: SettleOptions,
): { readonly state: DatabaseState; readonly loss: Loss | undefined } {
  const known = readDatabaseState(database);
  const last: HighWaterMark = mark ?? { incarnation: known.incarnation.number, seq: known.seq, at: '' };
  const lost = kept !== null || last.seq > known.seq || last.incarnation > known.incarnation.number;
  if (!lost && known.incarnation.token !== '') return { state: known, loss: undefined };
  const token = Buffer.from(random(10)).toString('hex');
  const sameLife = last.incarnation === known.incarnation.number;
  const loss: Loss | undefined = lost
    ? {
        found_at: now,
        rows: mark && sameLife ? mark.seq - known.seq : null,
        from: known.at,
        to: mark?.at ?? null,
        kept,
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
