/** Devices take turns: a long file, a trap or a thousand files of one device do not hold up another one's. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { Turns, type WaitingRun } from '#gateway/runs/turns.ts';
import { running } from '#test/ingest/frames.ts';
import { openRuns, type RunsRig } from './rig.ts';

const MORNING = Date.parse('2026-11-20T06:00:00Z');
const short = (n = 0) => Buffer.from(running(MORNING + n * 60_000, 5));

async function device(rig: RunsRig, name: string) {
  const machine = await rig.machine(name);
  return rig.device(name, [['2026-01-01T00:00:00Z', machine]]);
}

/** A thread that uses all of a processor on a file that begins with "(0.0) burn", and reads others as it should. */
function burningThread() {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-thread-'));
  const file = join(folder, 'thread.mjs');
  const real = new URL('../../gateway/runs/decode-worker.ts', import.meta.url);
  writeFileSync(
    file,
    `import { readFileSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
if (readFileSync(workerData.path, 'latin1').startsWith('(0.0) burn')) for (;;) Math.sqrt(Math.random());
await import(${JSON.stringify(real.href)});
`,
  );
  return { url: pathToFileURL(file), [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}

test('[Q13] [Q14] two endless files of two devices do not hold up the file of a third, and both end by their ceiling', async () => {
  await using rig = await openRuns();
  using thread = burningThread();
  const [a, b, c] = [await device(rig, 'A'), await device(rig, 'B'), await device(rig, 'C')];
  const bombs: string[] = [];
  for (const [i, of] of [a, b].entries()) bombs.push(await rig.upload(of, 'a.log', Buffer.from(`(0.0) burn ${i}`)));
  rig.site.time.pass(10);
  const file = await rig.upload(c, 'c.log', short());
  rig.start({ worker: thread.url, shareMs: 200, ceiling: () => 3_600 });
  assert.equal((await rig.ended(file)).data.status, 'completed');
  await rig.stop();
  rig.start({ worker: thread.url, shareMs: 200, ceiling: () => 1 });
  for (const bomb of bombs) {
    const { data } = await rig.ended(bomb);
    assert.deepEqual([data.status, data.error?.code], ['failed', 'run_cpu_ceiling']);
    assert.deepEqual([data.limits.cpu_s, data.limits.fired], [1, 'cpu_s']);
    assert.match(data.error?.message ?? '', /^The run used 1 s of processor time/);
    assert.ok((data.error?.remedy ?? '') !== '');
  }
});

test('[Q13] a run that waits again says why, and is decoded whole when its turn comes', async () => {
  await using rig = await openRuns();
  const [a, b, c] = [await device(rig, 'A'), await device(rig, 'B'), await device(rig, 'C')];
  const long = await rig.upload(a, 'a.log', Buffer.from(running(MORNING, 30_000)));
  rig.site.time.pass(10);
  const other = await rig.upload(b, 'b.log', Buffer.from(running(MORNING, 30_000)));
  rig.site.time.pass(10);
  const file = await rig.upload(c, 'c.log', short());
  const id = (await rig.task(long)).data.latest_run_id ?? '';
  const words: string[] = [];
  rig.site.store.changes((changes) => {
    for (const { collection, document } of changes)
      if (collection === 'live' && document.id === id) words.push(String(document.data.status_text));
  });
  // Both long files wait for the journal, over their share, until the file of the third device is done.
  const done = Promise.withResolvers<void>();
  rig.start({
    shareMs: 1,
    async accept(message) {
      if (message.device !== c.device) await done.promise;
      return rig.site.ingest.accept(message);
    },
  });
  assert.equal((await rig.ended(file)).data.status, 'completed');
  done.resolve();
  for (const artifact of [long, other]) {
    const { data } = await rig.ended(artifact);
    assert.deepEqual([data.status, data.seed_graph?.counts.samples], ['completed', 30_001]);
    assert.equal(data.retry.retry_count, 0);
  }
  assert.equal((await rig.task(long)).data.latest_run_id, id);
  assert.ok(words.some((text) => text.startsWith('Waits: this file takes long to decode')));
});

test('[Q14] a file that unpacks to more than any log ends by name, and honest text that packs well is read', async () => {
  await using rig = await openRuns();
  const [a, b] = [await device(rig, 'A'), await device(rig, 'B')];
  rig.start();
  const line = running(MORNING, 5).slice(0, running(MORNING, 5).indexOf('\n') + 1);
  const dense = gzipSync(line.repeat(Math.ceil((80 << 20) / line.length)), { level: 9 });
  assert.ok((80 << 20) / dense.length > 100);
  const trap = (await rig.ended(await rig.upload(a, 'trap.log.gz', dense))).data;
  assert.deepEqual([trap.status, trap.error?.code], ['failed', 'recording_too_dense']);
  assert.match(
    trap.error?.message ?? '',
    /unpacks to more than 100 times its size.* frames were read, and their values stay stored\.$/,
  );
  assert.ok((trap.error?.remedy ?? '').length > 0);
  const still: string[] = [];
  for (let i = 0; i < 1_500_000; i++)
    still.push(`(${(MORNING / 1000 + i * 0.01).toFixed(6)}) can0 0CF00400#FFFFFF801AFFFFFF\n`);
  const packed = gzipSync(still.join(''), { level: 9 });
  const honest = (await rig.ended(await rig.upload(b, 'still.log.gz', packed))).data;
  assert.deepEqual([honest.status, honest.seed_graph?.counts.frames], ['completed', 1_500_000]);
});

test('[Q15] how many logs of a device wait is known: as they come, after a start, and when they are done', async () => {
  await using rig = await openRuns();
  const [a, b] = [await device(rig, 'A'), await device(rig, 'B')];
  const files: string[] = [];
  const send = async (n: number) => void files.push(await rig.upload(a, `${n}.log`, short(n)));
  for (let n = 0; n < 3; n++) await send(n);
  const first = Promise.withResolvers<void>();
  const blocked = Promise.withResolvers<void>();
  rig.start({
    async accept(message) {
      first.resolve();
      await blocked.promise;
      return rig.site.ingest.accept(message);
    },
  });
  await first.promise;
  assert.deepEqual([rig.waiting(a), rig.waiting(b)], [2, 0]);
  await send(3);
  assert.equal(rig.waiting(a), 3);
  blocked.resolve();
  for (const file of files) assert.equal((await rig.ended(file)).data.status, 'completed');
  assert.equal(rig.waiting(a), 0);
});

const run = (device: string, n: number, long = false): WaitingRun => ({
  id: `run_${device}_${n}`,
  project_id: 'p',
  device,
  long,
  created_at: `2026-01-01T00:00:00.${String(n).padStart(6, '0')}Z`,
});

/** Works every run that waits, in one place, each for so much processor time; the order of the devices. */
function order(turns: Turns, cpu_ms: (device: string) => number, most = 100): string {
  let told = '';
  for (let next = turns.next('short'); next !== undefined && told.length < most; next = turns.next('short')) {
    told += next.device;
    turns.begin(next.device);
    turns.remove(next.id);
    turns.charge(next.device, cpu_ms(next.device));
    turns.end(next.device);
  }
  return told;
}

test('[Q13] a thousand runs of one device come after the first runs of the others, and each device keeps its order', () => {
  const turns = new Turns();
  for (let n = 0; n < 1_000; n++) turns.add(run('A', n));
  for (const name of ['B', 'C']) for (let n = 0; n < 3; n++) turns.add(run(name, n));
  assert.equal(turns.waiting('A'), 1_000);
  assert.equal(
    order(turns, () => 100, 12),
    'ABCABCABCAAA',
  );
  assert.equal(turns.next('short')?.id, 'run_A_6');
});

test('[Q13] turns count processor time, not runs; a device that comes back has no credit of its silence', () => {
  const turns = new Turns();
  for (let n = 0; n < 4; n++) turns.add(run('A', n));
  for (let n = 0; n < 8; n++) turns.add(run('B', n));
  assert.equal(
    order(turns, (device) => (device === 'A' ? 400 : 100)),
    'ABBBBABBBBAA',
  );
  for (let n = 0; n < 6; n++) turns.add(run('A', n));
  assert.equal(
    order(turns, () => 100, 3),
    'AAA',
  );
  for (let n = 0; n < 3; n++) turns.add(run('C', n));
  assert.equal(
    order(turns, () => 100),
    'CACACA',
  );
});

test('[Q13] a device works on one run at a time; the place for short runs takes none that is known to be long', () => {
  const turns = new Turns();
  turns.add(run('A', 1));
  turns.add(run('A', 2));
  turns.begin('A');
  assert.equal(turns.next('short'), undefined);
  turns.end('A');
  turns.clear();
  turns.add(run('A', 2));
  turns.add(run('A', 1, true));
  assert.equal(turns.next('short')?.id, 'run_A_2');
  assert.equal(turns.next('long')?.id, 'run_A_1');
  turns.remove('run_A_1');
  turns.remove('run_A_1');
  assert.equal(turns.waiting('A'), 1);
});
