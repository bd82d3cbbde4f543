/**
 * Writes the row of a document inside a transaction, and collects what the engine emits when the transaction is on disk: the events of RxDB
 * and the changes for listeners.
 *
 * The revision of a row is the revision of the row that it replaces plus one, because RxDB's caches compare revisions.
 *
 * The data is copied through its JSON text, so that listeners get exactly what is on disk. Bytes (see `store/base/body.ts`) are not copied.
 */
import { createRevision, type RxDocumentData, type RxStorageChangeEvent } from 'rxdb/plugins/core';
import type { Change, CollectionName, Stored } from '#contract/base/view.ts';
import type { AuditHead } from '#store/base/audit-chain.ts';
import { splitData, withBytes, withText } from '#store/base/body.ts';
import { toStored } from '#store/base/envelope.ts';
import type { RowDb } from './rows.ts';
import type { StoredRow, Table } from './table.ts';

/** A document with the fields that RxDB adds. */
export type Row = RxDocumentData<Stored>;
type Event = RxStorageChangeEvent<Row>;

export interface RowWriterOptions {
  readonly connection: RowDb;
  readonly instances: Readonly<Record<CollectionName, { readonly internals: { readonly table: Table } }>>;
  /** Token of the RxDB database, which is part of every RxDB revision. */
  readonly token: string;
}

/** What a transaction has written. */
export interface Outcome {
  readonly stored: Stored[];
  readonly changes: Change[];
  readonly events: Map<CollectionName, { events: Event[]; seq: number }>;
  /** The last entry of the audit log, if this commit has written one. */
  audit?: AuditHead;
}

export const newOutcome = (): Outcome => ({ stored: [], changes: [], events: new Map() });

/** The stored row that a write replaces. */
export interface Held {
  readonly row: StoredRow | undefined;
  /** False if the row is damaged; `previous` then has no data. */
  readonly isIntact: boolean;
  /** The stored document or its tombstone (the row that a deleted document leaves). */
  readonly previous: Row | undefined;
  /** Undefined for a tombstone. */
  readonly current: Row | undefined;
}

/**
 * Reads the stored row of a document. Throws if it is damaged, with one exception: with `replace`, and if no backup can replace the row, the
 * write replaces it.
 */
export function readHeld(connection: RowDb, table: Table, id: string, replace: boolean): Held {
  const row = table.peek(connection, id);
  const intact = row && parseRow(connection, row, replace);
  const previous = intact ?? (row && table.fromColumns<Row>(connection, id));
  const current = previous && !previous._deleted ? previous : undefined;
  return { row, isIntact: row === undefined || intact !== undefined, previous, current };
}

function parseRow(connection: RowDb, { data, checksum, body }: StoredRow, replace: boolean): Row | undefined {
  try {
    return withBytes(connection.parse<Row>(data, checksum, body));
  } catch (error) {
    // The live document (current state) of a machine is written without an expected revision. If its write threw here, ingest would stop
    // for all machines.
    if (!replace || connection.canRecover) throw error;
    connection.forgetDamaged(data);
    return undefined;
  }
}

/** The envelope of a row, without the fields that depend on the row that it replaces. */
export type Envelope = Omit<Stored, 'data'> & { readonly _deleted: boolean; readonly lwt: number };

/** Returns the document that a write stores, with its data as JSON can express it, and the function that stores it. */
export function makeRow(
  { connection, instances, token }: RowWriterOptions,
  collection: CollectionName,
  { row, isIntact, previous, current }: Held,
  { lwt, ...fields }: Envelope,
  written: Readonly<Record<string, unknown>>,
): { readonly document: Row; store(outcome: Outcome): void } {
  const { table } = instances[collection].internals;
  const { id, origin_seq: seq } = fields;
  const envelope = { ...fields, _attachments: {}, _rev: createRevision(token, previous), _meta: { lwt } };
  const { rest, body } = table.hasBodies ? splitData(written) : { rest: written, body: null };
  const data = JSON.stringify(rest);
  const document: Row = { ...envelope, data: JSON.parse(data) };
  const content = { text: `${JSON.stringify(envelope).slice(0, -1)},"data":${data}}`, body };
  if (body !== null) document.data.body = body;
  return {
    document,
    store(outcome) {
      if (row && !isIntact) table.replace(connection, seq, id, document, content);
      else if (previous) table.update(connection, seq, id, document, previous, content);
      else table.insert(connection, seq, id, document, content);
      const stored = toStored(document);
      outcome.stored.push(stored);
      const [now, before] = table.hasBodies ? [withText(document), current && withText(current)] : [document, current];
      note(outcome, collection, seq, now, before, stored);
    },
  };
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
