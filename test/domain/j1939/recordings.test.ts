/** Real recordings against what independent tools (cantools, python-can-j1939, pretty_j1939) read in them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCandump } from '#codec/candump.ts';
import { FrameBatch } from '#contract/fleet/frame.ts';
import { createDecoder, type DecodeSink } from '#domain/j1939/decode.ts';
import type { FaultMessage } from '#domain/j1939/faults.ts';
import { pgnOf } from '#domain/j1939/identifier.ts';
import type { IdentityMessage } from '#domain/j1939/identity.ts';
import { PARAMETERS, type Parameter } from '#domain/j1939/parameters.ts';
import { extractRaw, physicalOf, type ValueState, valueState } from '#domain/j1939/signals.ts';
import { createTransport, type TransportMessage } from '#domain/j1939/transport.ts';
import { recording, withoutRecordings } from '#test/support/recordings.ts';

const FILES = [
  { file: 'candump/FCBF0606-jd6130.candump.log', expected: 'FCBF0606', frames: 1815 },
  { file: 'candump/11111111-dm1-4dtc.candump.log.gz', expected: '11111111', frames: 57_849 },
  { file: 'candump/eti-j1939_840-rp1210.candump.log', expected: 'eti-j1939_840', frames: 2645 },
];
const READ_BY_PRETTY: Readonly<Record<string, string>> = {
  FCBF0606: 'FCBF0606-jd6130',
  '11111111': '11111111-dm1-4dtc',
};
const skip = withoutRecordings;

interface Expected {
  readonly t: string;
  readonly if: string;
  readonly id: string;
  readonly sig: Record<string, readonly [raw: number, physical: number, status: string]>;
}

const STATUS: Record<string, ValueState> = {
  ok: 'valid',
  na: 'unavailable',
  error: 'error',
  reserved: 'reserved',
  indicator: 'specific',
};

function frames(file: string): FrameBatch {
  const batch = new FrameBatch();
  parseCandump(recording(file), batch, 0);
  return batch;
}

const key = (batch: FrameBatch, i: number) =>
  `${(batch.t[i] as number).toFixed(0)} can${batch.bus[i]} ${batch.id[i]?.toString(16).toUpperCase().padStart(8, '0')}`;

for (const { file, expected, frames: count } of FILES) {
  test(`[D110] [D2] every parameter of ${expected} has the raw value, state and physical value that cantools reads`, {
    skip,
  }, () => {
    const batch = frames(file);
    assert.equal(batch.count, count);
    const places = new Map<string, number[]>();
    for (let i = 0; i < batch.count; i++) {
      const place = key(batch, i);
      places.set(place, [...(places.get(place) ?? []), i]);
    }
    let compared = 0;
    for (const line of recording(`expected/${expected}.jsonl.gz`).toString('utf8').trim().split('\n')) {
      const row = JSON.parse(line) as Expected;
      const t = row.t.replace('.', '').padEnd(16, '0');
      const i = places.get(`${t} ${row.if} ${row.id}`)?.shift();
      assert.ok(i !== undefined, `frame ${row.t} ${row.id} is in the batch`);
      const data = batch.payload(i);
      for (const [name, [raw, physical, status]] of Object.entries(row.sig)) {
        const spn = Number(/^SPN(\d+)_/.exec(name)?.[1]);
        const parameter: Parameter | undefined = PARAMETERS.find(
          (one) => one.spn === spn && one.pgn === pgnOf(batch.id[i] as number),
        );
        if (parameter === undefined) continue;
        const found = extractRaw(parameter, data, data.length);
        assert.equal(found, raw, `SPN ${spn} at ${row.t}`);
        assert.equal(valueState(raw, parameter.bits), STATUS[status], `SPN ${spn} = ${raw} at ${row.t}`);
        // The oracle's table has 917 and 918 in metres.
        const scaled = spn === 917 || spn === 918 ? physical / 1000 : physical;
        const error = Math.abs(physicalOf(parameter, raw) - scaled);
        assert.ok(
          error <= 1e-9 * Math.max(1, Math.abs(scaled)),
          `SPN ${spn} = ${scaled}, not ${physicalOf(parameter, raw)}`,
        );
        compared++;
      }
    }
    assert.ok(compared > count / 2, `${compared} values compared`);
  });

  test(`[D2] the fast path reports of ${expected} exactly the valid values of the slow one`, { skip }, () => {
    const batch = frames(file);
    const fast: string[] = [];
    const sink: DecodeSink = {
      signal: (parameter, { raw, value, t_us, bus, sa, frame }) => {
        const row = PARAMETERS[parameter];
        assert.ok(row);
        const physical = physicalOf(row, raw) * row.factor;
        assert.ok(Math.abs(value - physical) <= 1e-9 * Math.max(1, Math.abs(physical)), `SPN ${row.spn}`);
        assert.equal(t_us, batch.t[frame]);
        assert.equal(bus, batch.bus[frame]);
        assert.equal(sa, (batch.id[frame] as number) & 0xff);
        fast.push(`${frame} ${row.spn} ${raw}`);
      },
      faults: () => undefined,
    };
    createDecoder().decode(batch, sink);
    const slow: string[] = [];
    for (let i = 0; i < batch.count; i++) {
      if ((batch.flags[i] as number) !== 1) continue;
      const data = batch.payload(i);
      for (const row of PARAMETERS) {
        if (row.signal === null || row.pgn !== pgnOf(batch.id[i] as number)) continue;
        const raw = extractRaw(row, data, data.length);
        if (raw !== undefined && valueState(raw, row.bits) === 'valid') slow.push(`${i} ${row.spn} ${raw}`);
      }
    }
    assert.deepEqual(fast, slow);
    assert.ok(fast.length > 0);
  });
}

interface ExpectedMessage {
  readonly t_ns: number;
  readonly bus: number;
  readonly pgn: number;
  readonly sa: number;
  readonly da: number;
  readonly data: string;
}

test('[D110] [D4] every transport message of the recordings is reassembled as pretty_j1939 does it', { skip }, () => {
  const all = JSON.parse(recording('expected/tp.json').toString('utf8')) as Record<string, ExpectedMessage[]>;
  for (const { file, expected } of FILES) {
    const wanted = all[expected];
    if (wanted === undefined) continue;
    const batch = frames(file);
    const transport = createTransport();
    const found: TransportMessage[] = [];
    for (let i = 0; i < batch.count; i++) {
      const id = batch.id[i] as number;
      const pgn = pgnOf(id);
      if (batch.flags[i] !== 1 || (pgn !== 0xec00 && pgn !== 0xeb00)) continue;
      const at = [batch.t[i] as number, batch.bus[i] as number, id & 255, (id >>> 8) & 255] as const;
      const data = batch.payload(i);
      if (pgn === 0xec00) transport.control(...at, data, 0, data.length);
      else {
        const message = transport.packet(...at, data, 0, data.length, i);
        if (message) found.push(message);
      }
    }
    assert.deepEqual(
      found
        .map((one) => ({ ...one, data: Buffer.from(one.data).toString('hex') }))
        .map(({ frame, size, ...one }) => one),
      wanted.map(({ t_ns, bus, pgn, sa, da, data }) => ({ pgn, bus, sa, da, t_us: Math.round(t_ns / 1000), data })),
      expected,
    );
  }
});

test('[D5] the idling engine reports its four codes and its lamp 127 times', { skip }, () => {
  const [wanted] = JSON.parse(recording('expected/dm1.json').toString('utf8')) as {
    count: number;
    dtcs: { spn: number; fmi: number; oc: number }[];
  }[];
  assert.ok(wanted);
  const messages: FaultMessage[] = [];
  const decoder = createDecoder();
  decoder.decode(frames('candump/11111111-dm1-4dtc.candump.log.gz'), {
    signal: () => undefined,
    faults: (message) => messages.push(message),
  });
  assert.equal(messages.length, wanted.count);
  for (const { sa, lamps, dtcs } of messages) {
    assert.equal(sa, 0);
    assert.deepEqual(lamps, {
      mil: { state: 'on', flash: 'steady' },
      red_stop: { state: 'off', flash: 'steady' },
      amber: { state: 'off', flash: 'steady' },
      protect: { state: 'unavailable', flash: 'steady' },
    });
    assert.deepEqual(
      dtcs.map(({ spn, fmi, occurrence_count }) => ({ spn, fmi, oc: occurrence_count, cm: 0 })),
      wanted.dtcs,
    );
  }
  assert.equal(decoder.counters.transport.completed_pgns['65226'], 127);
});

test('[D110] every trouble code and lamp of the recordings is what pretty_j1939 reads, message for message', {
  skip,
}, () => {
  let compared = 0;
  for (const { file, expected } of FILES) {
    const name = READ_BY_PRETTY[expected];
    if (name === undefined) continue;
    const want = recording(`expected/pretty_j1939-${name}.tp-and-dm1.txt`)
      .toString('utf8')
      .split('\n')
      .filter((line) => line.includes('DM1(65226)'))
      .map((line) => {
        const [, t = '', bus, sa] = /^\((\S+)\) can(\d+) .*"SA":"[^"]*\( *(\d+)\)"/.exec(line) ?? [];
        const codes = [...line.matchAll(/SPN (\d+) \([^)]*\), FMI (\d+), OC (\d+)/g)].map(([, ...code]) =>
          code.map(Number),
        );
        const lamps = [...line.matchAll(/"(\w+)[^"]* Lamp Status":"(\w+)/g)].map(
          ([, lamp, state]) => `${lamp} ${state}`,
        );
        return [Number(t.replace('.', '')), Number(bus), Number(sa), codes, lamps.sort()];
      });
    const words = { mil: 'Malfunction', red_stop: 'Red', amber: 'Amber', protect: 'Protect' } as const;
    const states = { on: 'On', off: 'Off', error: 'Other', unavailable: '' } as const;
    const got: unknown[] = [];
    createDecoder().decode(frames(file), {
      signal: () => undefined,
      faults: ({ t_us, bus, sa, dtcs, lamps }) => {
        const lit = (Object.keys(words) as (keyof typeof words)[]).flatMap((lamp) =>
          states[lamps[lamp].state] === '' ? [] : [`${words[lamp]} ${states[lamps[lamp].state]}`],
        );
        got.push([t_us, bus, sa, dtcs.map((one) => [one.spn, one.fmi, one.occurrence_count]), lit.sort()]);
      },
    });
    assert.deepEqual(got, want, expected);
    compared += got.length;
  }
  assert.equal(compared, 127);
});

test('[D5] units without a fault send known lamps and no codes', { skip }, () => {
  const sources = new Set<number>();
  createDecoder().decode(frames('candump/eti-j1939_840-rp1210.candump.log'), {
    signal: () => undefined,
    faults: ({ sa, dtcs }) => {
      sources.add(sa);
      assert.deepEqual(dtcs, []);
    },
  });
  assert.deepEqual(
    [...sources].sort((a, b) => a - b),
    [0x00, 0x03, 0x0b, 0x17, 0x21],
  );
});

test('[D6] the VIN of the tractor is read although it has no star', { skip }, () => {
  const found: IdentityMessage[] = [];
  createDecoder().decode(frames('candump/FCBF0606-jd6130.candump.log'), {
    signal: () => undefined,
    faults: () => undefined,
    identity: (message) => found.push(message),
  });
  assert.deepEqual([...new Set(found.map(({ kind, text }) => `${kind} ${text}`))], ['vin 1L06130RELP969468']);
});

test('[D1] NMEA 2000 frames and fast packets are counted and give no value', { skip }, () => {
  const batch = frames('candump-real/canboat-candumpSample3.txt');
  const decoder = createDecoder();
  decoder.decode(batch, {
    signal: (parameter) => assert.fail(`SPN ${PARAMETERS[parameter]?.spn} in NMEA 2000`),
    faults: () => assert.fail('faults in NMEA 2000'),
  });
  assert.equal(decoder.counters.frames, 2368);
  assert.ok(decoder.counters.unknown > 2000);
});
