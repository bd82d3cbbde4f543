/** The memory that the gateway needs to keep raw traffic: the files are on the disk while they grow. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { FrameBatch } from '#contract/fleet/frame.ts';
import { between, random as next, streamOf } from '#domain/base/random.ts';
import { FrameFiles } from '#freeze/frame-file.ts';
import { openArtifacts } from '#store/artifacts.ts';
import { readMdf4 } from '#test/codec/mdf4-files.ts';
import { temporaryFolder } from '#test/store/kit.ts';
import { collect } from '#test/support/collect.ts';
import { TEST_SEED } from '#test/support/seed.ts';

const MIB = 1 << 20;
const DEVICES = 8;
const FRAMES = 250;
/** Batches of each device. Random payloads hardly become smaller, so all files together have more than 14 MiB. */
const BATCHES = 500;

const deviceOf = (n: number) => ({ device: `dev_${n}`, device_id: `front-${n}`, project_id: 'prj_1' });
const used = (): number => {
  // The second collection waits until the buffers that the first one found are released.
  collect();
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
};

test('[Z32] the memory for the files around an alert does not grow with the files', async () => {
  using folder = temporaryFolder();
  const artifacts = await openArtifacts(folder.path);
  const about = { comment: 'Raw traffic', written_ms: Date.UTC(2026, 0, 1) };
  const limits = { mostFiles: DEVICES, mostFileBytes: 32 * MIB, mostBytes: 256 * MIB };
  const stream = streamOf(TEST_SEED);
  const batch = new FrameBatch(FRAMES);
  const payload = new Uint8Array(8);
  const sums = Array.from({ length: DEVICES }, () => createHash('sha256'));
  await using files = new FrameFiles({ artifacts, about, ...limits });
  let before = 0;
  let most = 0;
  for (let n = 0; n < BATCHES; n++)
    for (let device = 0; device < DEVICES; device++) {
      batch.clear();
      for (let i = 0; i < FRAMES; i++) {
        for (let k = 0; k < 8; k++) payload[k] = Math.floor(next(stream) * 256);
        batch.push(1e15 + (n * FRAMES + i) * 100, 1, Math.floor(between(stream, [0, 2 ** 29])), 1, payload, 0, 8);
        sums[device]?.update(payload);
      }
      await files.add(deviceOf(device), batch);
      if (device > 0 || n % 60 !== 30) continue;
      before ||= used();
      most = Math.max(most, used() - before);
    }
  const bytes = files.all.reduce((sum, file) => sum + file.bytes, 0);
  assert.ok(bytes > 14 * MIB, `${bytes} bytes`);
  // Less than 0.2 MiB in four runs. In memory, the files would need all their bytes.
  assert.ok(most < 2 * MIB, `${most} bytes in memory for ${bytes} bytes of files`);
  for (const [i, file] of files.all.entries()) {
    const { sha256, bytes: size } = await file.finish();
    const content = await artifacts.readAll(sha256, 64 * MIB);
    assert.ok(content);
    assert.equal(content.length, size);
    assert.equal(createHash('sha256').update(content).digest('hex'), sha256);
    const { batch: read, gaps } = readMdf4(new Uint8Array(content));
    assert.deepEqual([read.count, gaps], [BATCHES * FRAMES, []]);
    const sum = createHash('sha256')
      .update(read.data.subarray(0, read.count * 8))
      .digest('hex');
    assert.equal(sum, sums[i]?.digest('hex'), 'every payload is in the file, in order');
  }
});

test('[Z32] an error while frames arrive leaves no file behind', async () => {
  using folder = temporaryFolder();
  const artifacts = await openArtifacts(folder.path);
  const batch = new FrameBatch();
  batch.push(1e15, 1, 0x100, 1, new Uint8Array(8), 0, 8);
  {
    const limits = { mostFiles: 8, mostFileBytes: MIB, mostBytes: MIB };
    await using files = new FrameFiles({ artifacts, about: { comment: '', written_ms: 0 }, ...limits });
    await files.add(deviceOf(1), batch);
    assert.equal(readdirSync(join(folder.path, 'artifacts', 'tmp')).length, 1);
  }
  assert.deepEqual(readdirSync(join(folder.path, 'artifacts')), ['tmp']);
  assert.deepEqual(readdirSync(join(folder.path, 'artifacts', 'tmp')), []);
});
