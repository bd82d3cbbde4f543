/** The queue lasts: threads that die, gateways that stop, people that cancel, disks without room. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { NotTaken } from '#contract/fleet/ingest.ts';
import type { RunData, RunLive } from '#contract/work/task.ts';
import { running } from '#test/ingest/frames.ts';
import { busLog } from '#test/support/bus-log.ts';
import { openRuns, type RunsRig } from './rig.ts';

const MORNING = Date.parse('2026-11-20T06:00:00Z');
const log = (seconds: number) => Buffer.from(running(MORNING, seconds));
/** Long enough for several parts. */
const LONG = 30_000;

async function until<T>(what: string, read: () => Promise<T | undefined> | T | undefined): Promise<T> {
  for (const late = performance.now() + 120_000; performance.now() < late; ) {
    const found = await read();
    if (found !== undefined) return found;
    await new Promise((done) => setTimeout(done, 20));
  }
  throw new Error(`it never came to this: ${what}`);
}

const runsOf = async (rig: RunsRig, artifact: string) => {
  const { id } = await rig.task(artifact);
  const found = await rig.site.store
    .view(rig.site.project)
    .find<RunData>('records', { object: 'run', where: { 'data.task_id': id }, limit: 100 });
  // The links of a chain, the first at first.
  return found.sort((a, b) => a.data.retry.retry_count - b.data.retry.retry_count);
};

async function open() {
  const rig = await openRuns();
  const machine = await rig.machine('TR-1');
  const device = await rig.device('logger', [['2026-01-01T00:00:00Z', machine]]);
  return { rig, machine, device };
}

