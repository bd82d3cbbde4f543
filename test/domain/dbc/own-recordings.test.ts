/** A simulated log against what is true of its machine, and against slow readers written apart: no recording of others is needed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';
import { compileDbc } from '#domain/dbc/compile.ts';
import { DBC_STATES } from '#domain/dbc/message-reader.ts';
import { parseDbc } from '#domain/dbc/parse.ts';
import { BusInventory } from '#domain/j1939/bus-inventory.ts';
import { createDecoder, type DecodeSink } from '#domain/j1939/decode.ts';
import { encodeDm1 } from '#domain/j1939/encode.ts';
import type { FaultMessage } from '#domain/j1939/faults.ts';
import { pgnOf } from '#domain/j1939/identifier.ts';
import type { IdentityMessage } from '#domain/j1939/identity.ts';
import { PARAMETERS, type Parameter } from '#domain/j1939/parameters.ts';
import { fraction, physicalOf, valueState } from '#domain/j1939/signals.ts';
import { createTransport, type TransportMessage } from '#domain/j1939/transport.ts';
import { createLogSurvey } from '#domain/logs/log-survey.ts';
import { wireBits } from '#test/support/can-bits.ts';
import { BROKEN_PEDAL, OWN_SECONDS, OWN_START_MS, OWN_VIN, ownRecording } from '#test/support/own-recordings.ts';
import { readBits } from './dbc-write.ts';

const { batch, truth, changes } = ownRecording();
const silent: DecodeSink = { signal: () => undefined, faults: () => undefined };
const END_US = (OWN_START_MS + OWN_SECONDS * 1000) * 1000;

/** The bits of a row, read one by one. */
const slowRaw = (row: Parameter, data: Uint8Array): number | undefined => {
  const start = (row.byte - 1) * 8 + row.bit - 1;
  if (start + row.bits > data.length * 8) return undefined;
  return Number(
    readBits({ name: '', start, bits: row.bits, bigEndian: false, signed: false, factor: 1, offset: 0 }, data),
  );
};

test('[D2] [D3] every reported value of the simulated log follows from its bits, and none is missing', () => {
  const fast: string[] = [];
  createDecoder().decode(batch, {
    signal: (parameter, { raw, value, t_us, bus, sa, frame }) => {
      const row = PARAMETERS[parameter] as Parameter;
      const physical = (raw * row.scale + row.offset) * row.factor;
      assert.ok(Math.abs(value - physical) <= 1e-9 * Math.max(1, Math.abs(physical)), `SPN ${row.spn}: ${value}`);
      assert.deepEqual([t_us, bus, sa], [batch.t[frame], batch.bus[frame], (batch.id[frame] as number) & 0xff]);
      fast.push(`${frame} ${row.spn} ${raw}`);
    },
    faults: () => undefined,
  });
  const slow: string[] = [];
  for (let i = 0; i < batch.count; i++) {
    if (batch.flags[i] !== FRAME.extended) continue;
    const data = batch.payload(i);
    for (const row of PARAMETERS) {
      if (row.signal === null || row.pgn !== pgnOf(batch.id[i] as number)) continue;
      const raw = slowRaw(row, data);
      if (raw !== undefined && valueState(raw, row.bits) === 'valid') slow.push(`${i} ${row.spn} ${raw}`);
    }
  }
  assert.deepEqual(fast, slow);
  assert.ok(fast.length > 5_000, `${fast.length} values`);
});

