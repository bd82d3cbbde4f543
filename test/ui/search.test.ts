/** What the search of the office finds. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Found, MOST_RESULTS, matches } from '#ui/office/search/matches.ts';

const thing = (kind: Found['kind'], name: string, more = ''): Found => ({
  kind,
  id: `${kind} ${name}`,
  name,
  more,
  hash: name,
});
const THINGS = [
  thing('machine', 'HT-07', 'Komatsu · HD785-8 · A40123'),
  thing('machine', 'HT-70', 'Caterpillar · 777'),
  thing('machine', 'EX-07', 'Excavadora grande'),
  thing('ticket', 'Brake accumulator leaks', '26-0012 · flagged'),
  thing('operator', 'José Núñez', 'B-1042'),
  thing('page', 'Health', 'Site'),
  thing('device', 'Logger of HT-07', 'CAN7-0001 · can logger'),
];
const names = (typed: string): string[] => matches(THINGS, typed).shown.map(({ name }) => name);

test('[U195] a number is found as people type it: without its sign, its zeros, its accents and its capital letters', () => {
  for (const typed of ['HT-07', 'ht07', 'ht 7', 'HT7', ' ht-007 ']) assert.equal(names(typed)[0], 'HT-07', typed);
  assert.deepEqual(names('nunez'), ['José Núñez']);
  assert.deepEqual(names('JOSÉ n'), ['José Núñez']);
  assert.deepEqual(names('b1042'), ['José Núñez']);
  assert.deepEqual(names('heal'), ['Health']);
});

test('[U195] the best results come first: the same name, then the beginning, then a word, then a part', () => {
  assert.deepEqual(names('ht-07'), ['HT-07', 'Logger of HT-07']);
  assert.deepEqual(names('ht'), ['HT-07', 'HT-70', 'Logger of HT-07']);
  assert.deepEqual(names('leaks brake'), ['Brake accumulator leaks']);
  assert.deepEqual(names('cumula'), ['Brake accumulator leaks']);
  assert.deepEqual(names('785'), ['HT-07']);
});

test('[U195] no words and strange words find nothing, and the count names the results that are not shown', () => {
  for (const typed of ['', '   ', '---', '*', '(.*)', 'xyz'])
    assert.deepEqual(matches(THINGS, typed), { shown: [], count: 0 });
  const many = Array.from({ length: 40 }, (_, i) => thing('machine', `HT-${i}`));
  const { shown, count } = matches(many, 'ht');
  assert.deepEqual([shown.length, count], [MOST_RESULTS, 40]);
  assert.deepEqual(
    shown.slice(0, 3).map(({ name }) => name),
    ['HT-0', 'HT-1', 'HT-2'],
  );
});
