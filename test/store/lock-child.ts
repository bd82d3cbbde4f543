/** Opens a store and holds it until it is killed: node lock-child.ts FOLDER. Says `open`, or the sentence of a refusal. */
import { randomBytes } from 'node:crypto';
import { StoreError } from '#contract/base/store-error.ts';
import { openStore } from '#store/open-store.ts';

const [folder = ''] = process.argv.slice(2);
try {
  await openStore({ folder, clock: Date.now, random: (n) => randomBytes(n) });
  process.stdout.write('open\n');
  setInterval(() => {}, 1000);
} catch (error) {
  if (!(error instanceof StoreError)) throw error;
  process.stdout.write(`${error.code}\n`);
}
