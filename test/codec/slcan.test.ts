import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatSlcan, type SlcanAnswer, SlcanParser } from '#codec/slcan.ts';
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';
import { framesOf } from './frames.ts';

const NOW = 1_795_248_000_000_000;
const SECOND = 1_000_000;
const bytes = (text: string) => Buffer.from(text, 'latin1');

function parse(text: string, at = NOW) {
  const answers: SlcanAnswer[] = [];
  const parser = new SlcanParser({ answer: (answer) => answers.push(answer) });
  const batch = new FrameBatch();
  parser.parse(bytes(text), batch, at);
  return { parser, answers, frames: framesOf(batch), counters: parser.counters };
}

test('[F60] every form of frame is read', () => {
  const { frames, counters } = parse(
    't12320102\rT18FEE5008E02E0000FFFFFFFF\rr7FF4\rR1FFFFFFF0\rx0CF0040010F\rd1239000102030405060708090A0B\r' +
      `D18FEF1009${'AB'.repeat(12)}\rb001F${'55'.repeat(64)}\rB00000001200FF\r`,
  );
  const { extended, remote, fd, brs } = FRAME;
  assert.deepEqual(
    frames.map(({ id, flags, data }) => [id, flags, data]),
    [
      [0x123, 0, '0102'],
      [0x18fee500, extended, 'E02E0000FFFFFFFF'],
      [0x7ff, remote, '00000000'],
      [0x1fffffff, extended | remote, ''],
      [0x0cf00400, extended, '0F'],
      [0x123, fd, '000102030405060708090A0B'],
      [0x18fef100, extended | fd, 'AB'.repeat(12)],
      [0x001, fd | brs, '55'.repeat(64)],
      [0x00000001, extended | fd | brs, '00FF'],
    ],
  );
  assert.deepEqual([counters.frames, counters.malformed], [9, 0]);
});

test('[F61] what is no frame is counted, and the next one is read: digits, identifiers, lengths, halves', () => {
  const wrong = [
    't12G0',
    't8000',
    'T200000000',
    't1239',
    't12320102F',
    't1232010',
    't12',
    'T18FEE500',
    'q',
    't1230EA60',
  ];
  const { frames, counters } = parse(`${wrong.join('\r')}\rt1230\r`);
  assert.deepEqual(
    frames.map(({ id }) => id),
    [0x123],
  );
  assert.equal(counters.malformed, wrong.length);
});

test('[F62] a line without end is discarded up to its end, also over many chunks; the frame behind it is read', () => {
  const parser = new SlcanParser();
  const batch = new FrameBatch();
  parser.parse(bytes('t1230\rT'), batch, NOW);
  for (let i = 0; i < 50; i++) parser.parse(bytes('0123456789'.repeat(10)), batch, NOW);
  parser.parse(bytes('00\rt4560\r'), batch, NOW);
  parser.parse(bytes(`t${'0'.repeat(500)}\rt7770\r`), batch, NOW);
  assert.deepEqual(
    framesOf(batch).map(({ id }) => id),
    [0x123, 0x456, 0x777],
  );
  assert.deepEqual([parser.counters.overlong, parser.counters.malformed], [2, 0]);
});

test('[F63] answers are told: yes and no, sent frames, versions, flags, states, errors; a BEL ends a frame like a CR', () => {
  const { answers, frames, counters, parser } = parse(
    '\r\x07z\rZ\rV1013\rNA123\rF2C\re2aB\re1o\rsp128007\rt1230\x07\n\r',
  );
  assert.deepEqual(
    answers.map(({ kind }) => kind),
    ['ok', 'refused', 'sent', 'sent', 'version', 'serial', 'flags', 'error', 'error', 'state', 'ok'],
  );
  assert.equal(frames.length, 1);
  assert.equal(parser.state, 'passive');
  // The flags told an overrun, the errors another; acknowledgement and bit errors are the bus's.
  assert.deepEqual([counters.overruns, counters.bus_errors, counters.malformed], [2, 2, 0]);
  assert.deepEqual(parse('e3a\re1x\rsz000000\rF\r').counters.malformed, 4);
});

test('[F63] flags that stand are counted once, and again after they fell', () => {
  const { counters } = parse('F08\rF08\rF00\rF08\r');
  assert.equal(counters.overruns, 2);
});

