import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  createTransport,
  MAX_SESSIONS,
  type Transport,
  type TransportCounters,
  type TransportMessage,
} from '#domain/j1939/transport.ts';

interface Frame {
  readonly kind: 'control' | 'packet';
  readonly t_us: number;
  readonly sa: number;
  readonly da: number;
  readonly data: readonly number[];
}

const MS = 1000;
const control = (t_us: number, sa: number, da: number, data: readonly number[]): Frame => ({
  kind: 'control',
  t_us,
  sa,
  da,
  data,
});
const announce = (t_us: number, sa: number, da: number, pgn: number, size: number): Frame =>
  control(t_us, sa, da, [
    da === 255 ? 0x20 : 0x10,
    size & 255,
    size >> 8,
    Math.ceil(size / 7),
    0xff,
    pgn & 255,
    (pgn >> 8) & 255,
    pgn >> 16,
  ]);
const packet = (t_us: number, sa: number, da: number, number: number, payload: Uint8Array): Frame => ({
  kind: 'packet',
  t_us,
  sa,
  da,
  data: [number, ...Array.from({ length: 7 }, (_, i) => payload[(number - 1) * 7 + i] ?? 0xff)],
});
const abort = (t_us: number, sa: number, da: number, pgn: number): Frame =>
  control(t_us, sa, da, [0xff, 3, 0xff, 0xff, 0xff, pgn & 255, (pgn >> 8) & 255, pgn >> 16]);
const cts = (t_us: number, sa: number, da: number, pgn: number, count: number, next: number): Frame =>
  control(t_us, sa, da, [0x11, count, next, 0xff, 0xff, pgn & 255, (pgn >> 8) & 255, pgn >> 16]);

function broadcast(t_us: number, sa: number, pgn: number, payload: Uint8Array, gap = 60 * MS): Frame[] {
  const packets = Math.ceil(payload.length / 7);
  return [
    announce(t_us, sa, 255, pgn, payload.length),
    ...Array.from({ length: packets }, (_, i) => packet(t_us + (i + 1) * gap, sa, 255, i + 1, payload)),
  ];
}

function feed(transport: Transport, frames: readonly Frame[]): TransportMessage[] {
  return frames.flatMap((frame, i) => {
    const data = Uint8Array.from(frame.data);
    if (frame.kind === 'control') {
      transport.control(frame.t_us, 1, frame.sa, frame.da, data, 0, data.length);
      return [];
    }
    const message = transport.packet(frame.t_us, 1, frame.sa, frame.da, data, 0, data.length, i);
    return message ? [message] : [];
  });
}

/** Losses and completions that are not zero. */
function counts(transport: Transport): Partial<TransportCounters> {
  const { completed_pgns, ...numbers } = transport.counters;
  return Object.fromEntries(Object.entries(numbers).filter(([, count]) => count !== 0));
}

const payloads = fc.uint8Array({ minLength: 9, maxLength: 200 });
const bytes = (size: number) => Uint8Array.from({ length: size }, (_, i) => i & 255);
const T0 = 1.7e15;

test('[D4] a broadcast of any size from 9 to 1785 bytes is reassembled unchanged', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 9, maxLength: 1785 }), fc.integer({ min: 0, max: 253 }), (payload, sa) => {
      const [message, ...more] = feed(createTransport(), broadcast(T0, sa, 65226, payload));
      assert.deepEqual(more, []);
      assert.deepEqual(message?.data, payload);
      assert.deepEqual([message?.sa, message?.pgn, message?.da], [sa, 65226, 255]);
    }),
  );
});

test('[D4] three sources that broadcast at once, frames interleaved at random, do not mix', () => {
  fc.assert(
    fc.property(
      fc.array(payloads, { minLength: 3, maxLength: 3 }),
      fc.array(fc.nat(2), { minLength: 120, maxLength: 120 }),
      (payloads, order) => {
        const queues = payloads.map((payload, sa) => broadcast(0, sa, 65226, payload));
        const mixed: Frame[] = [];
        for (const pick of [...order, ...queues.flatMap((queue, i) => queue.map(() => i))]) {
          const next = queues[pick]?.shift();
          if (next) mixed.push({ ...next, t_us: T0 + mixed.length * 5 * MS });
        }
        const found = feed(createTransport(), mixed);
        assert.equal(found.length, 3);
        for (const message of found) assert.deepEqual(message.data, payloads[message.sa]);
      },
    ),
  );
});