test('[D110] the last values of the simulated log equal the true state of the machine, to one step of the parameter', () => {
  const last = new Map<number, number>();
  const sources = new Map<number, Set<number>>();
  createDecoder().decode(batch, {
    signal: (parameter, { value, sa }) => {
      const { spn } = PARAMETERS[parameter] as Parameter;
      last.set(spn, value);
      sources.set(spn, (sources.get(spn) ?? new Set()).add(sa));
    },
    faults: () => undefined,
  });
  const near = (spn: number, wanted: number, step: number) => {
    const found = last.get(spn);
    assert.ok(found !== undefined && Math.abs(found - wanted) <= step, `SPN ${spn} is ${wanted}, not ${found}`);
  };
  // Meters come once a minute.
  near(247, truth.engine_hours, 0.05 + 1 / 60);
  near(235, truth.idle_hours, 0.05 + 1 / 60);
  near(250, truth.fuel_used_l, 0.5 + 10);
  near(96, truth.fuel_level, 0.4);
  assert.equal(sources.get(92)?.has(BROKEN_PEDAL), false, 'a pedal in error has no load either');
});

test('[D4] every multi-packet message is reassembled from its packets, and none is lost', () => {
  const transport = createTransport();
  const found: TransportMessage[] = [];
  /** Put together the slow way: the packets of a source behind its announcement. */
  const wanted: { pgn: number; t_us: number; hex: string }[] = [];
  let open: { pgn: number; size: number; bytes: number[] } | undefined;
  for (let i = 0; i < batch.count; i++) {
    const id = batch.id[i] as number;
    const pgn = pgnOf(id);
    if (batch.flags[i] !== FRAME.extended || (pgn !== 0xec00 && pgn !== 0xeb00)) continue;
    const at = [batch.t[i] as number, batch.bus[i] as number, id & 255, (id >>> 8) & 255] as const;
    const data = batch.payload(i);
    if (pgn === 0xec00) {
      transport.control(...at, data, 0, data.length);
      const view = Buffer.from(data);
      open = { pgn: view.readUIntLE(5, 3), size: view.readUInt16LE(1), bytes: [] };
      continue;
    }
    const message = transport.packet(...at, data, 0, data.length, i);
    if (message !== undefined) found.push(message);
    assert.ok(open);
    open.bytes.push(...data.subarray(1));
    if (open.bytes.length < open.size) continue;
    wanted.push({ pgn: open.pgn, t_us: at[0], hex: Buffer.from(open.bytes.slice(0, open.size)).toString('hex') });
  }
  assert.deepEqual(
    found.map(({ pgn, t_us, data, size }) => ({ pgn, t_us, hex: Buffer.from(data.subarray(0, size)).toString('hex') })),
    wanted,
  );
  assert.deepEqual(
    [found.filter(({ pgn }) => pgn === 65260).length, found.filter(({ pgn }) => pgn === 65226).length > 200],
    [4, true],
  );
  const { completed, ...losses } = transport.counters;
  assert.equal(completed, found.length);
  for (const [name, count] of Object.entries(losses)) if (name !== 'completed_pgns') assert.equal(count, 0, name);
});

test('[D5] each DM1 of the simulated log has the codes and lamps that the machine has at that time', () => {
  const messages: FaultMessage[] = [];
  const before: FaultMessage[] = [];
  createDecoder().decode(batch, {
    signal: () => undefined,
    faults: (message) => messages.push(message),
    previous: (message) => before.push(message),
  });
  assert.ok(messages.length > 200);
  const seen = new Set<number>();
  for (const { t_us, sa, dtcs, lamps } of messages) {
    // A message of three packets takes a while: what was true when it began.
    const began_ms = t_us / 1000 - 500;
    const last = changes.findLast(({ at_ms }) => at_ms <= Math.max(began_ms, OWN_START_MS)) ?? changes[0];
    const next = changes.findLast(({ at_ms }) => at_ms <= t_us / 1000) ?? changes[0];
    const said = dtcs.map(({ spn, fmi, occurrence_count }) => [spn, fmi, occurrence_count]);
    const either = [last, next].map((change) => change?.truth.codes.map(({ spn, fmi, count }) => [spn, fmi, count]));
    assert.ok(
      either.some((codes) => JSON.stringify(codes) === JSON.stringify(said)),
      `${JSON.stringify(said)} at ${t_us}, not ${JSON.stringify(either)}`,
    );
    assert.equal(sa, 0);
    assert.deepEqual([lamps.mil.state, lamps.amber.state, lamps.red_stop.state], ['on', 'on', 'off']);
    seen.add(dtcs.length);
  }
  assert.deepEqual([...seen].sort(), [2, 3], 'one code was cleared on the way');
  assert.deepEqual(
    before.map(({ dtcs }) => dtcs.map(({ spn, fmi }) => [spn, fmi])),
    Array.from({ length: 4 }, () => [[190, 8]]),
  );
});

