import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';
import { createDecoder, type DecodeSink } from '#domain/j1939/decode.ts';
import { type FaultMessage, parseFaultCode, parseFaults } from '#domain/j1939/faults.ts';
import { destinationOf, pgnOf, sourceOf } from '#domain/j1939/identifier.ts';
import { type IdentityMessage, parseFields, parseVin } from '#domain/j1939/identity.ts';
import { PARAMETERS } from '#domain/j1939/parameters.ts';
import { extractRaw, physicalOf, valueState } from '#domain/j1939/signals.ts';

const T0 = 1.7e15;
const silent: DecodeSink = { signal: () => undefined, faults: () => undefined };
const hex = (text: string) => Uint8Array.from(Buffer.from(text, 'hex'));

function batchOf(...frames: (readonly [id: number, data: string, flags?: number])[]): FrameBatch {
  const batch = new FrameBatch();
  frames.forEach(([id, data, flags = FRAME.extended], i) => {
    const bytes = hex(data);
    batch.push(T0 + i * 1000, 1, id, flags, bytes, 0, bytes.length);
  });
  return batch;
}

function signalsOf(batch: FrameBatch): string[] {
  const found: string[] = [];
  createDecoder().decode(batch, {
    ...silent,
    signal: (parameter, { value }) => found.push(`${PARAMETERS[parameter]?.signal} ${value}`),
  });
  return found;
}

test('[D1] identifiers: PDU1 has a destination outside its PGN, PDU2 has the low byte in it', () => {
  assert.deepEqual([pgnOf(0x18ea00f9), destinationOf(0x18ea00f9), sourceOf(0x18ea00f9)], [0xea00, 0x00, 0xf9]);
  assert.deepEqual([pgnOf(0x0cf00400), destinationOf(0x0cf00400), sourceOf(0x0cf00403)], [0xf004, 255, 3]);
  assert.equal(pgnOf(0x19f00400), 0x1f004, 'the data page is part of the PGN');
});

test('[D1] remote, error, 11-bit and long FD frames are counted and give no value', () => {
  const long = '00'.repeat(12);
  const batch = batchOf(
    [0x0cf00400, 'F07D82301F0000FF', FRAME.extended | FRAME.remote],
    [0x0cf00400, 'F07D82301F0000FF', FRAME.error | FRAME.extended],
    [0x400, 'F07D82301F0000FF', 0],
    [0x0cf00400, long, FRAME.extended | FRAME.fd],
    [0x0cf00400, 'F07D82301F0000FF'],
  );
  const decoder = createDecoder();
  let signals = 0;
  decoder.decode(batch, { ...silent, signal: () => signals++ });
  assert.equal(signals, 1);
  assert.deepEqual([decoder.counters.frames, decoder.counters.ignored, decoder.counters.unknown], [5, 4, 0]);
});

test('[D2] error, not available, reserved and parameter-specific values never become numbers; zero does', () => {
  for (const [state, raw] of [
    ['specific', 'FB'],
    ['reserved', 'FC'],
    ['reserved', 'FD'],
    ['error', 'FE'],
    ['unavailable', 'FF'],
  ] as const) {
    assert.equal(valueState(Number.parseInt(raw, 16), 8), state);
    assert.equal(valueState(Number.parseInt(`${raw}01`, 16), 16), state);
    assert.equal(valueState(Number.parseInt(`${raw}000000`, 16), 32), state);
    assert.deepEqual(signalsOf(batchOf([0x18feee00, `${raw}${raw}00${raw}FFFFFFFF`])), [], raw);
    assert.deepEqual(signalsOf(batchOf([0x18fee500, `000000${raw}FFFFFFFF`])), [], raw);
  }
  assert.deepEqual(signalsOf(batchOf([0x0cf00400, 'F07D7D0000FFFFFF'])), ['engine.speed 0']);
  assert.deepEqual(
    signalsOf(batchOf([0x0cf00400, 'FFFFFFFFFAFFFFFF'])),
    ['engine.speed 8031.875'],
    'the largest valid',
  );
});

