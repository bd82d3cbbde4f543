/** Stores history, deletes the oldest and makes backups without an end, to be killed: node packs-child.ts FOLDER */
import { randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import { startBackups } from '#store/file/backup.ts';
import { openStore } from '#store/open-store.ts';
import { sealed } from './history-documents.ts';

const [folder = ''] = process.argv.slice(2);
const KEEP = 40;
await using store = await openStore({ folder, clock: Date.now, random: (n) => new Uint8Array(randomBytes(n)) });
await using backups = startBackups({ folder, clock: Date.now, log: () => {} });
const last = await store.view('prj_a').get<{ n: number }>('records', 'last');
for (let n = (last?.data.n ?? 0) + 7; ; n += 7) {
  const added = Array.from({ length: 7 }, (_, i) => sealed(n - i));
  const record = { collection: 'records', id: 'last', object: 'device', project_id: 'prj_a', data: { n } } as const;
  const gone = Array.from({ length: 7 }, (_, i) => sealed(n - KEEP - i).id);
  await store.erase('telemetry', gone, [...added, record]);
  writeSync(1, '+');
  await backups.now();
}
