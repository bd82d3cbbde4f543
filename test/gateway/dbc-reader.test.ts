import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { zstdCompressSync } from 'node:zlib';
import type { OperationError } from '#contract/base/errors.ts';
import { DBC_BOUNDS, type MappedSignal } from '#contract/fleet/dbc.ts';
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';
import { createDbcReader } from '#gateway/dbc/dbc-reader.ts';

const TEXT = `VERSION "7"
BO_ 291 Body: 8 ECU
 SG_ Load : 0|16@1+ (10,0) [0|0] "kg" ECU
`;
const LOAD: MappedSignal = { message: 'Body', signal: 'Load', to: 'vehicle.payload', unit: null, preferred: false };
const nowhere = { locate: async () => undefined };

const failed = (code: string, detail?: string) => (error: OperationError) =>
  error.code === code && (detail === undefined || error.details[0]?.code === detail);

/** A thread of the test's own instead of the reader's. */
async function thread(script: string): Promise<{ url: URL } & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'headframe-dbc-'));
  const file = join(folder, 'thread.mjs');
  await writeFile(file, `import { parentPort } from 'node:worker_threads';\n${script}`);
  return { url: pathToFileURL(file), [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

/** What keeps a text, and counts how often it is asked for. */
function kept(sha256: string, data: { text: string } | { packed: string }) {
  let asked = 0;
  return {
    sha256,
    async text() {
      asked++;
      return data;
    },
    get asked() {
      return asked;
    },
  };
}

test('[A306] the thread asks for a text only if it is not in its cache, and accepts it compressed or uncompressed', async () => {
  await using reader = createDbcReader(nowhere);
  const read = await reader.read(TEXT, [LOAD]);
  assert.deepEqual(
    [read.file_version, read.messages, read.signals, read.bytes, read.faults, read.layout.length],
    ['7', 1, 1, TEXT.length, [], 1],
  );
  const fresh = kept(read.sha256, { packed: read.packed });
  assert.equal((await reader.signals(fresh, 'load')).total, 1);
  assert.equal(fresh.asked, 0);
  // Two others push it out.
  for (const version of ['8', '9']) await reader.read(TEXT.replace('"7"', `"${version}"`), []);
  assert.deepEqual((await reader.layout(fresh, [LOAD])).layout, read.layout);
  assert.equal(fresh.asked, 1);
  await using another = createDbcReader(nowhere);
  const old = kept(read.sha256, { text: TEXT });
  assert.equal((await another.signals(old, undefined)).total, 1);
  assert.equal(old.asked, 1);
});

test('[A306] all faults of a mapping are reported together, and a mapping with faults has no layout', async () => {
  await using reader = createDbcReader(nowhere);
  const wrong = [LOAD, { ...LOAD, signal: 'Nothing' }, LOAD, { ...LOAD, to: 'engine.speed', signal: 'Load ' }];
  const { faults, layout } = await reader.read(TEXT, wrong);
  assert.deepEqual(
    faults.map(({ at, message }) => [at, message]),
    [
      [1, 'There is no signal Body.Nothing in this file.'],
      [2, 'Body.Load is mapped twice.'],
      [3, 'There is no signal Body.Load  in this file.'],
    ],
  );
  assert.deepEqual(layout, []);
});

test('[A306] frames are sent to the thread batch by batch, as it asks for them, and an error of the thread rejects the call', async () => {
  await using reader = createDbcReader(nowhere);
  const { sha256, packed } = await reader.read(TEXT, []);
  const text = kept(sha256, { packed });
  let handed = 0;
  let ended = false;
  async function* frames(batches: number, size: number) {
    const batch = new FrameBatch();
    try {
      for (; handed < batches; handed++) {
        batch.clear();
        for (let i = 0; i < size; i++)
          batch.push(i, 0, 0x123, FRAME.brs, Uint8Array.of(handed + 1, 0, 0, 0, 0, 0, 0, 0), 0, 8);
        yield batch;
      }
    } finally {
      ended = true;
    }
  }
  const some = await reader.trial(text, [LOAD], { frames: frames(3, 2) });
  assert.deepEqual(
    [some?.frames, some?.matched, some?.truncated, some?.signals[0]?.min, some?.signals[0]?.max, some?.signals[0]?.to],
    [6, 6, false, 10, 30, 'vehicle.payload'],
  );
  handed = 0;
  const most = DBC_BOUNDS.frames / 50_000;
  const all = await reader.trial(text, [], { frames: frames(most + 5, 50_000) });
  assert.deepEqual([all?.frames, all?.truncated, handed], [DBC_BOUNDS.frames, true, most - 1]);
  assert.ok(ended, 'the traffic is let go');
  async function* broken(): AsyncGenerator<FrameBatch> {
    yield new FrameBatch();
    throw new Error('the journal is gone');
  }
  await assert.rejects(reader.trial(text, [], { frames: broken() }), /the journal is gone/);
  assert.equal(await reader.trial(text, [], { log: 'no such', passwords: [] }), undefined);
});

test('[A307] a thread that hangs is ended with an error, and the next request starts another one', async () => {
  await using hung = await thread('parentPort.on("message", () => { for (;;); });');
  await using reader = createDbcReader({ ...nowhere, worker: hung.url, read_ms: 200, trial_ms: 200 });
  const text = kept('0'.repeat(64), { text: TEXT });
  await assert.rejects(reader.read(TEXT, []), failed('backend_unavailable', 'dbc_thread_late'));
  await assert.rejects(reader.signals(text, 'x'), failed('backend_unavailable', 'dbc_thread_late'));
  await assert.rejects(
    reader.trial(text, [], { log: 'x', passwords: [] }).then(() => assert.fail('there is no log')),
    /there is no log/,
  );
  await using located = createDbcReader({ locate: async () => '/log', worker: hung.url, trial_ms: 200 });
  await assert.rejects(
    located.trial(text, [], { log: 'x', passwords: [] }),
    failed('backend_unavailable', 'dbc_thread_late'),
  );
});

test('[A307] a thread that ends, throws or runs out of memory rejects with an error, and the next request starts another one', async () => {
  const ends = [
    'parentPort.once("message", () => process.exit(3));',
    'parentPort.once("message", () => { throw new Error("broken"); });',
    'parentPort.once("message", () => { const all = []; for (;;) all.push(new Array(1e6).fill(all.length)); });',
  ];
  for (const script of ends) {
    await using dying = await thread(script);
    await using reader = createDbcReader({ ...nowhere, worker: dying.url });
    for (let round = 0; round < 2; round++)
      await assert.rejects(reader.read(TEXT, []), failed('backend_unavailable', 'dbc_thread_ended'));
  }
  await using reader = createDbcReader(nowhere);
  await assert.rejects(
    reader.signals({ sha256: '1'.repeat(64), text: () => Promise.reject(new Error('the text is gone')) }, undefined),
    /the text is gone/,
  );
  assert.equal((await reader.read(TEXT, [])).messages, 1, 'another thread reads on');
});

test('[A307] eight requests may wait and two tests may run; further ones are refused, and invalid text breaks nothing', async () => {
  await using slow = await thread(
    'parentPort.on("message", () => setTimeout(() => parentPort.postMessage({ done: {} }), 100));',
  );
  await using reader = createDbcReader({ locate: async () => '/log', worker: slow.url });
  const asked = await Promise.allSettled(Array.from({ length: 10 }, () => reader.read(TEXT, [])));
  assert.deepEqual(
    asked.map((one) => (one.status === 'fulfilled' ? 'read' : (one.reason as OperationError).code)),
    [...Array.from({ length: 8 }, () => 'read'), 'rate_limited', 'rate_limited'],
  );
  const text = kept('0'.repeat(64), { text: TEXT });
  const tried = await Promise.allSettled([1, 2, 3].map(() => reader.trial(text, [], { log: 'x', passwords: [] })));
  assert.deepEqual(
    tried.map((one) => (one.status === 'fulfilled' ? 'tried' : (one.reason as OperationError).code)),
    ['tried', 'tried', 'rate_limited'],
  );
  await using real = createDbcReader(nowhere);
  const wrong = zstdCompressSync(Buffer.from('no DBC')).toString('base64');
  await assert.rejects(real.signals(kept('2'.repeat(64), { packed: wrong }), undefined), failed('dbc_invalid'));
  await assert.rejects(real.read('BO_ 1 A: 8 X\n SG_', []), failed('dbc_invalid', 'dbc_syntax'));
  assert.equal((await real.read(TEXT, [])).messages, 1);
});
