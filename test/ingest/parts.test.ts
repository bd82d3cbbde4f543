import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { isId } from '#contract/base/ids.ts';
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';
import { type Evidence, POINT_EVIDENCE } from '#domain/machine/evidence.ts';
import { pointValue } from '#domain/machine/source-value.ts';
import { createConnectivity, noteMessage, noteReport, noteSession, sweep } from '#ingest/fold/connectivity.ts';
import { Dedupe } from '#ingest/fold/dedupe.ts';
import { createIds } from '#ingest/fold/ids.ts';
import { OpenSamples } from '#ingest/fold/open-samples.ts';
import { parseEvents, parsePoints, parseStatus } from '#ingest/fold/payloads.ts';
import { positionOf } from '#ingest/journal/position.ts';

test('[I22] frames that differ in time, bus or identifier are not repeats, even a hundred thousand with the same data', () => {
  const dedupe = new Dedupe();
  const batch = new FrameBatch(1000);
  const nothing = new Uint8Array(8).fill(255);
  let dropped = 0;
  for (let round = 0; round < 100; round++) {
    batch.clear();
    for (let i = 0; i < 1000; i++) {
      batch.push(
        1.7e15 + round * 1e6 + Math.floor(i / 10) * 100,
        i % 2,
        0x18fe0000 + (i % 10) * 256,
        FRAME.extended,
        nothing,
        0,
        8,
      );
    }
    dropped += dedupe.dropSeenFrames(batch).duplicates;
    assert.equal(batch.count, 1000);
  }
  assert.equal(dropped, 0);
});

interface OneFrame {
  readonly t: number;
  readonly bus: number;
  readonly id: number;
  readonly flags: number;
  readonly data: Uint8Array;
}

const BASE_T = 1_763_000_000_000_000;

/** How many of these frames are taken for repeats; each comes in a batch of its own, over bytes that a longer frame left behind. */
function repeatsAmong(dedupe: Dedupe, frames: readonly OneFrame[], left: number): number {
  const batch = new FrameBatch(1);
  let repeats = 0;
  for (const { t, bus, id, flags, data } of frames) {
    batch.clear();
    batch.push(1, 0, 1, FRAME.noTime, new Uint8Array(8).fill(left), 0, 8);
    batch.clear();
    batch.push(t, bus, id, flags, data, 0, data.length);
    repeats += dedupe.dropSeenFrames(batch).duplicates;
  }
  return repeats;
}

test('[I22] a frame that differs in one bit of its data, identifier, kind, bus, length or time is not a repeat', () => {
  for (const length of [0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 20, 24, 32, 48, 64]) {
    const data = Uint8Array.from({ length }, (_, i) => 0x35 + i * 7);
    const fd = length > 8 ? FRAME.fd : 0;
    const plain: OneFrame = { t: BASE_T, bus: 1, id: 0x123, flags: fd, data };
    const others: OneFrame[] = [];
    for (let bit = 0; bit < length * 8; bit++) {
      const other = data.slice();
      other[bit >> 3] = (other[bit >> 3] as number) ^ (1 << (bit & 7));
      others.push({ ...plain, data: other });
    }
    for (let bit = 0; bit < 29; bit++)
      others.push({ ...plain, flags: fd | FRAME.extended, id: (0x123 ^ (1 << bit)) >>> 0 });
    for (const flag of [FRAME.extended, FRAME.remote, FRAME.error, fd === 0 ? FRAME.fd : 0])
      if (flag !== 0) others.push({ ...plain, flags: fd | flag });
    for (const bus of [0, 2, 3, 128, 255]) others.push({ ...plain, bus });
    for (const t of [1, 1_000, 1_000_000, 2 ** 32, 2 ** 33]) others.push({ ...plain, t: BASE_T + t });
    for (const longer of [1, 2])
      if (length + longer <= 8) others.push({ ...plain, data: Uint8Array.of(...data, ...new Uint8Array(longer)) });
    const dedupe = new Dedupe();
    const frames = [plain, ...others];
    assert.equal(repeatsAmong(dedupe, frames, 0xff), 0, `length ${length}`);
    assert.equal(
      repeatsAmong(dedupe, frames, 0),
      frames.length,
      `length ${length}: what lay there before is no part of a frame`,
    );
  }
});

