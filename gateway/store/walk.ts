/** A walk reads all documents of a kind in chunks, so that at most one chunk is in memory. */
import type { CollectionName, FindQuery, Stored, View } from '#contract/base/view.ts';

const CHUNK = 500;

type WalkQuery = Omit<FindQuery, 'limit' | 'by'>;

/** A view of one project, or the store, which lists documents of all projects. */
type Source = Pick<View, 'find'>;

/**
 * Returns documents sorted by creation time and id, by default the oldest first. A document that is written during the walk is returned in
 * the state that it has when its chunk is read.
 */
export async function* walk<T = Record<string, unknown>>(
  source: Source,
  collection: CollectionName,
  query: WalkQuery,
  chunk = CHUNK,
): AsyncGenerator<Stored<T>, void, void> {
  for await (const some of walkChunks<T>(source, collection, query, chunk)) yield* some;
}

/** Returns the same documents as `walk` in arrays of at most `chunk` documents. No array is empty. */
export async function* walkChunks<T = Record<string, unknown>>(
  source: Source,
  collection: CollectionName,
  query: WalkQuery,
  chunk = CHUNK,
): AsyncGenerator<Stored<T>[], void, void> {
  let after = query.after;
  for (;;) {
    const some: Stored<T>[] = await source.find<T>(collection, {
      order: 'asc',
      ...query,
      ...(after === undefined ? {} : { after }),
      limit: chunk,
    });
    if (some.length > 0) yield some;
    const last = some.at(-1);
    if (some.length < chunk || last === undefined) return;
    after = { created_at: last.created_at, id: last.id };
  }
}
