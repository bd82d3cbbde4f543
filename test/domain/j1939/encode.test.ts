import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FrameBatch } from '#contract/fleet/frame.ts';
import { createDecoder, type DecodeSink } from '#domain/j1939/decode.ts';
import { encodeDm1, encodeGroup, framesOf, identifier, pushFrame, type TimedFrame } from '#domain/j1939/encode.ts';
import type { FaultMessage } from '#domain/j1939/faults.ts';
import { destinationOf, pgnOf, sourceOf } from '#domain/j1939/identifier.ts';
import { PARAMETERS } from '#domain/j1939/parameters.ts';
import { extractRaw, largestValid, physicalOf, valueState } from '#domain/j1939/signals.ts';

interface Heard {
  readonly signals: { parameter: number; raw: number; value: number; sa: number }[];
  readonly faults: FaultMessage[];
}

function hear(frames: readonly TimedFrame[]): Heard {
  const batch = new FrameBatch(4);
  for (const frame of frames) pushFrame(batch, 1_700_000_000_000_000 + frame.after_us, 0, frame.id, frame.data);
  const heard: Heard = { signals: [], faults: [] };
  const sink: DecodeSink = {
    signal: (parameter, { raw, value, sa }) => heard.signals.push({ parameter, raw, value, sa }),
    faults: (message) => heard.faults.push(message),
  };
  createDecoder().decode(batch, sink);
  return heard;
}

const parameter = fc.constantFrom(...PARAMETERS);
const address = fc.integer({ min: 0, max: 253 });

test('an encoded value is decoded within half a step of its scale', () => {
  fc.assert(
    fc.property(parameter, fc.double({ min: 0, max: 1, noNaN: true }), (row, share) => {
      const physical = row.offset + share * largestValid(row.bits) * row.scale;
      const data = encodeGroup(row.pgn, { [row.spn]: physical });
      const raw = extractRaw(row, data, 8) as number;
      assert.equal(valueState(raw, row.bits), 'valid');
      const error = Math.abs(physicalOf(row, raw) - physical);
      assert.ok(error <= row.scale / 2 + Math.abs(physical) * 1e-12, `${row.spn}: ${physical} came back ${error} off`);
    }),
  );
});

test('the decoder reports every encoded parameter that has a signal, with its source address and raw value', () => {
  const signals = fc.constantFrom(...PARAMETERS.filter((row) => row.signal !== null));
  fc.assert(
    fc.property(signals, fc.double({ min: 0, max: 1, noNaN: true }), address, (row, share, sa) => {
      const raw = Math.floor(share * largestValid(row.bits));
      const data = encodeGroup(row.pgn, { [row.spn]: physicalOf(row, raw) });
      const { signals: got } = hear(framesOf(6, row.pgn, sa, data));
      assert.equal(got.length, 1, 'the rest of the group is not available');
      assert.deepEqual([PARAMETERS[got[0]?.parameter as number]?.spn, got[0]?.raw, got[0]?.sa], [row.spn, raw, sa]);
    }),
  );
});

test('a value out of range is sent as the nearest valid value, never as an error code', () => {
  fc.assert(
    fc.property(parameter, fc.double({ noNaN: true, noDefaultInfinity: true }), (row, physical) => {
      const raw = extractRaw(row, encodeGroup(row.pgn, { [row.spn]: physical }), 8) as number;
      assert.equal(valueState(raw, row.bits), 'valid');
    }),
  );
});

test('parameters of one group do not overlap, and a parameter without a value is sent as not available', () => {
  for (const pgn of new Set(PARAMETERS.map((row) => row.pgn))) {
    const rows = PARAMETERS.filter((row) => row.pgn === pgn);
    for (const one of rows) {
      const data = encodeGroup(pgn, { [one.spn]: one.offset });
      for (const row of rows) {
        const raw = extractRaw(row, data, 8) as number;
        assert.equal(valueState(raw, row.bits), row === one ? 'valid' : 'unavailable', `${row.spn} beside ${one.spn}`);
      }
    }
    assert.deepEqual(encodeGroup(pgn, { [rows[0]?.spn as number]: null }), new Uint8Array(8).fill(0xff));
  }
});

test('an encoded identifier is decoded to its group, destination and source', () => {
  fc.assert(
    fc.property(fc.constantFrom(60416, 61444, 65226, 59904), address, address, (pgn, source, destination) => {
      const id = identifier(6, pgn, source, destination);
      assert.equal(pgnOf(id), pgn);
      assert.equal(sourceOf(id), source);
      assert.equal(destinationOf(id), pgn < 0xf000 ? destination : 255);
    }),
  );
});

test('a DM1 of any length is decoded to its lamps and codes; a long one uses broadcast transport', () => {
  const code = fc.record({
    spn: fc.integer({ min: 1, max: 0x7fffe }),
    fmi: fc.integer({ min: 0, max: 31 }),
    count: fc.integer({ min: 0, max: 126 }),
  });
  const lamps = fc.record({ mil: fc.boolean(), red: fc.boolean(), amber: fc.boolean(), protect: fc.boolean() });
  fc.assert(
    fc.property(fc.array(code, { maxLength: 40 }), lamps, address, (codes, lit, sa) => {
      const { faults } = hear(framesOf(6, 65226, sa, encodeDm1(lit, codes)));
      assert.equal(faults.length, 1);
      const [message] = faults;
      assert.equal(message?.sa, sa);
      assert.deepEqual(
        message?.dtcs.map((dtc) => [dtc.spn, dtc.fmi, dtc.occurrence_count]),
        codes.map((each) => [each.spn, each.fmi, each.count]),
      );
      const state = (on: boolean) => (on ? 'on' : 'off');
      assert.deepEqual(
        [
          message?.lamps.mil.state,
          message?.lamps.red_stop.state,
          message?.lamps.amber.state,
          message?.lamps.protect.state,
        ],
        [state(lit.mil), state(lit.red), state(lit.amber), state(lit.protect)],
      );
    }),
  );
});

test('encoding an unknown group or parameter throws', () => {
  assert.throws(() => encodeGroup(1, {}), /parameter group 1 /);
  assert.throws(() => encodeGroup(61444, { 110: 80 }), /SPN 110 /);
  assert.throws(() => framesOf(6, 65226, 0, new Uint8Array(1786)), /at most 1785/);
});
