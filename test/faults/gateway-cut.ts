/**
 * Power cuts at every moment of everything that a gateway keeps: database, log and mark, journal, artifacts, key, backups; and cuts
 * again while it comes back, three deep, also where it comes back from a damaged database.
 *
 *   child under strace -> log -> states -> opened as a gateway would -> every acknowledgement is looked for
 *                                  └─ some: recovery under strace -> log -> states -> ... 3 times
 *
 * `node test/faults/gateway-cut.ts [STATES] [SEED]` prints one line per kind of state and exits with 1 when one failed.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openSealer } from '#gateway/sealer.ts';
import { openArtifacts } from '#store/artifacts.ts';
import { inspectBackup } from '#store/file/assemble.ts';
import { listBackups } from '#store/file/backup-files.ts';
import { PackFolder } from '#store/file/packs.ts';
import { CrashDisk, type Mode, type Operation, randomFrom, readOperations, STRACE } from './crash-disk.ts';
import { DEVICE, drained, EPOCH_S, HOUR, MACHINE, openGateway, PROJECT } from './gateway-cut-parts.ts';

const CHILD = join(import.meta.dirname, 'gateway-cut-child.ts');
const DEPTH = 3;
const MODES: readonly Mode[] = ['none', 'all', 'some', 'some', 'some'];
/** Share of the states that are cuts of recovery. */
const AGAIN = 0.4;
/** Recoveries that are traced: half of cut folders, half of damaged ones. */
const CHAINS = 6;

type Files = ReadonlyMap<string, Buffer>;

/** What was promised by the time of a cut. */
class Promises {
  readonly messages = new Set<number>();
  readonly commits = new Set<number>();
  readonly artifacts = new Set<string>();
  readonly keys = new Set<string>();
  sent = 0;
  backups = 0;

  take(lines: string): void {
    for (const line of lines.split('\n')) {
      const [kind, value = ''] = line.split(' ');
      if (kind === 'm') this.messages.add(Number(value));
      else if (kind === 'c') this.commits.add(Number(value));
      else if (kind === 'a') this.artifacts.add(value);
      else if (kind === 'k') this.keys.add(value);
      else if (kind === 's') this.sent = Math.max(this.sent, Number(value));
      else if (kind === 'b') this.backups += 1;
    }
  }
}

const KINDS = ['lost', 'twice', 'corrupt', 'refused'] as const;
type Failure = { readonly kind: (typeof KINDS)[number]; readonly what: string };

/** How the states of one kind fared. */
interface Tally {
  states: number;
  readonly counts: Record<Failure['kind'], number>;
}

const base = realpathSync(mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'headframe-cut-')));
const states = Number(process.argv[2] ?? 2000);
const seed = Number(process.argv[3] ?? 1);
const random = randomFrom(seed);
const tallies = new Map<string, Tally>();
const failures: string[] = [];