test('[D4] a broadcast with a lost, repeated or swapped packet is dropped, and counted once', () => {
  fc.assert(
    fc.property(payloads, fc.nat(), fc.constantFrom('lost', 'doubled', 'swapped'), (payload, seed, harm) => {
      const frames = broadcast(T0, 5, 65226, payload);
      const packets = frames.length - 1;
      const at = 1 + (seed % packets);
      const frame = frames[at] as Frame;
      if (harm === 'lost') frames.splice(at, 1);
      // The last one doubled comes after completion and is an orphan.
      else if (harm === 'doubled') frames.splice(at, 0, frame);
      else {
        const other = at === packets ? at - 1 : at + 1;
        frames[at] = frames[other] as Frame;
        frames[other] = frame;
        fc.pre(other > 0);
      }
      const transport = createTransport();
      const found = feed(transport, frames);
      transport.sweep(T0 + 1e9);
      if (harm === 'doubled' && at === packets) {
        assert.equal(found.length, 1);
        return;
      }
      assert.deepEqual(found, []);
      const { sequence, timeout } = transport.counters;
      assert.equal(sequence + timeout, 1);
    }),
  );
});

test('[D4] a connection may repeat packets in any order and is complete without EOMA', () => {
  fc.assert(
    fc.property(payloads, fc.array(fc.nat(), { maxLength: 40 }), (payload, repeats) => {
      const packets = Math.ceil(payload.length / 7);
      const first = repeats.map((repeat) => 1 + (repeat % packets));
      const order = [
        ...first.filter((number) => number !== packets),
        ...Array.from({ length: packets }, (_, i) => i + 1),
      ];
      const frames = [
        announce(T0, 3, 0, 65226, payload.length),
        ...order.map((number, i) => packet(T0 + (i + 1) * 10 * MS, 3, 0, number, payload)),
      ];
      const transport = createTransport();
      const found = feed(transport, frames);
      assert.equal(found.length, 1);
      assert.deepEqual(found[0]?.data, payload);
    }),
  );
});

test('[D4] invalid sessions of a snapshot are skipped one by one', () => {
  const whole = createTransport();
  whole.control(0, 1, 5, 255, Uint8Array.of(0x20, 20, 0, 3, 0xff, 0xca, 0xfe, 0), 0, 8);
  whole.packet(50 * MS, 1, 5, 255, Uint8Array.of(1, 1, 2, 3, 4, 5, 6, 7), 0, 8, 0);
  const { sessions, ...rest } = JSON.parse(JSON.stringify(whole.snapshot()));
  const [good] = sessions;
  assert.deepEqual(good.heard, [1]);
  const restored = (heard: number[]) =>
    createTransport({ ...rest, sessions: [{ ...good, heard }] }).snapshot().sessions;
  assert.deepEqual(restored([1]), [good]);
  for (const heard of [[0], [4], [-1], [1, 1], [1, 4]]) assert.deepEqual(restored(heard), [], String(heard));
});

test('[D4] a pause longer than T1 drops a broadcast, a shorter pause does not', () => {
  for (const [gap, completed] of [
    [750 * MS, 1],
    [750 * MS + 1, 0],
  ] as const) {
    const transport = createTransport();
    feed(transport, broadcast(T0, 0, 65226, bytes(20), gap));
    assert.equal(transport.counters.completed, completed);
    assert.equal(transport.counters.timeout, 1 - completed);
  }
});

