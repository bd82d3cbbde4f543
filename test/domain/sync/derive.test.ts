import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KindRule } from '#contract/ownership/rule.ts';
import { OWNERSHIP } from '#contract/ownership/table.ts';
import { claimsOf, placeOf } from '#domain/sync/claims.ts';
import { cutParents, danglingReferences, endedAssignments } from '#domain/sync/derive.ts';
import { laneOf, nextLane } from '#domain/sync/lanes.ts';
import type { Doc } from '#domain/sync/registers/documents.ts';
import { createDoc } from '#domain/sync/registers/edit.ts';
import { SYNC_RULES } from '#domain/sync/rules.ts';

const at = (n: number) => ({ life: 'gw_a.1.x', hlc: n.toString(16).padStart(16, '0') });
const make = (object: string, id: string, data: Record<string, unknown>, n: number, collection = 'records'): Doc =>
  createDoc(OWNERSHIP.kind(collection, object) as KindRule, { collection, id, object }, data, at(n)).doc;
const place = (id: string, parent_id: string | null, n: number) => make('location', id, { name: id, parent_id }, n);

const ENV = {
  role: 'site',
  now: 0,
  ownership: OWNERSHIP,
  rules: SYNC_RULES,
  token: () => '',
  check: () => undefined,
} as const;

test('[Y17] in a circle of locations the youngest edge does not count, whatever the order of the list', () => {
  const list = [place('a', 'b', 3), place('b', 'c', 5), place('c', 'a', 4), place('d', 'a', 9), place('e', null, 1)];
  assert.deepEqual([...cutParents(list)], ['b']);
  assert.deepEqual([...cutParents([...list].reverse())], ['b']);
  assert.deepEqual([...cutParents([place('x', 'x', 1)])], ['x']);
  assert.deepEqual([...cutParents([place('x', 'y', 1), place('y', 'gone', 2)])], []);
});

test('[Y17] an operator on two machines works on the one of the youngest assignment', () => {
  const machine = (id: string, operator_id: string | null, n: number) =>
    make('equipment', id, { name: id, operator_id, operator_since: 't' }, n);
  const ended = endedAssignments([machine('eq_1', 'op', 1), machine('eq_2', 'op', 2), machine('eq_3', null, 3)]);
  assert.deepEqual([...ended], [['eq_1', { by: 'eq_2', hlc: at(2).hlc }]]);
  const claims = ['eq_1', 'eq_2'].map((id, i) => ({ hlc: String(i), id }));
  assert.equal(placeOf(claims, 'eq_2'), 2);
});

test('[Y17] a machine with one name as its number and as an alias claims it with the earlier time, whatever the order of its registers', () => {
  const first = make('equipment', 'eq_1', { unit_number: 'HT-1', aliases: [] }, 1);
  const alias = make('equipment', 'eq_1', { aliases: ['ht-1'] }, 2).registers;
  const ordered = [...first.registers, ...alias];
  for (const registers of [ordered, ordered.toReversed()])
    assert.deepEqual(
      [...claimsOf(ENV, { ...first, registers: new Map(registers) })],
      [['unit_number/ht-1', at(1).hlc]],
    );
});

test('[Y59] a reference to what is not there yet is allowed and named', () => {
  const items = [
    { id: 'i', dashboard_id: 'dash_1' },
    { id: 'j', dashboard_id: 'dash_2' },
  ];
  const board = make('playlist', 'pl_1', { name: 'p', items }, 1);
  assert.deepEqual(
    danglingReferences(ENV, board, (id) => id === 'dash_1'),
    ['dash_2'],
  );
});

test('[Y41] a page in ten is of the least urgent lane that waits, and all others are of the most urgent', () => {
  const alert = make('event', 'evt_1', { type: 'alert.raised', subject: { id: 'x' } }, 1, 'events');
  const ticket = make('repair_ticket', 'rt_1', { title: 't', status: 'flagged' }, 1);
  assert.deepEqual([laneOf([ticket]), laneOf([ticket, alert])], [2, 1]);
  const lanes = Array.from({ length: 20 }, (_, page) => nextLane([false, true, false, false, true, false], page));
  assert.deepEqual([lanes.filter((lane) => lane === 4).length, lanes.filter((lane) => lane === 1).length], [2, 18]);
  assert.equal(nextLane([false, false], 0), undefined);
});
