import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatCandump, parseCandump } from '#codec/candump.ts';
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';
import { recording, withoutRecordings } from '#test/support/recordings.ts';
import { batchOf, frameArbitrary, framesOf } from './frames.ts';

const NOW = 1.75e15;
const T = 1622547830084000;
const bytes = (text: string) => Uint8Array.from(Buffer.from(text, 'latin1'));

function parse(text: string, final = true) {
  const batch = new FrameBatch();
  const result = parseCandump(bytes(text), batch, NOW, final);
  return { ...result, rows: framesOf(batch) };
}

const ext = FRAME.extended;
const row = (over: Partial<ReturnType<typeof framesOf>[number]>) => ({
  t: T,
  bus: 1,
  id: 0x18feee00,
  flags: ext as number,
  data: '7E6E',
  ...over,
});

test('every dialect of candump reads as the same frame', () => {
  for (const [line, frame] of [
    ['(1622547830.084000) can1 18FEEE00#7E6E', {}],
    ['(1622547830.084000) can1 18feee00#7e6e', {}],
    ['(1622547830.084000) can1 18FEEE00#7E.6E', {}],
    ['(1622547830.084000999) can1 18FEEE00#7E6E', {}],
    ['(1622547830.084) can1 18FEEE00#7E6E', {}],
    ['(1622547830.084000) can1 18FEEE00#7E6E R', {}],
    ['(1622547830.084000) can1 18FEEE00#7E6E T', { flags: ext | FRAME.transmitted }],
    ['(1622547830.084000) vcan12 123#7E6E', { bus: 12, id: 0x123, flags: 0 }],
    ['(1622547830.084000) slcan 18FEEE00#7E6E', { bus: 0 }],
    ['(1622547830.084000) can300 18FEEE00#7E6E', { bus: 44 }],
    ['(1622547830.084000) can1 18FEEE00#', { data: '' }],
    ['(1622547830.084000) can1 18FEEE00#1122334455667788_D', { data: '1122334455667788' }],
    ['(1622547830.084000) can1 18FEEE00#R', { data: '', flags: ext | FRAME.remote }],
    ['(1622547830.084000) can1 18FEEE00#R4', { data: '00000000', flags: ext | FRAME.remote }],
    ['(1622547830.084000) can1 18FEEE00#R8_9', { data: '0000000000000000', flags: ext | FRAME.remote }],
    ['(1622547830.084000) can1 18FEEE00##07E6E', { flags: ext | FRAME.fd }],
    [
      `(1622547830.084000) can1 18FEEE00##1${'AB'.repeat(64)}`,
      { data: 'AB'.repeat(64), flags: ext | FRAME.fd | FRAME.brs },
    ],
    ['(1622547830.084000) can1 20000004#0001000000000000', { id: 4, data: '0001000000000000', flags: FRAME.error }],
    [' (1622547830.084000)  can1  18FEEE00   [2]  7E 6E', {}],
    [' (1622547830.084000)  can1  18FEEE00   [02]  7E 6E', {}],
    [" (1622547830.084000)  can1  18FEEE00   [2]  7E 6E   '~n'", {}],
    [' (1622547830.084000)  can1  RX - -  18FEEE00   [2]  7E 6E', {}],
    [' (1622547830.084000)  can1  TX - -  18FEEE00   [2]  7E 6E', { flags: ext | FRAME.transmitted }],
    [' (1622547830.084000)  can1  123   [0]  remote request', { id: 0x123, data: '', flags: FRAME.remote }],
    [' (1622547830.084000)  can1  123   [3]  remote request', { id: 0x123, data: '000000', flags: FRAME.remote }],
    [
      ' (1622547830.084000)  can1  20000080   [8]  00 00 00 00 00 00 00 00   ERRORFRAME',
      { id: 0x80, data: '0000000000000000', flags: FRAME.error },
    ],
    [
      ` (1622547830.084000)  can1  18FEEE00  [12]  ${'AB '.repeat(12)}`,
      { data: 'AB'.repeat(12), flags: ext | FRAME.fd },
    ],
    ['  can1  18FEEE00   [2]  7E 6E', { t: NOW, flags: ext | FRAME.noTime }],
    ['can1 18FEEE00#7E6E', { t: NOW, flags: ext | FRAME.noTime }],
    ['18FEEE00#7E6E', { t: NOW, bus: 0, flags: ext | FRAME.noTime }],
    ['<0x18feee00> [2] 7e 6e ', { t: NOW, bus: 0, flags: ext | FRAME.noTime }],
    ['<0x123> [0] ', { t: NOW, bus: 0, id: 0x123, data: '', flags: FRAME.noTime }],
  ] as const) {
    assert.deepEqual(parse(`${line}\r\n`).rows, [row(frame)], line);
    assert.deepEqual(parse(line).rows, [row(frame)], `${line} without its end`);
  }
});

