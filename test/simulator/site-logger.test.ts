import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';
import { createLogger, GOOD_LOGGER, type LoggerClock, type LoggerMessage, type LoggerRow } from '#simulator/logger.ts';

const START_MS = Date.UTC(2026, 5, 1, 9);
const END_MS = START_MS + 3_600_000;

/** Frames that each name themselves, at times that a seed scatters over the hour. */
function bus(times: readonly number[]): FrameBatch {
  const batch = new FrameBatch();
  const sorted = [...times].sort((a, b) => a - b);
  for (const [i, t] of sorted.entries()) {
    const data = new Uint8Array(8);
    new DataView(data.buffer).setUint32(0, i);
    batch.push(t, 0, 0x18feee00, FRAME.extended, data, 0, 8);
  }
  return batch;
}

const hour = fc.uniqueArray(fc.integer({ min: START_MS * 1000, max: END_MS * 1000 - 1 }), {
  minLength: 200,
  maxLength: 600,
});

/** Everything that a logger sends of these frames, taken in steps of this length. */
function sent(row: LoggerRow, frames: FrameBatch, step_ms = 3_600_000, seed = 5): LoggerMessage[] {
  const logger = createLogger(row, { seed, start_ms: START_MS });
  const messages: LoggerMessage[] = [];
  const part = new FrameBatch();
  let next = 0;
  for (let to = START_MS + step_ms; to - step_ms < END_MS; to += step_ms) {
    const until = Math.min(to, END_MS);
    part.clear();
    for (; next < frames.count && (frames.t[next] as number) < until * 1000; next++)
      part.push(frames.t[next] as number, 0, frames.id[next] as number, FRAME.extended, frames.payload(next), 0, 8);
    logger.advance(until, part, (message) => messages.push(message));
  }
  logger.finish(END_MS, (message) => messages.push(message));
  assert.equal(logger.counters.kept_frames, 0);
  return messages;
}

const names = ({ frames }: LoggerMessage) =>
  Array.from({ length: frames.count }, (_, i) => new DataView(frames.payload(i).slice().buffer).getUint32(0));
const times = ({ frames }: LoggerMessage) => [...frames.t.subarray(0, frames.count)];
const whole = (messages: readonly LoggerMessage[]) =>
  messages.map((message) => ({ ...message, frames: null, names: names(message), t: times(message) }));

const stormy: LoggerRow = {
  ...GOOD_LOGGER,
  batch_ms: 20_000,
  repeats: 0.2,
  outages: { up_s: [30, 300], down_s: [30, 600] },
};

test('[G1] the same frames give the same messages however the way is cut', () => {
  fc.assert(
    fc.property(hour, fc.integer({ min: 700, max: 900_000 }), (t, step) => {
      assert.deepEqual(whole(sent(stormy, bus(t), step)), whole(sent(stormy, bus(t))));
    }),
    { numRuns: 20 },
  );
});

test('[G5] a wrong clock changes the told times alone', () => {
  const clocks: LoggerClock[] = [
    { kind: 'offset', by_ms: -95_000 },
    { kind: 'zone', hours: 8 },
    { kind: 'drift', ppm: 140 },
    { kind: 'reset', set_after_s: 75 },
    { kind: 'reset', set_after_s: null },
    { kind: 'none' },
  ];
  fc.assert(
    fc.property(hour, fc.constantFrom(...clocks), (t, clock) => {
      const without = (messages: LoggerMessage[]) => whole(messages).map((message) => ({ ...message, t: null }));
      const right = sent(stormy, bus(t));
      const wrong = sent({ ...stormy, clock }, bus(t));
      assert.deepEqual(without(wrong), without(right));
      assert.notDeepEqual(wrong.map(times), right.map(times));
    }),
    { numRuns: 20 },
  );
});

