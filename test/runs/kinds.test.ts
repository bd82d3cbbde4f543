/** Runs of several kinds, and runs that another node owns. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { type Kind, makeId } from '#contract/base/ids.ts';
import type { RunData } from '#contract/work/task.ts';
import { createFileRun } from '#domain/runs/decode-task.ts';
import { createRun } from '#domain/runs/run.ts';
import type { RunKind } from '#gateway/runs/run-kind.ts';
import { sweepRuns } from '#sweeps/run-sweep.ts';
import { running } from '#test/ingest/frames.ts';
import { openRuns, type RunsRig } from './rig.ts';

const MORNING = Date.parse('2026-11-20T06:00:00Z');
const DAY_MS = 86_400_000;

async function until(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  for (const late = performance.now() + 120_000; performance.now() < late; ) {
    if (await isTrue()) return;
    await new Promise((done) => setTimeout(done, 20));
  }
  throw new Error(`timeout: ${what}`);
}

/** Stores a run as a task of the project would, and returns its id. */
async function store(rig: RunsRig, data: RunData): Promise<string> {
  const id = makeId('run', rig.site.time.ms, randomBytes(10));
  await rig.site.store
    .view(rig.site.project)
    .commit([{ collection: 'records', id, object: 'run', data: { ...data }, expected: 0 }]);
  return id;
}

/** A kind of runs that end as soon as they start. */
const QUICK: RunKind = {
  name: 'quick',
  waitingRunOf: ({ id, project_id, created_at, data }) =>
    data.backend.preset === 'quick' ? { id, project_id, created_at, device: 'any', long: false } : undefined,
  prepare: async () => ({
    cpu_s: 1,
    async work({ queue, working }) {
      await queue.end(working, { status: 'failed', code: 'backend_unavailable', message: 'done' });
    },
  }),
  replacement: (run) => run,
  messages: {
    started: 'Starts.',
    givenBack: 'Waits.',
    overCeiling: () => 'Over its ceiling.',
    givenUp: () => 'Died too often.',
  },
};

test('[Q16] a run of one kind starts while runs of another kind hold all their places', async () => {
  await using rig = await openRuns();
  const folder = mkdtempSync(join(tmpdir(), 'headframe-thread-'));
  const thread = join(folder, 'thread.mjs');
  writeFileSync(thread, 'setInterval(() => {}, 1000);');
  try {
    rig.start({ worker: pathToFileURL(thread), kinds: [QUICK] });
    const machine = await rig.machine('TR-1');
    const devices = await Promise.all(
      ['one', 'two', 'three'].map((name) => rig.device(name, [['2026-01-01T00:00:00Z', machine]])),
    );
    const files: string[] = [];
    for (const device of devices) files.push(await rig.upload(device, 'a.log', Buffer.from(running(MORNING, 5))));
    const statuses = () =>
      Promise.all(
        files.map(async (file) => (await rig.run((await rig.task(file)).data.latest_run_id ?? '')).data.status),
      );
    await until(
      'two logs are being decoded',
      async () => (await statuses()).filter((one) => one === 'running').length === 2,
    );
    const backend = { platform: 'headframe', harness: null, provider: null, model: null, preset: 'quick' };
    const queued_at = new Date(rig.site.time.ms).toISOString();
    const quick = await store(rig, createRun({ kind: 'export', task_id: 'tsk_quick', queued_at, backend }));
    await until('the quick run ended', async () => (await rig.run(quick)).data.status === 'failed');
    assert.deepEqual((await statuses()).toSorted(), ['pending', 'running', 'running']);
  } finally {
    await rig.stop();
    rmSync(folder, { recursive: true });
  }
});

test('[Q17] the queue, the search for orphans and the sweep leave runs of another node alone', async () => {
  await using rig = await openRuns();
  const machine = await rig.machine('TR-1');
  const device = await rig.device('logger', [['2026-01-01T00:00:00Z', machine]]);
  const queued_at = new Date(rig.site.time.ms - 9 * DAY_MS).toISOString();
  const file = { artifact_id: 'art_elsewhere', device_id: device.device };
  const pending = createFileRun('tsk_elsewhere', file, queued_at, { node_id: 'another_node' });
  const overdue = { ...pending, timeouts: { ...pending.timeouts, queue_pickup_s: 1 } };
  const foreign = [
    await store(rig, overdue),
    await store(rig, { ...overdue, status: 'running', started_at: queued_at, dequeued_at: queued_at }),
  ];
  const own = await store(rig, { ...createFileRun('tsk_elsewhere', file, queued_at), timeouts: overdue.timeouts });
  const newId = (kind: Kind, place?: number) => makeId(kind, rig.site.time.ms, randomBytes(10), place);
  assert.equal(await sweepRuns({ store: rig.site.store, clock: () => rig.site.time.ms, newId }), 1);
  assert.equal((await rig.run(own)).data.error?.code, 'queue_pickup_timeout');

  rig.start();
  const uploaded = await rig.upload(device, 'a.log', Buffer.from(running(MORNING, 5)));
  const ended = await rig.ended(uploaded);
  assert.equal(ended.data.node_id, rig.site.store.nodeId);
  assert.equal((await rig.task(uploaded)).data.node_id, rig.site.store.nodeId);
  const found = await Promise.all(foreign.map((id) => rig.run(id)));
  assert.deepEqual(
    found.map(({ data, revision }) => [data.status, data.node_id, revision]),
    [
      ['pending', 'another_node', 1],
      ['running', 'another_node', 1],
    ],
  );
});
