/** Runs the test suite of aedes-persistence on the sessions, in memory and on disk. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import abstract from 'aedes-persistence/abstract.js';
import { SESSION_LIMITS } from '#servers/mqtt/sessions/session-limits.ts';
import { openSessions } from '#servers/mqtt/sessions/sessions.ts';

const root = mkdtempSync(join(tmpdir(), 'headframe-mqtt-'));
after(() => rmSync(root, { recursive: true }));

const open = (folder: string | undefined) =>
  openSessions({
    folder,
    limits: SESSION_LIMITS,
    maySubscribe: () => true,
    onDropped: () => {},
    closeConnection: () => {},
    warn: () => {},
  });

suite('aedes-persistence, in memory', () => {
  abstract({ test, persistence: () => open(undefined), testAsync: true });
});

suite('aedes-persistence, on disk', () => {
  let made = 0;
  abstract({ test, persistence: () => open(join(root, String(++made))), testAsync: true });
});
