/**
 * Reads what the commits of this node wrote to `live` and `telemetry` since the last call, and gives it to the replication: digest items, and
 * rows of the log. These collections are written for each message of a device, so their commits do not pay for the replication. A live
 * document that changed many times since the last call is one row, and a segment of history counts when it is sealed.
 */
import type { CollectionName } from '#contract/base/view.ts';
import { kindOf, type SyncEnv } from '#domain/sync/env.ts';
import { laneOf } from '#domain/sync/lanes.ts';
import { countMade, dropReplaced } from '#domain/sync/ledger.ts';
import { appendRow, lifeOf, storeDoc } from '#domain/sync/node.ts';
import { type Doc, deleteDoc, keyOf, makeDoc } from '#domain/sync/registers/documents.ts';
import type { Edited } from '#domain/sync/registers/edit.ts';
import { DELETED, type Stamp, writeRegister } from '#domain/sync/registers/registers.ts';
import { NO_TIME } from '#store/sqlite/commit.ts';
import type { Row } from '#store/sqlite/row-writer.ts';
import { docOfRow } from './new-docs.ts';
import type { SqliteSyncTx } from './sync-tx.ts';

/** Documents of a row. A page has at least one row, so a row must not be large: a segment of history has some kilobytes. */
const MOST_MEMBERS = 8;

/** True if the replication copies this row: a live document that this node writes, or history that does not change any more. */
function isTaken(env: SyncEnv, collection: CollectionName, row: Row): boolean {
  if (row.hlc.startsWith(NO_TIME)) return false;
  const { whole } = kindOf(env, collection, row.object);
  if (whole === undefined || whole.owner === 'node') return false;
  if (env.role === 'cloud' && whole.direction === 'up') return false;
  if (collection === 'live') return whole.owner === 'machinery';
  return row.object !== 'segment' || (row.data.sealed_hour ?? null) !== null;
}

/** Takes rows of a change feed, in their order. `self`: the origin of the rows that this node wrote. */
export function foldRows(
  tx: SqliteSyncTx,
  env: SyncEnv,
  collection: CollectionName,
  self: string,
  rows: readonly Row[],
): void {
  const life = lifeOf(tx);
  const byLane = new Map<number, Edited[]>();
  for (const row of rows) {
    const edited =
      row.origin === self && isTaken(env, collection, row) ? foldRow(tx, env, collection, row, life) : undefined;
    if (edited === undefined) continue;
    const lane = laneOf([edited.doc]);
    byLane.set(lane, [...(byLane.get(lane) ?? []), edited]);
  }
  const from = tx.node().id;
  for (const [lane, all] of byLane)
    for (let i = 0; i < all.length; i += MOST_MEMBERS) {
      const edits = all.slice(i, i + MOST_MEMBERS);
      const hlc = edits.reduce((newest, { doc }) => later(newest, doc), '');
      appendRow(tx, env, { life, hlc, from, lane }, edits);
      const docs = edits.map(({ doc }) => doc);
      countMade(tx, docs);
      for (const doc of docs) dropReplaced(tx, doc);
    }
}

/** The newest of a time and the times of the values of a document. */
const later = (hlc: string, { registers }: Doc): string =>
  [hlc, ...[...registers.values()].flatMap((register) => register.map((value) => value.hlc))].sort().at(-1) ?? hlc;

/** A document that was deleted before says that it is there again. */
function revive(old: Doc | undefined, made: Doc, stamp: Stamp): Doc {
  const deletions = old?.registers.get(DELETED);
  if (old === undefined || deletions === undefined) return made;
  const kept = old.dead ? writeRegister(DELETED, deletions, null, stamp) : deletions;
  return makeDoc(made, new Map([...made.registers, [DELETED, kept]]), made.rev);
}

function foldRow(
  tx: SqliteSyncTx,
  env: SyncEnv,
  collection: CollectionName,
  row: Row,
  life: string,
): Edited | undefined {
  const key = keyOf({ collection, id: row.id });
  const hlc = row.hlc.slice(0, 16);
  const known = tx.baseOf(key);
  const old = known === undefined ? undefined : tx.get(key);
  if (known !== undefined && (hlc <= known.hlc || collection === 'telemetry')) return undefined;
  if (row._deleted && (old === undefined || old.dead)) return undefined;
  const stamp = { life, hlc };
  const made =
    row._deleted && old !== undefined
      ? deleteDoc(old, stamp)
      : revive(old, docOfRow(env, collection, row, life), stamp);
  tx.give(key, row);
  storeDoc(tx, env, made);
  return { doc: made, paths: [...made.registers.keys()] };
}
