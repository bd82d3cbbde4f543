/**
 * Kills the gateway and its supervisor in turn under the desktop app, N times: `node test/faults/desktop-kill.ts N`. Each time the window must
 * say that the gateway starts again, and come back by itself.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const kills = process.argv[2] ?? '20';
const { status } = spawnSync(
  process.execPath,
  [
    '--disable-warning=ExperimentalWarning',
    '--test',
    '--test-reporter=spec',
    '--test-name-pattern=\\[X2\\]',
    join(import.meta.dirname, '..', 'electron', 'app.test.ts'),
  ],
  { stdio: 'inherit', env: { ...process.env, TEST_KILLS: kills } },
);
process.exitCode = status ?? 1;
