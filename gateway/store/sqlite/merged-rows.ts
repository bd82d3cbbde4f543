/**
 * Writes rows whose envelope another node decided: time, author and times of creation and change. The replication to head office stores the
 * result of a join with them. Only the revision and the sequence numbers are this node's own.
 */
import type { CollectionName, Stored } from '#contract/base/view.ts';
import { parseTime } from '#store/base/hlc.ts';
import { type Held, makeRow, type Outcome, type Row, type RowWriterOptions, readHeld } from './row-writer.ts';
import { textKey } from './text-key.ts';

/** A document as another node wrote it. `revision` is the least one that it gets here. */
export type MergedRow = Omit<Stored, 'origin_seq'> & { readonly deleted: boolean };

export class MergedRows {
  readonly #options: RowWriterOptions;
  readonly #outcome: Outcome;
  readonly #held = new Map<string, Held>();

  /** Call it, and all methods, only inside the callback of a write (`Writing.run`). */
  constructor(options: RowWriterOptions, outcome: Outcome) {
    this.#options = options;
    this.#outcome = outcome;
  }

  /** Returns the stored document or its tombstone (the row that a deleted document leaves). */
  read(collection: CollectionName, id: string): Row | undefined {
    return this.#heldOf(collection, id).previous;
  }

  /** Returns the project of a stored document, also if the document is damaged; undefined if there is no row. */
  projectOf(collection: CollectionName, id: string): string | undefined {
    const { connection, instances } = this.#options;
    const { name, part } = instances[collection].internals.table;
    const row = part && connection.peek(`SELECT ${part.name} FROM ${name} WHERE id=?`, textKey(id));
    return row && String(row[0]);
  }

  #heldOf(collection: CollectionName, id: string): Held {
    const key = `${collection}/${id}`;
    const { connection, instances } = this.#options;
    const held = this.#held.get(key) ?? readHeld(connection, instances[collection].internals.table, id, false);
    this.#held.set(key, held);
    return held;
  }

  /** Stores a document. The revision rises with each write, so that no ETag of an earlier state matches. */
  write(collection: CollectionName, { deleted, ...row }: MergedRow): Row {
    const { connection } = this.#options;
    const held = this.#heldOf(collection, row.id);
    const made = makeRow(
      this.#options,
      collection,
      held,
      {
        ...row,
        origin_seq: connection.nextSeq(),
        revision: Math.max(row.revision, (held.previous?.revision ?? 0) + 1),
        _deleted: deleted,
        lwt: Math.max(parseTime(row.hlc.slice(0, 16)).ms, 1),
      },
      row.data,
    );
    made.store(this.#outcome);
    this.#held.delete(`${collection}/${row.id}`);
    return made.document;
  }

  /** Removes the row of a document. It leaves no tombstone, and nothing is emitted. */
  erase(collection: CollectionName, id: string): void {
    const { instances } = this.#options;
    this.#held.delete(`${collection}/${id}`);
    instances[collection].internals.table.erase(this.#options.connection, id);
  }
}
