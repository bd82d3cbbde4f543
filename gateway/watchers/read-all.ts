/** Reads the documents that a watcher needs at its start, before it follows changes. */
import type { Stored } from '#contract/base/view.ts';
import type { Store } from '#store/open-store.ts';
import { walk } from '#store/walk.ts';

/** Returns the documents of one object type in all projects. If `where` is given, returns only the documents with these field values. */
export async function readAll<T>(
  store: Pick<Store, 'find'>,
  collection: 'records' | 'live' | 'local',
  object: string,
  where: Record<string, string> = {},
): Promise<Stored<T>[]> {
  const found: Stored<T>[] = [];
  for await (const one of walk<T>(store, collection, { object, where })) found.push(one);
  return found;
}
