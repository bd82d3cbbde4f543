/**
 * Commits a list of documents, and finds the documents that the store always refuses, so that only these are left out.
 *
 *   all -> refused -> each half -> ... -> one document -> refused -> a good document -> accepted -> refused again: leave it out
 *
 * An error of the disk or of the database (`StoreError`) ends the search, and nothing is left out.
 */

import { StoreError } from '#contract/base/store-error.ts';
import type { ProjectWrite } from '#contract/base/view.ts';

/** Returns true if a later attempt may succeed, because the store itself failed and did not refuse the document. */
export function isTransient(error: unknown): boolean {
  return error instanceof StoreError;
}

/**
 * Commits all documents that the store accepts, and calls `refused` for each other document. `probe` is a document that a working store
 * always accepts.
 */
export async function commitBisecting(
  commit: (writes: ProjectWrite[]) => Promise<void>,
  writes: ProjectWrite[],
  probe: ProjectWrite,
  refused: (write: ProjectWrite, error: Error) => void,
): Promise<void> {
  try {
    await commit(writes);
  } catch (error) {
    if (isTransient(error)) throw error;
    if (writes.length > 1) {
      const middle = writes.length >> 1;
      await commitBisecting(commit, writes.slice(0, middle), probe, refused);
      await commitBisecting(commit, writes.slice(middle), probe, refused);
      return;
    }
    await commit([probe]);
    try {
      await commit(writes);
    } catch (again) {
      if (isTransient(again)) throw again;
      refused(writes[0] as ProjectWrite, again as Error);
    }
  }
}
