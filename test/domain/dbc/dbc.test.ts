/** DBC files: read, compiled, and judged by what cantools and a slow reader of bits say. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseCandump } from '#codec/candump.ts';
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';
import { compileDbc, type DbcPlan } from '#domain/dbc/compile.ts';
import { DBC_STATES, type DbcSink } from '#domain/dbc/message-reader.ts';
import { parseDbc } from '#domain/dbc/parse.ts';
import { DBC_LIMITS, DbcError, readDbcBytes } from '#domain/dbc/tokens.ts';
import { recording, withoutRecordings } from '#test/support/recordings.ts';
import { type Layout, layouts, readBits, writeDbc } from './dbc-write.ts';

const skip = withoutRecordings;
const load = (file: string) => compileDbc(parseDbc(readDbcBytes(recording(`dbc/${file}`))));
const planOf = (text: string) => compileDbc(parseDbc(text));

type Told = [raw: number, value: number, state: string];

/** What the fast path tells of one frame, by name. */
function decode(plan: DbcPlan, id: number, isExtended: boolean, data: Uint8Array): Map<string, Told> {
  const batch = new FrameBatch(1);
  // What an earlier frame left behind must never show.
  batch.data.fill(0xa5);
  batch.push(1, 1, id, isExtended ? FRAME.extended : 0, data, 0, data.length);
  const told = new Map<string, Told>();
  plan.decoder().decode(batch, {
    value: (signal, state, { raw, value }) =>
      told.set(plan.signals[signal]?.signal.name ?? '', [raw, value, DBC_STATES[state] ?? '']),
  });
  return told;
}

interface Expected {
  readonly t: string;
  readonly if: string;
  readonly id: string;
  readonly sig: Record<string, readonly [raw: number, physical: number, status: string]>;
}
const STATUS: Readonly<Record<string, string>> = {
  ok: 'valid',
  na: 'unavailable',
  error: 'error',
  reserved: 'reserved',
  indicator: 'specific',
};

for (const [file, expected] of [
  ['candump/FCBF0606-jd6130.candump.log', 'FCBF0606'],
  ['candump/11111111-dm1-4dtc.candump.log.gz', '11111111'],
  ['candump/eti-j1939_840-rp1210.candump.log', 'eti-j1939_840'],
] as const)
  test(`[D130] every signal of ${expected} has the raw value, state and number that cantools reads with the same file`, {
    skip,
  }, () => {
    const plan = load('j1939-equipment-generated.dbc');
    const batch = new FrameBatch();
    parseCandump(recording(file), batch, 0);
    const told = new Map<number, Map<string, Told>>();
    plan.decoder().decode(batch, {
      value(signal, state, { raw, value, sa, frame }) {
        assert.equal(sa, (batch.id[frame] as number) & 0xff);
        const of = told.get(frame) ?? new Map<string, Told>();
        of.set(plan.signals[signal]?.signal.name ?? '', [raw, value, DBC_STATES[state] ?? '']);
        told.set(frame, of);
      },
    });
    const frames = new Map<string, number[]>();
    for (let i = 0; i < batch.count; i++) {
      const key = `${batch.t[i]} can${batch.bus[i]} ${(batch.id[i] as number).toString(16).toUpperCase().padStart(8, '0')}`;
      frames.set(key, [...(frames.get(key) ?? []), i]);
    }
    let compared = 0;
    for (const line of recording(`expected/${expected}.jsonl.gz`).toString('utf8').trim().split('\n')) {
      const row = JSON.parse(line) as Expected;
      const i = frames.get(`${row.t.replace('.', '').padEnd(16, '0')} ${row.if} ${row.id}`)?.shift();
      assert.ok(i !== undefined, `frame ${row.t} ${row.id} is in the batch`);
      const found = told.get(i);
      for (const [name, [raw, physical, status]] of Object.entries(row.sig)) {
        const [own, value, state] = found?.get(name) ?? [];
        assert.deepEqual([own, state], [raw, STATUS[status]], `${name} at ${row.t}`);
        if (status === 'ok')
          assert.ok(isNear(value, physical, 1e-9), `${name} at ${row.t} is ${physical}, not ${value}`);
        else assert.ok(Number.isNaN(value), `${name} at ${row.t} is no number`);
        compared++;
      }
      assert.equal(found?.size, Object.keys(row.sig).length, 'nothing else is told');
    }
    assert.ok(compared > batch.count, `${compared} values compared`);
  });

