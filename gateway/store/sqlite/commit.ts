/**
 * One commit: documents of several collections and projects in one storage transaction, all or none.
 *
 *   previous (read inside the transaction) -> expectation -> envelope -> row
 *   ... COMMIT ... -> every collection emits -> listeners hear -> the promise resolves
 *
 * - RxDB's caches follow the revision height, so every row carries the height of its predecessor plus one.
 * - What is handed in is copied through its JSON text: what others see is what is on disk.
 */
import {
  createRevision,
  type EventBulk,
  type RxDocumentData,
  type RxStorageChangeEvent,
  randomToken,
} from 'rxdb/plugins/core';
import type { Change, CollectionName, ProjectWrite, Stored } from '#contract/base/view.ts';
import { checkExpectation, checkWrites, toStored } from '#store/base/envelope.ts';
import { formatTime, nextTime, parseTime } from '#store/base/hlc.ts';
import type { Connection } from './connection.ts';
import type { SeqCheckpoint, SqliteInstance } from './instance.ts';
import type { StoredRow } from './table.ts';

/** A document with the fields that RxDB adds. */
type Row = RxDocumentData<Stored>;
type Event = RxStorageChangeEvent<Row>;

/** Marks events that came from here. */
export const COMMIT_CONTEXT = 'headframe-commit';

const NO_TIME = '0'.repeat(16);

export interface CommitterOptions {
  readonly connection: Connection;
  readonly instances: Readonly<Record<CollectionName, SqliteInstance<Stored>>>;
  readonly nodeId: string;
  /** Token of the RxDatabase, part of every revision. */
  readonly token: string;
  readonly clock: () => number;
  readonly emit: (changes: readonly Change[]) => void;
}

interface Outcome {
  readonly stored: Stored[];
  readonly changes: Change[];
  readonly events: Map<CollectionName, { events: Event[]; seq: number }>;
}

/** The function that commits; concurrent calls share a transaction and its fsync. */
export function createCommitter(options: CommitterOptions): (writes: readonly ProjectWrite[]) => Promise<Stored[]> {
  const { connection, instances, emit } = options;
  const bulkPrefix = randomToken(10);
  let bulks = 0;

  return async (writes) => {
    checkWrites(writes);
    if (writes.length === 0) return [];
    const outcome = await connection.write({
      rows: writes.length,
      bounded: true,
      run: () => writeAll(options, writes),
      emit: ({ events, changes }) => {
        for (const [collection, { events: list, seq }] of events) {
          const bulk: EventBulk<Event, SeqCheckpoint> = {
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
    return outcome.stored;
  };
}

function writeAll(options: CommitterOptions, writes: readonly ProjectWrite[]): Outcome {
  const { connection, nodeId, clock } = options;
  const outcome: Outcome = { stored: [], changes: [], events: new Map() };
  const now = clock();
  const time = nextTime(parseTime(String(connection.getMeta('hlc') ?? NO_TIME)), now);
  const text = formatTime(time);
  const stamp = { hlc: `${text}-${nodeId}`, at: new Date(now).toISOString(), lwt: Math.max(time.ms, 1) };
  for (const write of writes) writeOne(options, outcome, write, stamp);
  connection.setMeta('hlc', text);
  return outcome;
}

interface Stamp {
  readonly hlc: string;
  readonly at: string;
  /** RxDB's time of the last write; follows the hybrid clock, which never goes back. */
  readonly lwt: number;
}

function writeOne(options: CommitterOptions, outcome: Outcome, write: ProjectWrite, stamp: Stamp): void {
  const { connection, instances, nodeId, token } = options;
  const { table } = instances[write.collection].internals;
  const held = table.peek(connection, write.id);
  const whole = held && parseStored(connection, held, write);
  const previous = whole ?? (held && table.remains<Row>(connection, write.id));
  const current = previous && !previous._deleted ? previous : undefined;
  checkExpectation(write, previous, current);
  const seq = connection.nextSeq();
  const envelope = {
    id: write.id,
    project_id: write.project_id,
    object: write.object,
    hlc: stamp.hlc,
    origin: nodeId,
    // counts every row of this node's file, so also those it wrote
    origin_seq: seq,
    created_at: current?.created_at ?? write.at ?? stamp.at,
    updated_at: write.at ?? stamp.at,
    // a tombstone's count goes on, so that no old ETag fits a new document
    revision: (previous?.revision ?? 0) + 1,
    _deleted: write.deleted === true,
    _attachments: {},
    _rev: createRevision(token, previous),
    _meta: { lwt: stamp.lwt },
  };
  const data = JSON.stringify(write.data);
  const document: Row = { ...envelope, data: JSON.parse(data) };
  const text = `${JSON.stringify(envelope).slice(0, -1)},"data":${data}}`;
  if (held && !whole) table.replace(connection, seq, write.id, document, text);
  else if (previous) table.update(connection, seq, write.id, document, previous, text);
  else table.insert(connection, seq, write.id, document, text);
  const stored = toStored(document);
  outcome.stored.push(stored);
  note(outcome, write.collection, seq, document, current, stored);
}

/** The document that is there; undefined for one that is damaged for good where the write does not care what it said. */
function parseStored(connection: Connection, { data, checksum }: StoredRow, write: ProjectWrite): Row | undefined {
  try {
    return connection.parse<Row>(data, checksum);
  } catch (error) {
    // else a machine whose live document is damaged would hold up all of ingest
    if (write.expected !== undefined || connection.canRecover) throw error;
    connection.forgetDamaged(data);
    return undefined;
  }
}

function note(
  outcome: Outcome,
  collection: CollectionName,
  seq: number,
  document: Row,
  current: Row | undefined,
  stored: Stored,
): void {
  const bulk = outcome.events.get(collection) ?? { events: [], seq };
  bulk.seq = seq;
  const event = eventOf(document, current);
  // a tombstone for what nobody saw is no change
  if (!event) return;
  outcome.events.set(collection, bulk);
  bulk.events.push(event);
  outcome.changes.push({ collection, operation: event.operation, document: stored });
}

function eventOf(document: Row, current: Row | undefined): Event | undefined {
  const base = { documentId: document.id, documentData: document };
  if (document._deleted) {
    return current ? { ...base, operation: 'DELETE', previousDocumentData: current } : undefined;
  }
  return current
    ? { ...base, operation: 'UPDATE', previousDocumentData: current }
    : { ...base, operation: 'INSERT', previousDocumentData: undefined };
}
