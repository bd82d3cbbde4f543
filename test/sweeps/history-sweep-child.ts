/** Deletes history 401 days from now and prints "+" before each call of the sweep, to be killed: node history-sweep-child.ts FOLDER */
import { randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import { openStore } from '#store/open-store.ts';
import { createHistorySweep } from '#sweeps/history-sweep.ts';

const [folder = ''] = process.argv.slice(2);
const clock = () => Date.now() + 401 * 86_400_000;
await using store = await openStore({ folder, clock, random: (n) => new Uint8Array(randomBytes(n)) });
const sweep = createHistorySweep({
  store,
  clock,
  agesKnown: () => true,
  days: 400,
  rollupDays: 400,
  percent: 60,
  rollupPercent: 10,
  bytes: null,
  disk: () => null,
});
let removed = 0;
do {
  writeSync(1, '+');
  removed = await sweep.run();
} while (removed > 0);
