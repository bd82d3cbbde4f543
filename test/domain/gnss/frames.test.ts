import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { openLogFile } from '#bridge/log-file.ts';
import type { GnssChannel } from '#contract/fleet/bus.ts';
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';
import { GNSS, GnssReader, gnssChannelsOf, INTERNAL_BUS } from '#domain/gnss/frames.ts';
import { createDecoder } from '#domain/j1939/decode.ts';
import { recording, recordingPath, withoutRecordings } from '#test/support/recordings.ts';
import { gnssField, gnssFrame, positionFrame } from './gnss-kit.ts';

const INTERNAL: GnssChannel = { bus: INTERNAL_BUS, frames: 'canedge_internal' };
const CANMOD: GnssChannel = { bus: 2, frames: 'canmod_gps' };
const T0 = 1.7e15;
const NAMES = Object.keys(GNSS) as (keyof typeof GNSS)[];

/** The values in one frame by name; undefined if the reader does not take the frame. */
function read(channels: readonly GnssChannel[], bus: number, id: number, payload: Uint8Array, flags = 0) {
  const batch = new FrameBatch();
  batch.push(T0, bus, id, flags, payload, 0, payload.length);
  const values: Partial<Record<keyof typeof GNSS, number>> = {};
  const taken = new GnssReader(channels).read(batch, 0, (quantity, decoded) => {
    values[NAMES[quantity] as keyof typeof GNSS] = decoded.value;
    assert.deepEqual([decoded.t_us, decoded.bus, decoded.sa, decoded.frame], [T0, bus, -1, 0]);
  });
  return taken ? values : undefined;
}

test('[D180] an 11-bit frame is a GNSS frame only on a named channel, with the identifiers of that channel', () => {
  const position = positionFrame(56.1, 10.2, 3);
  const here = { latitude: 56.1, longitude: 10.2, accuracy: 3 };
  assert.deepEqual(read([INTERNAL], 9, 0x067, position), here);
  assert.deepEqual(read([CANMOD], 2, 0x003, position), here);
  assert.equal(read([INTERNAL], 1, 0x067, position), undefined, 'another bus');
  assert.equal(read([INTERNAL], 9, 0x003, position), undefined, 'the identifiers of the other kind');
  assert.equal(read([CANMOD], 2, 0x067, position), undefined);
  assert.equal(read([], 9, 0x067, position), undefined);
  for (const flags of [FRAME.extended, FRAME.remote, FRAME.error])
    assert.equal(read([INTERNAL], 9, 0x067, position, flags), undefined);
  assert.equal(read([INTERNAL], 9, 0x06f, position), undefined, 'motion is not read');
  assert.deepEqual(
    read([INTERNAL, { bus: 9, frames: 'canmod_gps' }], 9, 0x067, position),
    here,
    'the first rule for a bus applies',
  );
});

test('[D180] the internal channel is read without a setting only in an MF4 file that a CANedge wrote', () => {
  const log = (format: string, tool: string | null) => ({ format, info: { tool } });
  assert.deepEqual(gnssChannelsOf(log('mf4', 'CE'), []), [INTERNAL]);
  assert.deepEqual(gnssChannelsOf(log('mf4', 'CE'), [CANMOD]), [CANMOD, INTERNAL]);
  for (const [format, tool] of [
    ['mf4', 'Headframe'],
    ['mf4', null],
    ['candump', 'CE'],
  ] as const)
    assert.deepEqual(gnssChannelsOf(log(format, tool), []), []);
});