test('[D4] a log in batches of one frame, with empty batches between, gives the same result as the whole log', () => {
  const listen = () => {
    const heard: string[] = [];
    const sink: DecodeSink = {
      signal: (parameter, { raw, t_us }) => heard.push(`${t_us} ${PARAMETERS[parameter]?.spn} ${raw}`),
      faults: ({ t_us, dtcs }) => heard.push(`${t_us} ${JSON.stringify(dtcs)}`),
      identity: ({ t_us, text }) => heard.push(`${t_us} ${text}`),
    };
    return { heard, sink };
  };
  const whole = listen();
  createDecoder().decode(batch, whole.sink);
  const pieces = listen();
  const decoder = createDecoder();
  const empty = new FrameBatch();
  for (let i = 0; i < batch.count; i++) {
    const one = new FrameBatch(1);
    const data = batch.payload(i);
    const [t = 0, bus = 0, id = 0, flags = 0] = [batch.t[i], batch.bus[i], batch.id[i], batch.flags[i]];
    one.push(t, bus, id, flags, data, 0, data.length);
    decoder.decode(one, pieces.sink);
    decoder.decode(empty, pieces.sink);
  }
  assert.deepEqual(pieces.heard, whole.heard);
});

test('[D6] the simulated machine sends its VIN and its identification', () => {
  const found: IdentityMessage[] = [];
  createDecoder().decode(batch, { ...silent, identity: (message) => found.push(message) });
  assert.deepEqual([...new Set(found.map(({ kind, text }) => `${kind} ${text}`))].sort(), [
    'component Simulated*Rigid hauler 60 t**SIM-1',
    `vin ${OWN_VIN}`,
  ]);
});

test('[D130] a DBC file made from our table of parameters decodes the simulated log as the table does', () => {
  const rows = PARAMETERS.filter((row) => pgnOf(row.pgn << 8) === row.pgn || row.pgn >= 0xf000);
  const pgns = [...new Set(rows.map(({ pgn }) => pgn))];
  const name = (row: Parameter) => `SPN${row.spn}_${row.pgn}`;
  const messages = pgns.map((pgn) => {
    const signals = rows
      .filter((row) => row.pgn === pgn)
      .map((row) => {
        const { numerator, denominator } = fraction(row.scale);
        const start = (row.byte - 1) * 8 + row.bit - 1;
        return ` SG_ ${name(row)} : ${start}|${row.bits}@1+ (${numerator / denominator},${row.offset}) [0|0] "" Vector__XXX`;
      });
    return `BO_ ${(0x98000000 | (pgn << 8) | 0xfe) >>> 0} G${pgn}: 8 Vector__XXX\n${signals.join('\n')}\n`;
  });
  const text = `VERSION ""\nNS_ :\nBS_:\nBU_: ECU\n${messages.join('\n')}
BA_DEF_ BO_ "VFrameFormat" ENUM "StandardCAN","ExtendedCAN","reserved","J1939PG";
BA_DEF_DEF_ "VFrameFormat" "J1939PG";
`;
  const plan = compileDbc(parseDbc(text));
  const byName = new Map(rows.map((row) => [name(row), row]));
  let valid = 0;
  let others = 0;
  plan.decoder().decode(batch, {
    value(signal, state, { raw, value, sa, frame }) {
      const row = byName.get(plan.signals[signal]?.signal.name ?? '') as Parameter;
      assert.ok(row);
      assert.equal(sa, (batch.id[frame] as number) & 0xff);
      const wanted = slowRaw(row, batch.payload(frame)) as number;
      assert.deepEqual([raw, DBC_STATES[state]], [wanted, valueState(wanted, row.bits)], `SPN ${row.spn}`);
      if (valueState(wanted, row.bits) !== 'valid') {
        assert.ok(Number.isNaN(value));
        others++;
        return;
      }
      const physical = physicalOf(row, wanted);
      assert.ok(Math.abs(value - physical) <= 1e-9 * Math.max(1, Math.abs(physical)), `SPN ${row.spn}: ${value}`);
      valid++;
    },
  });
  assert.ok(valid > 10_000 && others > 10_000, `${valid} values, ${others} states`);
});

