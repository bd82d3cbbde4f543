/**
 * Opens a folder of an earlier layout and commits without pause while the store migrates it, to be killed: node migration-child.ts FOLDER
 * FIRST. Prints "+" before it opens the folder, and then the number of each acknowledged commit on its own line.
 */
import { randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { openStore } from '#store/open-store.ts';

const [folder = '', first = '0'] = process.argv.slice(2);
writeSync(1, '+\n');
await using store = await openStore({ folder, clock: Date.now, random: (n) => new Uint8Array(randomBytes(n)) });
for (let n = Number(first); ; n++) {
  // Changes a document that the migration visits, and adds one that it does not need to visit.
  const data = { n };
  await store.view('prj_a').commit([
    { collection: 'records', id: `old_${n % 2500}`, object: 'device', data },
    { collection: 'records', id: `new_${n}`, object: 'device', data },
  ]);
  writeSync(1, `${n}\n`);
  await sleep(5);
}
