/** `npm test`: sees that what the tests need is there, then lets node run them; arguments are files or folders instead of all. */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, globSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { delimiter, join, relative, resolve, sep } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { pathToFileURL } from 'node:url';
import { buildUi, uiIsStale } from '#ui/build.ts';
import { TEST_SEED } from './support/seed.ts';

const root = join(import.meta.dirname, '..');

/** Programs from outside npm, and the Debian package that brings each. */
const PROGRAMS = {
  chromium: 'chromium',
  socat: 'socat',
  mosquitto_pub: 'mosquitto-clients',
  strace: 'strace',
  s3cmd: 's3cmd',
  certutil: 'libnss3-tools',
  Xvfb: 'xvfb',
} as const;

/** Programs that make the tests faster. */
const FASTER = { 'chromium-headless-shell': 'chromium-headless-shell' } as const;

/**
 * Folders whose test files share a process with others, and how many do at most, because a process needs longer to load the gateway than
 * for most of these tests. The tests of one process run one after the other, so where they take long, few do. Tests of pages share a browser.
 * A test in these folders must leave nothing behind in its process, and no file there may have a hook for each test.
 */
const TOGETHER: Readonly<Record<string, number>> = {
  ...{ sync: 5, e2e: 5 },
  ...{ store: 5, agent: 6, domain: 13, gateway: 13, handlers: 13, ingest: 13, runs: 13, watchers: 13 },
  ...{ 'servers/base': 13, 'servers/docs': 13, 'servers/http': 13, 'servers/invoke': 13, 'servers/mcp': 13 },
};

/**
 * Files of these folders that have a process of their own. The first four keep a store open for all of their tests, and a process opens at
 * most three. The tests of the other two are in a file that they share, so only the process tells which file a test belongs to.
 */
const ALONE: ReadonlySet<string> = new Set([
  'store/bucket-place.test.ts',
  'store/mango.test.ts',
  'store/turns.test.ts',
  'store/view.test.ts',
  'store/engine.test.ts',
  'store/postgres/engine.test.ts',
]);

/** What test processes load most: the gateway, the command, and the programs that talk to them. */
const OFTEN_LOADED = [
  '#gateway/main.ts',
  '#gateway/commands/start.ts',
  '#test/support/gateway.ts',
  'playwright',
  'fast-check',
];

/** Number of test files whose times are printed at the end. */
const MOST_SLOW = 20;

const APT = '/usr/bin/apt-get';

/** What this run makes for its processes. Two runs of one checkout must not share it. */
const folder = join(root, 'node_modules', '.cache', `tests-${process.pid}`);

const say = (text: string) => process.stdout.write(`${text}\n`);

