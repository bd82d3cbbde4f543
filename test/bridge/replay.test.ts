import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type LogFile, openLogFile } from '#bridge/log-file.ts';
import type { Publisher } from '#bridge/publisher.ts';
import { type ReplayOptions, type ReplayResult, replayLog } from '#bridge/replay.ts';
import { formatCandump } from '#codec/candump.ts';
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';
import { framesOf } from '#test/codec/frames.ts';
import { ownRecording } from '#test/support/own-recordings.ts';
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
  readonly gaps: LogFile['gaps'];
}

const BEGIN_MS = 1_800_000_000_000;

/** Replays bytes on a clock that only moves by sleeping, into a publisher that acknowledges at once. */
async function play(bytes: Uint8Array, speed: number, more: Partial<ReplayOptions> = {}): Promise<Played> {
  const path = join(folder, 'recording.log');
  writeFileSync(path, bytes);
  const all = new FrameBatch();
  const sizes: number[] = [];
  const at_ms: number[] = [];
  let now = BEGIN_MS;
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
      at_ms.push(now - BEGIN_MS);
      counters.messages++;
      counters.acked++;
      counters.frames += batch.count;
    },
    room: async () => {},
    drained: async () => {},
    async [Symbol.asyncDispose]() {},
  };
  await using log = await openLogFile(path);
  const result = await replayLog({
    log,
    publisher,
    speed,
    clock: () => now,
    sleep: async (ms) => {
      now += ms;
    },
    ...more,
  });
  return { result, all, sizes, at_ms, gaps: log.gaps };
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

test('what is no frame is counted and passed over', async () => {
  const text = Buffer.from(formatCandump(steady(3, 10)));
  const mixed = Buffer.concat([Buffer.from('# a comment\nnonsense\n'), text, Buffer.from('(16225')]);
  const { result } = await play(mixed, 0);
  assert.deepEqual([result.frames, result.unparsable], [3, 2]);
});

test('of a broken archive what can be read is played, and the rest told', async () => {
  const zipped = gzipSync(formatCandump(steady(5_000, 10)));
  const { result, gaps } = await play(zipped.subarray(0, zipped.length / 2), 0);
  assert.ok(result.frames > 0 && result.frames < 5_000);
  assert.equal(gaps[0]?.code, 'cut');
});

test('[F54] a log without a date stays undated, its distances kept', async () => {
  const text = Array.from({ length: 200 }, (_, i) => `(${(i / 10).toFixed(6)}) can0 123#00`).join('\n');
  const { result, all, at_ms } = await play(Buffer.from(text), 1);
  assert.deepEqual([result.frames, result.first_us, result.last_us], [200, null, null]);
  assert.ok(framesOf(all).every(({ t, flags }, i) => t === i * 100_000 && flags === FRAME.noTime));
  assert.ok(Math.abs((at_ms.at(-1) as number) - 19_900) < 600, String(at_ms.at(-1)));
});

test('[F54] with --now frames carry the time at which they are played, and never one that is still to come', async () => {
  const dated = formatCandump(steady(1_000, 10));
  const undated = Buffer.from(Buffer.from(dated).toString().replaceAll('(16225478', '(00000000'));
  const pause = formatCandump(steady(10, 10, START_US + 3_600e6));
  for (const [bytes, speed, frames] of [
    [dated, 1, 1_000],
    [dated, 4, 1_000],
    [undated, 1, 1_000],
    [Buffer.concat([dated, pause]), 1, 1_010],
  ] as const) {
    const { all, at_ms, sizes, result } = await play(bytes, speed, { now: true });
    assert.equal(result.frames, frames);
    const rows = framesOf(all);
    assert.ok(rows.every(({ flags }) => flags === FRAME.extended));
    // Each message is sent when its last frame is due.
    let next = 0;
    for (const [i, size] of sizes.entries()) {
      const due = BEGIN_MS + (at_ms[i] as number);
      next += size;
      assert.ok(Math.abs((rows[next - 1]?.t as number) / 1000 - due) < 1, `message ${i}`);
    }
    assert.ok(rows.every(({ t }, i) => i === 0 || t >= (rows[i - 1]?.t as number)));
    assert.ok(Math.abs(((rows[999]?.t as number) - (rows[0]?.t as number)) / 1000 - 9_990 / speed) < 1);
  }
});

test('a replay that is stopped sends no further message', async () => {
  let asked = 0;
  const { sizes } = await play(formatCandump(steady(5_000, 10)), 0, { stopped: () => ++asked > 1_200 });
  assert.deepEqual(sizes, [500, 500]);
});

test('a simulated log replays to the last frame, in its order and with its times', async () => {
  const { batch, text } = ownRecording();
  const { result, all } = await play(text, 0);
  assert.deepEqual([result.frames, result.unparsable], [batch.count, 0]);
  assert.deepEqual(framesOf(all), framesOf(batch));
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
