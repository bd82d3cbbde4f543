/** The tables of the replication in a SQLite file. A database without a project that takes part has no table for it. */
import { NODE_PROJECT } from '#contract/base/view.ts';
import type { Connection } from '#store/sqlite/connection.ts';
import { Replica, type ReplicaOptions } from './replica.ts';
import { TABLES } from './tables.ts';

/** The incarnation of the database that the lives of this node belong to. */
const INCARNATION_KEY = 'sync_incarnation';

export interface SqliteReplicaOptions extends ReplicaOptions {
  readonly connection: Connection;
  /** Called when a project takes part, before the database has tables for it. */
  readonly beforeFirst: () => void;
}

export class SqliteReplica extends Replica<SqliteReplicaOptions> {
  /** Reads which projects take part. If commits were lost since the last time, a new life begins in each of them. */
  async prepare(): Promise<void> {
    const { connection, incarnation, beforeFirst } = this.options;
    const sql = "SELECT 1 FROM sqlite_schema WHERE type='table' AND name='sync_projects'";
    if ((await connection.read((read) => read.get(sql))) === undefined) return;
    beforeFirst();
    await this.transact('', 0, (merged, env) => {
      for (const sql of TABLES) connection.execute(sql);
      this.known.load(connection);
      if (connection.getMeta(INCARNATION_KEY) === incarnation.token) return;
      for (const project of this.known.names) this.beginNewLife(project, env, merged);
      connection.setMeta(INCARNATION_KEY, incarnation.token);
    });
  }

  override async join(project: string): Promise<void> {
    if (project !== NODE_PROJECT) this.options.beforeFirst();
    await super.join(project);
  }

  protected override addTables(): void {
    const { connection, incarnation } = this.options;
    for (const sql of TABLES) connection.execute(sql);
    connection.setMeta(INCARNATION_KEY, incarnation.token);
  }
}
