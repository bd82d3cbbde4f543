/**
 * Seals history as it is a day from now. It prints a line when the store is open, begins when it reads a byte, and last prints as JSON the
 * number of replaced segments and the error, if there was one: node history-full-child.ts FOLDER
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { StoreError } from '#contract/base/store-error.ts';
import { openStore } from '#store/open-store.ts';
import { createHistoryCompaction } from '#sweeps/history-compaction.ts';

const [folder = ''] = process.argv.slice(2);
const clock = () => Date.now() + 86_400_000;
const random = (n: number) => new Uint8Array(randomBytes(n));
const codeOf = (error: unknown): string => (error instanceof StoreError ? error.code : String(error));
const store = await openStore({ folder, clock, random, onFatal: () => {} });
const compaction = createHistoryCompaction({ store, clock, breathe: async () => {}, log: () => {} });
process.stdout.write('open\n');
await once(process.stdin, 'data');
let replaced = 0;
let error: string | null = null;
for (let some = 1; some > 0; replaced += some)
  some = await compaction.run().catch((failure: unknown) => {
    error = codeOf(failure);
    return 0;
  });
try {
  await store[Symbol.asyncDispose]();
} catch (failure) {
  error ??= codeOf(failure);
}
process.stdout.write(`${JSON.stringify({ replaced, error })}\n`);
process.exit(0);
