/**
 * The rules of a write that are the same in every storage engine: limits, expected revisions, and the fields of the envelope (the fields
 * that every stored document has besides its data).
 */
import { type ProjectWrite, type Stored, WriteConflict } from '#contract/base/view.ts';

/** The largest length of a document id. */
export const MAX_ID = 200;
/** The largest number of documents in a commit. A commit is one transaction, and a transaction must be short. */
const MAX_WRITES = 1000;
/** The largest number of documents or changes that one read returns. */
const MAX_LIMIT = 1000;

/** Throws `RangeError` for a commit with too many documents, a bad id or no project. */
export function checkWrites(writes: readonly ProjectWrite[]): void {
  if (writes.length > MAX_WRITES) throw new RangeError(`a commit has at most ${MAX_WRITES} documents`);
  for (const { id, project_id } of writes) {
    if (id === '' || id.length > MAX_ID) throw new RangeError(`an id has 1 to ${MAX_ID} characters: ${id}`);
    if (project_id === '') throw new RangeError(`${id} has no project`);
  }
}

/** Throws `RangeError` for a limit outside 1 to 1,000. */
export function checkLimit(limit: number): void {
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return;
  throw new RangeError(`limit must be 1 to ${MAX_LIMIT}, not ${limit}`);
}

/**
 * Throws `WriteConflict` when the expected revision is not current. `previous` is the stored document, or the tombstone (the row that a
 * deleted document leaves). `current` is undefined for a tombstone.
 */
export function checkExpectation(write: ProjectWrite, previous: Stored | undefined, current: Stored | undefined): void {
  // The id belongs to a document of another project. The write must not replace this document, and the error must not show it.
  if (previous && previous.project_id !== write.project_id)
    throw new WriteConflict(write.collection, write.id, undefined);
  if (write.expected === undefined || write.expected === (current?.revision ?? 0)) return;
  throw new WriteConflict(write.collection, write.id, current && toStored(current));
}

/** Copies the fields of the envelope and drops all other fields, such as the fields that RxDB adds. */
export function toStored<T>(document: Stored<T>): Stored<T> {
  return {
    id: document.id,
    project_id: document.project_id,
    object: document.object,
    hlc: document.hlc,
    origin: document.origin,
    origin_seq: document.origin_seq,
    created_at: document.created_at,
    updated_at: document.updated_at,
    revision: document.revision,
    data: document.data,
  };
}
