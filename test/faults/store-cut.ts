/**
 * Power cuts at every moment of a store's life: each state that the disk may be left in is opened as a gateway would,
 * and must hold every acknowledged commit, each commit whole or not at all, and a sound file.
 *
 *   child under strace (opens, commits, checkpoints, closes, opens ...) -> log -> states -> openStore -> checks
 *
 * `node test/faults/store-cut.ts [STATES] [SEED]` prints the count and `N lost, N torn, N corrupt, N refused`.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StoreError } from '#contract/base/store-error.ts';
import { openStore, type Store } from '#store/open-store.ts';
import { CrashDisk, type Mode, type Operation, randomFrom, readOperations, STRACE } from './crash-disk.ts';

const PROJECT = 'prj_crash';
const COMMITS = 60;

export interface CutResult {
  readonly operations: number;
  readonly states: number;
  /** States that miss an acknowledged commit. */
  lost: number;
  /** States that hold a part of a commit, or a feed that does not fit its documents. */
  torn: number;
  /** States whose file SQLite finds damaged. */
  corrupt: number;
  /** States that the store does not open. */
  refused: number;
  /** The first state that failed: cut, mode, what was wrong. */
  readonly failures: string[];
}

/** False where strace is missing or may not trace. */
export function canCut(): boolean {
  return spawnSync('strace', ['-qq', '-o', '/dev/null', 'true']).status === 0;
}

/** Tries `states` states spread over all cuts of one run. */
export async function cutStore(states: number, seed: number): Promise<CutResult> {
  // memory where there is some: the states are many and none needs to last
  const base = realpathSync(mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'headframe-cut-')));
  try {
    const run = join(base, 'run');
    mkdirSync(run);
    const child = [join(import.meta.dirname, 'store-cut-child.ts'), run, String(COMMITS)];
    const strace = [...STRACE, '-o', join(base, 'log'), process.execPath, ...child];
    const { status, stderr } = spawnSync('strace', strace, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`the traced store ended with ${status}: ${stderr}`);
    const operations = await readOperations(join(base, 'log'), run);
    return await tryStates(operations, { base, run, states, random: randomFrom(seed) });
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

interface Trial {
  readonly base: string;
  readonly run: string;
  readonly states: number;
  readonly random: () => number;
}

async function tryStates(operations: readonly Operation[], trial: Trial): Promise<CutResult> {
  const { states, run } = trial;
  const result = { operations: operations.length, states, lost: 0, torn: 0, corrupt: 0, refused: 0, failures: [] };
  const disk = new CrashDisk();
  const acknowledged: number[] = [];
  let done = 0;
  for (const [index, operation] of operations.entries()) {
    if (operation.path === join(run, 'acknowledged')) {
      if (operation.kind === 'write') acknowledged.push(Number(String(operation.data)));
    } else disk.apply(operation);
    const until = Math.floor((states * (index + 1)) / operations.length);
    for (; done < until; done++) {
      const mode: Mode = (['none', 'all', 'some', 'some', 'some'] as const)[done % 5] ?? 'some';
      const files = disk.cut(mode, trial.random);
      const failure = await judge(trial, files, acknowledged);
      if (!failure) continue;
      result[failure.kind]++;
      (result.failures as string[]).push(`cut ${index} ${mode}: ${failure.kind} ${failure.what}`);
    }
  }
  return result;
}

interface Failure {
  readonly kind: 'lost' | 'torn' | 'corrupt' | 'refused';
  readonly what: string;
}

async function judge(
  { base, run }: Trial,
  files: ReadonlyMap<string, Buffer>,
  acknowledged: readonly number[],
): Promise<Failure | undefined> {
  const folder = mkdtempSync(join(base, 'state-'));
  try {
    for (const [path, content] of files) {
      // the index of the WAL is memory, gone with the power
      if (path.endsWith('-shm')) continue;
      const copy = join(folder, path.slice(run.length));
      mkdirSync(dirname(copy), { recursive: true });
      writeFileSync(copy, content);
    }
    const failure = await openAndCheck(folder, acknowledged);
    if (failure) return failure;
    using raw = new DatabaseSync(join(folder, 'store/headframe.db'));
    const verdict = String(raw.prepare('PRAGMA integrity_check').get()?.integrity_check);
    return verdict === 'ok' ? undefined : { kind: 'corrupt', what: verdict };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function openAndCheck(folder: string, acknowledged: readonly number[]): Promise<Failure | undefined> {
  let store: Store;
  try {
    store = await openStore({ folder, clock: Date.now, random: (n) => new Uint8Array(n).fill(1) });
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return { kind: error.code === 'corrupt' ? 'corrupt' : 'refused', what: `${error.code} ${String(error.cause)}` };
  }
  await using open = store;
  const view = open.view(PROJECT);
  const ids = acknowledged.map((n) => `r_${n}`);
  const found = await view.getMany('records', ids);
  if (found.length < ids.length) return { kind: 'lost', what: `${found.length} of ${ids.length}` };
  const [left, right] = [await open.feed(PROJECT, 'records', 0, 1000), await open.feed(PROJECT, 'live', 0, 1000)];
  const idsOf = (feed: typeof left): string => feed.entries.map(({ document }) => document.id).join();
  if (idsOf(left) !== idsOf(right)) return { kind: 'torn', what: 'records and live differ' };
  if (left.head !== left.entries.length) return { kind: 'torn', what: `head ${left.head} of ${left.entries.length}` };
  const last = await view.get<{ n: number }>('local', 'last');
  const newest = left.entries.at(-1)?.document.data.n;
  return last?.data.n === newest ? undefined : { kind: 'torn', what: `last ${last?.data.n}, newest ${newest}` };
}

if (import.meta.main) {
  const [states = '5000', seed = '1'] = process.argv.slice(2);
  const result = await cutStore(Number(states), Number(seed));
  for (const failure of result.failures.slice(0, 20)) console.log(failure);
  const { operations, lost, torn, corrupt, refused } = result;
  console.log(
    `${operations} operations, ${result.states} states: ${lost} lost, ${torn} torn, ${corrupt} corrupt, ${refused} refused`,
  );
  process.exitCode = result.failures.length === 0 ? 0 : 1;
}
