/**
 * Rot: random bytes over a database or its log, of a gateway that has a backup and was killed, or closed. What do starts make of it?
 *
 *   folder -> 16 random bytes at a random place -> starts as a supervisor would make them -> every document read, by three ways
 *
 * `node test/faults/rot.ts [TRIALS] [SEED]` prints how many were unharmed, left to a backup (the next one's check finds it; until then a
 * list may lack an entry, and no document is another than it was), mended without loss, recovered (and told), refused, unnoticed (a document is not
 * what it was and nobody is told) or without end (a start crashed three times); exits with 1 for the last two, and for a lost message.
 */
import { closeSync, cpSync, existsSync, mkdirSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StoreError } from '#contract/base/store-error.ts';
import { startBackups } from '#store/file/backup.ts';
import { inspectFile } from '#store/file/inspect.ts';
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
  'mended',
  'recovered',
  'refused',
  'unnoticed',
  'without end',
  'message lost',
] as const;
const PLACES = ['database', 'log', 'closed database'] as const;
type Outcome = (typeof OUTCOMES)[number];

const trials = Number(process.argv[2] ?? 200);
const random = randomFrom(Number(process.argv[3] ?? 1));
const base = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'headframe-rot-'));

/** A folder as kill -9 leaves it: half of the documents in the file and in a backup, the others in the log; and the same one closed. */
async function build(folder: string, running: string): Promise<void> {
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
  let lacking = false;
  for (let n = 1; n <= DOCUMENTS; n++) {
    const found = await store.view(PROJECT).get<{ n: number; pad: string }>('records', `r_${n}`);
    const whole = found?.data.n === n && found.data.pad === 'x'.repeat(300);
    if (!whole && found !== undefined) return 'unnoticed';
    if (!whole && !told) lacking = true;
  }
  // lists and the feed go by other indexes
  const listed: string[] = [];
  for await (const { id } of walk(store.view(PROJECT), 'records', { object: 'location' })) listed.push(id);
  const { entries } = await store.feed(PROJECT, 'records', 0, 1000);
  const fed = entries.filter(({ document }) => document.object === 'location');
  lacking ||= new Set(listed).size !== listed.length || (!told && listed.length !== DOCUMENTS);
  lacking ||= fed.length !== listed.length;
  // what a backup looks at: all of it
  if (inspectFile(join(folder, 'store/headframe.db')).damage.length > 0) return 'left to a backup';
  const mended = store.problems().some(({ code }) => code === 'database_mended');
  return lacking ? 'unnoticed' : told ? 'recovered' : mended ? 'mended' : 'unharmed';
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
  const closed = join(base, 'running');
  await build(origin, closed);
  for (let trial = 0; trial < trials; trial++) {
    const folder = join(base, 'trial');
    const where = PLACES[trial % PLACES.length] ?? 'log';
    cpSync(where === 'closed database' ? closed : origin, folder, { recursive: true });
    rot(join(folder, 'store', where === 'log' ? 'headframe.db-wal' : 'headframe.db'));
    rmSync(join(folder, 'store/headframe.db-shm'), { force: true });
    const outcome = await judge(folder);
    counts.set(`${where}, ${outcome}`, (counts.get(`${where}, ${outcome}`) ?? 0) + 1);
    rmSync(folder, { recursive: true, force: true });
  }
} finally {
  rmSync(base, { recursive: true, force: true });
}
for (const where of PLACES)
  process.stdout.write(
    `${where}: ${OUTCOMES.map((one) => `${counts.get(`${where}, ${one}`) ?? 0} ${one}`).join(', ')}\n`,
  );
const bad = [...counts].filter(([what]) => /unnoticed|without end|message lost/.test(what));
process.exitCode = bad.length === 0 ? 0 : 1;
