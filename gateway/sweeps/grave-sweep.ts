/**
 * Removes the fields of records that were deleted long ago and take part in the replication. What stays (a grave) has the ids of the values
 * that the deletion covers, so that a site that was away for years cannot bring the record back.
 */
import { digGraves } from '#domain/sync/graves.ts';
import type { Store } from '#store/open-store.ts';

interface SweepOptions {
  readonly store: { readonly sync: Pick<Store['sync'], 'projects' | 'run'> };
  readonly clock: () => number;
  /** Returns false while the gateway does not trust its clock. The sweep then cannot know how old a deletion is, so it removes nothing. */
  readonly agesKnown: () => boolean;
}

const DAY_MS = 86_400_000;
/** The most transactions of one call. */
const MOST_STEPS = 20;

/** Creates the sweep. It reads the deleted records of each project once a day. Each call returns the number of new graves. */
export function createGraveSweep({ store: { sync }, clock, agesKnown }: SweepOptions): () => Promise<number> {
  const readAt = new Map<string, number>();
  /** Where the next step begins in the project whose records are being read. */
  let next: { readonly project: string; readonly after: string } | undefined;

  const firstOf = (): typeof next => {
    const project = sync.projects().find((name) => Math.abs(clock() - (readAt.get(name) ?? 0)) >= DAY_MS);
    return project === undefined ? undefined : { project, after: '' };
  };

  return async () => {
    let graves = 0;
    for (let step = 0; step < MOST_STEPS && agesKnown(); step++) {
      next ??= firstOf();
      if (next === undefined) break;
      const { project, after } = next;
      // A record that cannot be read ends the round of its project and of no other.
      next = undefined;
      readAt.set(project, clock());
      const { graves: more, last } = await sync.run(project, (tx, env) => digGraves(tx, env, after));
      graves += more;
      if (last !== undefined) next = { project, after: last };
    }
    return graves;
  };
}
