/** A store that refuses writes: each run still ends, with the code that says what was refused. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreError } from '#contract/base/store-error.ts';
import type { Write } from '#contract/base/view.ts';
import type { RunData } from '#contract/work/task.ts';
import type { Store } from '#store/open-store.ts';
import { running } from '#test/ingest/frames.ts';
import { until } from '#test/support/until.ts';
import { openRuns, type RunsRig } from './rig.ts';

const MORNING = Date.parse('2026-11-20T06:00:00Z');
const short = () => Buffer.from(running(MORNING, 5));

async function device(rig: RunsRig, name: string) {
  const machine = await rig.machine(name);
  return rig.device(name, [['2026-01-01T00:00:00Z', machine]]);
}

/** The store of the rig. It refuses each commit for which `refuses` is true, as a full disk does. */
function refusing(store: Store, refuses: (run: RunData | undefined) => boolean): Store {
  const failure = () => new StoreError('disk_full', 'the data folder');
  const runOf = (writes: readonly Write[]) =>
    writes.find(({ collection, object }) => collection === 'records' && object === 'run')?.data as RunData | undefined;
  return new Proxy(store, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (name !== 'view') return typeof value === 'function' ? value.bind(target) : value;
      return (project: string) => {
        const view = target.view(project);
        return {
          ...view,
          commit: (writes: readonly Write[]) =>
            refuses(runOf(writes)) ? Promise.reject(failure()) : view.commit(writes),
        };
      };
    },
  });
}

/** The codes of the runs of a file, the first run first. */
async function codes(rig: RunsRig, artifact: string) {
  const { id } = await rig.task(artifact);
  const where = { 'data.task_id': id };
  const runs = await rig.site.store
    .view(rig.site.project)
    .find<RunData>('records', { object: 'run', where, limit: 10 });
  return runs
    .sort((a, b) => a.data.retry.retry_count - b.data.retry.retry_count)
    .map(({ data }) => [data.status, data.error?.code ?? null]);
}

test('[Q45] a run that cannot be started three times ends, and the runs behind it start', async () => {
  await using rig = await openRuns();
  const a = await device(rig, 'A');
  const poisoned = await rig.upload(a, 'a.log', short());
  rig.site.time.pass(10);
  const other = await rig.upload(a, 'b.log', Buffer.from(running(MORNING + 86_400_000, 60)));
  let tried = 0;
  const size = short().length;
  rig.start({
    ceiling(bytes) {
      if (bytes !== size) return 60;
      tried++;
      throw new Error('a fault of the gateway');
    },
  });
  const run = await rig.ended(poisoned);
  assert.deepEqual([run.data.error?.code, run.data.started_at, tried], ['run_never_started', null, 3]);
  assert.match(run.data.error?.message ?? '', /could not start the run 3 times/);
  assert.equal((await rig.ended(other)).data.status, 'completed');
  assert.deepEqual(await codes(rig, poisoned), [['failed', 'run_never_started']], 'nothing replaces it');
  assert.ok(rig.site.logged.some((line) => line.includes('a fault of the gateway')));
});

test('[Q45] while the store refuses every write, a run waits and does not fail', async () => {
  await using rig = await openRuns();
  const artifact = await rig.upload(await device(rig, 'A'), 'a.log', short());
  let refused = 0;
  let isFull = true;
  rig.start({
    store: refusing(rig.site.store, () => {
      if (isFull) refused++;
      return isFull;
    }),
  });
  await until(() => refused > 12);
  isFull = false;
  assert.equal((await rig.ended(artifact)).data.status, 'completed');
  assert.deepEqual(await codes(rig, artifact), [['completed', null]]);
});

test('[Q46] a run that cannot be put back into the queue ends as such, and one replacement does its work', async () => {
  await using rig = await openRuns();
  const [a, b, c] = [await device(rig, 'A'), await device(rig, 'B'), await device(rig, 'C')];
  const long = [await rig.upload(a, 'a.log', Buffer.from(running(MORNING, 30_000)))];
  rig.site.time.pass(10);
  long.push(await rig.upload(b, 'b.log', Buffer.from(running(MORNING, 30_000))));
  rig.site.time.pass(10);
  const file = await rig.upload(c, 'c.log', short());
  let refused = 0;
  // The long files wait for the journal, over their share, until one of them was refused.
  const done = Promise.withResolvers<void>();
  rig.start({
    shareMs: 1,
    // Only a run that goes back into the queue waits and is marked as long.
    store: refusing(rig.site.store, (run) => {
      const refuses = run?.status === 'pending' && run.backend.long === true && refused === 0;
      if (refuses) {
        refused++;
        done.resolve();
      }
      return refuses;
    }),
    async accept(message) {
      if (message.device !== c.device) await done.promise;
      return rig.site.ingest.accept(message);
    },
  });
  for (const artifact of [...long, file]) {
    await until(async () => (await rig.ended(artifact)).data.status === 'completed');
  }
  for (const artifact of long) assert.equal((await rig.ended(artifact)).data.seed_graph?.counts.samples, 30_001);
  const all = await Promise.all(long.map((artifact) => codes(rig, artifact)));
  assert.equal(refused, 1);
  assert.deepEqual(
    all.sort((x, y) => y.length - x.length),
    [
      [
        ['failed', 'run_continuation_no_queue'],
        ['completed', null],
      ],
      [['completed', null]],
    ],
  );
});

test('[Q47] the end of a dead run that the store refuses is written later, says so, and one replacement does its work', async () => {
  await using rig = await openRuns();
  const artifact = await rig.upload(await device(rig, 'A'), 'a.log', Buffer.from(running(MORNING, 60)));
  const working = Promise.withResolvers<void>();
  rig.start({
    accept() {
      working.resolve();
      return new Promise<void>(() => {});
    },
  });
  await working.promise;
  await rig.site.restart({ crash: true });
  await rig.stop();
  assert.deepEqual(await codes(rig, artifact), [['running', null]]);
  let refused = 0;
  rig.start({ store: refusing(rig.site.store, (run) => run?.status === 'failed' && refused++ < 3) });
  await until(async () => (await rig.ended(artifact)).data.status === 'completed');
  assert.deepEqual(await codes(rig, artifact), [
    ['failed', 'run_recovery_unwritable'],
    ['completed', null],
  ]);
  const { retry } = (await rig.ended(artifact)).data;
  const first = await rig.run(retry.retry_of ?? '');
  assert.equal(
    first.data.error?.message,
    'The gateway ended while the run worked. The gateway could not store this at first.',
  );
});

test('[Q47] a run whose outcome the store refuses does not say that the gateway ended', async () => {
  await using rig = await openRuns();
  const artifact = await rig.upload(await device(rig, 'A'), 'a.log', short());
  let refused = 0;
  rig.start({ store: refusing(rig.site.store, (run) => run?.status === 'completed' && refused++ === 0) });
  await until(async () => (await rig.ended(artifact)).data.status === 'completed');
  const { retry } = (await rig.ended(artifact)).data;
  const { data } = await rig.run(retry.retry_of ?? '');
  assert.equal(data.error?.code, 'run_invocation_died');
  assert.match(data.error?.message ?? '', /because of an error in the gateway/);
});