/** A thread that does this instead of its work. */
function threadThat(source: string) {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-thread-'));
  const file = join(folder, 'thread.mjs');
  writeFileSync(file, source);
  return { url: pathToFileURL(file), [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}

for (const [how, source] of [
  ['ends', 'process.exit(3);'],
  ['throws', "throw new Error('a fault of ours');"],
  ['takes more memory than it may', 'const all = []; for (;;) all.push(new Array(1e6).fill(1));'],
] as const) {
  test(`[Q4] a file whose thread ${how} is set aside after three deaths, until somebody asks again`, async () => {
    const { rig, device } = await open();
    await using _ = rig;
    using thread = threadThat(source);
    rig.start({ worker: thread.url });
    const artifact = await rig.upload(device, 'a.log', log(5));
    const paused = await until('set aside', async () => {
      const { data } = await rig.task(artifact);
      return data.auto_paused === false ? undefined : data.auto_paused;
    });
    assert.equal(paused?.code, 'task_auto_paused_repeat_failure');
    const runs = await runsOf(rig, artifact);
    assert.deepEqual(
      runs.map(({ data }) => [data.status, data.error?.code, data.retry.retry_count, data.terminal_event_count]),
      [
        ['failed', 'run_invocation_died', 0, 1],
        ['failed', 'run_invocation_died', 1, 1],
        ['failed', 'task_auto_paused_repeat_failure', 2, 1],
      ],
    );
    assert.deepEqual(
      runs.map(({ data }) => data.retry.retry_of),
      [null, runs[0]?.id, runs[1]?.id],
    );
    // Others are not held up by it, and it is taken up again when somebody asks.
    await rig.stop();
    rig.start();
    const other = await rig.upload(device, 'b.log', log(5));
    assert.equal((await rig.ended(other)).data.status, 'completed');
    assert.equal((await runsOf(rig, artifact)).length, 3);
    await rig.again(artifact);
    assert.equal((await rig.ended(artifact)).data.status, 'completed');
    assert.equal((await rig.task(artifact)).data.auto_paused, false);
  });
}

for (const [how, step] of [
  ['goes on before the commit', 0],
  ['is set back all the while', 1_000],
] as const) {
  test(`[A608] the times of a run and of what replaces it are in order when the clock ${how}`, async () => {
    const { rig, device } = await open();
    await using _ = rig;
    using thread = threadThat('process.exit(3);');
    // The runs read their clock before the store reads its own.
    let read = 0;
    rig.start({ worker: thread.url, clock: () => rig.site.time.ms - 5 - step * read++ });
    const artifact = await rig.upload(device, 'a.log', log(5));
    await until('set aside', async () => (await rig.task(artifact)).data.auto_paused || undefined);
    const runs = await runsOf(rig, artifact);
    assert.equal(runs.length, 3);
    for (const { created_at, data } of runs) {
      const times = [created_at, data.queued_at, data.dequeued_at, data.started_at, data.ended_at];
      assert.deepEqual(
        times,
        times.toSorted((a, b) => Date.parse(a ?? '') - Date.parse(b ?? '')),
      );
    }
  });
}

test('[Q4] a run that is stopped with the gateway is replaced once, and what it had handed over is there once', async () => {
  const { rig, machine, device } = await open();
  await using _ = rig;
  const artifact = await rig.upload(device, 'a.log', log(LONG));
  // The journal takes two parts; with the third the gateway stops.
  let taken = 0;
  const stopping = Promise.withResolvers<void>();
  rig.start({
    async accept(message) {
      if (++taken > 2) {
        stopping.resolve();
        return new Promise<void>(() => {});
      }
      return rig.site.ingest.accept(message);
    },
  });
  await stopping.promise;
  await rig.stop();
  const [first, second] = await runsOf(rig, artifact);
  assert.deepEqual(
    [first?.data.status, first?.data.error?.code, second?.data.status, second?.data.retry.retry_of],
    ['failed', 'run_evicted_by_deploy', 'pending', first?.id],
  );
  assert.equal((await rig.task(artifact)).data.latest_run_id, second?.id);
  await rig.site.restart();
  rig.start();
  const run = await rig.ended(artifact);
  assert.deepEqual([run.id, run.data.status], [second?.id, 'completed']);
  const { samples_known = 0, samples_added = 0 } = run.data.seed_graph?.counts ?? {};
  assert.ok(samples_known > 0, 'two parts were there');
  assert.equal(samples_known + samples_added, LONG + 1);
  const all = await rig.site.ingest.history(machine, 'engine.speed', MORNING, MORNING + LONG * 1000);
  assert.equal(all.t.length, LONG + 1);
});

test('[Q4] a run that worked when the gateway was killed ends as died, and ONE replacement does the work', async () => {
  const { rig, device } = await open();
  await using _ = rig;
  const artifact = await rig.upload(device, 'a.log', log(60));
  const [waiting] = await runsOf(rig, artifact);
  const working = Promise.withResolvers<void>();
  rig.start({
    accept() {
      working.resolve();
      return new Promise<void>(() => {});
    },
  });
  await working.promise;
  // What the old process would still write reaches no store any more.
  await rig.site.restart({ crash: true });
  await rig.stop();
  assert.equal((await runsOf(rig, artifact))[0]?.data.status, 'running');
  rig.start();
  const run = await until('completed', async () => {
    const found = await rig.ended(artifact);
    return found.data.status === 'completed' ? found : undefined;
  });
  assert.deepEqual(run.data.retry, { retry_of: waiting?.id, retry_count: 1 });
  assert.deepEqual(
    (await runsOf(rig, artifact)).map((one) => [one.data.status, one.data.error?.code ?? null]),
    [
      ['failed', 'run_invocation_died'],
      ['completed', null],
    ],
  );
});

test('[Q9] how far a run is can be read: its words, frames and percent, rising', async () => {
  const { rig, device } = await open();
  await using _ = rig;
  const told: { text: string; pct: number | null }[] = [];
  rig.site.store.changes((changes) => {
    for (const { collection, document } of changes) {
      if (collection !== 'live' || document.object !== 'run') continue;
      const { status_text, progress_pct } = document.data as unknown as RunLive;
      told.push({ text: status_text, pct: progress_pct });
    }
  });
  const artifact = await rig.upload(device, 'a.log', Buffer.from([...busLog(MORNING, 6_000, 14)].join('')));
  // Each part waits a little, as on a slow disk.
  rig.start({
    progressMs: 0,
    async accept(message) {
      await new Promise((done) => setTimeout(done, 300));
      return rig.site.ingest.accept(message);
    },
  });
  assert.equal((await rig.ended(artifact)).data.status, 'completed');
  const percents = told.flatMap(({ pct }) => pct ?? []);
  assert.deepEqual(
    percents,
    [...percents].sort((a, b) => a - b),
  );
  assert.ok(percents.some((pct) => pct > 0 && pct < 100));
  assert.ok(told.some(({ text }) => /^Decodes a\.log: [\d,]+ frames, now at 2026-11-20T/.test(text)));
  assert.deepEqual(told.at(-1), { text: 'Done.', pct: 100 });
});

test('[Q5] a cancel ends the thread; what it handed over by then stays; the next file goes on', async () => {
  const { rig, machine, device } = await open();
  await using _ = rig;
  const artifact = await rig.upload(device, 'a.log', log(LONG));
  const next = await rig.upload(device, 'b.log', Buffer.from(running(MORNING + 86_400_000, 5)));
  let taken = 0;
  const third = Promise.withResolvers<void>();
  rig.start({
    async accept(message) {
      if (++taken === 3) {
        third.resolve();
        return new Promise<void>(() => {});
      }
      return rig.site.ingest.accept(message);
    },
  });
  await third.promise;
  const { data: task } = await rig.task(artifact);
  await rig.site.call('tasks_cancel', { task_id: (await rig.task(artifact)).id });
  assert.equal((await rig.ended(next)).data.status, 'completed');
  const run = await rig.run(task.latest_run_id ?? '');
  assert.deepEqual([run.data.status, run.data.terminal_event_count], ['canceled', 1]);
  assert.equal((await runsOf(rig, artifact)).length, 1, 'nothing replaces what was canceled');
  await rig.site.ingest.settled();
  const { t } = await rig.site.ingest.history(machine, 'engine.speed', MORNING, MORNING + LONG * 1000);
  assert.ok(t.length > 8_000 && t.length < LONG);
});

test('[Q3] where there is no room the run waits and says so, and loses nothing', async () => {
  const { rig, machine, device } = await open();
  await using _ = rig;
  rig.site.ingest.setHeadroom({ disk: 'scarce', spare_bytes: 0, memory: true });
  rig.start();
  const artifact = await rig.upload(device, 'a.log', log(60));
  const id = (await rig.task(artifact)).data.latest_run_id ?? '';
  await until('it says that it waits', async () =>
    (await rig.live(id))?.status_text.includes('no disk space or memory') ? true : undefined,
  );
  await assert.rejects(
    rig.site.ingest.accept({ ...device, topic: 'recording', payload: new Uint8Array(4), received_at_ms: 0 }),
    NotTaken,
  );
  rig.site.ingest.setHeadroom({ disk: 'ok', spare_bytes: 1 << 40, memory: true });
  assert.equal((await rig.ended(artifact)).data.seed_graph?.counts.samples_added, 61);
  assert.equal((await rig.site.ingest.history(machine, 'engine.speed', 0, 4e12)).t.length, 61);
  const { gaps } = await rig.site.ingest.health();
  assert.deepEqual(gaps, [], 'what waits in a file is no gap');
});

test('[Q2] runs are taken in the order of the queue, one at a time; another kind of work is left alone', async () => {
  const { rig, device } = await open();
  await using _ = rig;
  // Older than all the files: the work of a program on the device.
  const other = await rig.site.at(MORNING, async () => {
    const worker = { id: device.device, name: 'counter', version: '1', capabilities: [] };
    await rig.site.call('devices_worker_register', worker);
    return rig.site.call('devices_worker_run', { id: device.device, title: 'Count the loads' });
  });
  const files: string[] = [];
  for (let i = 0; i < 5; i++) {
    rig.site.time.pass(10);
    files.push(await rig.upload(device, `${i}.log`, Buffer.from(running(MORNING + i * 60_000, 5))));
  }
  const order: string[] = [];
  let working = 0;
  const unfollow = rig.site.store.changes((changes) => {
    for (const { document } of changes) {
      if (document.object !== 'run' || !('task_id' in document.data)) continue;
      const { status, backend } = document.data as unknown as RunData;
      if (status === 'running') {
        working++;
        order.push(String(backend.artifact_id));
        assert.equal(working, 1);
      } else if (status === 'completed') working--;
    }
  });
  rig.start();
  for (const file of files) await rig.ended(file);
  unfollow();
  assert.deepEqual(order, files);
  assert.equal((await rig.run(other.latest_run_id ?? '')).data.status, 'pending');
});