/** Runs the child on a folder and returns what it did to the disk. */
async function trace(folder: string, mode: 'life' | 'recover'): Promise<Operation[]> {
  const log = join(base, 'log');
  const strace = [...STRACE, '-o', log, process.execPath, CHILD, folder, mode];
  const { status, stderr } = spawnSync('strace', strace, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the traced gateway ended with ${status}: ${stderr}`);
  return readOperations(log, folder);
}

/** A folder with these files, which were at `from`. */
function restore(files: Files, from: string): string {
  const folder = mkdtempSync(join(base, 'state-'));
  for (const [path, content] of files) {
    // the index of the log is memory, gone with the power
    if (path.endsWith('-shm') || path === join(from, 'acknowledged')) continue;
    const copy = join(folder, path.slice(from.length));
    mkdirSync(dirname(copy), { recursive: true });
    writeFileSync(copy, content);
  }
  return folder;
}

function filesOf(folder: string): Map<string, Buffer> {
  const found = new Map<string, Buffer>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    found.set(path, readFileSync(path));
  }
  return found;
}

async function judge(files: Files, from: string, promised: Promises, damaged: boolean): Promise<Failure | undefined> {
  const folder = restore(files, from);
  try {
    return (await openAndCheck(folder, promised, damaged)) ?? checkFiles(folder);
  } catch (error) {
    return { kind: 'refused', what: error instanceof Error ? `${error.message} ${error.cause ?? ''}` : String(error) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function openAndCheck(folder: string, promised: Promises, damaged: boolean): Promise<Failure | undefined> {
  const key = createHash('sha256').update(openSealer(folder).key).digest('hex');
  if (promised.keys.size > 0 && !promised.keys.has(key)) return { kind: 'lost', what: 'the key is another' };
  const artifacts = await openArtifacts(folder);
  for (const sha256 of promised.artifacts)
    if (!(await artifacts.verify(sha256))) return { kind: 'lost', what: `artifact ${sha256}` };
  for (const name of readdirSync(join(folder, 'artifacts'), { recursive: true, encoding: 'utf8' }))
    if (/\/[0-9a-f]{64}$/.test(name) && !(await artifacts.verify(name.slice(-64))))
      return { kind: 'corrupt', what: `artifact ${name}` };
  await using gateway = await openGateway(folder);
  const { store, ingest } = gateway;
  await drained(ingest);
  const ids = [...promised.commits].map((n) => `r_${n}`);
  const [left, right] = await Promise.all(
    (['records', 'live'] as const).map((name) => store.view(PROJECT).getMany(name, ids)),
  );
  if (left?.length !== right?.length) return { kind: 'corrupt', what: 'half a commit' };
  const begunAnew = store.incarnation.number > 1;
  if (begunAnew !== store.problems().some(({ code }) => code === 'records_lost'))
    return { kind: 'lost', what: `life ${store.incarnation.number}, and health tells otherwise` };
  // a cut alone is no reason for a new life; and without one, what people wrote is all there
  if (begunAnew && !damaged) return { kind: 'lost', what: 'a loss is told that is none' };
  if (!begunAnew && left?.length !== ids.length)
    return { kind: 'lost', what: `${left?.length} of ${ids.length} commits, and nobody is told` };
  const history = await ingest.history(MACHINE, 'engine.hours', EPOCH_S * 1000, (EPOCH_S + 100_000) * 1000);
  const seen = new Set(history.v.map((hours) => Math.round(hours / HOUR)));
  for (const n of promised.messages) if (!seen.has(n)) return { kind: 'lost', what: `message ${n}` };
  if (seen.size !== history.v.length) return { kind: 'twice', what: `${history.v.length} samples of ${seen.size}` };
  const metrics = ingest.live.device(DEVICE.device)?.metrics;
  const once = (metrics?.messages_total ?? 0) - (metrics?.duplicates_total ?? 0);
  if (once > promised.sent) return { kind: 'twice', what: `${once} messages counted of ${promised.sent}` };
  return once < promised.messages.size ? { kind: 'lost', what: `${once} messages counted` } : undefined;
}

function checkFiles(folder: string): Failure | undefined {
  const packs = new PackFolder(join(folder, 'backup'));
  for (const file of [join(folder, 'store/headframe.db'), ...listBackups(folder)]) {
    const [what] = inspectBackup(file, false, packs).damage;
    if (what !== undefined) return { kind: 'corrupt', what: `${file.slice(folder.length)}: ${what}` };
  }
  return undefined;
}

async function tryOne(name: string, files: Files, from: string, promised: Promises, damaged: boolean): Promise<void> {
  const tally = tallies.get(name) ?? { states: 0, counts: { lost: 0, twice: 0, corrupt: 0, refused: 0 } };
  tallies.set(name, tally);
  tally.states++;
  const failure = await judge(files, from, promised, damaged);
  if (!failure) return;
  tally.counts[failure.kind]++;
  failures.push(`${name}, state ${tally.states}: ${failure.kind} ${failure.what}`);
}

/** Cuts the coming back of a folder at `count` moments, then that of one of the states that this leaves, and so on. */
async function cutAgain(
  name: string,
  first: Files,
  from: string,
  promised: Promises,
  damaged: boolean,
  count: number,
): Promise<void> {
  let files = first;
  let home = from;
  for (let depth = 1; depth <= DEPTH; depth++) {
    const folder = restore(files, home);
    const before = filesOf(folder);
    const operations = await trace(folder, 'recover');
    const disk = new CrashDisk(before);
    const deeper = Math.floor(random() * operations.length);
    for (let index = 0, done = 0; index < operations.length; index++) {
      disk.apply(operations[index] as Operation);
      const until = Math.floor(((index + 1) * count) / operations.length);
      for (; done < until; done++) {
        const state = disk.cut(MODES[done % MODES.length] ?? 'some', random);
        await tryOne(`${name}, depth ${depth}`, state, folder, promised, damaged);
      }
      if (index === deeper) files = disk.cut('some', random);
    }
    home = folder;
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Random bytes over every page of the database but the first, and over the second half of its log. */
function damage(files: Files, home: string): Files {
  const path = join(home, 'store/headframe.db');
  const content = Buffer.from(files.get(path) ?? Buffer.alloc(0));
  for (let at = 4096; at < content.length; at += 4096) for (let i = 0; i < 64; i++) content[at + i] = random() * 256;
  const log = Buffer.from(files.get(`${path}-wal`) ?? Buffer.alloc(0));
  for (let at = log.length >> 1; at < log.length; at++) log[at] = random() * 256;
  return new Map([...files, [path, content], [`${path}-wal`, log]]);
}

try {
  const run = join(base, 'run');
  mkdirSync(run);
  const operations = await trace(run, 'life');
  const disk = new CrashDisk();
  const promised = new Promises();
  const plain = Math.round(states * (1 - AGAIN));
  const each = Math.ceil((states - plain) / CHAINS / DEPTH);
  const chains = Array.from({ length: CHAINS }, (_, i) =>
    // a damaged database has a backup to come back from in the second half
    Math.floor(operations.length * (i % 2 === 0 ? random() : 0.75 + random() * 0.2)),
  );
  for (let index = 0, done = 0; index < operations.length; index++) {
    const operation = operations[index] as Operation;
    if (operation.path === join(run, 'acknowledged')) {
      if (operation.kind === 'write') promised.take(String(operation.data));
    } else disk.apply(operation);
    const until = Math.floor(((index + 1) * plain) / operations.length);
    for (; done < until; done++)
      await tryOne('cut', disk.cut(MODES[done % MODES.length] ?? 'some', random), run, promised, false);
    for (const [i, at] of chains.entries()) {
      if (at !== index) continue;
      if (i % 2 === 0) await cutAgain('cut again', disk.cut('some', random), run, promised, false, each);
      // a killed process, whose mark is as it was written: [S50] says what a cut and damage together may hide
      else if (promised.backups > 0)
        await cutAgain('damaged, cut', damage(disk.cut('all', random), run), run, promised, true, each);
    }
  }
  process.stdout.write(`seed ${seed}, ${operations.length} operations\n`);
} finally {
  rmSync(base, { recursive: true, force: true });
}
for (const failure of failures.slice(0, 20)) process.stdout.write(`${failure}\n`);
let total = 0;
for (const [name, { states: tried, counts }] of [...tallies].sort(([a], [b]) => a.localeCompare(b))) {
  total += tried;
  process.stdout.write(`${name}: ${tried} states, ${KINDS.map((kind) => `${counts[kind]} ${kind}`).join(', ')}\n`);
}
process.stdout.write(`${total} states, ${total - failures.length} passed, ${failures.length} failed\n`);
process.exitCode = failures.length === 0 ? 0 : 1;