function isNear(a: number | null | undefined, b: number, relative: number): boolean {
  return typeof a === 'number' && (Object.is(a, b) || Math.abs(a - b) <= relative * Math.max(1, Math.abs(b)));
}

type Vector = readonly [file: string, message: string, data: string, said: Record<string, readonly [string, string]>];
const number = (text: string) =>
  text.startsWith('0x') ? Buffer.from(text.slice(2), 'hex').readDoubleBE() : Number(text);

test('[D131] floats, Motorola, signed, 64-bit and multiplexed signals have the values that cantools reads', {
  skip,
}, () => {
  const vectors: Vector[] = JSON.parse(readFileSync(new URL('./dbc-vectors.json', import.meta.url), 'utf8'));
  const plans = new Map<string, DbcPlan>();
  let compared = 0;
  for (const [file, name, hex, said] of vectors) {
    const plan = plans.get(file) ?? load(file);
    plans.set(file, plan);
    const m = plan.messages.findIndex((one) => one.name === name);
    const message = plan.messages[m];
    assert.ok(message, `${file} ${name}`);
    const data = Buffer.from(hex, 'hex');
    const fast = decode(plan, message.id, message.extended, data);
    const exact = new Map(plan.read(m, data).map((one) => [plan.signals[one.signal]?.signal.name ?? '', one]));
    assert.deepEqual(
      [...fast.keys()].sort(),
      Object.keys(said).sort(),
      `${file} ${name}: all that is there, nothing else`,
    );
    assert.deepEqual([...exact.keys()].sort(), Object.keys(said).sort(), `${file} ${name}`);
    for (const [signal, [raw, physical]] of Object.entries(said)) {
      const place = `${file} ${name}.${signal} of ${hex}`;
      const [near, value, state] = fast.get(signal) as Told;
      const found = exact.get(signal);
      if (raw.startsWith('0x')) {
        assert.ok(Object.is(found?.raw, number(raw)), place);
        assert.equal(state, Number.isFinite(number(raw)) ? 'valid' : 'unavailable', place);
      } else {
        assert.equal(BigInt(found?.raw ?? 0), BigInt(raw), place);
        assert.equal(near, Number(raw), place);
      }
      assert.equal(found?.state, state, place);
      if (state !== 'valid') continue;
      assert.ok(isNear(value, number(physical), 1e-12), `${place} is ${number(physical)}, not ${value}`);
      assert.ok(isNear(found?.value, number(physical), 1e-12), place);
      compared++;
    }
  }
  assert.ok(compared > 200, `${compared} values`);
});

test('[D131] every layout of a signal is read from the bits that the file names, also in a short frame', () => {
  fc.assert(
    fc.property(
      fc
        .constantFrom(1, 3, 8, 20)
        .chain((bytes) => fc.tuple(layouts(bytes), fc.uint8Array({ minLength: bytes, maxLength: bytes }))),
      ([signals, data]) => {
        const plan = planOf(writeDbc(0x123, data.length, signals));
        const exact = plan.read(0, data);
        for (let length = 0; length <= data.length; length++) {
          const told = decode(plan, 0x123, false, data.subarray(0, length));
          for (const layout of signals) {
            const fits = placesIn(layout, length);
            assert.equal(told.has(layout.name), fits, `${layout.name} in ${length} bytes`);
            if (fits) assert.equal(told.get(layout.name)?.[0], Number(readBits(layout, data)));
          }
        }
        signals.forEach((layout, s) => {
          const raw = readBits(layout, data);
          const found = exact.find(({ signal }) => signal === s);
          assert.equal(BigInt(found?.raw ?? -1), raw);
          assert.ok(isNear(found?.value, Number(raw) * layout.factor + layout.offset, 1e-9));
        });
      },
    ),
    { numRuns: 200 },
  );
});