test('[D1] [D106] the inventory and the survey of the simulated log count every frame once', () => {
  const inventory = new BusInventory();
  createDecoder().decode(batch, silent, inventory, END_US);
  const survey = createLogSurvey();
  survey.take(batch);
  const found = survey.result();
  const { j1939 } = ownRecording();
  assert.equal(found.frames, batch.count);
  assert.deepEqual(
    found.buses.map(({ bus, extended, standard, remote }) => [bus, extended + standard + remote]),
    [
      [1, j1939],
      [2, batch.count - j1939],
    ],
  );
  assert.equal(
    found.groups.reduce((sum, { frames }) => sum + frames, 0),
    j1939,
  );
  assert.deepEqual(
    found.codes
      .filter(({ kind }) => kind === 'active')
      .map(({ spn, fmi }) => [spn, fmi])
      .sort(),
    [
      [107, 15],
      [110, 0],
      [3719, 16],
    ],
  );
  const code = found.codes.find(({ spn }) => spn === 107);
  assert.ok(code && code.last_us < END_US - 100e6, 'the code that was cleared was last heard before the end');
  assert.equal(found.units.find(({ sa, bus }) => sa === 0 && bus === 1)?.info?.vin?.text, OWN_VIN);
  const pedal = found.parameters.find(({ row, sa }) => row.spn === 91 && sa === BROKEN_PEDAL);
  assert.deepEqual([pedal?.valid, (pedal?.error ?? 0) > 200], [0, true]);
});

test('[D106] the estimate of bits is within two percent of the exact count with bit stuffing, for simulated frames', () => {
  const copy = new FrameBatch();
  let exact = 0;
  for (let i = 0; i < batch.count; i++) {
    if (batch.flags[i] !== FRAME.extended) continue;
    const data = batch.payload(i);
    exact += wireBits(batch.id[i] as number, data);
    copy.push(0, 1, batch.id[i] as number, FRAME.extended, data, 0, data.length);
  }
  for (let i = 0; i < copy.count; i++) copy.t[i] = OWN_START_MS * 1000 + (i * 1.9e6) / copy.count;
  const end = new FrameBatch();
  end.push(OWN_START_MS * 1000 + 2.1e6, 1, 0x0cf00400, FRAME.extended, new Uint8Array(8), 0, 8);
  const inventory = new BusInventory();
  createDecoder().decode(copy, silent, inventory, END_US);
  createDecoder().decode(end, silent, inventory, END_US);
  const estimate = inventory.buses().reduce((sum, bus) => sum + (bus.bits_per_s ?? 0), 0) * 2.1;
  assert.ok(Math.abs(estimate / exact - 1) < 0.02, `${estimate} bits, ${exact} are`);
});

test('trouble codes are encoded and decoded as the example bytes of SAE J1939-73', () => {
  // Lamps: MIL 01, amber 01 of four pairs; SPN 110 = 0x6E, FMI 0, count 1.
  assert.equal(
    Buffer.from(encodeDm1({ mil: true, amber: true }, [{ spn: 110, fmi: 0, count: 1 }])).toString('hex'),
    '44ff6e000001ffff',
  );
});
