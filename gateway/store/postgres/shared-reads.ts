/** Reads of single documents. Those of one project and collection that wait at the same time share a statement. */
import { StoreError } from '#contract/base/store-error.ts';
import type { CollectionName } from '#contract/base/view.ts';

/** The most documents of one statement, so that its answer stays small: a document may be large. */
const MOST_SHARED = 50;

/** Reads documents of a project by id. */
type Read<Row> = (
  project: string,
  collection: CollectionName,
  ids: readonly string[],
) => Promise<ReadonlyMap<string, Row>>;

export class SharedReads<Row> {
  readonly #read: Read<Row>;
  /** The reads that wait, by collection and project and then by id. A group is here while a statement of it runs. */
  readonly #waiting = new Map<string, Map<string, PromiseWithResolvers<Row | undefined>>>();

  constructor(read: Read<Row>) {
    this.#read = read;
  }

  /** Returns a row as it is after this call; undefined if there is none. */
  get(project: string, collection: CollectionName, id: string): Promise<Row | undefined> {
    const name = `${collection} ${project}`;
    const running = this.#waiting.get(name);
    const group = running ?? new Map<string, PromiseWithResolvers<Row | undefined>>();
    const one = group.get(id) ?? Promise.withResolvers<Row | undefined>();
    group.set(id, one);
    if (running === undefined) {
      this.#waiting.set(name, group);
      void this.#run(name, project, collection, group);
    }
    return one.promise;
  }

  async #run(
    name: string,
    project: string,
    collection: CollectionName,
    group: Map<string, PromiseWithResolvers<Row | undefined>>,
  ): Promise<void> {
    while (group.size > 0) {
      const some = [...group].slice(0, MOST_SHARED);
      // A read of one of these ids that comes while the statement runs waits for the next one: this one may not see what it must see.
      for (const [id] of some) group.delete(id);
      try {
        const rows = await this.#read(
          project,
          collection,
          some.map(([id]) => id),
        );
        for (const [id, { resolve }] of some) resolve(rows.get(id));
      } catch (error) {
        for (const [, { reject }] of some) reject(error);
        // The statement has waited for the server as long as a call may. The calls that came meanwhile must not wait so long again.
        if (!(error instanceof StoreError && error.code === 'database_away')) continue;
        for (const { reject } of group.values()) reject(error);
        group.clear();
      }
    }
    this.#waiting.delete(name);
  }
}
