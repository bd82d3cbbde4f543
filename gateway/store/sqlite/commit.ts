/**
 * Commits documents of several collections and projects in one transaction: all are stored, or none.
 *
 *   for each document: read the stored one -> check the expected revision -> build the envelope -> write the row
 *   COMMIT -> each collection emits its events -> the listeners run -> the promise resolves
 */
import { type EventBulk, type RxStorageChangeEvent, randomToken } from 'rxdb/plugins/core';
import type { Change, CollectionName, ProjectWrite, Stored } from '#contract/base/view.ts';
import {
  AUDIT_HEAD_KEY,
  type AuditHead,
  clockOf,
  headOf,
  isChained,
  linkEntry,
  parseHead,
} from '#store/base/audit-chain.ts';
import { checkExpectation, checkWrites } from '#store/base/envelope.ts';
import { formatTime, nextTime, parseTime } from '#store/base/hlc.ts';
import type { Connection } from './connection.ts';
import type { SeqCheckpoint, SqliteInstance } from './instance.ts';
import { MergedRows } from './merged-rows.ts';
import { makeRow, newOutcome, type Outcome, type Row, type RowWriterOptions, readHeld } from './row-writer.ts';

/** The context of the RxDB events that a commit emits. It distinguishes them from the events of writes by RxDB itself. */
export const COMMIT_CONTEXT = 'headframe-commit';

/** The value in `rx_meta` with the last time of the hybrid clock. */
export const CLOCK_KEY = 'hlc';
export const NO_TIME = '0'.repeat(16);

/** Follows the commits of this node, in their transactions. The replication to head office keeps its tables in this way. */
export interface CommitFollower {
  /** Called before the documents of a commit are written. Returns undefined if none of them concerns the follower. */
  begin(writes: readonly ProjectWrite[], now: number, rows: MergedRows): FollowedCommit | undefined;
  /** Called before documents are erased, which leaves no tombstones. `writes` are of the same commit. */
  erase?(
    collection: 'events' | 'telemetry',
    ids: readonly string[],
    rows: MergedRows,
    writes: readonly ProjectWrite[],
  ): void;
}

/** One commit that is followed. */
export interface FollowedCommit {
  /** Called before the documents are written. Returns the time of the commit, which is later than `last`. */
  start(last: string): string;
  /** Called before the row of a document is written. `previous` is the row that it replaces. */
  note(write: ProjectWrite, previous: Row | undefined, document: Row): void;
  /** Called after all documents are written. Returns the time to which the clock of this node moves. */
  end(): string;
}

export interface CommitterOptions extends RowWriterOptions {
  readonly nodeId: string;
  /** Number of the incarnation of the database. */
  readonly life: number;
  readonly clock: () => number;
  readonly emit: (changes: readonly Change[]) => void;
  /** Called with the last entry of the audit log when a commit with audit entries is on disk. */
  readonly onAudit?: ((head: AuditHead) => void) | undefined;
  readonly follower?: CommitFollower | undefined;
}

/** Changes of rows that a commit makes in its transaction before it writes its documents. */
interface Also {
  readonly rows: number;
  run(outcome: Outcome): void;
}

/** Runs a transaction whose outcome is emitted when it is on disk. If `bounded` is false, it waits also when the queue is full. */
export type Transact = <T>(rows: number, run: (outcome: Outcome) => T, bounded?: boolean) => Promise<T>;

/** Returns the function that runs a transaction and emits what it wrote. Calls at the same time share one transaction and one sync. */
export function createTransact(
  connection: Connection,
  {
    instances,
    emit,
    onAudit,
  }: Pick<CommitterOptions, 'emit' | 'onAudit'> & {
    readonly instances: Readonly<Record<CollectionName, Pick<SqliteInstance<Stored>, 'emit'>>>;
  },
): Transact {
  const bulkPrefix = randomToken(10);
  let bulks = 0;
  return async (rows, run, bounded = true) => {
    const { result } = await connection.write({
      rows,
      bounded,
      run: () => {
        const outcome = newOutcome();
        return { outcome, result: run(outcome) };
      },
      emit: ({ outcome: { events, changes, audit } }) => {
        if (audit) onAudit?.(audit);
        for (const [collection, { events: list, seq }] of events) {
          const bulk: EventBulk<RxStorageChangeEvent<Row>, SeqCheckpoint> = {
            id: `${bulkPrefix}${++bulks}`,
            events: list,
            checkpoint: { seq },
            context: COMMIT_CONTEXT,
          };
          instances[collection].emit(bulk);
        }
        emit(changes);
      },
    });
    return result;
  };
}

