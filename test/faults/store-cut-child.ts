/** Commits, stops and starts again, and writes each acknowledged number to a file: node store-cut-child.ts FOLDER COMMITS */
import { randomBytes } from 'node:crypto';
import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openStore } from '#store/open-store.ts';

const [folder = '', count = '40'] = process.argv.slice(2);
const acknowledged = openSync(join(folder, 'acknowledged'), 'a');
let next = 0;

async function commitSome(until: number, view: Awaited<ReturnType<typeof openStore>>['node']): Promise<void> {
  while (next < until) {
    const n = next++;
    const data = { n, pad: 'x'.repeat(300) };
    await view.commit([
      { collection: 'records', id: `r_${n}`, object: 'device', data, expected: 0 },
      { collection: 'live', id: `r_${n}`, object: 'device', data, expected: 0 },
      { collection: 'local', id: 'last', object: 'watermark', data },
    ]);
    writeSync(acknowledged, `${n}\n`);
  }
}

for (let round = 1; round <= 2; round++) {
  await using store = await openStore({ folder, clock: Date.now, random: (n) => randomBytes(n) });
  using other = new DatabaseSync(join(folder, 'store/headframe.db'));
  for (let part = 1; part <= 3; part++) {
    const until = Math.floor((Number(count) * (3 * (round - 1) + part)) / 6);
    await Promise.all([1, 2, 3].map(() => commitSome(until, store.view('prj_crash'))));
    // in the life of a store it comes every 4,000 pages
    other.exec('PRAGMA wal_checkpoint(PASSIVE)');
  }
}
