/**
 * Stores the writes in IndexedDB. A write is safe when its transaction is complete: `durability: 'strict'` makes the browser wait for the
 * disk. Pages over plain HTTP have IndexedDB, and no service worker.
 */
import type { Item } from './item.ts';

const NAME = 'headframe-outbox';
const STORES = ['items', 'photos', 'notes'] as const;
type Name = (typeof STORES)[number];

export const settled = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

function open(): Promise<IDBDatabase> {
  const request = indexedDB.open(NAME, 1);
  request.onupgradeneeded = () => {
    request.result.createObjectStore('items', { keyPath: 'seq', autoIncrement: true });
    request.result.createObjectStore('photos');
    request.result.createObjectStore('notes');
  };
  return settled(request);
}

export type Stores = { readonly [N in Name]: IDBObjectStore };
export type Store = Awaited<ReturnType<typeof openStore>>;

export async function openStore() {
  let db: IDBDatabase | null = null;

  /** Returns the open database. A browser may close it, for example a phone while the page is in the background; then it opens again. */
  async function handle(): Promise<IDBDatabase> {
    if (db !== null) return db;
    const fresh = await open();
    const gone = (): void => {
      if (db === fresh) db = null;
    };
    fresh.onclose = gone;
    // A page with a newer build may need another version of the stores.
    fresh.onversionchange = () => {
      fresh.close();
      gone();
    };
    db = fresh;
    return fresh;
  }

  async function begin(mode: IDBTransactionMode): Promise<IDBTransaction> {
    try {
      return (await handle()).transaction(STORES, mode, { durability: 'strict' });
    } catch (error) {
      if (!(error instanceof DOMException) || error.name !== 'InvalidStateError') throw error;
      db = null;
      return (await handle()).transaction(STORES, mode, { durability: 'strict' });
    }
  }
  await handle();

  /** Runs a transaction over all stores. Resolves when the browser has stored it. `act` must not wait for anything but its requests. */
  async function transact<T>(mode: IDBTransactionMode, act: (stores: Stores) => Promise<T>): Promise<T> {
    const transaction = await begin(mode);
    const stores = Object.fromEntries(STORES.map((name) => [name, transaction.objectStore(name)])) as Stores;
    const done = new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error ?? new Error('the browser did not store this'));
    });
    let result: T;
    try {
      result = await act(stores);
    } catch (error) {
      done.catch(() => undefined);
      try {
        transaction.abort();
      } catch {
        // It has ended already.
      }
      throw error;
    }
    await done;
    return result;
  }

  return {
    transact,
    list: () => transact('readonly', ({ items }) => settled(items.getAll() as IDBRequest<Item[]>)),
    photo: (id: string) =>
      transact('readonly', ({ photos }) => settled(photos.get(id) as IDBRequest<ArrayBuffer | undefined>)),
    note: <T>(name: string) =>
      transact('readonly', ({ notes }) => settled(notes.get(name) as IDBRequest<T | undefined>)),
    setNote: (name: string, value: unknown) =>
      transact('readwrite', async ({ notes }) => void (await settled(notes.put(value, name)))),
  };
}
