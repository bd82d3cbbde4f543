/**
 * Finds the documents that the store always refuses, and leaves only those out.
 *
 *   all -> refused -> each half -> ... -> one document -> refused -> a known good document -> accepted -> refused again: leave it out
 *
 * An error of the disk or of the database (`StoreError`) ends the search, and nothing is left out.
 */

import { StoreError } from '#contract/base/store-error.ts';
import type { ProjectWrite } from '#contract/base/view.ts';

/** True when trying again may help: the store failed, not the document. */
export function isTransient(error: unknown): boolean {
  return error instanceof StoreError;
}

/**
 * Commits all documents that the store accepts, and calls `refused` for each other one. A working store accepts
 * `probe`.
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
