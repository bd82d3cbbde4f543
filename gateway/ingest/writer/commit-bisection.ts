/**
 * Finds the documents that the store does not take whatever is tried, so that they alone are left out.
 *
 *   all of them -> refused -> each half -> ... -> one document -> refused -> a document that is known good -> taken -> refused again: out
 *
 * What says that the disk or the database fails (`StoreError`) is nobody's fault: it ends the search, and nothing is left out.
 */

import { StoreError } from '#contract/base/store-error.ts';
import type { ProjectWrite } from '#contract/base/view.ts';

/** True when trying again may help: the store fails, and not the document. */
export function isTransient(error: unknown): boolean {
  return error instanceof StoreError;
}

/** Commits all but those that cannot be stored; tells each of them. `probe` is a document that any store that works takes. */
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
