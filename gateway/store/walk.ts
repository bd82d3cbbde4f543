/** All documents of a kind, one after the other, however many there are: at most a chunk of them is in memory. */
import type { CollectionName, FindQuery, Stored, View } from '#contract/base/view.ts';

const CHUNK = 500;

type WalkQuery = Omit<FindQuery, 'limit' | 'by'>;

/** A view, or a store over all projects. */
type Source = Pick<View, 'find'>;

/** Documents in list order, oldest first unless asked otherwise; what is written meanwhile shows as it is when the walk comes there. */
export async function* walk<T = Record<string, unknown>>(
  source: Source,
  collection: CollectionName,
  query: WalkQuery,
  chunk = CHUNK,
): AsyncGenerator<Stored<T>, void, void> {
  for await (const some of walkChunks<T>(source, collection, query, chunk)) yield* some;
}

/** The same in chunks, none of them empty, for what is done to many at once. */
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
