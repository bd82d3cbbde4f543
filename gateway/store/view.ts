/** Reads and writes of one project, straight from stored JSON; a view cannot see or touch another project's documents. */
import type { Change, CollectionName, FindQuery, Stored, View } from '#contract/base/view.ts';
import type { Connection, Reader, Row } from '#store/sqlite/connection.ts';
import type { Table } from '#store/sqlite/table.ts';
import { textKey } from '#store/sqlite/text-key.ts';
import { type ProjectWrite, toStored } from './commit.ts';
import { type FindContext, runFind } from './find.ts';

export type Listener = (changes: readonly Change[]) => void;

export interface ViewSource {
  readonly connection: Connection;
  readonly tables: Readonly<Record<CollectionName, Table>>;
  commit(writes: readonly ProjectWrite[]): Promise<Stored[]>;
  changes(listener: Listener): () => void;
}

/** Ids looked up in one statement. */
const MAX_IDS = 500;

/** The view of one project. */
export function createView(source: ViewSource, project_id: string): View {
  const { connection, tables } = source;
  return {
    project_id,
    get<T>(collection: CollectionName, id: string): Promise<Stored<T> | undefined> {
      const sql = `SELECT data, sum FROM ${tables[collection].name} WHERE id=? AND del=0`;
      return connection.read((read) => {
        const row = read.get(sql, textKey(id));
        const document = row && parse<T>(connection, row[0], row[1]);
        return document?.project_id === project_id ? document : undefined;
      });
    },
    async getMany<T>(collection: CollectionName, ids: readonly string[]): Promise<Stored<T>[]> {
      const found = new Map<string, Stored<T>>();
      for (let from = 0; from < ids.length; from += MAX_IDS) {
        const some = ids.slice(from, from + MAX_IDS);
        for (const [data, checksum] of await connection.read((read) => readMany(read, tables[collection], some))) {
          const document = parse<T>(connection, data, checksum);
          if (document.project_id === project_id) found.set(document.id, document);
        }
      }
      return ids.map((id) => found.get(id)).filter((document) => document !== undefined);
    },
    find: (collection, query) => findIn(source, collection, project_id, query),
    async commit(writes) {
      for (const write of writes) {
        if (write.project_id !== undefined && write.project_id !== project_id) {
          throw new RangeError(`${write.id} is of project ${write.project_id}, this view is of ${project_id}`);
        }
      }
      return source.commit(writes.map((write) => ({ ...write, project_id })));
    },
    changes: (listener) =>
      source.changes((changes) => {
        const own = changes.filter(({ document }) => document.project_id === project_id);
        if (own.length > 0) listener(own);
      }),
  };
}

/** Lists documents of one project, or of all when `project` is null. */
export async function findIn<T>(
  source: ViewSource,
  collection: CollectionName,
  project: string | null,
  query: FindQuery,
): Promise<Stored<T>[]> {
  const { connection, tables } = source;
  const read: FindContext['read'] = (run, cost) => connection.read(run, cost);
  const found = await runFind({ read, collection, table: tables[collection], live: tables.live, project }, query);
  return found.map(([data, checksum]) => parse<T>(connection, data, checksum));
}

function readMany(read: Reader, table: Table, ids: readonly string[]): Row[] {
  const sql = `SELECT data, sum FROM ${table.name} WHERE id IN (SELECT value FROM json_each(?)) AND del=0`;
  return read.all(sql, JSON.stringify(ids.map(textKey)));
}

function parse<T>(connection: Connection, data: unknown, checksum: unknown): Stored<T> {
  return toStored<T>(connection.parse(data, checksum));
}
