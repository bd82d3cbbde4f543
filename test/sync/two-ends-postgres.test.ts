/** Runs the tests of two ends with head office on PostgreSQL. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { noPostgres, startPostgres } from '#test/support/postgres.ts';

const TESTS = ['two-ends.test.ts', 'head-office.test.ts'].map((name) => join(import.meta.dirname, name));

test('[S108] the tests of two ends pass with head office on PostgreSQL', { skip: noPostgres }, async () => {
  await using server = await startPostgres();
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(process.execPath, ['--test', '--test-reporter=tap', ...TESTS], {
    env: { ...env, TEST_POSTGRES: server.url },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const lines = await text(child.stdout);
  assert.equal(await ended, 0, lines);
});
