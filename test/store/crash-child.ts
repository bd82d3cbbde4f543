/** Commits without pause and prints the number of each commit that was acknowledged: node crash-child.ts FOLDER FIRST */
import { randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import { StoreError } from '#contract/base/store-error.ts';
import { openStore } from '#store/open-store.ts';

const [folder = '', first = '0'] = process.argv.slice(2);
let next = Number(first);

async function commitForEver(): Promise<void> {
  for (;;) {
    const n = next++;
    const data = { n, pad: 'x'.repeat(300) };
    await store.view('prj_crash').commit([
      { collection: 'records', id: `r_${n}`, object: 'device', data, expected: 0 },
      { collection: 'live', id: `r_${n}`, object: 'device', data, expected: 0 },
      { collection: 'local', id: 'last', object: 'watermark', data },
      { collection: 'events', id: `a_${n}`, object: 'audit', data: { n }, expected: 0 },
    ]);
    writeSync(1, `${n}\n`);
  }
}

const store = await openStore({ folder, clock: Date.now, random: (n) => randomBytes(n) }).catch((error: unknown) => {
  process.stderr.write(`${error instanceof StoreError ? error.message : String(error)}\n`);
  process.exit(1);
});
await Promise.all(Array.from({ length: 8 }, commitForEver));
