/**
 * Stores the last snapshot of a share link in IndexedDB. A snapshot is the whole content of the boards at one moment, as the gateway sent
 * it. A TV that starts while the gateway does not answer shows this snapshot and marks it as not live.
 */
import type { LiveSnapshot } from '#contract/site/live.ts';

/** A stored snapshot. Do not rename its properties, because IndexedDB contains objects with these names. */
export interface SavedSnapshot {
  readonly snapshot: LiveSnapshot;
  /** Time of the last message from the gateway, by the gateway's clock, in milliseconds since 1970. */
  readonly heard: number;
  /** The gateway's clock minus the clock of this screen, in milliseconds. */
  readonly offset: number;
}

const NAME = 'headframe-tv';
const STORE = 'last';

function database(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

async function use<T>(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest<T>): Promise<T | null> {
  // IndexedDB fails in a private window or with a full disk. The screen works without a stored snapshot.
  try {
    const db = await database();
    return await new Promise<T>((resolve, reject) => {
      const request = act(db.transaction(STORE, mode).objectStore(STORE));
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    }).finally(() => db.close());
  } catch {
    return null;
  }
}

/** Stores the snapshot of a share link. It replaces the stored snapshot, even if that belongs to another share link. */
export async function saveSnapshot(share: string, picture: SavedSnapshot): Promise<void> {
  await use('readwrite', (store) => store.put({ share, picture }, 'last'));
}

/** Returns the stored snapshot of a share link; null when there is none. */
export async function loadSnapshot(share: string): Promise<SavedSnapshot | null> {
  const found: unknown = await use('readonly', (store) => store.get('last'));
  if (typeof found !== 'object' || found === null || !('share' in found) || found.share !== share) return null;
  return 'picture' in found ? (found.picture as SavedSnapshot) : null;
}

/** Deletes the stored snapshot. */
export async function deleteSnapshot(): Promise<void> {
  await use('readwrite', (store) => store.delete('last'));
}