test('[G5] each clock tells what it would', () => {
  const at = (s: number) => (START_MS + s * 1000) * 1000;
  // On for 100 s, off for a minute, on again.
  const frames = bus([0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 160, 170, 250].map(at));
  const told = (clock: LoggerClock) => sent({ ...GOOD_LOGGER, clock }, frames).flatMap(times);
  const right = told({ kind: 'right' });
  assert.deepEqual(right, [...frames.t.subarray(0, frames.count)]);
  assert.deepEqual(
    told({ kind: 'zone', hours: -4 }),
    right.map((t) => t - 4 * 3_600e6),
  );
  assert.deepEqual(
    told({ kind: 'drift', ppm: 100 }),
    right.map((t) => t + Math.round((t - at(0)) * 1e-4)),
  );
  assert.deepEqual(
    told({ kind: 'none' }),
    right.map(() => 0),
  );
  const on = [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 0, 10, 0].map((s) => s * 1e6);
  assert.deepEqual(told({ kind: 'reset', set_after_s: null }), on);
  assert.deepEqual(
    told({ kind: 'reset', set_after_s: 75 }),
    on.map((t, i) => (t < 75e6 ? t : (right[i] as number))),
  );
});

test('[G6] outages and repeats lose nothing, keep the order, and a repeat is the message that was sent', () => {
  fc.assert(
    fc.property(hour, fc.integer({ min: 1, max: 1e6 }), (t, seed) => {
      const frames = bus(t);
      const messages = sent(stormy, frames, undefined, seed);
      const first = messages.filter((message) => !message.repeat);
      const undisturbed = sent({ ...stormy, outages: null, repeats: 0 }, frames, undefined, seed);
      assert.deepEqual(first.map(names), undisturbed.map(names));
      assert.deepEqual(first.flatMap(names), [...frames.t.subarray(0, frames.count).keys()]);
      for (const [i, message] of messages.entries()) {
        if (i > 0) assert.ok(message.sent_ms >= (messages[i - 1] as LoggerMessage).sent_ms);
        assert.ok(message.sent_ms * 1000 > (times(message).at(-1) as number) - 1000, 'sent before it was heard');
        if (!message.repeat) continue;
        const original = messages.slice(0, i).findLast((other) => other.seq === message.seq);
        assert.equal(message.frames, original?.frames);
      }
    }),
    { numRuns: 20 },
  );
});

test('[G6] an hour with outages has late messages and repeats, and they are counted', () => {
  const frames = bus(Array.from({ length: 3_600 }, (_, i) => (START_MS + i * 1000) * 1000));
  const logger = createLogger(stormy, { seed: 3, start_ms: START_MS });
  const messages: LoggerMessage[] = [];
  logger.advance(END_MS, frames, (message) => messages.push(message));
  logger.finish(END_MS, (message) => messages.push(message));
  const late = messages.filter((message) => message.sent_ms * 1000 - (times(message)[0] as number) > 30e6);
  assert.ok(late.length > 10, `${late.length} late`);
  const { counters } = logger;
  assert.equal(counters.repeats, messages.filter((message) => message.repeat).length);
  assert.ok(counters.repeats > 5 && counters.outages > 2);
  assert.deepEqual([counters.messages, counters.frames, counters.lost_frames], [messages.length, 3_600, 0]);
});

test('[G7] at the bound the oldest batches of an outage are lost and counted', () => {
  const row: LoggerRow = {
    ...GOOD_LOGGER,
    batch_ms: 10_000,
    outages: { up_s: [60, 60], down_s: [600, 600] },
    keeps_frames: 200,
  };
  const frames = bus(Array.from({ length: 700 }, (_, i) => (START_MS + i * 1000) * 1000));
  const logger = createLogger(row, { seed: 3, start_ms: START_MS });
  // The link is gone at the very moment when the sixth batch is closed.
  const got: number[] = [];
  logger.advance(START_MS + 700_000, frames, (message) => got.push(...(message.repeat ? [] : names(message))));
  const lost = 700 - got.length;
  assert.equal(logger.counters.lost_frames, lost);
  assert.deepEqual(got, [
    ...Array.from({ length: 50 }, (_, i) => i),
    ...Array.from({ length: 650 - lost }, (_, i) => i + 50 + lost),
  ]);
  assert.ok(lost >= 400 && lost <= 410, `${lost} lost`);
});

test('a full batch leaves before its time', () => {
  const frames = bus(Array.from({ length: 1_200 }, (_, i) => START_MS * 1000 + i * 100));
  const messages = sent(GOOD_LOGGER, frames);
  assert.deepEqual(
    messages.map((message) => message.frames.count),
    [500, 500, 200],
  );
});
