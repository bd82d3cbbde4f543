/**
 * Makes a project take part in the replication and commits without pause, while older documents are counted. Prints the number of each commit
 * that was acknowledged: node sync-crash-child.ts FOLDER FIRST
 */
import { randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import { openStore } from '#store/open-store.ts';
import { PROJECT } from './sync-kit.ts';

const [folder = '', first = '0'] = process.argv.slice(2);
let next = Number(first);

const store = await openStore({ folder, clock: Date.now, random: (n) => randomBytes(n) });
const view = store.view(PROJECT);

async function commitForEver(): Promise<void> {
  for (;;) {
    const n = next++;
    const labels = { crew: `c${n % 3}` };
    const write = {
      collection: 'records',
      object: 'equipment',
      data: { name: `n${n}`, unit_number: `u${n}`, labels },
    } as const;
    await view.commit([
      { ...write, id: `eq_${n}` },
      { ...write, id: `eq_${n % 50}`, data: { ...write.data, unit_number: `u${n % 50}` } },
      { collection: 'events', id: `evt_${n}`, object: 'event', data: { type: 'note', n }, expected: 0 },
      { collection: 'live', id: `eq_${n % 50}`, object: 'equipment', data: { n } },
    ]);
    writeSync(1, `${n}\n`);
  }
}

async function countForEver(): Promise<void> {
  for (;;) if (!(await store.sync.count(PROJECT))) await new Promise(setImmediate);
}

const commits = Array.from({ length: 4 }, commitForEver);
await store.sync.join(PROJECT);
await Promise.all([...commits, countForEver()]);
