/** One RxDB collection: the RxStorageInstance over one table. */
import {
  type BulkWriteRow,
  type CategorizeBulkWriteRowsOutput,
  categorizeBulkWriteRows,
  type EventBulk,
  type FilledMangoQuery,
  getQueryMatcher,
  getSortComparator,
  type PreparedQuery,
  type RxDocumentData,
  type RxJsonSchema,
  type RxStorageBulkWriteResponse,
  type RxStorageChangeEvent,
  type RxStorageCountResult,
  type RxStorageInstance,
  type RxStorageInstanceCreationParams,
  type RxStorageQueryResult,
  type RxStorageWriteError,
  type StringKeys,
} from 'rxdb/plugins/core';
import { type Observable, Subject } from 'rxjs';
import { withText } from '#store/base/body.ts';
import type { Connection } from './connection.ts';
import { selectorToSql, sortToSql } from './mango.ts';
import type { Row } from './rows.ts';
import type { Table } from './table.ts';
import { textKey } from './text-key.ts';
import { MAX_ROWS_PER_TRANSACTION } from './write-queue.ts';

/** A position in RxDB's change feed. Documents with a greater `seq` were written later. */
export interface SeqCheckpoint {
  readonly seq: number;
}

/** The storage has no options for a single instance. */
export type SqliteOptions = Record<string, never>;

export interface SqliteInternals {
  readonly connection: Connection;
  readonly table: Table;
}

type Bulk<T> = EventBulk<RxStorageChangeEvent<RxDocumentData<T>>, SeqCheckpoint>;

const MAX_PURGED_PER_CALL = 1000;
/** The number of documents that one step of a query reads and parses, which takes about 5 ms. */
const MAX_ROWS_PER_READ = 500;

export class SqliteInstance<T> implements RxStorageInstance<T, SqliteInternals, SqliteOptions, SeqCheckpoint> {
  readonly databaseName: string;
  readonly collectionName: string;
  readonly schema: Readonly<RxJsonSchema<RxDocumentData<T>>>;
  readonly internals: SqliteInternals;
  readonly options: Readonly<SqliteOptions>;
  readonly #clock: () => number;
  readonly #release: () => Promise<void>;
  readonly #primary: StringKeys<RxDocumentData<T>>;
  readonly #changes = new Subject<Bulk<T>>();
  #closing: Promise<void> | undefined;

  constructor(
    params: RxStorageInstanceCreationParams<T, SqliteOptions>,
    internals: SqliteInternals,
    clock: () => number,
    release: () => Promise<void>,
  ) {
    this.databaseName = params.databaseName;
    this.collectionName = params.collectionName;
    this.schema = params.schema;
    this.options = params.options;
    this.internals = internals;
    this.#primary = internals.table.primary as StringKeys<RxDocumentData<T>>;
    this.#clock = clock;
    this.#release = release;
  }

  async bulkWrite(rows: BulkWriteRow<T>[], context: string): Promise<RxStorageBulkWriteResponse<T>> {
    this.#open();
    // RxDB does not require that a call is atomic, so a long call becomes several transactions. All of them are queued now, to keep their
    // order.
    const parts: Promise<RxStorageWriteError<T>[]>[] = [];
    for (let from = 0; from < rows.length; from += MAX_ROWS_PER_TRANSACTION) {
      parts.push(this.#queueWrite(rows.slice(from, from + MAX_ROWS_PER_TRANSACTION), context));
    }
    return { error: (await Promise.all(parts)).flat() };
  }

  async #queueWrite(rows: BulkWriteRow<T>[], context: string): Promise<RxStorageWriteError<T>[]> {
    const { connection, table } = this.internals;
    const blobs = table.attachments ? new Map<Blob, Uint8Array>() : undefined;
    const done = await connection.write({
      rows: rows.length,
      ready: blobs && loadBlobs(rows, blobs),
      run: () => this.#write(rows, context, blobs),
      emit: (written) => {
        if (written.eventBulk.events.length > 0) this.emit(written.eventBulk);
      },
    });
    return done.errors;
  }