/** True when all bits of a signal lie in so many bytes. */
function placesIn({ start, bits, bigEndian }: Layout, bytes: number): boolean {
  const data = new Uint8Array(bytes).fill(0xff);
  const unsigned = { name: '', start, bits, bigEndian, signed: false, factor: 1, offset: 0 };
  return readBits(unsigned, data) === (1n << BigInt(bits)) - 1n;
}

const J1939 =
  'BA_DEF_ BO_ "VFrameFormat" ENUM "StandardCAN","ExtendedCAN","reserved","J1939PG";\nBA_DEF_DEF_ "VFrameFormat" "ExtendedCAN";\n';
const SPEED: Layout = { name: 'Speed', start: 24, bits: 16, bigEndian: false, signed: false, factor: 0.125, offset: 0 };
const EEC1 = 2364540158;

test('[D132] a J1939 message is found with any priority, source and destination, other frames by their identifier', () => {
  const group = planOf(writeDbc(EEC1, 8, [SPEED], `${J1939}BA_ "VFrameFormat" BO_ ${EEC1} 3;`));
  const data = Uint8Array.of(0, 0, 0, 0x68, 0x13, 0, 0, 0);
  const finds = (plan: DbcPlan, id: number, isExtended = true) => decode(plan, id, isExtended, data).size;
  assert.deepEqual(
    [0x0cf00400, 0x18f00417, 0x18f00500].map((id) => finds(group, id)),
    [1, 1, 0],
  );
  assert.equal(finds(group, 0x400, false), 0, 'an 11-bit frame is another');
  assert.deepEqual(decode(group, 0x0cf00400, true, data).get('Speed'), [0x1368, 621, 'valid']);
  const plain = planOf(writeDbc(EEC1, 8, [SPEED], J1939));
  assert.deepEqual([finds(plain, 0x0cf004fe), finds(plain, 0x0cf00400)], [1, 0]);
  const id = 0x80000000 + 0x18effe00;
  const proprietary = planOf(writeDbc(id, 8, [SPEED], `${J1939}BA_ "VFrameFormat" BO_ ${id} 3;`));
  assert.equal(finds(proprietary, 0x18ef2117), 1, 'PDU1: the destination is no part of the group');
  const whole = planOf(writeDbc(EEC1, 8, [SPEED], 'BA_DEF_ "ProtocolType" STRING ;\nBA_ "ProtocolType" "J1939";'));
  assert.equal(finds(whole, 0x0cf00400), 1, 'a file for J1939 that tells no formats');
});

test('[D132] a multi-packet message is reported when it is complete, also with a restart between its packets', () => {
  const long = { ...SPEED, start: 80 };
  const text = writeDbc(0x98febffe, 14, [long], `${J1939}BA_ "VFrameFormat" BO_ ${0x98febffe} 3;`);
  const plan = planOf(text);
  const batch = (frames: readonly (readonly [id: number, data: readonly number[]])[], t: number) => {
    const made = new FrameBatch();
    frames.forEach(([id, data], i) => {
      made.push(t + i * 50_000, 1, id, FRAME.extended, Uint8Array.from(data), 0, data.length);
    });
    return made;
  };
  const told: number[][] = [];
  const sink: DbcSink = {
    value: (_signal, state, { raw, value, t_us, bus, sa, frame }) =>
      told.push([raw, value, state, t_us, bus, sa, frame]),
  };
  const before = plan.decoder();
  before.decode(
    batch(
      [
        [0x18ecff17, [32, 14, 0, 2, 255, 0xbf, 0xfe, 0]],
        [0x18ebff17, [1, 1, 2, 3, 4, 5, 6, 7]],
      ],
      1_000_000,
    ),
    sink,
  );
  assert.equal(told.length, 0);
  const after = planOf(text).decoder(JSON.parse(JSON.stringify(before.snapshot())));
  after.decode(batch([[0x18ebff17, [2, 8, 9, 10, 0x68, 0x13, 13, 14]]], 1_100_000), sink);
  assert.deepEqual(told, [[0x1368, 621, 0, 1_100_000, 1, 0x17, 0]]);
});