test('[D2] a frame too short for a parameter gives no value for it', () => {
  assert.deepEqual(signalsOf(batchOf([0x18feee00, '7D50'])), [
    'engine.coolant_temperature 85',
    'engine.fuel_temperature 40',
  ]);
  assert.deepEqual(signalsOf(batchOf([0x18fee500, 'A08601'])), []);
});

test('[D3] values print with the decimals that the scaling defines', () => {
  assert.deepEqual(signalsOf(batchOf([0x18fefc00, 'FFF7FFFFFFFFFFFF'])), ['fuel.level 98.8']);
  assert.deepEqual(signalsOf(batchOf([0x18fef200, '3500FFFFFFFFFFFF'])), ['engine.fuel_rate 2.65']);
  assert.deepEqual(signalsOf(batchOf([0x18feea00, 'FFFFFFFFFF0300FF'])), ['vehicle.payload 0.006']);
  assert.deepEqual(signalsOf(batchOf([0x18feea00, 'FFFFFFFFFF5946FF'])), ['vehicle.payload 36.018']);
});

test('[D3] a position keeps all its digits, also south and west of zero', () => {
  // 2587123456 and 2112345678 ten-millionths of a degree above -210.
  assert.deepEqual(signalsOf(batchOf([0x18fef300, '005F349A4ED6E77D'])), [
    'position.latitude 48.7123456',
    'position.longitude 1.2345678',
  ]);
  assert.deepEqual(signalsOf(batchOf([0x18fef300, '00000000FFFFFFFF'])), ['position.latitude -210']);
  assert.deepEqual(signalsOf(batchOf([0x18fee81c, '0087FFFFFFFFFFFF'])), ['position.heading 270']);
});

test('[D2] in a bit field the largest value means not available, and the one below it error', () => {
  const brake = PARAMETERS.find((row) => row.spn === 70);
  assert.ok(brake);
  for (const [byte, raw, state] of [
    ['F3', 0, 'valid'],
    ['F7', 1, 'valid'],
    ['FB', 2, 'error'],
    ['FF', 3, 'unavailable'],
  ] as const) {
    assert.equal(extractRaw(brake, hex(byte), 1), raw);
    assert.equal(valueState(raw, 2), state);
  }
});

test('[D2] every parameter lies inside eight bytes, and its largest valid value is that of the standard', () => {
  for (const row of PARAMETERS) assert.ok(row.byte * 8 + row.bit - 9 + row.bits <= 64, `SPN ${row.spn}`);
  const largest = (spn: number, raw: number) => {
    const row = PARAMETERS.find((one) => one.spn === spn);
    return row && physicalOf(row, raw);
  };
  assert.equal(largest(190, 0xfaff), 8031.875);
  assert.equal(largest(183, 0xfaff), 3212.75);
  assert.equal(largest(247, 0xfaffffff), 210_554_060.75);
  assert.equal(largest(175, 0), -273);
});

test('[D2] every decoded signal is a single parameter or has ranks that differ', () => {
  const ranks = PARAMETERS.filter((row) => row.signal !== null).map((row) => `${row.signal} ${row.rank}`);
  assert.equal(new Set(ranks).size, ranks.length);
});

// SPN 1208 FMI 3 OC 10 in the four layouts.
const VECTOR = { 4: 'B804030A', 3: 'B804038A', 2: '9700038A', 1: '0097038A' } as const;

test('[D5] the four conversion methods read the same code; with the bit set and nothing configured the SPN is null', () => {
  for (const method of [1, 2, 3, 4] as const) {
    const code = parseFaultCode(hex(VECTOR[method]), 0, method);
    assert.deepEqual(code, { spn: 1208, fmi: 3, occurrence_count: 10, raw: VECTOR[method] });
  }
  assert.equal(parseFaultCode(hex(VECTOR[4]), 0, 1)?.spn, 1208, 'a clear bit is version 4 whatever is configured');
  assert.deepEqual(parseFaultCode(hex(VECTOR[2]), 0, undefined), {
    spn: null,
    fmi: 3,
    occurrence_count: 10,
    raw: VECTOR[2],
  });
});