test('[D181] a value that the receiver marks invalid, or that cannot be, is no value', () => {
  const of = (frame: number, payload: Uint8Array) => read([INTERNAL], 9, 0x065 + frame, payload);
  assert.deepEqual(of(0, gnssFrame(0, { fix: 3, satellites: 17 })), { fixType: 3, satellites: 17 });
  assert.deepEqual(of(0, gnssFrame(0, { fix: 6, satellites: 2 })), { satellites: 2 }, 'a reserved fix type');
  const epoch = 147_254_666_911;
  assert.deepEqual(of(1, gnssFrame(1, { timeValid: 1, timeConfirmed: 1, epoch })), {
    time: epoch * 1000 + Date.UTC(2020, 0, 1, 1) * 1000,
  });
  assert.deepEqual(of(1, gnssFrame(1, { timeValid: 1, epoch })), {}, 'not confirmed');
  assert.deepEqual(of(1, gnssFrame(1, { timeConfirmed: 1, epoch })), {});
  assert.deepEqual(of(2, gnssFrame(2, { latitude: 1, longitude: 1 })), {}, 'not valid');
  assert.deepEqual(of(2, positionFrame(-12.5, -80.25, 63)), { latitude: -12.5, longitude: -80.25 });
  assert.deepEqual(of(2, positionFrame(90.000001, 10)), {}, 'both coordinates or neither');
  assert.deepEqual(of(2, positionFrame(10, 180.000001)), {});
  assert.deepEqual(of(2, positionFrame(90, 180)), { latitude: 90, longitude: 180, accuracy: 5 });
  assert.deepEqual(of(3, gnssFrame(3, { altitudeValid: 1, altitude: 59_985 })), { altitude: -1.5 });
  assert.deepEqual(of(3, gnssFrame(3, { altitude: 59_985 })), {});
  assert.deepEqual(of(4, gnssFrame(4, { attitudeValid: 1, heading: 3599 })), { heading: 359.9 });
  assert.deepEqual(of(4, gnssFrame(4, { attitudeValid: 1, heading: 3601 })), {});
  assert.deepEqual(of(4, gnssFrame(4, { heading: 10 })), {});
  assert.deepEqual(of(6, gnssFrame(6, { speedValid: 1, speed: 24_565 })), { speed: 88.434 });
  assert.deepEqual(of(6, gnssFrame(6, { speed: 24_565 })), {});
  const short = [1, 6, 8, 3, 7, 0, 3].map((needs, frame) =>
    needs === 0 ? undefined : of(frame, new Uint8Array(needs - 1).fill(0xff)),
  );
  assert.deepEqual(short, new Array(7).fill(undefined), 'a frame that is too short is not read');
});

test('[D181] every payload gives possible values or none', () => {
  const limits: Partial<Record<keyof typeof GNSS, number>> = {
    latitude: 90,
    longitude: 180,
    heading: 360,
    accuracy: 62,
  };
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 7 }), fc.uint8Array({ minLength: 0, maxLength: 8 }), (frame, payload) => {
      const values = read([INTERNAL], 9, 0x065 + frame, payload) ?? {};
      for (const [name, value] of Object.entries(values)) {
        assert.ok(Number.isFinite(value));
        assert.ok(Math.abs(value) <= (limits[name as keyof typeof GNSS] ?? Number.POSITIVE_INFINITY), name);
      }
      assert.equal(values.latitude === undefined, values.longitude === undefined);
    }),
  );
});

test('[D182] every value in a real recording equals the number in its frame, and their counts and limits those expected', {
  skip: withoutRecordings,
}, async (t) => {
  const expected = JSON.parse(recording('expected/7512BE4D.gnss.json').toString());
  await using log = await openLogFile(recordingPath('mf4/7512BE4D_00000427_00000001.fw0108-gnss.MF4'), {});
  const reader = new GnssReader(gnssChannelsOf(log, []));
  const decoder = createDecoder();
  let compared = 0;
  let gnss = 0;
  let others = 0;
  let first: number[] | undefined;
  let last: number[] = [];
  for await (const batch of log.batches()) {
    for (let i = 0; i < batch.count; i++) {
      const found: Partial<Record<keyof typeof GNSS, number>> = {};
      const taken = reader.read(batch, i, (quantity, { value }) => {
        found[NAMES[quantity] as keyof typeof GNSS] = value;
      });
      if (!taken) {
        others++;
        continue;
      }
      gnss++;
      const payload = batch.payload(i);
      if (batch.id[i] !== 0x067 || gnssField(payload, 'positionValid') === 0) continue;
      assert.equal(found.latitude, (gnssField(payload, 'latitude') - 90_000_000) / 1e6);
      assert.equal(found.longitude, (gnssField(payload, 'longitude') - 180_000_000) / 1e6);
      compared++;
      last = [(batch.t[i] as number) / 1e6, 1, found.latitude ?? 0, found.longitude ?? 0, found.accuracy ?? 63];
      first ??= last;
    }
    const counting = {
      signal: () => {},
      faults: () => {},
      other: (b: FrameBatch, i: number) => reader.read(b, i, () => {}),
    };
    decoder.decode(batch, counting);
  }
  const close = (found: readonly number[] | undefined, wanted: readonly number[]) => {
    for (const [i, value] of wanted.entries()) assert.ok(Math.abs((found?.[i] ?? Number.NaN) - value) < 1e-6);
  };
  close(first, expected.first);
  close(last, expected.last);
  assert.deepEqual([compared, compared], [expected.positions, expected.valid]);
  const read = ['0x65', '0x66', '0x67', '0x68', '0x6b'].reduce((sum, id) => sum + expected.counts[id], 0);
  assert.equal(gnss, read);
  assert.deepEqual([decoder.counters.frames, decoder.counters.ignored], [gnss + others, others]);
  t.diagnostic(`${compared} positions compared`);
});