test('what is no frame is counted, comments and blank lines are not', () => {
  for (const line of [
    '(1622547830.084000) can1 18FEEE00#7E6',
    '(1622547830.084000) can1 18FEEE0#7E6E',
    '(1622547830.084000) can1 F8FEEE00#7E6E',
    '(1622547830.084000) can1 FFF#7E6E',
    '(1622547830.084000) can1 18FEEE00#112233445566778899',
    '(1622547830.084000) can1 18FEEE00#7E6E garbage',
    '(1622547830.084000) can1 18FEEE00##0',
    '(1622547830.084000) can1 18FEEE00',
    '(1622547830.084000) can1',
    '(1622547830.084000)',
    '(16225478',
    '(abc) can1 18FEEE00#7E6E',
    '  can1  18FEEE00   [3]  7E 6E',
    '  can1  18FEEE00   [99]  7E 6E',
    '  can1  18FEEE00   [2]  7E 6',
    '  can1  18FEEE00   [2  7E 6E',
    '<0x18feee00 [2] 7e 6e',
    'interface = can0, family = 29, type = 3, proto = 1',
    'hello',
    '\0\0\0',
  ]) {
    const { frames, unparsable } = parse(line);
    if (line.endsWith('##0')) assert.deepEqual([frames, unparsable], [1, 0], 'an FD frame without payload');
    else assert.deepEqual([frames, unparsable], [0, 1], line);
  }
  assert.deepEqual(parse('# note\n\n   \n\r\n').unparsable, 0);
});

test('half a byte is never data: a line of an odd number of digits, or with another sign for a digit, is no frame', () => {
  const head = '(1622547830.084000) can1 18FEEE00';
  const full = '1122334455667788';
  for (let digits = 1; digits < full.length; digits += 2) {
    const half = full.slice(0, digits);
    const spaced = half.replaceAll(/(..)(?=.)/g, '$1 ');
    for (const line of [
      `${head}#${half}`,
      `${head}#${half} R`,
      `${head}#${half}_9`,
      `${head}##0${half}`,
      `${head}  [${(digits + 1) / 2}]  ${spaced}`,
      `${head}  [${(digits + 1) / 2}]  ${spaced}   '...'`,
    ])
      for (const end of ['', '\n', '\r\n', ' ', `\n${head}#AB\n`]) {
        const { rows, unparsable } = parse(line + end);
        assert.deepEqual([rows.filter(({ data }) => data !== 'AB'), unparsable], [[], 1], line + end);
      }
  }
  for (const sign of ['g', 'G', '-', '/', ':', '@', '`', '\u00ff', '\0', '.', ' ', '_', 'R'])
    for (let at = 0; at < 8; at++) {
      const digits = `${'7E6E5D4C'.slice(0, at)}${sign}${'7E6E5D4C'.slice(at + 1)}`;
      const spaced = digits.replaceAll(/([\s\S]{2})(?=.)/g, '$1 ');
      for (const line of [`${head}#${digits}`, `${head}  [4]  ${spaced}`]) {
        const { rows } = parse(line);
        // `R` and a digit is a remote request, which has no data.
        if (sign === 'R' && at === 0) continue;
        assert.deepEqual(rows, [], line);
      }
    }
  for (const line of [
    `${head}#7E_9`,
    `${head}#7E6E_D`,
    `${head}#${full}_8`,
    `${head}#${full}_0`,
    `${head}#${full}_`,
    `${head}#${full}_G`,
  ])
    assert.deepEqual(parse(line).rows, [], `${line}: a raw DLC stands behind eight bytes and is above 8`);
  for (const line of [`${head}  [2]  7E 6E1`, `${head}  [2]  7E 6E11`]) assert.deepEqual(parse(line).rows, [], line);
});

test('a broken line costs itself and no other', () => {
  const good = '(1622547830.084000) can1 18FEEE00#7E6E';
  const { frames, unparsable } = parse(`${good}\n(1622547830.08\n${good}\n${good.slice(0, 30)}`);
  assert.deepEqual([frames, unparsable], [2, 1 + 1]);
});

test('a stream is read by pieces: an unfinished last line is left to the caller', () => {
  const text = '(1622547830.084000) can1 18FEEE00#7E6E\n(1622547830.084000) can1 123#01\n';
  for (let cut = 0; cut <= text.length; cut++) {
    const first = parse(text.slice(0, cut), false);
    const second = parse(text.slice(first.consumed), false);
    assert.equal(first.unparsable + second.unparsable, 0, `cut at ${cut}`);
    assert.deepEqual([...first.rows, ...second.rows], parse(text).rows);
  }
});

test('times since something keep their distances and end at the receipt; distances from frame to frame add up', () => {
  const since = (...times: string[]) => parse(times.map((t) => `(${t}) can0 123#00`).join('\n')).rows.map(({ t }) => t);
  assert.deepEqual(since('000.000000', '000.250000', '001.000000'), [NOW - 1e6, NOW - 0.75e6, NOW]);
  assert.deepEqual(since('0.000000', '0.500000', '0.100000', '0.250000'), [
    NOW - 0.85e6,
    NOW - 0.35e6,
    NOW - 0.25e6,
    NOW,
  ]);
  assert.deepEqual(since('2021-06-01 11:43:50.084000', '2021-06-01 11:43:51.084000'), [NOW - 1e6, NOW]);
});

