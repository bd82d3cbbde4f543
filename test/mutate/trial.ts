/** Runs test files in a copy of the project, one process each, until the first test fails. */
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '..', '..');
const COPIED = ['gateway', 'firmware-bridge', 'ui', 'test', 'docs', 'package.json', 'README.md', 'CHANGELOG.md'];

/** A copy of the project in a temporary folder, in which files may be changed. */
export interface Tree extends Disposable {
  readonly folder: string;
  /** How many trials ran here. */
  trials: number;
}

/** Makes a copy; the installed packages are shared with the original. */
export function createTree(): Tree {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-mutate-'));
  for (const name of COPIED) cpSync(join(root, name), join(folder, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
  return {
    folder,
    trials: 0,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** What became of one test file. */
export interface Trial {
  readonly result: 'passed' | 'failed' | 'timed out';
  /** The first test that failed. */
  readonly by: string;
  readonly seconds: number;
}

const running = new Set<number>();

/** Ends what still runs, for a process that ends early. */
export function endTrials(): void {
  for (const pid of running) endGroup(pid);
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

/** Runs one test file in the tree; `coverage` is a folder that takes V8's coverage. */
export async function runTest(tree: Tree, test: string, mostMs: number, coverage?: string): Promise<Trial> {
  const temporary = join(tree.folder, 'tmp', String(tree.trials++));
  mkdirSync(temporary, { recursive: true });
  const { NODE_TEST_CONTEXT: _, ...outer } = process.env;
  const env: NodeJS.ProcessEnv = { ...outer, TMPDIR: temporary };
  // Coverage is less exact in code that comes from a cache.
  if (coverage === undefined) env.NODE_COMPILE_CACHE = join(tree.folder, 'tmp', 'compiled');
  else env.NODE_V8_COVERAGE = coverage;
  // The same choices of random tests for every mutant.
  const seed = `--import=${pathToFileURL(join(tree.folder, 'test', 'support', 'seed.ts'))}`;
  const args = ['--disable-warning=ExperimentalWarning', '--test-reporter=tap', seed, `test/${test}.test.ts`];
  const began = performance.now();
  // A group of its own, so that the children of the test end with it.
  const child = spawn(process.execPath, args, {
    cwd: tree.folder,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const pid = child.pid as number;
  running.add(pid);
  let by = '';
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    endGroup(pid);
  }, mostMs);
  createInterface({ input: child.stdout }).on('line', (line) => {
    const failed = /^\s*not ok \d+ - (.*)$/.exec(line);
    if (failed === null || by !== '' || /# (SKIP|TODO)/.test(line)) return;
    by = failed[1] as string;
    // With coverage the whole run is wanted.
    if (coverage === undefined) endGroup(pid);
  });
  const code = await new Promise<number | null>((done) => child.on('close', done));
  clearTimeout(timer);
  endGroup(pid);
  running.delete(pid);
  rmSync(temporary, { recursive: true, force: true, maxRetries: 5 });
  const seconds = (performance.now() - began) / 1000;
  if (late && by === '') return { result: 'timed out', by: '', seconds };
  if (by === '' && code === 0) return { result: 'passed', by: '', seconds };
  return { result: 'failed', by: by === '' ? `exit code ${code}` : by, seconds };
}

/** Ranges of a script that ran or did not, as V8 gives them. */
export type Ranges = readonly { readonly start: number; readonly end: number; readonly ran: boolean }[];

interface V8Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly ranges: readonly { readonly startOffset: number; readonly endOffset: number; readonly count: number }[];
    }[];
  }[];
}

/** By source file: the ranges of it in each process that a coverage run left behind. */
export function readCoverage(tree: Tree, coverage: string, sources: readonly string[]): Map<string, Ranges[]> {
  const byUrl = new Map(sources.map((source) => [pathToFileURL(join(tree.folder, source)).href, source]));
  const found = new Map<string, Ranges[]>(sources.map((source) => [source, []]));
  for (const name of readdirSync(coverage)) {
    for (const { url, functions } of parseCoverage(join(coverage, name))) {
      const ranges = functions.flatMap((one) =>
        one.ranges.map(({ startOffset, endOffset, count }) => ({ start: startOffset, end: endOffset, ran: count > 0 })),
      );
      found.get(byUrl.get(url) ?? '')?.push(ranges);
    }
  }
  return found;
}

/** A process that was killed leaves a file that is not whole; its part of the coverage is lost. */
function parseCoverage(path: string): V8Coverage['result'] {
  try {
    return (JSON.parse(readFileSync(path, 'utf8')) as V8Coverage).result;
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

/** True when the code at this place ran in one of the processes: the smallest range around it says so. */
export function ran(processes: readonly Ranges[], at: number): boolean {
  return processes.some((ranges) => {
    let smallest: Ranges[number] | undefined;
    for (const range of ranges) {
      if (range.start > at || range.end <= at) continue;
      if (smallest === undefined || range.end - range.start <= smallest.end - smallest.start) smallest = range;
    }
    return smallest?.ran === true;
  });
}