test('[D4] after a CTS the sender has 1250 ms, between packets 750 ms, after a hold the receiver 1050 ms', () => {
  const payload = bytes(21);
  const pgn = 65226;
  const opening = [announce(T0, 3, 0, pgn, 21), cts(T0 + MS, 0, 3, pgn, 3, 1)];
  const cases: [string, Frame[], number][] = [
    ['T2 kept', [packet(T0 + MS + 1250 * MS, 3, 0, 1, payload)], 0],
    ['T2 broken', [packet(T0 + MS + 1250 * MS + 1, 3, 0, 1, payload)], 1],
    ['T1 kept', [packet(T0 + MS, 3, 0, 1, payload), packet(T0 + 751 * MS, 3, 0, 2, payload)], 0],
    ['T1 broken', [packet(T0 + MS, 3, 0, 1, payload), packet(T0 + 752 * MS, 3, 0, 2, payload)], 1],
    [
      'T3 kept',
      [1, 2, 3].map((n) => packet(T0 + (n < 3 ? n * MS : n * MS + 1000 * MS), 3, 0, n < 3 ? 3 : 1, payload)),
      0,
    ],
    ['T4 kept', [cts(T0 + 2 * MS, 0, 3, pgn, 0, 255), cts(T0 + 1052 * MS, 0, 3, pgn, 3, 1)], 0],
    ['T4 broken', [cts(T0 + 2 * MS, 0, 3, pgn, 0, 255), cts(T0 + 1053 * MS, 0, 3, pgn, 3, 1)], 1],
  ];
  for (const [name, frames, timeouts] of cases) {
    const transport = createTransport();
    feed(transport, [...opening, ...frames]);
    assert.equal(transport.counters.timeout, timeouts, name);
  }
});

test('[D4] a clock that jumps back drops the open session', () => {
  const transport = createTransport();
  const frames = broadcast(T0, 0, 65226, bytes(20));
  const found = feed(transport, [...frames.slice(0, 2), ...broadcast(T0 - 86_400e6, 0, 65226, bytes(20))]);
  assert.equal(found.length, 1);
  assert.deepEqual(counts(transport), { completed: 1, timeout: 1 });
});

test('[D4] an abort from either side drops the connection; an abort for another group does not', () => {
  for (const [frame, aborted] of [
    [abort(T0 + MS, 3, 0, 65226), 1],
    [abort(T0 + MS, 0, 3, 65226), 1],
    [abort(T0 + MS, 0, 3, 65227), 0],
    [abort(T0 + MS, 7, 3, 65226), 0],
  ] as const) {
    const transport = createTransport();
    const payload = bytes(14);
    const found = feed(transport, [
      announce(T0, 3, 0, 65226, 14),
      frame,
      packet(T0 + 2 * MS, 3, 0, 1, payload),
      packet(T0 + 3 * MS, 3, 0, 2, payload),
    ]);
    assert.equal(transport.counters.aborted, aborted);
    assert.equal(found.length, 1 - aborted);
  }
});

test('[D4] a new announcement for the same key replaces the old session', () => {
  const transport = createTransport();
  const found = feed(transport, [
    ...broadcast(T0, 0, 65251, bytes(39)).slice(0, 3),
    ...broadcast(T0 + 200 * MS, 0, 65226, bytes(18)),
  ]);
  assert.deepEqual(
    found.map(({ pgn }) => pgn),
    [65226],
  );
  assert.deepEqual(counts(transport), { completed: 1, replaced: 1 });
});

test('[D4] an answer to a missed announcement ends the open session, because later packets do not belong to it', () => {
  const payload = bytes(21);
  for (const answer of [cts(T0 + 2 * MS, 0, 3, 65227, 3, 1), cts(T0 + 2 * MS, 0, 3, 65226, 2, 4)]) {
    const transport = createTransport();
    const found = feed(transport, [
      announce(T0, 3, 0, 65226, 21),
      packet(T0 + MS, 3, 0, 1, payload),
      answer,
      packet(T0 + 3 * MS, 3, 0, 2, payload),
      packet(T0 + 4 * MS, 3, 0, 3, payload),
    ]);
    assert.deepEqual(found, []);
    assert.deepEqual(counts(transport), { replaced: 1, orphans: 2 });
  }
});

test('[D4] a connection that the receiver closes while packets are missing is counted as incomplete', () => {
  const transport = createTransport();
  const payload = bytes(21);
  feed(transport, [
    announce(T0, 3, 0, 65226, 21),
    packet(T0 + MS, 3, 0, 1, payload),
    packet(T0 + 2 * MS, 3, 0, 3, payload),
    control(T0 + 3 * MS, 0, 3, [0x13, 21, 0, 3, 0xff, 0xca, 0xfe, 0]),
  ]);
  assert.deepEqual(counts(transport), { incomplete: 1 });
});

