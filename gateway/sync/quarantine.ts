/** Commits of the other end that this end could not take. */
import { retryQuarantine } from '#domain/sync/apply.ts';
import type { SyncStore } from '#store/sync/replica.ts';

/** Tries those of all projects again. Most projects have none, and a look at each of a thousand projects would delay the start by seconds. */
export async function retryAll(sync: SyncStore): Promise<void> {
  const projects = sync.projects();
  // Only the quarantine is asked for: nothing follows this number.
  const after = Number.MAX_SAFE_INTEGER;
  const counts = await sync.counts(projects.map((project) => ({ project, gateway: '', after })));
  for (const [i, project] of projects.entries()) if (counts[i]?.quarantined !== 0) await retryTaken(sync, project);
}

/** Tries them again: after a start, because this may be a newer version, and after a repair, which may have brought what they need. */
export async function retryTaken(sync: SyncStore, project: string, isStart = true): Promise<void> {
  if (await sync.run(project, (tx) => tx.quarantined().length === 0)) return;
  await sync.run(project, (tx, env) => retryQuarantine(tx, env, isStart));
}
