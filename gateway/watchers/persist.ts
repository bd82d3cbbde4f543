/** A commit of what follows from what is stored. */

import type { ProjectWrite } from '#contract/base/view.ts';
import { WriteConflict } from '#contract/base/view.ts';
import type { Store } from '#store/open-store.ts';

const TRIES = 5;

/** Commits what `plan` gives, planned anew when somebody else was faster; rejects when that does not end. */
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
