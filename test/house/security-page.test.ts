/** The page about security names every threat once, and each test that it names exists. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const docs = join(import.meta.dirname, '..', '..', 'docs');
/** The number of threats of the threat model. */
const THREATS = 32;

test('each threat has a number, a control, and tests that exist; only what is not built yet has none', () => {
  const page = readFileSync(join(docs, 'security.md'), 'utf8');
  const rows = [...page.matchAll(/^\| (\d+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm)];
  assert.deepEqual(
    rows.map(([, number]) => Number(number)),
    Array.from({ length: THREATS }, (_, i) => i + 1),
  );
  for (const [, number, , control = '', tests = ''] of rows) {
    const named = [...tests.matchAll(/\]\(([^)]+)\)/g)].map(([, path]) => path ?? '');
    for (const path of named) assert.ok(existsSync(join(docs, path)), `threat ${number} names ${path}`);
    assert.ok(named.length > 0 || / yet\.$/.test(control.trim()), `threat ${number} has no test`);
  }
});