test('[I22] long frames with the same CRC-32 are not repeats', () => {
  // CRC-32 is linear: for four given bytes there are others that, four bytes further, undo their difference.
  const seen = new Map<number, Uint8Array>();
  const pairs: [Uint8Array, Uint8Array][] = [];
  const data = new Uint8Array(12);
  for (let i = 0; pairs.length < 3; i++) {
    new DataView(data.buffer).setUint32(0, Math.imul(i, 0x9e3779b1));
    new DataView(data.buffer).setUint32(4, Math.imul(i, 0x85ebca6b));
    const sum = crc32(data);
    const other = seen.get(sum);
    if (other !== undefined) pairs.push([other, data.slice()]);
    else seen.set(sum, data.slice());
  }
  for (const [one, other] of pairs) {
    const frame = (bytes: Uint8Array): OneFrame => ({ t: BASE_T, bus: 0, id: 1, flags: FRAME.fd, data: bytes });
    assert.equal(repeatsAmong(new Dedupe(), [frame(one), frame(other)], 0), 0);
  }
});

test('[I22] repeats are recognised within the last 4,096 numbers and the last 256 packet ids', () => {
  const dedupe = new Dedupe();
  for (let n = 0; n < 4_096; n++) assert.equal(dedupe.seenNumber(n, 7), false);
  assert.deepEqual(
    [dedupe.seenNumber(0, 7), dedupe.seenNumber(4_095, 7), dedupe.seenNumber(0, 8)],
    [true, true, false],
  );
  // The pair with checksum 8 made the oldest give way.
  assert.deepEqual([dedupe.seenNumber(1, 7), dedupe.seenNumber(0, 7)], [true, false]);
  // A source that was numbered far beyond what a key holds is told from one that was not.
  const far = 5 * 2 ** 20 + 3;
  assert.deepEqual([dedupe.seenNumber(far, 9), dedupe.seenNumber(3, 9), dedupe.seenNumber(3, 9)], [false, false, true]);
  const payload = Uint8Array.of(1, 2, 3, 4, 5);
  for (let id = 1; id <= 256; id++) assert.equal(dedupe.seenPacket(id, false, payload), false);
  assert.equal(dedupe.seenPacket(1, true, payload), true);
  dedupe.seenPacket(257, false, payload);
  assert.deepEqual([dedupe.seenPacket(2, true, payload), dedupe.seenPacket(1, true, payload)], [true, false]);
});

test('[I22] one payload with two numbers gives two messages, and a marked repeat is applied if its first copy never arrived', () => {
  const dedupe = new Dedupe();
  for (const sum of [0, 0xffff_fff0]) {
    for (const seq of [0, 1, 2, 2 ** 20, 2 ** 20 + 1])
      assert.equal(dedupe.seenNumber(seq, sum), false, `number ${seq} with checksum ${sum}`);
    assert.equal(dedupe.seenNumber(2, sum), true);
  }
  const payload = Uint8Array.of(1, 2, 3);
  assert.deepEqual([dedupe.seenPacket(7, true, payload), dedupe.seenPacket(7, true, payload)], [false, true]);
  assert.equal(dedupe.seenPacket(7, true, Uint8Array.of(1, 2, 4)), false);
  assert.deepEqual([dedupe.seenPacket(0, true, payload), dedupe.seenPacket(0, true, payload)], [false, false]);
});

test('[I22] from two batches with common frames every frame is kept once, in order, with its index in its message', () => {
  const frame = fc.record({
    t: fc.integer({ min: 0, max: 40 }),
    id: fc.integer({ min: 0, max: 2 }),
    len: fc.integer({ min: 0, max: 10 }),
  });
  fc.assert(
    fc.property(fc.array(frame), fc.array(frame), (first, second) => {
      const dedupe = new Dedupe();
      const seen = new Set<string>();
      for (const list of [first, second]) {
        const batch = new FrameBatch(4);
        for (const { t, id, len } of list) batch.push(t, 0, id, 0, new Uint8Array(16).fill(t), 0, len);
        const { duplicates, index } = dedupe.dropSeenFrames(batch);
        const expected = list.flatMap(({ t, id, len }, i) => {
          const name = `${t} ${id} ${len}`;
          if (seen.has(name)) return [];
          seen.add(name);
          return [{ t, id, len, data: new Uint8Array(len).fill(t), i }];
        });
        const kept = Array.from({ length: batch.count }, (_, i) => ({
          t: batch.t[i],
          id: batch.id[i],
          len: batch.len[i],
          data: batch.payload(i).slice(),
          i: index?.[i] ?? i,
        }));
        assert.deepEqual(kept, expected);
        assert.equal(duplicates, list.length - expected.length);
      }
    }),
  );
});

