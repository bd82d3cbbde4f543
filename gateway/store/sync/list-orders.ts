/**
 * Earlier versions did not copy the order of lists. After its start, and each hour, a node looks at the records that were changed since it
 * looked before, because an earlier version may have run in between, or another process of this database may still run it. An order that a
 * person wrote there goes to the other end with the time of that write. But an earlier version puts a list in the order of its names when the
 * other end changes the record: such a list gets the order of both ends again.
 */
import { kindOf, type SyncEnv } from '#domain/sync/env.ts';
import { laneOf } from '#domain/sync/lanes.ts';
import { appendRow, lifeOf, storeDoc } from '#domain/sync/node.ts';
import { keyOf, makeDoc } from '#domain/sync/registers/documents.ts';
import { ordersOf } from '#domain/sync/registers/paths.ts';
import { joinRegister, makeValue, type Register, type Stamp } from '#domain/sync/registers/registers.ts';
import { withText } from '#store/base/body.ts';
import type { Row } from '#store/sqlite/row-writer.ts';
import type { SqliteSyncTx } from './sync-tx.ts';

export function settleOrders(tx: SqliteSyncTx, env: SyncEnv, row: Row): void {
  const { data } = withText(row);
  if (row._deleted || !Object.values(data).some((list) => Array.isArray(list) && list.length > 1)) return;
  const key = keyOf({ collection: 'records', id: row.id });
  const old = tx.get(key);
  if (old === undefined) return;
  const kind = kindOf(env, 'records', row.object);
  const orders = ordersOf(kind, data, old.registers);
  if (orders.length === 0) return;
  const stamp: Stamp = { life: lifeOf(tx), hlc: row.hlc.slice(0, 16) };
  const registers = new Map<string, Register>(old.registers);
  for (const [path, names] of orders) {
    if (names.length === 0) continue;
    const value = [makeValue(path, names, stamp)];
    registers.set(path, joinRegister(path, registers.get(path) ?? value, value));
  }
  const isAsShown = ordersOf(kind, data, registers).length === 0;
  const doc = makeDoc(old, registers, isAsShown ? old.rev : old.rev + 1);
  if (isAsShown) tx.give(key, row);
  storeDoc(tx, env, doc);
  const paths = orders.flatMap(([path]) => (registers.get(path) === old.registers.get(path) ? [] : [path]));
  if (paths.length > 0) appendRow(tx, env, { ...stamp, from: tx.node().id, lane: laneOf([doc]) }, [{ doc, paths }]);
}