test('[D133] values are not clamped, J1939 states give no number, and numbers print with the decimals of the file', () => {
  const level = { name: 'Level', start: 0, bits: 8, bigEndian: false, signed: false, factor: 0.4, offset: 0 };
  const text = writeDbc(EEC1, 8, [level], `${J1939}BA_ "VFrameFormat" BO_ ${EEC1} 3;`).replace('[0|0]', '[0|50]');
  const plan = planOf(text);
  assert.deepEqual(plan.messages[0]?.signals[0]?.range, { min: 0, max: 50 });
  const read = (raw: number) => decode(plan, 0x0cf00400, true, Uint8Array.of(raw)).get('Level');
  assert.deepEqual(read(247), [247, 98.8, 'valid']);
  assert.deepEqual(
    [0xfb, 0xfc, 0xfe, 0xff].map((raw) => read(raw)),
    [
      [0xfb, Number.NaN, 'specific'],
      [0xfc, Number.NaN, 'reserved'],
      [0xfe, Number.NaN, 'error'],
      [0xff, Number.NaN, 'unavailable'],
    ],
  );
  const plain = planOf(writeDbc(0x100, 8, [level]));
  assert.equal(plain.messages[0]?.signals[0]?.range, null, '[0|0] is no range');
  assert.deepEqual(decode(plain, 0x100, false, Uint8Array.of(0xff)).get('Level'), [255, 102, 'valid']);
  const gear = { name: 'Gear', start: 0, bits: 4, bigEndian: false, signed: false, factor: 1, offset: 0 };
  const named = planOf(
    writeDbc(
      EEC1,
      8,
      [gear],
      `${J1939}BA_ "VFrameFormat" BO_ ${EEC1} 3;\nVAL_ ${EEC1} Gear 14 "Reverse" 15 "Not available" ;`,
    ),
  );
  assert.deepEqual(
    [14, 15].map((raw) => decode(named, 0x0cf00400, true, Uint8Array.of(raw)).get('Gear')?.[2]),
    ['valid', 'unavailable'],
    'what the file calls by a name of its own counts',
  );
});

test('[D134] names of values, units, comments and SPNs are read, in UTF-8 and in Windows-1252', () => {
  const text = writeDbc(
    0x100,
    8,
    [{ name: 'Temp', start: 0, bits: 8, bigEndian: false, signed: false, factor: 1, offset: -40 }],
    'VAL_TABLE_ T 1 "one" ;\nCM_ SG_ 256 Temp "Says \\"hot\\";\nand more";\nVAL_ 256 Temp 255 "n/a" 254 "broken" ;\nBA_DEF_ SG_ "SPN" INT 0 524287;\nBA_ "SPN" SG_ 256 Temp 110;\nBA_ "Site" "pit";\nWEIRD_ 1 "a;b" 2 % 3;\nCM_ "all";',
  ).replace('"unit"', '"°C"');
  for (const bytes of [Buffer.from(text, 'utf8'), Buffer.from(text, 'latin1')]) {
    const { messages, notes } = parseDbc(readDbcBytes(bytes));
    const signal = messages[0]?.signals[0];
    assert.deepEqual([signal?.unit, signal?.spn, signal?.comment], ['°C', 110, 'Says "hot";\nand more']);
    assert.deepEqual([...(signal?.labels ?? [])].flat(), [255, 'n/a', 254, 'broken']);
    assert.deepEqual(notes, ['section WEIRD_ is unknown and was skipped']);
  }
});