test('[D5] the conversion method is looked up by bus and source', () => {
  const found: (number | null | undefined)[] = [];
  const decoder = createDecoder({ conversion: (bus, sa) => (bus === 1 && sa === 3 ? 2 : undefined) });
  const data = `04FF${VECTOR[2]}FFFF`;
  decoder.decode(batchOf([0x18feca03, data], [0x18feca00, data]), {
    ...silent,
    faults: ({ dtcs }) => found.push(dtcs[0]?.spn),
  });
  assert.deepEqual(found, [1208, null]);
});

test('[D5] padding gives no code, an occurrence count of 127 is null, and lamps are read from both bytes', () => {
  assert.deepEqual(parseFaults(hex('00FF00000000FFFF'), 8, undefined)?.dtcs, []);
  assert.deepEqual(parseFaults(hex('00FFFFFFFFFFFFFF'), 8, undefined)?.dtcs, []);
  assert.equal(parseFaults(hex('00FFB804037FFFFF'), 8, undefined)?.dtcs[0]?.occurrence_count, null);
  assert.equal(parseFaults(hex('00'), 1, undefined), undefined);
  assert.deepEqual(parseFaults(hex('1B4C'), 2, undefined)?.lamps, {
    mil: { state: 'off', flash: 'steady' },
    red_stop: { state: 'on', flash: 'slow' },
    amber: { state: 'error', flash: 'steady' },
    protect: { state: 'unavailable', flash: 'slow' },
  });
});

test('[D6] a VIN is read with and without a star, and component and software by their fields', () => {
  const ascii = (text: string) => Uint8Array.from(Buffer.from(text, 'latin1'));
  const vin = (text: string) => parseVin(ascii(text), text.length);
  assert.equal(vin('1L06130RELP969468*'), '1L06130RELP969468');
  assert.equal(vin('CAT0336FKABC12345678*\xff'), 'CAT0336FKABC12345678', 'a longer number with its star stays whole');
  assert.equal(vin('1L06130RELP969468A1\x00*'), '1L06130RELP969468');
  assert.equal(vin('\xff\xff\xff*'), undefined);
  assert.equal(parseFields(ascii('CMMNS*6C u07D*12345678*00*'), 0, 26), 'CMMNS*6C u07D*12345678*00');
  assert.equal(parseFields(ascii('****'), 0, 4), undefined);
  assert.equal(parseFields(ascii('\x02main 1.2*boot 3*'), 1, 17), 'main 1.2*boot 3');
});

test('[D6] VIN, component and software are read from one frame, a broadcast or a connection', () => {
  const vin = '1HGBH41JXMN109186*';
  const bytes = [...new TextEncoder().encode(vin)].map((byte) => byte.toString(16).padStart(2, '0'));
  const packets = [0, 1, 2].map(
    (n) =>
      `0${n + 1}${bytes
        .slice(n * 7, n * 7 + 7)
        .join('')
        .padEnd(14, 'F')}`,
  );
  const size = `${vin.length.toString(16)}00`;
  const ways: Record<string, [number, string][]> = {
    broadcast: [[0x1cecff03, `20${size}03FFECFE00`], ...packets.map((data): [number, string] => [0x1cebff03, data])],
    // Held, sent, asked for again, and never closed.
    connection: [
      [0x1cec0003, `10${size}03FFECFE00`],
      [0x1cec0300, '1100FFFFFFECFE00'],
      [0x1cec0300, '110201FFFFECFE00'],
      [0x1ceb0003, packets[0] as string],
      [0x1ceb0003, packets[1] as string],
      [0x1cec0300, '110202FFFFECFE00'],
      [0x1ceb0003, packets[1] as string],
      [0x1ceb0003, packets[2] as string],
    ],
  };
  for (const [way, frames] of Object.entries(ways)) {
    const found: string[] = [];
    const sink = { ...silent, identity: ({ kind, text, sa }: IdentityMessage) => found.push(`${sa} ${kind} ${text}`) };
    createDecoder().decode(batchOf(...frames), sink);
    assert.deepEqual(found, ['3 vin 1HGBH41JXMN109186'], way);
  }
});

