/** Seals history as it is a day from now and prints "+" before each call, to be killed: node history-compaction-child.ts FOLDER */
import { randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import { openStore } from '#store/open-store.ts';
import { createHistoryCompaction } from '#sweeps/history-compaction.ts';

const [folder = ''] = process.argv.slice(2);
const clock = () => Date.now() + 86_400_000;
await using store = await openStore({ folder, clock, random: (n) => new Uint8Array(randomBytes(n)) });
const compaction = createHistoryCompaction({ store, clock, breathe: async () => {}, log: () => {} });
let replaced = 0;
do {
  writeSync(1, '+');
  replaced = await compaction.run();
} while (replaced > 0);