  /** Emits changes to the subscribers of this collection. `commit.ts` calls it, because it writes rows without `bulkWrite`. */
  emit(bulk: Bulk<T>): void {
    this.#changes.next(bulk);
  }

  async findDocumentsById(ids: string[], withDeleted: boolean): Promise<RxDocumentData<T>[]> {
    const { connection, table } = this.#open();
    const alive = withDeleted ? '' : ' AND del=0';
    if (ids.length === 1) {
      const sql = `SELECT ${table.content} FROM ${table.name} WHERE id=?${alive}`;
      const row = await connection.read((read) => read.get(sql, textKey(ids[0] as string)));
      return row ? [this.#parse(row)] : [];
    }
    const sql = `SELECT ${table.content} FROM ${table.name} WHERE id IN (SELECT value FROM json_each(?))${alive}`;
    const found: RxDocumentData<T>[] = [];
    for (let from = 0; from < ids.length; from += MAX_ROWS_PER_READ) {
      const list = JSON.stringify(ids.slice(from, from + MAX_ROWS_PER_READ).map(textKey));
      for (const row of await connection.read((read) => read.all(sql, list))) found.push(this.#parse(row));
    }
    return found;
  }

  async query(prepared: PreparedQuery<T>): Promise<RxStorageQueryResult<T>> {
    this.#open();
    return { documents: await this.#find(prepared) };
  }

  async count(prepared: PreparedQuery<T>): Promise<RxStorageCountResult> {
    const { connection, table } = this.#open();
    const { selector, skip = 0, limit } = prepared.query;
    const where = selectorToSql(table, selector);
    if (!where.exact) return { count: (await this.#find(prepared)).length, mode: 'fast' };
    const sql = `SELECT count(*) FROM ${table.name}${where.sql === undefined ? '' : ` WHERE ${where.sql}`}`;
    const row = await connection.read((read) => read.get(sql, ...where.values));
    const count = Math.max(0, Math.min(Number(row?.[0]) - skip, limit ?? Number.POSITIVE_INFINITY));
    return { count, mode: 'fast' };
  }

  async getAttachmentData(documentId: string, attachmentId: string, digest: string): Promise<Blob> {
    const { connection, table } = this.#open();
    const sql = `SELECT data, type FROM ${table.attachments} WHERE document=? AND name=? AND digest=?`;
    const row = await connection.read((read) =>
      table.attachments ? read.get(sql, textKey(documentId), textKey(attachmentId), digest) : undefined,
    );
    if (!row || !(row[0] instanceof Uint8Array)) {
      throw new Error(
        `${this.collectionName}: the document ${documentId} has no attachment ${attachmentId} with the given digest`,
      );
    }
    return new Blob([new Uint8Array(row[0])], { type: String(row[1]) });
  }

  async getChangedDocumentsSince(
    limit: number,
    checkpoint?: SeqCheckpoint,
  ): Promise<{ documents: RxDocumentData<T>[]; checkpoint: SeqCheckpoint }> {
    const { connection, table } = this.#open();
    const since = checkpoint ?? { seq: 0 };
    const sql = `SELECT ${table.content}, seq FROM ${table.name} WHERE seq>? ORDER BY seq LIMIT ?`;
    const rows = await connection.read((read) => read.all(sql, since.seq, limit));
    const last = rows.at(-1);
    return { documents: rows.map((row) => this.#parse(row)), checkpoint: last ? { seq: Number(last[3]) } : since };
  }

  changeStream(): Observable<Bulk<T>> {
    return this.#changes.asObservable();
  }

  async cleanup(minimumDeletedTime: number): Promise<boolean> {
    const { connection, table } = this.#open();
    const sql = `DELETE FROM ${table.name} WHERE rowid IN
      (SELECT rowid FROM ${table.name} WHERE del=1 AND lwt<=? ORDER BY lwt LIMIT ${MAX_PURGED_PER_CALL})`;
    const purged = await connection.write({
      rows: MAX_PURGED_PER_CALL,
      // `lwt` has fractions of a millisecond and the clock has whole milliseconds, so add 1 ms.
      run: () => connection.execute(sql, this.#clock() + 1 - minimumDeletedTime),
    });
    return purged < MAX_PURGED_PER_CALL;
  }

  /**
   * Deletes rows without a tombstone (the row that a deleted document leaves) and without an event. Only for collections in which documents
   * never change and ids are never used again, such as `telemetry`. Call it only inside the callback of a write (`Writing.run`).
   */
  eraseRows(ids: readonly string[]): void {
    const { connection, table } = this.#open();
    for (const id of ids) table.erase(connection, id);
  }

  close(): Promise<void> {
    this.#closing ??= this.#finish();
    return this.#closing;
  }

  async remove(): Promise<void> {
    const { connection, table } = this.#open();
    await connection.write({ rows: 0, run: () => table.drop(connection) });
    await this.close();
  }

  async #finish(): Promise<void> {
    await this.internals.connection.settled();
    this.#changes.complete();
    await this.#release();
  }

  #open(): SqliteInternals {
    if (this.#closing) throw new Error(`the collection ${this.databaseName}/${this.collectionName} is closed`);
    return this.internals;
  }

  /** Parses a row of the columns `Table.content`. */
  #parse(row: Row): RxDocumentData<T> {
    return this.#read(row[0], row[1], row[2]);
  }

  #read(data: unknown, checksum: unknown, body: unknown): RxDocumentData<T> {
    const { connection, table } = this.internals;
    const document = connection.parse<RxDocumentData<T>>(data, checksum, body);
    return table.hasBodies && 'data' in document ? withText(document) : document;
  }

  #write(
    rows: BulkWriteRow<T>[],
    context: string,
    blobs: ReadonlyMap<Blob, Uint8Array> | undefined,
  ): CategorizeBulkWriteRowsOutput<T> {
    const { connection, table } = this.internals;
    const current = new Map<string, RxDocumentData<T>>();
    for (const { document, previous } of rows) {
      const id = this.#idOf(document);
      const stored = table.peek(connection, id);
      // If the revisions are equal, the caller's copy is the stored document, so its text need not be parsed.
      if (stored)
        current.set(
          id,
          previous?._rev === stored.rev ? previous : this.#read(stored.data, stored.checksum, stored.body),
        );
    }
    const written = categorizeBulkWriteRows<T>(this, this.#primary as StringKeys<T>, current, rows, context);
    let seq = 0;
    for (const { document } of written.bulkInsertDocs) {
      seq = connection.nextSeq();
      table.insert(connection, seq, this.#idOf(document), document);
    }
    for (const { document, previous } of written.bulkUpdateDocs) {
      seq = connection.nextSeq();
      table.update(connection, seq, this.#idOf(document), document, previous ?? document);
    }
    if (blobs) this.#writeAttachments(written, blobs);
    written.eventBulk.checkpoint = { seq } satisfies SeqCheckpoint;
    return written;
  }

  #writeAttachments(written: CategorizeBulkWriteRowsOutput<T>, blobs: ReadonlyMap<Blob, Uint8Array>): void {
    const { connection, table } = this.internals;
    const put = `INSERT OR REPLACE INTO ${table.attachments} (document, name, digest, type, data) VALUES (?, ?, ?, ?, ?)`;
    for (const { documentId, attachmentId, digest, attachmentData } of [
      ...written.attachmentsAdd,
      ...written.attachmentsUpdate,
    ]) {
      const bytes = blobs.get(attachmentData.data) ?? new Uint8Array();
      connection.execute(put, textKey(documentId), textKey(attachmentId), digest, attachmentData.type, bytes);
    }
    const drop = `DELETE FROM ${table.attachments} WHERE document=? AND name=?`;
    for (const { documentId, attachmentId } of written.attachmentsRemove) {
      connection.execute(drop, textKey(documentId), textKey(attachmentId));
    }
  }

  async #find({ query }: PreparedQuery<T>): Promise<RxDocumentData<T>[]> {
    const { connection, table } = this.internals;
    const skip = query.skip ?? 0;
    const limit = query.limit ?? Number.POSITIVE_INFINITY;
    if (limit === 0) return [];
    const where = selectorToSql(table, query.selector);
    const order = sortToSql(table, query.sort);
    const from = `FROM ${table.name}${where.sql === undefined ? '' : ` WHERE ${where.sql}`}`;
    const ordered = order === undefined ? from : `${from} ORDER BY ${order}`;
    if (where.exact && order !== undefined) {
      const [first, others] = await connection.read((read) => {
        const page = `${ordered} LIMIT ? OFFSET ?`;
        const some = Math.min(limit, MAX_ROWS_PER_READ);
        const data = read.all(`SELECT ${table.content} ${page}`, ...where.values, some, skip);
        if (data.length < some || some === limit) return [data, []];
        const rest = Number.isFinite(limit) ? limit - some : -1;
        return [data, read.all(`SELECT rowid ${page}`, ...where.values, rest, skip + some)];
      });
      return this.#collect(
        query,
        first.map((row) => this.#parse(row)),
        others,
        { exact: true, sorted: true },
      );
    }
    const rows = await connection.read((read) => read.all(`SELECT rowid ${ordered}`, ...where.values));
    const how = { exact: where.exact, sorted: order !== undefined, enough: skip + limit };
    return (await this.#collect(query, [], rows, how)).slice(skip, skip + limit);
  }

  /**
   * Reads the documents of these rows in steps, so that a long query does not block the process. Adds the documents that match the query to
   * the result.
   */
  async #collect(
    query: FilledMangoQuery<T>,
    found: RxDocumentData<T>[],
    rows: readonly Row[],
    how: { readonly exact: boolean; readonly sorted: boolean; readonly enough?: number },
  ): Promise<RxDocumentData<T>[]> {
    const { stats } = this.internals.connection;
    const { commits } = stats;
    const enough = how.sorted ? (how.enough ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
    const matches = getQueryMatcher(this.schema, query);
    for (let from = 0; from < rows.length && found.length < enough; from += MAX_ROWS_PER_READ) {
      const documents = await this.#readRows(rows.slice(from, from + MAX_ROWS_PER_READ));
      // A document may have been written after the rows were selected and may not match any more. So it is compared with the query again.
      const trusted = how.exact && stats.commits === commits;
      for (const document of documents) if (trusted || matches(document)) found.push(document);
    }
    if (how.sorted && stats.commits === commits) return found;
    return found.sort(getSortComparator(this.schema, query) as (a: unknown, b: unknown) => number);
  }

  /** Returns the documents of these row ids in this order. Documents that were deleted in the meantime are left out. */
  async #readRows(rows: readonly Row[]): Promise<RxDocumentData<T>[]> {
    const { connection, table } = this.internals;
    const sql = `SELECT rowid, ${table.content} FROM ${table.name} WHERE rowid IN (SELECT value FROM json_each(?))`;
    const list = JSON.stringify(rows.map(([row]) => row));
    const found = new Map((await connection.read((read) => read.all(sql, list))).map((row) => [row[0], row]));
    return rows.flatMap(([row]) => {
      const [, data, checksum, body] = found.get(row ?? null) ?? [];
      return data === undefined ? [] : [this.#read(data, checksum, body)];
    });
  }

  #idOf(document: object): string {
    return String((document as Record<string, unknown>)[this.#primary]);
  }
}

/** Reads the bytes of all attachments into memory before the transaction, because a transaction cannot await. */
async function loadBlobs<T>(rows: readonly BulkWriteRow<T>[], blobs: Map<Blob, Uint8Array>): Promise<void> {
  for (const { document } of rows) {
    for (const attachment of Object.values(document._attachments)) {
      if ('data' in attachment) blobs.set(attachment.data, new Uint8Array(await attachment.data.arrayBuffer()));
    }
  }
}
