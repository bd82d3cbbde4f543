/**
 * Earlier versions did not copy the order of lists. After an update a node looks once at the records of each project: an order that a person
 * wrote here goes to the other end, and an order that the other end gave before the update is shown. Both have the time of their author.
 */
import { kindOf, type SyncEnv } from '#domain/sync/env.ts';
import { laneOf } from '#domain/sync/lanes.ts';
import { appendRow, lifeOf, storeDoc } from '#domain/sync/node.ts';
import { keyOf, makeDoc } from '#domain/sync/registers/documents.ts';
import { ordersOf } from '#domain/sync/registers/paths.ts';
import { makeValue, type Register, type Stamp } from '#domain/sync/registers/registers.ts';
import { withText } from '#store/base/body.ts';
import type { Row } from '#store/sqlite/row-writer.ts';
import type { SqliteSyncTx } from './sync-tx.ts';

export function settleOrders(tx: SqliteSyncTx, env: SyncEnv, row: Row): void {
  const key = keyOf({ collection: 'records', id: row.id });
  const old = row._deleted ? undefined : tx.get(key);
  if (old === undefined) return;
  const orders = ordersOf(kindOf(env, 'records', row.object), withText(row).data, old.registers);
  if (orders.length === 0) return;
  const own = orders.filter(([path]) => !old.registers.has(path));
  const stamp: Stamp = { life: lifeOf(tx), hlc: row.hlc.slice(0, 16) };
  const registers = new Map<string, Register>(old.registers);
  for (const [path, v] of own) registers.set(path, [makeValue(path, v, stamp)]);
  const isAsShown = own.length === orders.length;
  const doc = makeDoc(old, registers, isAsShown ? old.rev : old.rev + 1);
  if (isAsShown) tx.give(key, row);
  storeDoc(tx, env, doc);
  if (own.length > 0)
    appendRow(tx, env, { ...stamp, from: tx.node().id, lane: laneOf([doc]) }, [
      { doc, paths: own.map(([path]) => path) },
    ]);
}
