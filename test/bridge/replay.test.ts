import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Publisher } from '#bridge/publisher.ts';
import { type ReplayOptions, type ReplayResult, replayFile } from '#bridge/replay.ts';
import { formatCandump } from '#codec/candump.ts';
import { FRAME, FrameBatch } from '#contract/frame.ts';
import { recording, withoutRecordings } from '#test/support/recordings.ts';

const folder = mkdtempSync(join(tmpdir(), 'headframe-replay-'));
after(() => rmSync(folder, { recursive: true, force: true }));

interface Played {
  readonly result: ReplayResult;
  /** All frames, in the order in which they were published. */
  readonly all: FrameBatch;
  /** Sizes of the messages. */
  readonly sizes: number[];
  /** The clock at each message, milliseconds after the start. */
  readonly at_ms: number[];
}

/** Replays bytes on a clock that only moves by sleeping, into a publisher that acknowledges at once. */
async function play(bytes: Uint8Array, speed: number, more: Partial<ReplayOptions> = {}): Promise<Played> {
  const path = join(folder, 'recording.log');
  writeFileSync(path, bytes);
  const all = new FrameBatch();
  const sizes: number[] = [];
  const at_ms: number[] = [];
  const begin = 1_800_000_000_000;
  let now = begin;
  const counters = { messages: 0, frames: 0, acked: 0, dropped_messages: 0, dropped_frames: 0, connections: 1 };
  const publisher: Publisher = {
    counters,
    publish(batch) {
      for (let i = 0; i < batch.count; i++) {
        const data = batch.payload(i);
        const [t, bus, id, flags] = [batch.t, batch.bus, batch.id, batch.flags].map((column) => column[i] as number);
        all.push(t as number, bus as number, id as number, flags as number, data, 0, data.length);
      }
      sizes.push(batch.count);
      at_ms.push(now - begin);
      counters.messages++;
      counters.acked++;
      counters.frames += batch.count;
    },
    room: async () => {},
    drained: async () => {},
    async [Symbol.asyncDispose]() {},
  };
  const result = await replayFile({
    path,
    publisher,
    speed,
    clock: () => now,
    sleep: async (ms) => {
      now += ms;
    },
    ...more,
  });
  return { result, all, sizes, at_ms };
}

const START_US = 1_622_547_830_000_000;

/** One frame every `gap_ms`. */
function steady(count: number, gap_ms: number, from_us = START_US): FrameBatch {
  const batch = new FrameBatch();
  for (let i = 0; i < count; i++)
    batch.push(from_us + i * gap_ms * 1000, i % 2, i, FRAME.extended, Uint8Array.of(i & 255), 0, 1);
  return batch;
}

test('every frame of a file arrives once, as it was, zipped or not, at any speed', async () => {
  const text = formatCandump(steady(5_000, 10));
  for (const bytes of [text, gzipSync(text)])
    for (const speed of [0, 1, 50]) {
      const { result, all } = await play(bytes, speed);
      assert.deepEqual(formatCandump(all), text);
      assert.deepEqual([result.frames, result.unparsable, result.dropped_frames], [5_000, 0, 0]);
      assert.deepEqual([result.first_us, result.last_us], [START_US, START_US + 4_999 * 10_000]);
    }
});

test('the pace is the recording own times the speed, in messages of a quarter of a second', async () => {
  const text = formatCandump(steady(1_000, 10));
  for (const speed of [1, 4]) {
    const { at_ms, sizes } = await play(text, speed);
    const expected = 9_990 / speed;
    const last = at_ms.at(-1) as number;
    assert.ok(Math.abs(last - expected) <= 260 / speed + 260, `${last} ms instead of ${expected}`);
    assert.ok(Math.max(...sizes) <= 26 * speed, `${Math.max(...sizes)} frames in a message`);
  }
});

test('without a pace nothing waits, and messages hold 500 frames at most', async () => {
  const { at_ms, sizes } = await play(formatCandump(steady(1_750, 1_000)), 0);
  assert.deepEqual(new Set(at_ms), new Set([0]));
  assert.deepEqual(sizes, [500, 500, 500, 250]);
});

test('a cut in the recording is waited for a minute at most, a clock that jumps back not at all', async () => {
  const before = steady(10, 100);
  const hours_later = steady(10, 100, START_US + 7 * 3_600e6);
  const years_before = steady(10, 100, START_US - 3e13);
  const text = Buffer.concat([formatCandump(before), formatCandump(hours_later), formatCandump(years_before)]);
  const { result, at_ms } = await play(text, 1);
  assert.equal(result.frames, 30);
  const last = at_ms.at(-1) as number;
  assert.ok(last >= 60_000 && last < 65_000, `${last} ms`);
});

test('what is no frame is counted and passed over, and a file of garbage ends', async () => {
  const text = Buffer.from(formatCandump(steady(3, 10)));
  const mixed = Buffer.concat([Buffer.from('# a comment\nnonsense\n'), text, Buffer.from('(16225')]);
  const { result } = await play(mixed, 0);
  assert.deepEqual([result.frames, result.unparsable], [3, 2]);
  const garbage = await play(Buffer.alloc(1_000_000, 0xa5), 0);
  assert.equal(garbage.result.frames, 0);
  assert.ok(garbage.result.unparsable > 0);
  assert.deepEqual([garbage.result.first_us, garbage.result.last_us], [null, null]);
});

test('a broken archive and an absent file are told', async () => {
  const zipped = gzipSync(formatCandump(steady(100, 10)));
  await assert.rejects(play(zipped.subarray(0, zipped.length / 2), 0), /unexpected end|incorrect/);
  await assert.rejects(play(Buffer.alloc(0), 0, { path: join(folder, 'absent') }), /ENOENT/);
});

test('a replay that is stopped sends no further message', async () => {
  let asked = 0;
  const { sizes } = await play(formatCandump(steady(5_000, 10)), 0, { stopped: () => ++asked > 1_200 });
  assert.deepEqual(sizes, [500, 500]);
});

test('the recordings of real machines replay to the last frame', { skip: withoutRecordings }, async () => {
  for (const [file, frames] of [
    ['candump/FCBF0606-jd6130.candump.log', 1_815],
    ['candump/eti-j1939_840-rp1210.candump.log', 2_645],
  ] as const) {
    const { result } = await play(recording(file), 0);
    assert.deepEqual([result.frames, result.unparsable], [frames, 0]);
  }
});
