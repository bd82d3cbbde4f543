import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Evidence, POINT_EVIDENCE } from '#domain/machine/evidence.ts';
import { pointValue } from '#domain/machine/source-value.ts';
import { createState } from '#ingest/fold/fold-state.ts';
import { createMachine } from '#ingest/fold/machine-state.ts';
import type { Group } from '#ingest/journal/segment-file.ts';
import { createWaitingGroups } from '#ingest/journal/waiting-groups.ts';
import { createRestartTail } from '#ingest/restart-tail.ts';
import { createSessions } from '#ingest/sessions.ts';

const group = (start: number, bytes: number): Group => ({
  segment: 1,
  start,
  records: 1,
  body: Buffer.alloc(bytes),
});

test('[I34] groups wait in memory in order up to the limit; beyond it they are on disk only until the fold has caught up', () => {
  const waiting = createWaitingGroups(100);
  waiting.add(group(0, 60));
  waiting.add(group(60, 40));
  assert.equal(waiting.behind, false);
  waiting.add(group(100, 1));
  assert.equal(waiting.behind, true);
  waiting.add(group(101, 1));
  assert.deepEqual([waiting.take()?.start, waiting.take()?.start, waiting.take()], [0, 60, undefined]);
  waiting.behind = false;
  waiting.add(group(102, 100));
  assert.deepEqual([waiting.behind, waiting.isEmpty, waiting.take()?.start], [false, false, 102]);
});

test('[I25] a restored state gets each open connection, also the second one of a device', () => {
  const sessions = createSessions();
  const a = { device: 'dev_a', project_id: 'prj', device_id: 'a' };
  const b = { device: 'dev_b', project_id: 'prj', device_id: 'b' };
  sessions.opened(a, '10.0.0.1', 1);
  sessions.opened(a, '10.0.0.2', 2);
  sessions.opened(b, '10.0.0.3', 3);
  sessions.closed(b);
  sessions.closed(b);
  const told: unknown[] = [];
  sessions.each(({ device }, address, since_ms) => told.push([device, address, since_ms]));
  assert.deepEqual(told, [
    ['dev_a', '10.0.0.2', 2],
    ['dev_a', '10.0.0.2', 2],
  ]);
});

test('[I22] [I28] a restart begins a minute before the snapshot, or before the first sample that is in no segment', () => {
  const state = createState(0);
  const tailOf = createRestartTail(0, 5);
  state.position = 100;
  assert.equal(tailOf(state, 10_000), 5, 'until a minute has passed the next restart reads what this one did');
  state.position = 200;
  assert.equal(tailOf(state, 70_000), 100);
  const machine = createMachine('eq_1', 'prj');
  state.machines.set('eq_1', machine);
  const value = pointValue(POINT_EVIDENCE[0] as Evidence, 1, 1e15);
  machine.samples.add({ arrival: { device: 'dev_1', run_id: null }, position: 210, shared: { mono: 80_000 } }, value);
  state.position = 900;
  assert.equal(tailOf(state, 200_000), 100, 'repeats of the sample of second 80 came from second 20 on');
  machine.samples.clear(900);
  assert.equal(tailOf(state, 300_000), 900);
});
