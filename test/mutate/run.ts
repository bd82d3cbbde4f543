/**
 * `npm run mutate -- [FILES] [--sample N] [--seed S] [--jobs J] [--least SCORE]`: changes the core in one place after the other and
 * sees whether a test fails. FILE is a file of the core, or `FILE:LINE` for the mutants of one line.
 *
 * What was found is kept in `node_modules/.cache/mutate`; a run that is stopped goes on where it was.
 */
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CORE } from './core.ts';
import { EQUAL } from './equal.ts';
import { type Mutant, mutantsOf, mutate, sample } from './mutants.ts';
import { createTree, endTrials, type Ranges, ran, readCoverage, runTest, type Tree } from './trial.ts';

const root = join(import.meta.dirname, '..', '..');
const cache = join(root, 'node_modules', '.cache', 'mutate');
const say = (text: string) => process.stdout.write(`${text}\n`);
const sha = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16);
/** Files as they were when the run began and was copied: they may be edited while it goes on. */
const texts = new Map<string, string>();
function read(path: string): string {
  let text = texts.get(path);
  if (text === undefined) {
    text = readFileSync(join(root, path), 'utf8');
    texts.set(path, text);
  }
  return text;
}
const testFile = (test: string) => `test/${test}.test.ts`;

const BASELINE_MS = 900_000;
/** A mutant may need so much more time than the unchanged code: the machine may be busy. */
const SLOWER = 5;
const SLOWER_MS = 30_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    jobs: { type: 'string', default: '2' },
    least: { type: 'string', default: '0.93' },
    list: { type: 'boolean', default: false },
  },
});

interface Work {
  readonly file: string;
  readonly text: string;
  readonly mutants: readonly Mutant[];
}

function worksOf(names: readonly string[]): Work[] {
  const wanted = names.length > 0 ? names : Object.keys(CORE);
  return wanted.map((name) => {
    const [path = '', line] = name.split(':');
    const file = Object.keys(CORE).find((one) => one === path || one.endsWith(`/${path}`));
    if (file === undefined) throw new Error(`${path} is no file of the core: see test/mutate/core.ts`);
    const text = read(file);
    const all = mutantsOf(file, text).filter((mutant) => line === undefined || mutant.line === Number(line));
    const count = values.sample === undefined ? all.length : Number(values.sample);
    return { file, text, mutants: sample(all, count, Number(values.seed)) };
  });
}

interface Baseline {
  readonly seconds: number;
  readonly ranges: Readonly<Record<string, { readonly sha: string; readonly processes: readonly Ranges[] }>>;
}

const baselinePath = (test: string) => join(cache, `${test.replaceAll('/', '-')}-${sha(read(testFile(test)))}.json`);

/** How long a test file takes, and what it runs of the files that it answers for; undefined when it fails on the unchanged code. */
async function baselineOf(tree: Tree, test: string): Promise<Baseline | undefined> {
  const sources = Object.keys(CORE).filter((file) => CORE[file]?.includes(test));
  const path = baselinePath(test);
  if (existsSync(path)) {
    const kept = JSON.parse(readFileSync(path, 'utf8')) as Baseline;
    if (sources.every((file) => kept.ranges[file]?.sha === sha(read(file)))) return kept;
  }
  const folder = mkdtempSync(join(tree.folder, 'coverage-'));
  const { result, by, seconds } = await runTest(tree, test, BASELINE_MS, folder);
  if (result !== 'passed') {
    say(`${testFile(test)} ${result} on the unchanged code and is left out: ${by}`);
    return undefined;
  }
  const ranges = Object.fromEntries(
    [...readCoverage(tree, folder, sources)].map(([file, processes]) => [file, { sha: sha(read(file)), processes }]),
  );
  rmSync(folder, { recursive: true, force: true });
  const baseline = { seconds, ranges };
  writeFileSync(path, JSON.stringify(baseline));
  return baseline;
}

interface Found {
  readonly key: string;
  readonly result: 'killed' | 'timed out' | 'survived';
  readonly by: string;
}

const resultsPath = join(cache, 'results.jsonl');

function readResults(): Map<string, Found> {
  const lines = existsSync(resultsPath) ? readFileSync(resultsPath, 'utf8').split('\n') : [];
  const found = lines.filter((line) => line.endsWith('}')).map((line) => JSON.parse(line) as Found);
  return new Map(found.map((one) => [one.key, one]));
}

/** A dead mutant stays dead while its file stands; one that lives is tried again when a test has changed. */
function keysOf({ file, text }: Work, { start, end, to }: Mutant): { dead: string; alive: string } {
  const dead = sha(`${text}\n${start}\n${end}\n${to}`);
  return { dead, alive: sha(`${dead}\n${(CORE[file] ?? []).map((test) => read(testFile(test))).join('\n')}`) };
}

const equalTo = (file: string, mutant: Mutant) =>
  EQUAL.find(
    (one) => one.file === file && one.code === mutant.code && one.from === mutant.from && one.to === mutant.to,
  );