test('[D135] text that is not a DBC file throws an error with line and column', () => {
  const wrong = (text: string): string => {
    try {
      parseDbc(text);
    } catch (error) {
      assert.ok(error instanceof DbcError, String(error));
      return `${error.code} ${error.message}`;
    }
    return 'no error';
  };
  const signal = (rest: string) => `VERSION ""\nBO_ 5 M: 8 X\n SG_ ${rest}`;
  for (const [text, said] of [
    ['', /dbc_empty/],
    ['<html>', /dbc_syntax line 1, column 1: a section is expected/],
    ['hello world;', /dbc_empty/],
    ['VERSION "x', /dbc_syntax line 1, column 9: the text that begins here has no closing quote/],
    [signal('A : 0|8@2+ (1,0) [0|0] "" X'), /line 3, column 14: the byte order/],
    [signal('A : 0|8@1 (1,0) [0|0] "" X'), /line 3, column 16: "\+" or "-"/],
    [signal('A q : 0|8@1+ (1,0) [0|0] "" X'), /line 3, column 8: q is not a multiplexing mark/],
    [signal('A : 0|8@1+ (1e999,0) [0|0] "" X'), /a number is too large/],
    [signal('A : 0|8@1+ (1,0) [0|0] X'), /a text in quotes is expected, not X/],
    ['BO_ 5 M 8 X', /line 1, column 9: ":" is expected, not 8/],
    ['BO_ -5 M: 8 X', /line 1, column 5: the identifier of a message must be a whole number/],
    [`VERSION "${'x'.repeat(DBC_LIMITS.text)}"`, /dbc_too_large/],
    [
      Array.from({ length: DBC_LIMITS.messages + 1 }, (_, i) => `BO_ ${0x80000000 + i} M: 8 X`).join('\n'),
      /dbc_too_large/,
    ],
  ] as const)
    assert.match(wrong(text), said, text.slice(0, 80));
});

test('[D135] a part that cannot be used is left out with a note', () => {
  const bits = '@1+ (1,0) [0|0] ""';
  const { messages, notes } = parseDbc(
    `VERSION ""
BO_ 5 M: 8 X
 SG_ A : 0|8${bits} X
 SG_ A : 8|8${bits} X
 SG_ B m1 : 0|8${bits}
 SG_ C : 0|99${bits} X,Y
 SG_ F : 0|16${bits} X
 SG_ G : 60|8${bits} X
BO_ 5 N: 8 X
BO_ 5000 O: 8 X
BO_ 6 P: 9999 X
BO_ 3221225472 VECTOR__INDEPENDENT_SIG_MSG: 0 X
 SG_ D : 0|8${bits} X
SIG_VALTYPE_ 5 F : 1;
CM_ BO_ 77 "nobody";
EV_ Speed: 0 [0|1] "" 0 1 DUMMY_NODE_VECTOR0 V;`,
  );
  assert.deepEqual(
    messages.map(({ name, signals }) => [name, signals.map((one) => one.name)]),
    [['M', ['A']]],
  );
  assert.equal(notes.length, 10, notes.join('\n'));
});

test('[D135] random text is parsed or throws a DbcError', () => {
  const words =
    'BO_ SG_ VAL_ CM_ BA_ BA_DEF_ VAL_TABLE_ SIG_VALTYPE_ SG_MUL_VAL_ NS_ BU_ VERSION " ; : | @1+ @0- (1,0) [0|0] 5 2147483653 x M m1 m1M , - 1-5 \\" // % 1e9 "VFrameFormat"'.split(
      ' ',
    );
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...words, '\n', '""'), { maxLength: 60 }), (parts) => {
      try {
        compileDbc(parseDbc(`BO_ 5 M: 8 X\n SG_ x : 0|8@1+ (1,0) [0|0] "" X\n${parts.join(' ')}`));
      } catch (error) {
        if (!(error instanceof DbcError)) throw error;
      }
    }),
    { numRuns: 500 },
  );
});