test('[D4] invalid announcements are refused: sizes, packet counts, a broadcast to one address, a connection to all', () => {
  const transport = createTransport();
  const bad = [
    announce(T0, 1, 255, 65226, 8),
    announce(T0, 1, 255, 65226, 1786),
    control(T0, 1, 255, [0x20, 20, 0, 4, 0xff, 0xca, 0xfe, 0]),
    control(T0, 1, 2, [0x20, 20, 0, 3, 0xff, 0xca, 0xfe, 0]),
    control(T0, 1, 255, [0x10, 20, 0, 3, 0xff, 0xca, 0xfe, 0]),
    control(T0, 1, 2, [0x10, 20]),
    control(T0, 1, 2, [0x77, 20, 0, 3, 0xff, 0xca, 0xfe, 0]),
  ];
  feed(transport, bad);
  assert.deepEqual(counts(transport), { invalid: bad.length });
});

test('[D4] a PDU1 group announced with a low byte is reported without it', () => {
  const [message] = feed(createTransport(), [
    announce(T0, 3, 0, 0x00ef17, 9),
    packet(T0 + MS, 3, 0, 1, bytes(9)),
    packet(T0 + 2 * MS, 3, 0, 2, bytes(9)),
  ]);
  assert.equal(message?.pgn, 0xef00);
});

test('[D4] at the limit of 512 sessions a further announcement evicts the oldest session, and a later message is still reassembled', () => {
  const transport = createTransport();
  const flood = Array.from({ length: 4000 }, (_, i) => announce(T0 + i, i % 250, Math.floor(i / 250), 65226, 1785));
  feed(transport, flood);
  assert.equal(transport.snapshot().sessions.length, MAX_SESSIONS);
  assert.equal(transport.counters.evicted, 4000 - MAX_SESSIONS);
  assert.equal(feed(transport, broadcast(T0 + 5000, 251, 65226, bytes(30))).length, 1);
});

test('[D4] a restore from a JSON snapshot between packets changes no result', () => {
  fc.assert(
    fc.property(payloads, fc.nat(), (payload, seed) => {
      const frames = broadcast(T0, 9, 65226, payload);
      const cut = seed % frames.length;
      const before = createTransport();
      feed(before, frames.slice(0, cut));
      const after = createTransport(JSON.parse(JSON.stringify(before.snapshot())));
      const [message] = feed(after, frames.slice(cut));
      assert.deepEqual(message?.data, payload);
      assert.equal(after.counters.completed_pgns['65226'], 1);
    }),
  );
});

test('[D4] a restored connection has the packets that its CTS asked for', () => {
  const payload = bytes(21);
  const before = createTransport();
  feed(before, [announce(T0, 3, 0, 65226, 21), cts(T0 + MS, 0, 3, 65226, 3, 1)]);
  const after = createTransport(JSON.parse(JSON.stringify(before.snapshot())));
  feed(after, [packet(T0 + 2 * MS, 3, 0, 1, payload), packet(T0 + 1002 * MS, 3, 0, 2, payload)]);
  assert.deepEqual(counts(after), { timeout: 1, orphans: 1 });
});

test('[D4] random frames never throw, and every session ends completed or in one counted loss', () => {
  const frame = fc.record({
    kind: fc.constantFrom('control' as const, 'packet' as const),
    dt: fc.integer({ min: -1000 * MS, max: 2000 * MS }),
    sa: fc.nat(3),
    da: fc.constantFrom(0, 1, 2, 3, 255),
    first: fc.constantFrom(0x10, 0x11, 0x13, 0x20, 0xff, 0, 1, 2, 3, 200),
    rest: fc.array(fc.oneof(fc.nat(20), fc.nat(255)), { maxLength: 7 }),
  });
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 300 }), (frames) => {
      const transport = createTransport();
      let t_us = T0;
      let opened = 0;
      for (const { kind, dt, sa, da, first, rest } of frames) {
        t_us += dt;
        const invalid = transport.counters.invalid;
        feed(transport, [{ kind, t_us, sa, da, data: [first, ...rest] }]);
        const announced = kind === 'control' && (first === 0x10 || first === 0x20);
        if (announced && transport.counters.invalid === invalid) opened++;
      }
      const c = transport.counters;
      const ended =
        c.completed + c.aborted + c.timeout + c.replaced + c.sequence + c.malformed + c.incomplete + c.evicted;
      assert.equal(opened, ended + transport.snapshot().sessions.length);
    }),
  );
});
