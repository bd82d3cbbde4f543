/** `npm test`: sees that what the tests need is there, then lets node run them; arguments are files or folders instead of all. */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { delimiter, join } from 'node:path';
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
} as const;

const APT = '/usr/bin/apt-get';

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

/** Installs what is missing where that is ours to do; elsewhere says what to install, and the tests that need it skip. */
function provide(): void {
  const missing = Object.entries(PROGRAMS).flatMap(([program, name]) => (isInstalled(program) ? [] : [name]));
  if (missing.length === 0) return;
  const debian = existsSync('/etc/debian_version') && existsSync(APT);
  if (debian && process.getuid?.() === 0) {
    say(`Installing ${missing.join(', ')} with apt-get.`);
    const apt = (...args: string[]) =>
      spawnSync(APT, args, {
        stdio: ['ignore', 'ignore', 'inherit'],
        env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      }).status === 0;
    if (apt('update', '-q') && apt('install', '-q', '-y', '--no-install-recommends', ...missing)) return;
    say('apt-get could not install them; the tests that need them skip.');
  } else {
    const how = debian ? `sudo apt-get install ${missing.join(' ')}` : missing.join(', ');
    say(`Not installed: ${missing.join(', ')}. The tests that need them skip; install them with: ${how}`);
  }
}

/** What node is given: all tests, or those of the files and folders named. */
function patterns(args: readonly string[]): string[] {
  if (args.length === 0) return ['test/**/*.test.ts'];
  return args.map((path) => (existsSync(path) && statSync(path).isDirectory() ? `${path}/**/*.test.ts` : path));
}

const [major] = process.versions.node.split('.').map(Number);
if ((major ?? 0) < 24) {
  process.stderr.write(
    `The tests need Node 24, this is ${process.version}. Run them with \`npm test\`, which brings it.\n`,
  );
  process.exit(1);
}
provide();
if (await uiIsStale()) {
  say('Building the screens.');
  await buildUi();
}
say(`Random tests have the seed ${TEST_SEED}; TEST_SEED in the environment is another.`);
const { status, signal } = spawnSync(
  process.execPath,
  [
    '--disable-warning=ExperimentalWarning',
    '--test',
    // In every test file: random tests make the same choices in each run.
    `--import=${pathToFileURL(join(root, 'test', 'support', 'seed.ts'))}`,
    `--test-concurrency=${Math.max(2, availableParallelism())}`,
    // Against what never ends; a machine that is slow takes minutes for the longest.
    '--test-timeout=900000',
    ...patterns(process.argv.slice(2)),
  ],
  // Every test file is a process of its own; compiled code is kept between them.
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'compile') },
  },
);
if (signal !== null) say(`The test runner was ended by ${signal}.`);
process.exitCode = status ?? 1;
