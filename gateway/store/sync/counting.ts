/**
 * Counts the documents of a project: gives those that were there before the project took part to the replication, and reads what commits
 * wrote to `live` and `telemetry`. Each step reads some rows of a change feed in one transaction and stores how far it came, so it goes on
 * there after a stop at any moment.
 */
import { COLLECTIONS, type CollectionName } from '#contract/base/view.ts';
import { kindOf, type SyncEnv } from '#domain/sync/env.ts';
import { lifeOf, storeDoc } from '#domain/sync/node.ts';
import { keyOf } from '#domain/sync/registers/documents.ts';
import { withBytes } from '#store/base/body.ts';
import type { Row } from '#store/sqlite/row-writer.ts';
import type { Reader, RowDb } from '#store/sqlite/rows.ts';
import type { Table } from '#store/sqlite/table.ts';
import { foldRows } from './fold.ts';
import { settleOrders } from './list-orders.ts';
import { docOfRow, isFolded } from './new-docs.ts';
import { readWork, writeWork } from './projects.ts';
import type { SqliteSyncTx } from './sync-tx.ts';

/** The rows of one step take about 10 ms. */
export const STEP_ROWS = 100;
/** How far the orders of lists are settled stands beside the collections. */
const ORDERS = 'orders';

export interface CountOptions {
  readonly connection: RowDb;
  readonly table: (collection: CollectionName) => Table;
  /** Origin of the rows that this node writes. */
  readonly self: string;
  readonly project: string;
  readonly p: number;
  /** True if this process has looked at the orders of all lists a short time ago. */
  readonly isLooked: boolean;
}

/** Makes one step. Returns true if there may be more to count. */
export function countStep(options: CountOptions, tx: SqliteSyncTx, env: SyncEnv): boolean {
  const { connection, p, project, table, isLooked } = options;
  const work = readWork(connection, p);
  const read: Reader = {
    all: (sql, ...values) => connection.peekAll(sql, ...values),
    get: (sql, ...values) => connection.peek(sql, ...values),
  };
  const feed = (collection: CollectionName, from: number): { readonly rows: Row[]; readonly last?: number } => {
    const found = table(collection).feed(read, project, from, STEP_ROWS);
    const rows = found.map(([, data, sum, body]) => withBytes(connection.parse<Row>(data, sum, body)));
    const [last] = found.at(-1) ?? [];
    return last === undefined ? { rows } : { rows, last: Number(last) };
  };
  for (const collection of COLLECTIONS) {
    if (collection === 'local' || (work.isCounted && !isFolded(collection))) continue;
    // Head office makes no history of its own, and that of its sites is nearly all bytes of a project.
    if (env.role === 'cloud' && isFolded(collection) && env.ownership.isOnlyUp(collection)) continue;
    const from = work.done[collection] ?? 0;
    const { rows, last } = feed(collection, from);
    if (last === undefined) continue;
    if (isFolded(collection)) foldRows(tx, env, collection, options.self, rows);
    else for (const row of rows) countRow(tx, env, collection, row);
    writeWork(connection, p, { ...work, done: { ...work.done, [collection]: last } });
    return true;
  }
  if (!work.isCounted) writeWork(connection, p, { ...work, isCounted: true });
  if (isLooked) return false;
  // This version wrote the orders of what it counted when the project joined. An earlier version may have changed any record since the last look.
  const counted = work.isOrdered === true ? work.done.records : undefined;
  const { rows, last } = feed('records', work.done[ORDERS] ?? counted ?? 0);
  if (last === undefined) return false;
  for (const row of rows) settleOrders(tx, env, row);
  writeWork(connection, p, { ...work, isCounted: true, done: { ...work.done, [ORDERS]: last } });
  return true;
}

/** Gives a row to the replication, if it does not know it yet. */
export function countRow(tx: SqliteSyncTx, env: SyncEnv, collection: CollectionName, row: Row): void {
  const key = keyOf({ collection, id: row.id });
  if (row._deleted || tx.baseOf(key) !== undefined) return;
  if (kindOf(env, collection, row.object).whole?.owner === 'node') return;
  tx.give(key, row);
  storeDoc(tx, env, docOfRow(env, collection, row, lifeOf(tx)));
}