test('a frame with a date among frames without keeps it', () => {
  const { rows } = parse('(0.5) can0 123#00\n(1622547830.084000) can0 123#00\n(1.5) can0 123#00');
  assert.deepEqual(
    rows.map(({ t, flags }) => [t, flags]),
    [
      [NOW - 1e6, FRAME.noTime],
      [T, 0],
      [NOW, FRAME.noTime],
    ],
  );
});

test('what is written as candump text reads back the same', () => {
  fc.assert(
    fc.property(fc.array(frameArbitrary, { maxLength: 40 }), (frames) => {
      const batch = batchOf(frames);
      const back = new FrameBatch(1);
      const result = parseCandump(formatCandump(batch), back, NOW);
      assert.deepEqual([result.frames, result.unparsable], [frames.length, 0]);
      assert.deepEqual(framesOf(back), framesOf(batch));
    }),
  );
});

test('[F45] the console form reads back the same but for short FD frames at one rate, which look classic', () => {
  fc.assert(
    fc.property(fc.array(frameArbitrary, { maxLength: 40 }), (frames) => {
      const batch = batchOf(frames);
      const back = new FrameBatch(1);
      const text = formatCandump(batch, 0, batch.count, 'console');
      assert.equal(parseCandump(text, back, NOW).unparsable, 0);
      for (let i = 0; i < batch.count; i++) {
        const flags = batch.flags[i] as number;
        if ((batch.len[i] as number) <= 8 && (flags & FRAME.brs) === 0) batch.flags[i] = flags & ~FRAME.fd;
      }
      assert.deepEqual(framesOf(back), framesOf(batch));
    }),
  );
});

test('[F45] the console form is what candump -ta -x prints', () => {
  const batch = new FrameBatch();
  parseCandump(
    bytes(
      '(1622547830.084000) can1 18FEEE00#7E6E\n(2.5) can0 123#R4 T\n(2.5) can0 20000004#00 T\n(2.5) can12 123##1AABB\n',
    ),
    batch,
    null,
  );
  assert.deepEqual(
    Buffer.from(formatCandump(batch, 0, batch.count, 'console'))
      .toString()
      .split('\n'),
    [
      ' (1622547830.084000)  can1  RX - -  18FEEE00   [2]  7E 6E',
      ' (0000000002.500000)  can0  TX - -       123   [4]  remote request',
      ' (0000000002.500000)  can0  TX - -  20000004   [1]  00   ERRORFRAME',
      ' (0000000002.500000)  can12  RX B -       123  [02]  AA BB',
      '',
    ],
  );
});

test('random bytes, and lines with one byte changed, never throw', () => {
  const good = bytes(
    '(1622547830.084000) can1 18FEEE00#7E6E R\n (1622547830.084000)  can1  RX - -  18FEEE00   [2]  7E 6E\n<0x123> [1] 00\n',
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 120 }), fc.nat(), fc.nat(255), (random, at, byte) => {
      const batch = new FrameBatch(1);
      parseCandump(random, batch, NOW);
      const damaged = good.slice();
      damaged[at % damaged.length] = byte;
      const { frames, unparsable } = parseCandump(damaged, batch, NOW);
      assert.ok(frames + unparsable >= 2);
      for (const { t, id } of framesOf(batch)) assert.ok(t >= 0 && id <= 0x1fffffff);
    }),
    { numRuns: 1000 },
  );
});

test('true candump output of four dialects reads without loss', { skip: withoutRecordings }, () => {
  for (const [file, frames, unparsable] of [
    ['canboat-actisense-522.candump.log', 106, 0],
    ['canboat-candump-fast.txt', 23, 0],
    ['canboat-candumpSample1.txt', undefined, 1],
    ['canboat-candumpSample2.txt', undefined, 0],
    ['canboat-candumpSample3.txt', 2368, 0],
  ] as const) {
    const text = recording(`candump-real/${file}`);
    const batch = new FrameBatch();
    const result = parseCandump(text, batch, NOW);
    const lines = text
      .toString('latin1')
      .split('\n')
      .filter((line) => line.trim() !== '' && !line.startsWith('#'));
    assert.equal(result.unparsable, unparsable, file);
    assert.equal(result.frames, frames ?? lines.length - unparsable, file);
    assert.ok(framesOf(batch).every(({ flags }) => (flags & FRAME.extended) !== 0));
  }
});

test('a recording survives being written again, byte for byte', { skip: withoutRecordings }, () => {
  const text = recording('candump/11111111-dm1-4dtc.candump.log.gz');
  const batch = new FrameBatch();
  parseCandump(text, batch, NOW);
  assert.equal(Buffer.compare(formatCandump(batch), text), 0);
});

test('[F45] a console line with a digit that is none, in either place of a byte, is no frame', () => {
  for (const data of ['G0 01', '0G 01', '00 1G', '00 G1']) {
    const batch = new FrameBatch();
    const { frames, unparsable } = parseCandump(Buffer.from(` can1  123   [2]  ${data}\n`), batch, NOW);
    assert.deepEqual([frames, unparsable, batch.count], [0, 1, 0], data);
  }
});
