/** Counts what a piece of work costs the database, for tests that pin it. */
import type { Store } from '#store/open-store.ts';

export interface Cost {
  readonly statements: number;
  readonly commits: number;
  readonly rows: number;
}

/** What the store did while `work` ran; nothing else may use it meanwhile. */
export async function costOf(store: Pick<Store, 'stats'>, work: () => Promise<unknown>): Promise<Cost> {
  const before = store.stats();
  await work();
  const after = store.stats();
  return {
    statements: after.statements - before.statements,
    commits: after.commits - before.commits,
    rows: after.rows - before.rows,
  };
}
