/** Graves: what stays of a deleted document, so that no site can bring it back, however long it was away. */
import { type Doc, toGrave } from './documents.ts';
import type { SyncEnv } from './env.ts';
import { storeDoc } from './node.ts';
import type { SyncTx } from './store.ts';

/** A deleted document keeps its fields for this time. */
const GRAVE_AFTER_MS = 400 * 86_400_000;

/** Turns documents that were deleted long ago into graves. Returns how many. */
export function digGraves(tx: SyncTx, env: SyncEnv): number {
  const old: Doc[] = [];
  for (const key of tx.deadKeys()) {
    const doc = tx.get(key);
    if (doc === undefined) continue;
    if (Number.parseInt(doc.hlc.slice(0, 12), 16) < env.now - GRAVE_AFTER_MS) old.push(doc);
  }
  for (const doc of old) storeDoc(tx, env, toGrave(doc));
  return old.length;
}
