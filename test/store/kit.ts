/** What store tests share: a folder that goes away, a clock and randomness that a test holds in its hand. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Write } from '#contract/base/view.ts';
import { type FileStore, openStore, type StoreOptions } from '#store/open-store.ts';

/** A temporary folder, removed when disposed. */
export function temporaryFolder(): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'headframe-store-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** Settings with a clock at 2026-01-01 that moves only when told, and randomness that counts. */
export function settings(folder: string): StoreOptions & { time: number } {
  let count = 0;
  const options = {
    folder,
    time: Date.UTC(2026, 0, 1),
    clock: (): number => options.time,
    random: (n: number): Uint8Array => new Uint8Array(n).fill(++count),
  };
  return options;
}

/** An open store in a folder of its own, and the settings it was opened with. */
export async function temporaryStore(): Promise<
  { readonly store: FileStore; readonly options: ReturnType<typeof settings> } & AsyncDisposable
> {
  const folder = temporaryFolder();
  const options = settings(folder.path);
  const store = await openStore(options);
  return {
    store,
    options,
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

/** A write of a device record. */
export function device(id: string, data: Record<string, unknown> = {}, expected?: number): Write {
  return { collection: 'records', id, object: 'device', data, ...(expected === undefined ? {} : { expected }) };
}
