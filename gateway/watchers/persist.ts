/** Commits writes that depend on stored documents, and plans them again if a document has changed in between. */

import type { ProjectWrite } from '#contract/base/view.ts';
import { WriteConflict } from '#contract/base/view.ts';
import type { Store } from '#store/open-store.ts';

const TRIES = 5;

/** Commits the writes that `plan` returns. After a write conflict it calls `plan` again, at most 5 times; then the promise rejects. */
export async function persist(
  store: Pick<Store, 'commit'>,
  plan: () => Promise<readonly ProjectWrite[]>,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const writes = await plan();
    try {
      if (writes.length > 0) await store.commit(writes);
      return;
    } catch (error) {
      if (!(error instanceof WriteConflict) || attempt === TRIES) throw error;
    }
  }
}