test('[I21] ids made from positions are valid, differ by position and number, and sort in the order of the journal', () => {
  const ids = createIds('gw_1', (n) => new Uint8Array(n));
  const place = fc.tuple(
    fc.integer({ min: 1, max: 2_000_000 }),
    fc.integer({ min: 0, max: 4_000_000 }),
    fc.integer({ min: 0, max: 1023 }),
  );
  fc.assert(
    fc.property(place, place, (a, b) => {
      const [one, two] = [a, b].map(([segment, step, n]) =>
        ids.at('event', 1.8e12, positionOf(segment, step * 14), n),
      ) as [string, string];
      assert.ok(isId('event', one));
      const order = a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
      assert.equal(Math.sign(order), one < two ? -1 : one > two ? 1 : 0);
      assert.notEqual(
        one,
        createIds('gw_2', (n) => new Uint8Array(n)).at('event', 1.8e12, positionOf(a[0], a[1] * 14), a[2]),
      );
    }),
  );
});

test('[I25] after any sequence of calls a device has a valid status and its timeline lists every change', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('session' as const), open: fc.boolean() }),
    fc.record({ kind: fc.constant('message' as const), samples: fc.nat(3), good: fc.nat(30), broken: fc.nat(30) }),
    fc.record({
      kind: fc.constant('report' as const),
      status: fc.constantFrom('online' as const, 'offline' as const, 'fault' as const),
    }),
    fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 400_000 }) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let now = 1.8e12;
      const state = createConnectivity('provisioned', now);
      let current: string = 'provisioned';
      for (const one of steps) {
        if (one.kind === 'wait') now += one.ms;
        const change =
          one.kind === 'session'
            ? noteSession(state, one.open, now, now)
            : one.kind === 'message'
              ? noteMessage(state, one, now, now)
              : one.kind === 'report'
                ? noteReport(state, one.status, now, now)
                : sweep(state, null, now, now);
        assert.equal(change?.from ?? current, current);
        if (change !== undefined) {
          assert.notEqual(change.to, current);
          if (current === 'fault') assert.ok(['transmitting', 'online'].includes(change.to), `fault to ${change.to}`);
          assert.deepEqual([state.timeline[0]?.from, state.timeline[0]?.to], [change.from, change.to]);
        }
        current = state.status;
        assert.ok(state.timeline.length <= 20);
        assert.ok(state.sessions >= 0);
      }
    }),
  );
});

test('[I27] an invalid payload is counted or undefined; the parser never throws', () => {
  const bytes = fc.oneof(
    fc.uint8Array(),
    fc.json().map((text) => Buffer.from(text)),
  );
  fc.assert(
    fc.property(bytes, (payload) => {
      parsePoints(payload);
      parseStatus(payload);
      const { events, broken } = parseEvents(payload);
      assert.ok(events.length + broken >= 0);
    }),
  );
  assert.deepEqual(
    parsePoints(Buffer.from('[{"values":{"fuel.level":1e999}},{"observed_at":"never","values":{}},7]'))?.broken,
    3,
  );
  assert.equal(parsePoints(Buffer.from(`{"values":{"__proto__":1,"constructor":2}}`)), undefined);
  assert.equal(parsePoints(Buffer.from([0x7b, 0xff, 0x7d])), undefined);
  const impossible = '{"values":{"engine.hours":-5,"fuel.level":250,"vehicle.speed":99999,"engine.load":125}}';
  assert.deepEqual(
    [parsePoints(Buffer.from(impossible))?.broken, parsePoints(Buffer.from(impossible))?.points[0]?.values.length],
    [3, 1],
  );
  const deep = `${'['.repeat(1900)}${']'.repeat(1900)}`;
  assert.equal(parseEvents(Buffer.from(`{"type":"note","data":{"a":${deep}}}`)).broken, 1);
  assert.equal(parseStatus(Buffer.from(`{"status":"online","a":${deep}}`)), undefined);
  assert.equal(parseEvents(Buffer.from(`[${'{"type":"note"},'.repeat(120)}{"type":"note"}]`)).events.length, 100);
  assert.equal(parseEvents(Buffer.alloc(17_000, 32)).reason, 'events payload over 16 KiB');
});

test('[I28] open samples keep the first of each second, in order, for any order of arrival', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 20_000_000 }), fc.double({ noNaN: true }))), (list) => {
      const samples = new OpenSamples(0);
      const message = { arrival: { device: 'dev_1', run_id: null }, position: 1, shared: { mono: 1 } };
      for (const [t, v] of list) samples.add(message, pointValue(POINT_EVIDENCE[3] as Evidence, v, t));
      const first = new Map<number, number>();
      for (const [t, v] of list) if (!first.has(Math.floor(t / 1e6))) first.set(Math.floor(t / 1e6), v);
      const expected = [...first].sort(([a], [b]) => a - b);
      assert.deepEqual(samples.one(3), {
        t: expected.map(([t]) => t),
        v: expected.map(([, v]) => v),
        o: expected.map(() => 0),
      });
      assert.equal(samples.origins.length, expected.length > 0 ? 1 : 0);
    }),
  );
});