/** Returns the function that commits. */
export function createCommitter(
  options: CommitterOptions,
  transact: Transact,
): (writes: readonly ProjectWrite[], also?: Also) => Promise<Stored[]> {
  return async (writes, also) => {
    checkWrites(writes);
    if (writes.length === 0) return [];
    return await transact(writes.length + (also?.rows ?? 0), (outcome) => {
      also?.run(outcome);
      writeAll(options, outcome, writes);
      return outcome.stored;
    });
  };
}

/** Writes the documents of a commit. Call it only inside the callback of a write (`Writing.run`). */
export function writeAll(options: CommitterOptions, outcome: Outcome, writes: readonly ProjectWrite[]): void {
  const { connection, nodeId, clock, follower } = options;
  const now = clock();
  const last = String(connection.getMeta(CLOCK_KEY) ?? NO_TIME);
  const followed = follower?.begin(writes, now, new MergedRows(options, outcome));
  const text = followed?.start(last) ?? formatTime(nextTime(parseTime(last), now));
  const { ms } = parseTime(text);
  const stamp = { hlc: `${text}-${nodeId}`, at: new Date(now).toISOString(), lwt: Math.max(ms, 1) };
  for (const write of writes) writeOne(options, outcome, write, stamp, followed);
  connection.setMeta(CLOCK_KEY, followed?.end() ?? text);
}

/** The times that all documents of a commit get. */
interface Stamp {
  readonly hlc: string;
  readonly at: string;
  /** RxDB's field for the time of the last write, in milliseconds. The time comes from the hybrid logical clock, so it never decreases. */
  readonly lwt: number;
}

function writeOne(
  options: CommitterOptions,
  outcome: Outcome,
  write: ProjectWrite,
  stamp: Stamp,
  followed: FollowedCommit | undefined,
): void {
  const { connection, instances, nodeId } = options;
  const { table } = instances[write.collection].internals;
  const held = readHeld(connection, table, write.id, write.expected === undefined);
  const { previous, current } = held;
  checkExpectation(write, previous, current);
  const envelope = {
    id: write.id,
    project_id: write.project_id,
    object: write.object,
    hlc: stamp.hlc,
    origin: nodeId,
    // The sequence number of the file, which rises with every row.
    origin_seq: connection.nextSeq(),
    created_at: current?.created_at ?? write.at ?? stamp.at,
    updated_at: write.at ?? stamp.at,
    // After a deletion the revision continues from the tombstone, so that no ETag of the deleted document matches the new document.
    revision: (previous?.revision ?? 0) + 1,
    _deleted: write.deleted === true,
    lwt: stamp.lwt,
  };
  const written = isChained(write) ? chain(options, outcome, { ...envelope, data: write.data }, previous) : write.data;
  const row = makeRow(options, write.collection, held, envelope, written);
  followed?.note(write, previous, row.document);
  row.store(outcome);
}

/** Returns the data of a new audit entry with its link. Throws if the entry exists, because an entry is never changed or deleted. */
function chain(
  { connection, nodeId, life }: CommitterOptions,
  outcome: Outcome,
  entry: Pick<Stored, 'id' | 'project_id' | 'created_at' | 'hlc' | 'data'> & { readonly _deleted: boolean },
  previous: Row | undefined,
): Record<string, unknown> {
  if (previous !== undefined || entry._deleted)
    throw new RangeError(`${entry.id} is an entry of the audit log, which is never changed or deleted`);
  const head = parseHead(connection.getMeta(AUDIT_HEAD_KEY));
  // The hash covers what JSON can express, as the stored text does.
  const data = JSON.parse(JSON.stringify(entry.data)) as Record<string, unknown>;
  const link = linkEntry({ ...entry, data }, head, { gateway_id: nodeId, life, clock: clockOf(entry.hlc) });
  outcome.audit = headOf(link);
  connection.setMeta(AUDIT_HEAD_KEY, JSON.stringify(outcome.audit));
  return { ...data, chain: link };
}