async function tryMutant(
  tree: Tree,
  { file, text }: Work,
  mutant: Mutant,
  baselines: ReadonlyMap<string, Baseline>,
  kills: Map<string, number>,
): Promise<Omit<Found, 'key'>> {
  const mapped = (CORE[file] ?? []).filter((test) => baselines.has(test));
  const running = mapped.filter((test) => ran(baselines.get(test)?.ranges[file]?.processes ?? [], mutant.start));
  const worth = (test: string) => (baselines.get(test)?.seconds ?? 0) / (1 + (kills.get(`${file} ${test}`) ?? 0));
  // Processes that were killed leave no coverage: what seems to run nowhere is tried everywhere.
  const tests = (running.length > 0 ? running : mapped).sort((a, b) => worth(a) - worth(b));
  const path = join(tree.folder, file);
  writeFileSync(path, mutate(text, mutant));
  try {
    for (const test of tests) {
      const most = SLOWER_MS + SLOWER * 1000 * (baselines.get(test)?.seconds ?? 0);
      const { result, by } = await runTest(tree, test, most);
      if (result === 'passed') continue;
      kills.set(`${file} ${test}`, (kills.get(`${file} ${test}`) ?? 0) + 1);
      return { result: result === 'failed' ? 'killed' : result, by: `${test}: ${by}` };
    }
  } finally {
    writeFileSync(path, text);
  }
  return { result: 'survived', by: running.length > 0 ? '' : 'no test runs this line' };
}

function difference(file: string, text: string, mutant: Mutant, note: string): string {
  const lines = mutate(text, mutant).split('\n');
  const changed = (lines[mutant.line - 1] ?? '').trim();
  const where = `${file}:${mutant.line}:${mutant.column}`;
  return [`${where}${note === '' ? '' : ` (${note})`}`, `  - ${mutant.code}`, `  + ${changed}`].join('\n');
}

/** Hands out the items to as many workers as there are trees. */
async function share<T>(trees: readonly Tree[], items: readonly T[], work: (tree: Tree, item: T) => Promise<void>) {
  const queue = items[Symbol.iterator]();
  await Promise.all(
    trees.map(async (tree) => {
      for (const item of queue) await work(tree, item);
    }),
  );
}

async function main(): Promise<void> {
  const works = worksOf(positionals);
  if (values.list) {
    for (const { file, text, mutants } of works) for (const one of mutants) say(difference(file, text, one, ''));
    return;
  }
  mkdirSync(cache, { recursive: true });
  for (const tests of Object.values(CORE)) for (const test of tests) read(testFile(test));
  using stack = new DisposableStack();
  const trees = Array.from({ length: Number(values.jobs) }, () => stack.use(createTree()));
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      endTrials();
      stack.dispose();
      process.exit(130);
    });

  const known = readResults();
  const results = new Map<Mutant, Omit<Found, 'key'>>();
  const open = works.flatMap((work) =>
    work.mutants.flatMap((mutant) => {
      const { dead, alive } = keysOf(work, mutant);
      const found = known.get(dead) ?? known.get(alive);
      if (found !== undefined) results.set(mutant, found);
      return found === undefined && equalTo(work.file, mutant) === undefined ? [{ work, mutant }] : [];
    }),
  );
  const tests = [...new Set(open.flatMap(({ work }) => CORE[work.file] ?? []))];
  say(`${open.length} mutants to try, ${results.size} known.`);
  const baselines = new Map<string, Baseline>();
  await share(trees, tests, async (tree, test) => {
    const baseline = await baselineOf(tree, test);
    if (baseline !== undefined) baselines.set(test, baseline);
  });

  const kills = new Map<string, number>();
  let tried = 0;
  await share(trees, open, async (tree, { work, mutant }) => {
    const found = await tryMutant(tree, work, mutant, baselines, kills);
    results.set(mutant, found);
    const { dead, alive } = keysOf(work, mutant);
    const key = found.result === 'survived' ? alive : dead;
    appendFileSync(resultsPath, `${JSON.stringify({ key, ...found })}\n`);
    tried++;
    if (found.result === 'survived')
      say(`${tried}/${open.length} ${difference(work.file, work.text, mutant, found.by)}`);
    else say(`${tried}/${open.length} ${work.file}:${mutant.line}:${mutant.column} ${found.result} by ${found.by}`);
  });
  report(works, results);
}

function report(works: readonly Work[], results: ReadonlyMap<Mutant, Omit<Found, 'key'>>): void {
  let [dead, all] = [0, 0];
  const alive: string[] = [];
  say('\nfile                                          mutants  killed  timed out  equal  alive');
  for (const { file, text, mutants } of works) {
    const count = { killed: 0, 'timed out': 0, equal: 0, survived: 0 };
    for (const mutant of mutants) {
      const result = results.get(mutant)?.result ?? 'survived';
      if (result === 'survived' && equalTo(file, mutant) !== undefined) count.equal++;
      else count[result]++;
      if (result === 'survived' && equalTo(file, mutant) === undefined)
        alive.push(difference(file, text, mutant, results.get(mutant)?.by ?? 'not tried'));
    }
    dead += count.killed + count['timed out'];
    all += mutants.length - count.equal;
    const numbers = [mutants.length, count.killed, count['timed out'], count.equal, count.survived];
    const columns = [9, 8, 11, 7, 7].map((width, i) => String(numbers[i]).padStart(width));
    say(`${file.padEnd(44)}${columns.join('')}`);
  }
  const equal = works.flatMap(({ file, mutants }) => mutants.flatMap((mutant) => equalTo(file, mutant) ?? []));
  if (equal.length > 0) say('\nEqual to the code as it is:');
  for (const { file, code, from, to, why } of equal) say(`${file}: ${why}\n    ${code}\n    ${from} => ${to}`);
  if (alive.length > 0) say(`\nAlive:\n${alive.join('\n')}`);
  const score = all === 0 ? 1 : dead / all;
  say(`\n${dead} of ${all} killed: ${score.toFixed(3)}; seed ${values.seed}, least ${values.least}`);
  if (score < Number(values.least)) process.exitCode = 1;
}

await main();
