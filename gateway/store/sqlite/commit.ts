/**
 * Commits documents of several collections and projects in one transaction: all are stored, or none.
 *
 *   for each document: read the stored one -> check the expected revision -> build the envelope -> write the row
 *   COMMIT -> each collection emits its events -> the listeners run -> the promise resolves
 *
 * The revision of a row is the revision of the row that it replaces plus one, because RxDB's caches compare revisions.
 *
 * The data is copied through its JSON text, so that listeners get exactly what is on disk. Bytes (see `store/base/body.ts`) are not copied.
 */
import {
  createRevision,
  type EventBulk,
  type RxDocumentData,
  type RxStorageChangeEvent,
  randomToken,
} from 'rxdb/plugins/core';
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
import { splitData, withBytes, withText } from '#store/base/body.ts';
import { checkExpectation, checkWrites, toStored } from '#store/base/envelope.ts';
import { formatTime, nextTime, parseTime } from '#store/base/hlc.ts';
import type { Connection } from './connection.ts';
import type { SeqCheckpoint, SqliteInstance } from './instance.ts';
import type { StoredRow } from './table.ts';

/** A document with the fields that RxDB adds. */
type Row = RxDocumentData<Stored>;
type Event = RxStorageChangeEvent<Row>;

/** The context of the RxDB events that a commit emits. It distinguishes them from the events of writes by RxDB itself. */
export const COMMIT_CONTEXT = 'headframe-commit';

const NO_TIME = '0'.repeat(16);

export interface CommitterOptions {
  readonly connection: Connection;
  readonly instances: Readonly<Record<CollectionName, SqliteInstance<Stored>>>;
  readonly nodeId: string;
  /** Number of the incarnation of the database. */
  readonly life: number;
  /** Token of the RxDB database, which is part of every RxDB revision. */
  readonly token: string;
  readonly clock: () => number;
  readonly emit: (changes: readonly Change[]) => void;
  /** Called with the last entry of the audit log when a commit with audit entries is on disk. */
  readonly onAudit?: ((head: AuditHead) => void) | undefined;
}

interface Outcome {
  readonly stored: Stored[];
  readonly changes: Change[];
  readonly events: Map<CollectionName, { events: Event[]; seq: number }>;
  /** The last entry of the audit log, if this commit has written one. */
  audit?: AuditHead;
}

/** Changes of rows that a commit makes in its transaction before it writes its documents. */
interface Also {
  readonly rows: number;
  run(): void;
}

/** Returns the function that commits. Calls at the same time share one transaction and one sync. */
export function createCommitter(
  options: CommitterOptions,
): (writes: readonly ProjectWrite[], also?: Also) => Promise<Stored[]> {
  const { connection, instances, emit } = options;
  const bulkPrefix = randomToken(10);
  let bulks = 0;

  return async (writes, also) => {
    checkWrites(writes);
    if (writes.length === 0) return [];
    const outcome = await connection.write({
      rows: writes.length + (also?.rows ?? 0),
      bounded: true,
      run: () => {
        also?.run();
        return writeAll(options, writes);
      },
      emit: ({ events, changes, audit }) => {
        if (audit) options.onAudit?.(audit);
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

/** The times that all documents of a commit get. */
interface Stamp {
  readonly hlc: string;
  readonly at: string;
  /** RxDB's field for the time of the last write, in milliseconds. The time comes from the hybrid logical clock, so it never decreases. */
  readonly lwt: number;
}

function writeOne(options: CommitterOptions, outcome: Outcome, write: ProjectWrite, stamp: Stamp): void {
  const { connection, instances, nodeId, token } = options;
  const { table } = instances[write.collection].internals;
  const held = table.peek(connection, write.id);
  const intact = held && parseStored(connection, held, write);
  const previous = intact ?? (held && table.fromColumns<Row>(connection, write.id));
  const current = previous && !previous._deleted ? previous : undefined;
  checkExpectation(write, previous, current);
  const seq = connection.nextSeq();
  const envelope = {
    id: write.id,
    project_id: write.project_id,
    object: write.object,
    hlc: stamp.hlc,
    origin: nodeId,
    // The sequence number of the file, which rises with every row.
    origin_seq: seq,
    created_at: current?.created_at ?? write.at ?? stamp.at,
    updated_at: write.at ?? stamp.at,
    // After a deletion the revision continues from the tombstone (the row that the deleted document left), so that no ETag of the deleted
    // document matches the new document.
    revision: (previous?.revision ?? 0) + 1,
    _deleted: write.deleted === true,
    _attachments: {},
    _rev: createRevision(token, previous),
    _meta: { lwt: stamp.lwt },
  };
  const written = isChained(write) ? chain(options, outcome, { ...envelope, data: write.data }, previous) : write.data;
  const { rest, body } = table.hasBodies ? splitData(written) : { rest: written, body: null };
  const data = JSON.stringify(rest);
  const document: Row = { ...envelope, data: JSON.parse(data) };
  const content = { text: `${JSON.stringify(envelope).slice(0, -1)},"data":${data}}`, body };
  if (body !== null) document.data.body = body;
  if (held && !intact) table.replace(connection, seq, write.id, document, content);
  else if (previous) table.update(connection, seq, write.id, document, previous, content);
  else table.insert(connection, seq, write.id, document, content);
  const stored = toStored(document);
  outcome.stored.push(stored);
  const [now, before] = table.hasBodies ? [withText(document), current && withText(current)] : [document, current];
  note(outcome, write.collection, seq, now, before, stored);
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

/**
 * Parses the stored document. Throws if it is damaged, with one exception: if no backup can replace it and the write expects no revision,
 * it returns undefined, and the write then replaces the damaged document.
 */
function parseStored(
  connection: Connection,
  { data, checksum, body }: StoredRow,
  write: ProjectWrite,
): Row | undefined {
  try {
    return withBytes(connection.parse<Row>(data, checksum, body));
  } catch (error) {
    // The live document (current state) of a machine is written without an expected revision. If its write threw here, ingest would stop
    // for all machines.
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
  // If the write deletes a document that does not exist, nothing changes, and there is no event.
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