const stamped = (ms: number) => `t1230${ms.toString(16).padStart(4, '0').toUpperCase()}\r`;

test('[F64] the stamps of the adapter give the distances, the arrival the anchor; chunks do not show', () => {
  const { frames } = parse(`${stamped(100)}${stamped(103)}${stamped(110)}`);
  assert.deepEqual(
    frames.map(({ t }) => t - (frames[2]?.t as number)),
    [-10_000, -7_000, 0],
  );
  assert.equal(frames[2]?.t, NOW, 'the last one arrived just now');
});

test('[F64] stamps wrap at 60,000 ms, also when the bus was silent over several wraps', () => {
  const parser = new SlcanParser();
  const batch = new FrameBatch();
  // A frame every 40 s for ten minutes, then one after a silence of 305 s.
  for (let s = 0; s <= 600; s += 40) parser.parse(bytes(stamped((s * 1000) % 60_000)), batch, NOW + s * SECOND);
  parser.parse(bytes(stamped((905 * 1000) % 60_000)), batch, NOW + 905 * SECOND);
  const expected = [...Array.from({ length: 16 }, (_, i) => i * 40), 905];
  framesOf(batch).forEach(({ t }, i) => {
    assert.ok(Math.abs(t - NOW - (expected[i] as number) * SECOND) <= 20_000, `frame ${i} at ${t - NOW}`);
  });
});

test('[F64] frames that the link delays keep their own times; a slow adapter clock is followed', () => {
  const parser = new SlcanParser();
  const batch = new FrameBatch();
  // The adapter loses 200 ppm, and every other chunk comes 15 ms late.
  for (let i = 0; i < 60_000; i++) {
    const real = NOW + i * 100_000;
    const ms = Math.floor(((i * 100_000 * 0.9998) / 1000) % 60_000);
    batch.clear();
    parser.parse(bytes(stamped(ms)), batch, real + (i % 2) * 15_000);
    assert.ok(
      Math.abs((batch.t[0] as number) - real) < 17_000,
      `frame ${i} is off by ${(batch.t[0] as number) - real} µs`,
    );
  }
});

test('[F64] a clock that leaps, here or in the adapter, is followed at once', () => {
  const parser = new SlcanParser();
  const batch = new FrameBatch();
  const at = (ms: number, t: number) => {
    batch.clear();
    parser.parse(bytes(stamped(ms)), batch, t);
    return batch.t[0] as number;
  };
  at(50_000, NOW);
  assert.equal(at(10, NOW + SECOND), NOW + SECOND, 'the adapter began anew');
  assert.equal(at(1_010, NOW + 3600 * SECOND), NOW + 3600 * SECOND, 'our clock was set');
  assert.equal(at(2_010, NOW), NOW, 'our clock was set back');
});

test('[F64] frames of a chunk without stamps share the time since the last one: no two at one instant', () => {
  const parser = new SlcanParser();
  const batch = new FrameBatch();
  parser.parse(bytes('t1230\r'), batch, NOW);
  parser.parse(bytes('t1230\r'.repeat(10)), batch, NOW + 5_000);
  const times = framesOf(batch).map(({ t }) => t - NOW);
  assert.deepEqual(times, [0, 500, 1000, 1500, 2000, 2500, 3000, 3500, 4000, 4500, 5000]);
});

const frame = fc.record({
  bits: fc.constantFrom(0, FRAME.extended),
  form: fc.constantFrom(0, FRAME.remote, FRAME.fd, FRAME.fd | FRAME.brs),
  id: fc.nat(0x1fffffff),
  data: fc.uint8Array({ maxLength: 64 }),
});
const LENGTHS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 20, 24, 32, 48, 64];

