/** The RxStorage over node:sqlite: one file for each RxDB database, and one table for each collection and schema version. */
import {
  addRxStorageMultiInstanceSupport,
  ensureRxStorageInstanceParamsAreCorrect,
  getPrimaryFieldOfPrimaryKey,
  RXDB_VERSION,
  type RxDocumentData,
  type RxJsonSchema,
  type RxStorage,
  type RxStorageInstanceCreationParams,
} from 'rxdb/plugins/core';
import type { IndexSpec } from './columns.ts';
import { Connection } from './connection.ts';
import { SqliteInstance, type SqliteInternals, type SqliteOptions } from './instance.ts';
import type { ConnectionOptions } from './open-file.ts';
import { Table } from './table.ts';

export interface SqliteStorageOptions {
  /** Returns the path of the file of the RxDB database with this name. */
  readonly file: (databaseName: string) => string;
  readonly clock: () => number;
  /**
   * Returns the indexes that a collection needs besides the indexes of its schema. The open creates missing indexes and drops all other
   * indexes.
   */
  readonly indexes?: (collectionName: string) => readonly IndexSpec[];
  /** Returns further fields of this collection that have a column. They have no index. */
  readonly columns?: (collectionName: string) => readonly string[];
  /** Returns the path of a field of this collection. Each value of the field, such as a project id, then has its own change feed. */
  readonly partBy?: (collectionName: string) => string | undefined;
  /** Returns true if documents of this collection may have bytes, see `store/base/body.ts`. */
  readonly hasBodies?: (collectionName: string) => boolean;
  /** Options and callbacks for each file. */
  readonly connection?: ConnectionOptions;
}

export interface SqliteStorage extends RxStorage<SqliteInternals, SqliteOptions> {
  /** Returns the connection of this database; undefined while no instance is open. */
  connection(databaseName: string): Connection | undefined;
  /** Returns the open instance of a collection; undefined while none is open. */
  instance(databaseName: string, collectionName: string): SqliteInstance<unknown> | undefined;
}

interface Shared {
  readonly connection: Connection;
  references: number;
}

/**
 * Creates a storage. It opens the file of a database when the first instance (collection) of the database opens, and closes the file with
 * the last instance.
 */
export function createSqliteStorage(options: SqliteStorageOptions): SqliteStorage {
  const files = new Map<string, Shared>();
  const instances = new Map<string, SqliteInstance<unknown>>();
  const key = (databaseName: string, collectionName: string): string => `${databaseName}/${collectionName}`;

  async function release(path: string): Promise<void> {
    const shared = files.get(path);
    if (!shared || --shared.references > 0) return;
    files.delete(path);
    await shared.connection.close();
  }

  async function createStorageInstance<T>(
    params: RxStorageInstanceCreationParams<T, SqliteOptions>,
  ): Promise<SqliteInstance<T>> {
    ensureRxStorageInstanceParamsAreCorrect(params);
    const path = options.file(params.databaseName);
    const shared = files.get(path) ?? {
      connection: new Connection(path, options.connection),
      references: 0,
    };
    files.set(path, shared);
    shared.references++;
    const { connection } = shared;
    const table = new Table(
      `${params.collectionName}_${params.schema.version}`,
      getPrimaryFieldOfPrimaryKey(params.schema.primaryKey),
      params.schema as RxJsonSchema<RxDocumentData<unknown>>,
      options.indexes?.(params.collectionName) ?? [],
      {
        columns: options.columns?.(params.collectionName) ?? [],
        partPath: options.partBy?.(params.collectionName),
        hasBodies: options.hasBodies?.(params.collectionName) === true,
      },
    );
    try {
      await connection.write({ rows: 0, run: () => table.prepare(connection) });
    } catch (error) {
      await release(path);
      throw error;
    }
    const name = key(params.databaseName, params.collectionName);
    const instance = new SqliteInstance<T>(params, { connection, table }, options.clock, async () => {
      if (instances.get(name) === instance) instances.delete(name);
      await release(path);
    });
    instances.set(name, instance as SqliteInstance<unknown>);
    addRxStorageMultiInstanceSupport(storage.name, params, instance);
    return instance;
  }

  const storage: SqliteStorage = {
    name: 'headframe-sqlite',
    rxdbVersion: RXDB_VERSION,
    createStorageInstance,
    connection: (databaseName) => files.get(options.file(databaseName))?.connection,
    instance: (databaseName, collectionName) => instances.get(key(databaseName, collectionName)),
  };
  return storage;
}
