/**
 * The parts of a gateway that write to its folder, under way or coming back: node gateway-cut-child.ts FOLDER life|recover
 *
 * `life` opens everything twice, sends numbered messages, commits, puts artifacts and makes backups; each acknowledgement, and each
 * message before it is sent, is a line in `acknowledged`. `recover` opens what is there, folds it and stops.
 */
import { createHash, randomBytes } from 'node:crypto';
import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { openSealer } from '#gateway/sealer.ts';
import { openArtifacts } from '#store/artifacts.ts';
import { startBackups } from '#store/file/backup.ts';
import { DEVICE, drained, linkDevice, message, openGateway, PROJECT } from './gateway-cut-parts.ts';

const [folder = '', mode = 'life'] = process.argv.slice(2);
const MESSAGES = 60;

if (mode === 'recover') {
  await using gateway = await openGateway(folder);
  await openArtifacts(folder);
  openSealer(folder);
  await drained(gateway.ingest);
} else {
  const acknowledged = openSync(join(folder, 'acknowledged'), 'a');
  const tell = (line: string): void => void writeSync(acknowledged, `${line}\n`);
  let next = 1;
  for (let round = 1; round <= 2; round++) {
    const sealer = openSealer(folder);
    tell(`k ${createHash('sha256').update(sealer.key).digest('hex')}`);
    await using gateway = await openGateway(folder);
    const { store, ingest } = gateway;
    if (round === 1) await linkDevice(store);
    const artifacts = await openArtifacts(folder);
    await using backups = startBackups({ folder, clock: Date.now, log: () => {} });
    using other = new DatabaseSync(join(folder, 'store/headframe.db'));
    for (const until = round * MESSAGES; next <= until; ) {
      const group = Array.from({ length: 4 }, () => next++);
      await Promise.all(
        group.map((n) => {
          tell(`s ${n}`);
          return ingest.accept({ ...DEVICE, ...message(n) }).then(() => tell(`m ${n}`));
        }),
      );
      const n = group[0] ?? 0;
      const data = { n, pad: 'x'.repeat(300) };
      await store.view(PROJECT).commit([
        { collection: 'records', id: `r_${n}`, object: 'location', data, expected: 0 },
        { collection: 'live', id: `r_${n}`, object: 'location', data, expected: 0 },
      ]);
      tell(`c ${n}`);
      if (n % 8 === 5) tell(`a ${(await artifacts.put([randomBytes(3000 + n), randomBytes(900)])).sha256}`);
      if (n % 20 === 17) {
        // in the life of a store it comes every 4,000 pages
        other.exec('PRAGMA wal_checkpoint(PASSIVE)');
        await wait(250);
      }
      if (n % 40 === 37) {
        await backups.now();
        tell('b 1');
      }
    }
  }
}