test('[F65] what is written is read again, cut anywhere', () => {
  fc.assert(
    fc.property(
      fc.array(frame, { maxLength: 30 }),
      fc.boolean(),
      fc.array(fc.nat(200), { maxLength: 20 }),
      (frames, stamps, cuts) => {
        const batch = new FrameBatch();
        for (const { bits, form, id, data } of frames) {
          const most =
            form & FRAME.fd ? (LENGTHS.findLast((n) => n <= data.length) as number) : Math.min(8, data.length);
          const payload = form & FRAME.remote ? new Uint8Array(most) : data;
          batch.push(NOW, 0, bits ? id : id & 0x7ff, bits | form, payload, 0, most);
        }
        const text = formatSlcan(batch, 0, batch.count, stamps);
        const read = new FrameBatch();
        const parser = new SlcanParser();
        let from = 0;
        for (const cut of [...cuts, text.length]) {
          parser.parse(text.subarray(from, from + cut), read, NOW);
          from += cut;
        }
        assert.deepEqual(
          framesOf(read).map(({ t: _, ...rest }) => rest),
          framesOf(batch).map(({ t: _, ...rest }) => rest),
        );
        assert.equal(parser.counters.malformed + parser.counters.overlong, 0);
      },
    ),
  );
});

test('[F66] noise never stops the reader, and what it takes for frames is within bounds', () => {
  const alphabet = bytes('tTrRdDbBxe sFzZVN0123456789ABCDEFabcdef\r\x07\n\x00\xff');
  const noise = fc.array(fc.oneof(fc.nat(255), fc.constantFrom(...alphabet)), { maxLength: 600 });
  fc.assert(
    fc.property(noise, noise, (a, b) => {
      const parser = new SlcanParser();
      const batch = new FrameBatch();
      parser.parse(Uint8Array.from(a), batch, NOW);
      parser.parse(Uint8Array.from(b), batch, NOW + 1000);
      for (const { id, flags, data, t } of framesOf(batch)) {
        assert.ok(id <= (flags & FRAME.extended ? 0x1fffffff : 0x7ff));
        assert.ok(data.length <= (flags & FRAME.fd ? 128 : 16));
        assert.ok(t > 0 && t <= NOW + 1000);
      }
      // A good frame behind any noise is read.
      const before = batch.count;
      parser.parse(bytes('\rt1232AABB\r'), batch, NOW + 2000);
      assert.equal(framesOf(batch).at(-1)?.data, 'AABB');
      assert.ok(batch.count > before);
    }),
  );
});

test('[F60] every state that an adapter says of its bus is read, from its own message and from its flags', () => {
  const stateOf = (text: string) => parse(text).parser.state;
  assert.deepEqual(
    ['a', 'w', 'p', 'b'].map((letter) => stateOf(`s${letter}000000\r`)),
    ['active', 'warning', 'passive', 'bus_off'],
  );
  assert.equal(stateOf('sx000000\r'), null);
  assert.deepEqual(
    ['F00', 'F04', 'F20', 'F24', 'F08'].map((flags) => stateOf(`${flags}\r`)),
    ['active', 'warning', 'passive', 'passive', 'active'],
  );
  const counted = (text: string) => {
    const { overruns, bus_errors, malformed } = parse(text).counters;
    return [overruns, bus_errors, malformed];
  };
  assert.deepEqual(counted('F01\r'), [1, 0, 0], 'its buffer was full');
  assert.deepEqual(counted('F08\r'), [1, 0, 0]);
  assert.deepEqual(counted('F80\r'), [0, 1, 0]);
  assert.deepEqual(counted('FF8\r'), [1, 1, 0]);
});

test('[F60] a classic frame is written with its own length, and an FD frame with the next length that there is', () => {
  const written = (flags: number, length: number) => {
    const batch = new FrameBatch(1);
    batch.push(NOW, 0, 0x123, flags, new Uint8Array(64), 0, length);
    return Buffer.from(formatSlcan(batch)).toString('latin1').slice(0, 5);
  };
  for (let length = 0; length <= 8; length++) assert.equal(written(0, length), `t123${length}`);
  assert.deepEqual(
    [8, 9, 12, 13, 33, 49, 64].map((length) => written(FRAME.fd, length)),
    ['d1238', 'd1239', 'd1239', 'd123A', 'd123E', 'd123F', 'd123F'],
  );
});

test('[F62] frames without stamps are spread over the time since the last frame with one', () => {
  const parser = new SlcanParser();
  const batch = new FrameBatch();
  parser.parse(bytes('t1231010064\rt1231020066\r'), batch, NOW);
  parser.parse(bytes('t123103\rt123104\r'), batch, NOW + 1_000);
  const times = framesOf(batch).map(({ t }) => t - NOW);
  assert.equal(times[1], 0);
  assert.deepEqual(times.slice(2), [500, 1_000]);
});