test('[D6] an identification in one frame is reported to the sink', () => {
  const found: string[] = [];
  const ascii = (text: string) => Buffer.from(text, 'latin1').toString('hex');
  createDecoder().decode(batchOf([0x18feda00, `02${ascii('v1*b2*')}`], [0x18feeb03, ascii('CAT*D6*1')]), {
    ...silent,
    identity: ({ kind, sa, text }) => found.push(`${kind} ${sa} ${text}`),
  });
  assert.deepEqual(found, ['software 0 v1*b2', 'component 3 CAT*D6*1']);
});

test('[D4] a parameter group longer than a frame is decoded from its reassembled message', () => {
  const batch = batchOf(
    [0x1cecff00, '200A0002FFE5FE00'],
    [0x1cebff00, '0100010000FFFFFF'],
    [0x1cebff00, '02FFFFFFFFFFFFFF'],
  );
  assert.deepEqual(signalsOf(batch), ['engine.hours 12.8']);
});

const anyFrame = fc.record({
  id: fc.oneof(
    fc.nat(0x1fffffff),
    fc
      .tuple(fc.constantFrom(0xec, 0xeb, 0xfeca, 0xfeec, 0xfeda, 0xf004, 0xc8), fc.nat(0xffff))
      .map(([pgn, low]) => (pgn > 255 ? 0x18000000 + pgn * 256 + (low & 3) : 0x18000000 + pgn * 65536 + low)),
  ),
  flags: fc.oneof({ weight: 8, arbitrary: fc.constant(FRAME.extended as number) }, fc.nat(127)),
  bus: fc.nat(255),
  data: fc.uint8Array({ maxLength: 64 }),
  t: fc.oneof(fc.nat(), fc.double()),
});

test('[D1] random frames never throw, and each is decoded, ignored, unknown or transport', () => {
  fc.assert(
    fc.property(fc.array(anyFrame, { maxLength: 100 }), (frames) => {
      const batch = new FrameBatch();
      for (const { id, flags, bus, data, t } of frames) batch.push(t, bus, id, flags, data, 0, data.length);
      const decoder = createDecoder();
      const messages: FaultMessage[] = [];
      decoder.decode(batch, {
        signal: (_parameter, { value }) => assert.ok(Number.isFinite(value)),
        faults: (message) => messages.push(message),
        identity: ({ text }) => assert.match(text, /^[ -~]+$/),
      });
      assert.equal(decoder.counters.frames, frames.length);
      assert.deepEqual(JSON.parse(JSON.stringify(decoder.snapshot().frames)), frames.length);
    }),
  );
});

test('[D4] a decoder restored from its snapshot gives the same results as the original one', () => {
  const first = batchOf([0x1cecff00, '20120003FFCAFE00'], [0x1cebff00, '0143FFD40309017E']);
  const second = batchOf([0x1cebff00, '020C140261020909'], [0x1cebff00, '030361020C03FFFF']);
  const run = (snapshotBetween: boolean) => {
    const found: string[] = [];
    const sink = { ...silent, faults: ({ dtcs }: FaultMessage) => found.push(JSON.stringify(dtcs)) };
    let decoder = createDecoder();
    decoder.decode(first, sink);
    if (snapshotBetween) decoder = createDecoder({ snapshot: JSON.parse(JSON.stringify(decoder.snapshot())) });
    decoder.decode(second, sink);
    return [found, decoder.snapshot()];
  };
  const [found] = run(false);
  assert.equal((found as string[]).length, 1);
  assert.deepEqual(run(true), run(false));
});
