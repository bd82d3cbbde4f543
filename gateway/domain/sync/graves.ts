/** Graves: what stays of a deleted document, so that no site can bring it back, however long it was away. */

import { toGrave } from '#domain/sync/registers/documents.ts';
import { formatTime } from '#store/base/hlc.ts';
import type { SyncEnv } from './env.ts';
import { storeDoc } from './node.ts';
import type { SyncTx } from './store.ts';

/** A deleted document keeps its fields for this time. */
const GRAVE_AFTER_MS = 400 * 86_400_000;

/** Deleted documents that one step reads. */
const STEP = 100;

export interface Dug {
  readonly graves: number;
  /** The last document that was read; undefined if there are no more. */
  readonly last: string | undefined;
}

/** Turns documents that were deleted long ago into graves: the ones after `after`, in the order of their keys, as many as one step reads. */
export function digGraves(tx: SyncTx, env: SyncEnv, after = ''): Dug {
  const until = formatTime({ ms: Math.max(0, env.now - GRAVE_AFTER_MS), counter: 0 });
  const keys = tx.deadKeys(until, after, STEP);
  let graves = 0;
  for (const key of keys) {
    const doc = tx.get(key);
    if (doc === undefined || doc.hlc >= until) continue;
    storeDoc(tx, env, toGrave(doc));
    graves++;
  }
  return { graves, last: keys.length < STEP ? undefined : keys.at(-1) };
}
