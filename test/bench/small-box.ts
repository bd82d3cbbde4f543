/**
 * Any bench as it is and on a small box, with the ratios: `sudo node test/bench/small-box.ts test/bench/line.ts 50 10 30`
 *
 * The small box is a memory cgroup of 2 GB (v1 or v2, whichever the machine has; load and browser are inside too) and a disk whose
 * every fsync and fdatasync takes 10 ms more, which strace injects into the calls of all threads. With seccomp-bpf only those two
 * calls stop in the tracer, so that everything else runs at full speed.
 *
 * Exit codes: 0; 2 wrong use; 3 not root, no strace or no memory cgroup; else that of the bench.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const MEMORY_BYTES = 2 * 2 ** 30;
const SYNC_US = 10_000;
const V1 = '/sys/fs/cgroup/memory';
const V2 = '/sys/fs/cgroup';

function refuse(code: number, sentence: string): never {
  process.stderr.write(`${sentence}\n`);
  process.exit(code);
}

interface Box extends Disposable {
  /** Processes written here are in it. */
  readonly procs: string;
  /** Most memory used, page cache included, in bytes; undefined when this kernel does not say. */
  peak(): number | undefined;
  /** Times that it was full, and processes killed for it. */
  pressure(): string;
}

function openBox(): Box {
  const v2 = existsSync(join(V2, 'cgroup.controllers'));
  if (!v2 && !existsSync(join(V1, 'memory.limit_in_bytes')))
    refuse(3, 'This machine has no memory cgroup, neither v1 nor v2; the small box cannot be made here.');
  const folder = join(v2 ? V2 : V1, `headframe-small-box-${process.pid}`);
  const read = (name: string): string | undefined => {
    const path = join(folder, name);
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  };
  try {
    if (v2) writeFileSync(join(V2, 'cgroup.subtree_control'), '+memory');
    mkdirSync(folder);
    writeFileSync(join(folder, v2 ? 'memory.max' : 'memory.limit_in_bytes'), String(MEMORY_BYTES));
    // Swapping would make a small box of disk, not of memory; where there is no swap there is nothing to forbid.
    if (v2 && read('memory.swap.max') !== undefined) writeFileSync(join(folder, 'memory.swap.max'), '0');
  } catch (error) {
    refuse(3, `The memory cgroup at ${folder} cannot be made: ${(error as Error).message}`);
  }
  return {
    procs: join(folder, 'cgroup.procs'),
    peak() {
      const text = read(v2 ? 'memory.peak' : 'memory.max_usage_in_bytes');
      return text === undefined ? undefined : Number(text);
    },
    pressure: () => (read(v2 ? 'memory.events' : 'memory.oom_control') ?? '').trim().replace(/\n/g, ', '),
    [Symbol.dispose]: () => rmdirSync(folder),
  };
}

/** Runs a command, shows what it says, and returns it; ends this process with its code when it fails. */
async function run(title: string, command: string, args: readonly string[]): Promise<string> {
  process.stdout.write(`\n== ${title}\n`);
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => {
    process.stdout.write(chunk);
    text += chunk.toString();
  });
  const { code, signal } = await new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal })),
  );
  if (code !== 0) {
    process.exitCode = code ?? 1;
    throw new Error(`${title}: the bench ended with ${code ?? signal}`);
  }
  return text;
}

const NUMBER = /(?<![\w.])-?\d[\d,]*(?:\.\d+)?(?![\w.])/g;

/** Numbers of a bench's output in order, each named by the words around it; tables are named by row and column. */
function figures(text: string): { name: string; value: number }[] {
  const found: { name: string; value: number }[] = [];
  let columns: string[] = [];
  for (const line of text.split('\n')) {
    const cells = line.includes('│')
      ? line
          .split('│')
          .map((cell) => cell.trim())
          .slice(1, -1)
      : undefined;
    if (cells?.[0] === '(index)') columns = cells;
    for (const [at, cell] of (cells ?? [line]).entries()) {
      // The first cell of a table's row is its number.
      if (cells !== undefined && at === 0) continue;
      for (const match of cell.matchAll(NUMBER)) {
        const words = cells === undefined ? cell.replace(NUMBER, '#') : `${cells[0]} ${columns[at] ?? ''}`;
        const name = words
          .replace(/["{},:]/g, ' ')
          .replace(/[#\s]+/g, ' ')

          .trim();
        found.push({ name, value: Number(match[0].replaceAll(',', '')) });
      }
    }
  }
  return found;
}

function compare(plain: string, small: string): void {
  const before = figures(plain);
  const after = figures(small);
  if (before.length !== after.length || before.some(({ name }, i) => name !== after[i]?.name)) {
    process.stdout.write('\nThe two runs say different things; no ratios.\n');
    return;
  }
  const round = (value: number): number => Number(value.toPrecision(3));
  process.stdout.write('\n== ratios\n');
  console.table(
    before.map(({ name, value }, i) => {
      const boxed = after[i]?.value ?? Number.NaN;
      return { figure: name, plain: value, 'small box': boxed, ratio: value === 0 ? '' : round(boxed / value) };
    }),
  );
}

const bench = process.argv.slice(2);
if (bench.length === 0) refuse(2, 'Name a bench: node test/bench/small-box.ts test/bench/line.ts 50 10 30');
if (process.platform !== 'linux' || process.getuid?.() !== 0)
  refuse(3, 'The small box needs Linux and root: it makes a memory cgroup and traces the bench.');
const { stdout, status } = spawnSync('strace', ['--help'], { encoding: 'utf8' });
if (status !== 0) refuse(3, 'strace is not installed: apt-get install strace');
const filtered = stdout.includes('--seccomp-bpf');
if (!filtered)
  process.stderr.write('This strace has no --seccomp-bpf: every system call stops in it, which slows all.\n');

const plain = await run('plain', process.execPath, [...process.execArgv, ...bench]);
using box = openBox();
const small = await run('small box: 2 GB, 10 ms more each fsync', 'sh', [
  '-c',
  'echo $$ > "$0" && exec "$@"',
  box.procs,
  'strace',
  ...(filtered ? ['--seccomp-bpf'] : []),
  '-f',
  '-qq',
  '-o',
  '/dev/null',
  '-e',
  'trace=fdatasync,fsync',
  '-e',
  `inject=fdatasync,fsync:delay_exit=${SYNC_US}`,
  process.execPath,
  ...process.execArgv,
  ...bench,
]);
const peak = box.peak();
process.stdout.write(
  `memory of the box: peak ${peak === undefined ? 'unknown' : Math.round(peak / 1e6)} MB with page cache; ${box.pressure()}\n`,
);
compare(plain, small);
// A cgroup can be removed a moment after its last process has ended.
await sleep(200);
