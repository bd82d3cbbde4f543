/** Commits of the other end that this end could not take. */
import { retryQuarantine } from '#domain/sync/apply.ts';
import type { SyncStore } from '#store/sync/replica.ts';

/** Tries them again: after a start, because this may be a newer version, and after a repair, which may have brought what they need. */
export async function retryTaken(sync: SyncStore, project: string): Promise<void> {
  if (await sync.run(project, (tx) => tx.quarantined().length === 0)) return;
  await sync.run(project, retryQuarantine);
}
