/**
 * The RxDB database over the SQLite storage. It has one collection for each name in `COLLECTIONS`. All collections have the same schema.
 */
import { createRxDatabase, type RxCollection, type RxDatabase } from 'rxdb/plugins/core';
import { type Change, COLLECTIONS, type CollectionName, type Stored } from '#contract/base/view.ts';
import { hasBodies, withBytes } from '#store/base/body.ts';
import { toStored } from '#store/base/envelope.ts';
import { COMMIT_CONTEXT } from './commit.ts';
import type { SqliteInstance, SqliteInternals, SqliteOptions } from './instance.ts';
import { ENVELOPE } from './rx-schema.ts';
import type { SqliteStorage } from './storage.ts';

type StoreCollections = Record<CollectionName, RxCollection<Stored>>;
export type StoreDatabase = RxDatabase<StoreCollections, SqliteInternals, SqliteOptions>;

/** Opens the database of a folder. `opened` closes it when it is disposed. */
export async function createDatabase(
  storage: SqliteStorage,
  folder: string,
  opened: AsyncDisposableStack,
): Promise<StoreDatabase> {
  const database: StoreDatabase = await createRxDatabase<StoreCollections, SqliteInternals, SqliteOptions>({
    // The path of the folder makes the name unique, so that one process can open two stores.
    name: `headframe ${folder}`,
    storage,
    multiInstance: false,
    eventReduce: true,
  });
  opened.defer(async () => {
    await database.close();
  });
  await database.addCollections(byCollection(() => ({ schema: ENVELOPE })));
  return database;
}

/** Returns the storage instance of each collection. */
export function instancesOf(
  storage: SqliteStorage,
  databaseName: string,
): Record<CollectionName, SqliteInstance<Stored>> {
  return byCollection((name) => {
    const instance = storage.instance(databaseName, name);
    if (!instance) throw new Error(`collection ${name} is not open`);
    return instance as SqliteInstance<Stored>;
  });
}

/** Emits the changes that RxDB itself writes, for example through replication. */
export function followReplication(
  instances: Record<CollectionName, SqliteInstance<Stored>>,
  emit: (changes: readonly Change[]) => void,
): void {
  for (const collection of COLLECTIONS) {
    instances[collection].changeStream().subscribe(({ context, events }) => {
      // Commits (commit.ts) emit their changes themselves.
      if (context === COMMIT_CONTEXT) return;
      emit(
        events.map(({ operation, documentData }) => ({
          collection,
          operation,
          document: storedOf(collection, documentData as Stored),
        })),
      );
    });
  }
}

/** Returns the envelope and the data of a document that RxDB wrote. */
function storedOf(collection: CollectionName, document: Stored): Stored {
  const stored = toStored(document);
  return hasBodies(collection) ? withBytes(stored) : stored;
}

/** Returns an object with one value for each collection. */
export function byCollection<T>(make: (name: CollectionName) => T): Record<CollectionName, T> {
  return {
    records: make('records'),
    live: make('live'),
    events: make('events'),
    telemetry: make('telemetry'),
    local: make('local'),
  };
}

/** Returns true for the name of one of the five collections. RxDB also has internal collections, for which it returns false. */
export function isCollection(name: string): name is CollectionName {
  return (COLLECTIONS as readonly string[]).includes(name);
}
