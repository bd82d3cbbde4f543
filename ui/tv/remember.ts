/** The last picture of a share, kept in the browser so that a start without the gateway shows something, with its age. */
import type { LiveSnapshot } from '#contract/site/live.ts';

/** A picture and when it was true. */
export interface Remembered {
  readonly snapshot: LiveSnapshot;
  /** When the gateway was last heard, milliseconds since 1970 on its clock. */
  readonly heard: number;
  /** Gateway's clock minus this screen's. */
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
  // A browser in private mode or with a full disk has no such memory; the screen works without it.
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

/** Keeps one picture, that of this share; the one before is replaced. */
export async function remember(share: string, picture: Remembered): Promise<void> {
  await use('readwrite', (store) => store.put({ share, picture }, 'last'));
}

/** The picture of this share; null when there is none. */
export async function recall(share: string): Promise<Remembered | null> {
  const found: unknown = await use('readonly', (store) => store.get('last'));
  if (typeof found !== 'object' || found === null || !('share' in found) || found.share !== share) return null;
  return 'picture' in found ? (found.picture as Remembered) : null;
}

/** Forgets: the share ended. */
export async function forget(): Promise<void> {
  await use('readwrite', (store) => store.delete('last'));
}
