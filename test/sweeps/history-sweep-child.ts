/**
 * Deletes history and prints "+" before each call of the sweep, to be killed: node history-sweep-child.ts FOLDER [SHARES]
 *
 * Without SHARES it deletes what is too old 430 days from now. SHARES are two shares of a disk of 1 TB in percent, as JSON: of samples and of
 * rollups. Then it deletes only because of these shares.
 */
import { randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import { openStore } from '#store/open-store.ts';
import { createHistorySweep } from '#sweeps/history-sweep.ts';

const [folder = '', shares] = process.argv.slice(2);
const [percent, rollupPercent] = shares === undefined ? [60, 10] : (JSON.parse(shares) as [number, number]);
const clock = () => Date.now() + 430 * 86_400_000;
await using store = await openStore({ folder, clock, random: (n) => new Uint8Array(randomBytes(n)) });
const sweep = createHistorySweep({
  store,
  clock,
  agesKnown: () => shares === undefined,
  days: 400,
  rollupDays: 400,
  percent,
  rollupPercent,
  bytes: shares === undefined ? null : 1e12,
  disk: () => (shares === undefined ? null : 1e12),
});
let removed = 0;
do {
  writeSync(1, '+');
  removed = await sweep.run();
} while (removed > 0);