function isInstalled(program: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Returns the packages of the programs that are not installed. */
function missingOf(programs: Readonly<Record<string, string>>): string[] {
  return Object.entries(programs).flatMap(([program, name]) => (isInstalled(program) ? [] : [name]));
}

/** Installs what is missing where that is ours to do; elsewhere says what to install, and the tests that need it skip. */
function provide(): void {
  const missing = missingOf(PROGRAMS);
  const slow = missingOf(FASTER);
  if (missing.length + slow.length === 0) return;
  const debian = existsSync('/etc/debian_version') && existsSync(APT);
  if (debian && process.getuid?.() === 0) {
    say(`Installing ${[...missing, ...slow].join(', ')} with apt-get.`);
    const apt = (...args: string[]) =>
      spawnSync(APT, args, {
        stdio: ['ignore', 'ignore', 'inherit'],
        env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      }).status === 0;
    const install = (...names: string[]) => apt('install', '-q', '-y', '--no-install-recommends', ...names);
    const updated = apt('update', '-q');
    // Each list by itself: a system without the faster programs still gets the others.
    if (missing.length > 0 && !(updated && install(...missing)))
      say('apt-get could not install all of them; the tests that need the rest skip.');
    if (slow.length > 0 && !(updated && install(...slow))) say(`Without ${slow.join(', ')} the tests take longer.`);
  } else if (missing.length > 0) {
    const how = debian ? `sudo apt-get install ${missing.join(' ')}` : missing.join(', ');
    say(`Not installed: ${missing.join(', ')}. The tests that need them skip; install them with: ${how}`);
  }
}

/** Returns the test files of these files and folders. */
function testFiles(paths: readonly string[]): string[] {
  const files = paths.flatMap((path) => (statSync(path).isDirectory() ? globSync(`${path}/**/*.test.ts`) : path));
  return [...new Set(files)].sort();
}

/** Tells every process of this run where the imports of the gateway lead; without that the tests run too, but slower. */
function knowImports(): void {
  const list = join(folder, 'imports.json');
  const url = pathToFileURL(join(root, 'test', 'support', 'known-imports.ts'));
  url.search = pathToFileURL(list).href;
  const loads = OFTEN_LOADED.map((name) => `await import(${JSON.stringify(name)});`).join('');
  const args = [`--import=${url}`, '--input-type=module', '-e', `${loads}process.exit(0)`];
  spawnSync(process.execPath, args, { stdio: 'ignore' });
  if (existsSync(list)) process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --import=${url}`;
}

/** Returns the files to run: each file of a folder in `TOGETHER` is replaced by a file that loads it with others. */
function batched(files: readonly string[]): string[] {
  const alone: string[] = [];
  const shared = new Map<string, string[]>();
  for (const file of files) {
    const name = relative(join(root, 'test'), resolve(file)).split(sep).join('/');
    const place = Object.keys(TOGETHER).find((one) => name.startsWith(`${one}/`));
    if (place !== undefined && !ALONE.has(name)) shared.set(place, [...(shared.get(place) ?? []), resolve(file)]);
    else alone.push(file);
  }
  // Those that take longest begin first.
  const order = Object.keys(TOGETHER);
  const folders = [...shared].sort(([one], [other]) => order.indexOf(one) - order.indexOf(other));
  const batches = folders.flatMap(([place, all]) => {
    const parts = Math.ceil(all.length / (TOGETHER[place] ?? 1));
    return Array.from({ length: parts }, (_, part) => {
      const loads = all.filter((_file, i) => i % parts === part).map((file) => pathToFileURL(file).href);
      const batch = join(folder, `${place.replace('/', '-')}-${part + 1}.mjs`);
      writeFileSync(batch, loads.map((url) => `import ${JSON.stringify(url)};\n`).join(''));
      return batch;
    });
  });
  return [...batches, ...alone];
}

/** The files that took longest, a line each. A file waits for processors too, so its time is longer than its work. */
function slowest(files: readonly { readonly file: string; readonly ms: number }[]): string {
  const most = files.toSorted((a, b) => b.ms - a.ms).slice(0, MOST_SLOW);
  return most.map(({ file, ms }) => `${(ms / 1000).toFixed(0).padStart(5)} s  ${relative(root, file)}`).join('\n');
}

/** Prints why the tests do not run, and ends the process. */
function refuse(reason: string): never {
  process.stderr.write(`${reason}\n`);
  process.exit(1);
}

const [major] = process.versions.node.split('.').map(Number);
if ((major ?? 0) < 24)
  refuse(`The tests need Node 24, this is ${process.version}. Run them with \`npm test\`, which brings it.`);
process.chdir(root);
const named = process.argv.slice(2);
for (const path of named) if (!existsSync(path)) refuse(`There is no file or folder ${path} in ${root}.`);
const files = testFiles(named.length === 0 ? ['test'] : named);
if (files.length === 0) refuse(`There are no tests in ${named.join(', ')}.`);
provide();
if (await uiIsStale()) {
  say('Building the screens.');
  await buildUi();
}
say(`Random tests have the seed ${TEST_SEED}; TEST_SEED in the environment is another.`);
// Compiled code is kept between the processes.
process.env.NODE_COMPILE_CACHE = join(root, 'node_modules', '.cache', 'compile');
mkdirSync(folder, { recursive: true });
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
knowImports();
/** Milliseconds of each file that ran. */
const times = new Map<string, number>();
run({
  files: batched(files),
  // Four files more than processors, because tests often wait for a browser, a timer or the disk.
  concurrency: availableParallelism() + 4,
  // Ends a process that hangs. The longest test takes minutes on a slow machine, and a process may have five such tests.
  timeout: 1_800_000,
  execArgv: [
    '--disable-warning=ExperimentalWarning',
    // Random tests make the same choices in each run, in every test file.
    `--import=${pathToFileURL(join(root, 'test', 'support', 'seed.ts'))}`,
  ],
})
  .on('test:complete', ({ name, file, nesting, details }) => {
    if (file === undefined || nesting !== 0) return;
    // The test with the name of its file is the process of the file.
    const before = resolve(name) === file ? 0 : (times.get(file) ?? 0);
    times.set(file, Math.max(times.get(file) ?? 0, before + details.duration_ms));
  })
  .on('test:summary', ({ file, success }) => {
    // The summary without a file is the one of all files.
    if (file !== undefined) return;
    const silent = files.map((one) => resolve(one)).filter((one) => !times.has(one));
    for (const one of silent) say(`No test of ${relative(root, one)} ran. Run it alone to see why.`);
    if (!success || silent.length > 0) process.exitCode = 1;
    const ran = files.map((one) => ({ file: resolve(one), ms: times.get(resolve(one)) ?? 0 }));
    if (ran.length > MOST_SLOW) say(`The slowest files:\n${slowest(ran)}\n`);
  })
  .compose(spec)
  .pipe(process.stdout);
