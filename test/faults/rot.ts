/**
 * Rot: random bytes over a database or its log, of a killed gateway that has a backup. What do starts make of it?
 *
 *   folder of a killed gateway -> 16 random bytes at a random place -> starts as a supervisor would make them -> every document read
 *
 * `node test/faults/rot.ts [TRIALS] [SEED]` prints how many were unharmed, left to the next backup's check, recovered (and told), refused, unnoticed (a document is not
 * what it was and nobody is told) or without end (a start crashed three times); exits with 1 for the last two, and for a lost message.
 */
import { closeSync, cpSync, existsSync, mkdirSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBackups } from '#store/backup.ts';
import { inspectFile } from '#store/inspect.ts';
import { StoreError } from '#store/store-error.ts';
import { walk } from '#store/walk.ts';
import { randomFrom } from './crash-disk.ts';
import {
  DEVICE,
  drained,
  EPOCH_S,
  HOUR,
  linkDevice,
  MACHINE,
  message,
  openGateway,
  PROJECT,
} from './gateway-cut-parts.ts';

const BYTES = 16;
const DOCUMENTS = 150;
const STARTS = 3;
const OUTCOMES = [
  'unharmed',
  'left to a backup',
  'recovered',
  'refused',
  'unnoticed',
  'without end',
  'message lost',
] as const;
type Outcome = (typeof OUTCOMES)[number];

const trials = Number(process.argv[2] ?? 200);
const random = randomFrom(Number(process.argv[3] ?? 1));
const base = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'headframe-rot-'));

/** A folder as kill -9 leaves it: half of the documents in the file and in a backup, the others in the log. */
async function build(folder: string): Promise<void> {
  const running = join(base, 'running');
  mkdirSync(running);
  const write = async (from: number, to: number, end: () => Promise<void> | void): Promise<void> => {
    await using gateway = await openGateway(running);
    const { store, ingest } = gateway;
    if (from === 1) await linkDevice(store);
    for (let n = from; n <= to; n++) {
      await ingest.accept({ ...DEVICE, ...message(n) });
      const data = { n, pad: 'x'.repeat(300) };
      await store.view(PROJECT).commit([{ collection: 'records', id: `r_${n}`, object: 'location', data }]);
    }
    await drained(ingest);
    await end();
  };
  await write(1, DOCUMENTS / 2, async () => {
    await using backups = startBackups({ folder: running, clock: Date.now, log: () => {} });
    await backups.now();
  });
  await write(DOCUMENTS / 2 + 1, DOCUMENTS, () => cpSync(running, folder, { recursive: true }));
}

function rot(file: string): void {
  const handle = openSync(file, 'r+');
  const bytes = Buffer.from(Array.from({ length: BYTES }, () => random() * 256));
  writeSync(handle, bytes, 0, BYTES, Math.floor(random() * (statSync(file).size - BYTES)));
  closeSync(handle);
}

/** One start, and everything read. */
async function look(folder: string): Promise<Outcome> {
  await using gateway = await openGateway(folder, true);
  const { store, ingest } = gateway;
  await drained(ingest);
  const { v } = await ingest.history(MACHINE, 'engine.hours', EPOCH_S * 1000, (EPOCH_S + 100_000) * 1000);
  if (new Set(v.map((hours) => Math.round(hours / HOUR))).size !== DOCUMENTS) return 'message lost';
  const told = store.problems().some(({ code }) => code === 'records_lost');
  for (let n = 1; n <= DOCUMENTS; n++) {
    const found = await store.view(PROJECT).get<{ n: number; pad: string }>('records', `r_${n}`);
    const whole = found?.data.n === n && found.data.pad === 'x'.repeat(300);
    if (!whole && !(told && found === undefined)) return 'unnoticed';
  }
  // lists and the feed go by other indexes
  const listed: string[] = [];
  for await (const { id } of walk(store.view(PROJECT), 'records', { object: 'location' })) listed.push(id);
  const { entries } = await store.feed(PROJECT, 'records', 0, 1000);
  const fed = entries.filter(({ document }) => document.object === 'location');
  if (new Set(listed).size !== listed.length || (!told && listed.length !== DOCUMENTS)) return 'unnoticed';
  if (fed.length !== listed.length) return 'unnoticed';
  if (told) return 'recovered';
  // what nobody read: the next backup looks at all of it
  return inspectFile(join(folder, 'store/headframe.db')).damage.length > 0 ? 'left to a backup' : 'unharmed';
}

async function judge(folder: string): Promise<Outcome> {
  for (let start = 1; start <= STARTS; start++) {
    try {
      return await look(folder);
    } catch (error) {
      // what a start refuses with a sentence, the supervisor does not try again
      if (error instanceof StoreError && error.code === 'corrupt' && !existsSync(join(folder, 'store/damage.json')))
        return 'refused';
    }
  }
  return 'without end';
}

const counts = new Map<string, number>();
try {
  const origin = join(base, 'origin');
  await build(origin);
  for (let trial = 0; trial < trials; trial++) {
    const folder = join(base, 'trial');
    cpSync(origin, folder, { recursive: true });
    const where = trial % 2 === 0 ? 'database' : 'log';
    rot(join(folder, 'store', where === 'log' ? 'headframe.db-wal' : 'headframe.db'));
    rmSync(join(folder, 'store/headframe.db-shm'));
    const outcome = await judge(folder);
    counts.set(`${where}, ${outcome}`, (counts.get(`${where}, ${outcome}`) ?? 0) + 1);
    rmSync(folder, { recursive: true, force: true });
  }
} finally {
  rmSync(base, { recursive: true, force: true });
}
for (const where of ['database', 'log'])
  process.stdout.write(
    `${where}: ${OUTCOMES.map((one) => `${counts.get(`${where}, ${one}`) ?? 0} ${one}`).join(', ')}\n`,
  );
const bad = [...counts].filter(([what]) => /unnoticed|without end|message lost/.test(what));
process.exitCode = bad.length === 0 ? 0 : 1;
