import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOMS } from '../../rooms.ts';
import { readHouse } from './source.ts';
import { entriesOf, type Step, staleSteps, walksOf } from './walks.ts';

const root = join(import.meta.dirname, '..', '..');
const WALKS = walksOf(readFileSync(join(root, 'docs/architecture.md'), 'utf8'));
const house = readHouse(root);

for (const name of ['can', 'rest'] as const)
  test(`the ${name} walk of docs/architecture.md names functions that exist and call each other`, () => {
    const steps = WALKS.get(name) ?? [];
    assert.ok(steps.length >= 9, `${steps.length} steps`);
    assert.deepEqual(staleSteps(steps, house, ROOMS), []);
    const often = [...entriesOf(steps, ROOMS)].filter(([, times]) => times > 2);
    assert.deepEqual(often, [], 'a walk enters a room at most twice');
  });

test('a stale step is reported: a file, function, call or import that is gone', () => {
  const sources = [
    { path: 'gateway/dbc/a.ts', text: "import './b.ts';\nexport function one() { two(); }" },
    { path: 'gateway/dbc/b.ts', text: 'export const two = () => three();' },
    { path: 'gateway/dbc/c.ts', text: 'export class C { #three() {} }' },
  ];
  const step = (file: string, name: string, call?: string, through?: string): Step => ({
    file: `gateway/dbc/${file}.ts`,
    name,
    call,
    through,
  });
  const stale = (...steps: Step[]) => staleSteps(steps, sources, ROOMS);
  assert.deepEqual(stale(step('a', 'one', 'two'), step('b', 'two')), []);
  assert.deepEqual(stale(step('c', 'three')), []);
  assert.deepEqual(stale(step('d', 'one')), ['step 1, gateway/dbc/d.ts: no such file']);
  assert.deepEqual(stale(step('a', 'other')), ['step 1, gateway/dbc/a.ts: declares no function other']);
  assert.deepEqual(stale(step('a', 'one', 'four'), step('b', 'two')), ['step 1, gateway/dbc/a.ts: does not call four']);
  assert.deepEqual(stale(step('b', 'two', 'three'), step('c', 'three')), [
    'step 1, gateway/dbc/b.ts: does not import gateway/dbc/c.ts',
  ]);
  assert.deepEqual(stale(step('b', 'two', 'three', 'gateway/dbc/a.ts'), step('c', 'three')), [
    'step 1, gateway/dbc/b.ts: gateway/dbc/a.ts does not connect it to gateway/dbc/c.ts',
  ]);
});
