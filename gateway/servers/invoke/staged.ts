/**
 * The staged writes of one call: writes that the handler has requested and that are in memory only. A read returns the staged version of a
 * document if there is one, and otherwise the stored version. Nothing is written until the caller commits `writes()`. The commit fails if a
 * document has changed since the call read it.
 */

import type { CollectionName, Condition, FindQuery, Scalar, Stored, Write } from '#contract/base/view.ts';
import type { StagedView } from '#contract/context.ts';
import type { DocumentStore } from '#store/open-store.ts';

/** A write with the id of its project, as `Store.commit` requires. */
export type ProjectWrite = Write & { readonly project_id: string };

export interface Stage {
  view(project_id: string): StagedView;
  /** Returns the staged writes in the order in which each document was first staged. */
  writes(): readonly ProjectWrite[];
}

/** Largest number of documents that one call may stage. A handler that stages more documents has a fault in its code. */
const MAX_WRITES = 1_000;

/** Creates an empty stage. `now` (ISO 8601) becomes the time of its writes. */
export function createStage(store: DocumentStore, now: string): Stage {
  const staged = new Map<string, { write: ProjectWrite; document: Stored; isNew: boolean }>();
  const read = new Map<string, Stored>();
  const keyOf = (project: string, collection: CollectionName, id: string) => `${project}\n${collection}\n${id}`;
  const views = new Map<string, StagedView>();

  function createView(project_id: string): StagedView {
    const base = store.view(project_id);
    const remember = <T>(collection: CollectionName, found: Stored<T>): Stored<T> => {
      read.set(keyOf(project_id, collection, found.id), found as Stored);
      return found;
    };
    /** Returns the staged document; null if its deletion is staged; undefined if nothing is staged for it. */
    const overlaid = <T>(collection: CollectionName, id: string): Stored<T> | null | undefined => {
      const entry = staged.get(keyOf(project_id, collection, id));
      if (entry === undefined) return undefined;
      return entry.write.deleted ? null : (entry.document as Stored<T>);
    };
    const get = async <T>(collection: CollectionName, id: string): Promise<Stored<T> | undefined> => {
      const over = overlaid<T>(collection, id);
      if (over !== undefined) return over ?? undefined;
      const found = await base.get<T>(collection, id);
      return found && remember(collection, found);
    };
    return {
      project_id,
      get,
      async getMany<T>(collection: CollectionName, ids: readonly string[]) {
        const missing = ids.filter((id) => overlaid(collection, id) === undefined);
        const found = new Map(
          (missing.length ? await base.getMany<T>(collection, missing) : []).map((d) => [
            d.id,
            remember(collection, d),
          ]),
        );
        return ids.flatMap((id) => overlaid<T>(collection, id) ?? found.get(id) ?? []);
      },
      async find<T>(collection: CollectionName, query: FindQuery) {
        const over = [...staged.values()].filter(
          ({ write }) =>
            write.project_id === project_id && write.collection === collection && write.object === query.object,
        );
        const found = await base.find<T>(collection, {
          ...query,
          limit: Math.min(1_000, query.limit + over.length),
        });
        if (over.length === 0) return found.map((d) => remember(collection, d));
        const ids = new Set(over.map(({ write }) => write.id));
        const merged = found.filter((d) => !ids.has(d.id)).map((d) => remember(collection, d));
        for (const { write, document } of over)
          if (!write.deleted && (await matches(document, query, get))) merged.push(document as Stored<T>);
        const sign = query.order === 'asc' ? 1 : -1;
        return merged.sort((a, b) => sign * compare(a, b)).slice(0, query.limit);
      },
      stage<T extends object>(write: Write<T> & { readonly current?: Stored<T> | undefined }): Stored<T> {
        const { current: given, ...rest } = write;
        const project = write.project_id ?? project_id;
        const key = keyOf(project, write.collection, write.id);
        const before = staged.get(key);
        if (before === undefined && staged.size === MAX_WRITES)
          throw new Error(`one call staged more than ${MAX_WRITES} documents`);
        const current = given ?? read.get(key);
        const isNew = before ? before.isNew : current === undefined && (write.expected ?? 0) === 0;
        const expected = before ? before.write.expected : (write.expected ?? current?.revision ?? 0);
        const document: Stored<T> = {
          id: write.id,
          project_id: project,
          object: write.object,
          hlc: current?.hlc ?? '',
          origin: store.nodeId,
          origin_seq: current?.origin_seq ?? 0,
          created_at: before?.document.created_at ?? current?.created_at ?? now,
          updated_at: now,
          revision: (expected ?? 0) + 1,
          data: write.data,
        };
        staged.set(key, {
          write: {
            ...(rest as unknown as Write),
            project_id: project,
            at: now,
            ...(expected === undefined ? {} : { expected }),
          },
          document: document as unknown as Stored,
          isNew,
        });
        // If a call creates and deletes the same document, write nothing.
        if (write.deleted && isNew) staged.delete(key);
        return document;
      },
    };
  }

  return {
    view(project_id) {
      let view = views.get(project_id);
      if (view === undefined) {
        view = createView(project_id);
        views.set(project_id, view);
      }
      return view;
    },
    writes: () => [...staged.values()].map(({ write }) => write),
  };
}

type Get = (collection: CollectionName, id: string) => Promise<Stored | undefined>;

async function matches(document: Stored, query: FindQuery, get: Get): Promise<boolean> {
  const { after } = query;
  if (after !== undefined) {
    const side = compare(document, after);
    if (query.order === 'asc' ? side <= 0 : side >= 0) return false;
  }
  for (const [path, condition] of Object.entries(query.where ?? {}))
    if (!holds(valueAt(document, path), condition)) return false;
  if (query.live === undefined) return true;
  const live = await get('live', document.id);
  return (
    live !== undefined && Object.entries(query.live).every(([path, condition]) => holds(valueAt(live, path), condition))
  );
}

type Ordered = { readonly created_at: string; readonly id: string };

function compare(a: Ordered, b: Ordered): number {
  if (a.created_at !== b.created_at) return a.created_at < b.created_at ? -1 : 1;
  return a.id === b.id ? 0 : a.id < b.id ? -1 : 1;
}

function valueAt(document: Stored, path: string): unknown {
  let value: unknown = document;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return null;
    value = (value as Record<string, unknown>)[name];
  }
  return value ?? null;
}

function holds(value: unknown, condition: Condition): boolean {
  if (Array.isArray(condition)) return condition.includes(value as Scalar);
  if (typeof condition !== 'object' || condition === null) return value === condition;
  const { gt, gte, lt, lte } = condition as { gt?: Scalar; gte?: Scalar; lt?: Scalar; lte?: Scalar };
  const order = (bound: Scalar) => {
    if (typeof value !== typeof bound || value === null || bound === null) return undefined;
    return (value as string | number) < (bound as string | number) ? -1 : value === bound ? 0 : 1;
  };
  const test = (bound: Scalar | undefined, pass: (side: number) => boolean) => {
    if (bound === undefined) return true;
    const side = order(bound);
    return side !== undefined && pass(side);
  };
  return test(gt, (s) => s > 0) && test(gte, (s) => s >= 0) && test(lt, (s) => s < 0) && test(lte, (s) => s <= 0);
}
