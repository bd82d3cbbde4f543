/** Vector ASC, read and written. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import fc from 'fast-check';
import { ASC } from '#codec/asc.ts';
import { parseAscDate } from '#codec/asc-date.ts';
import { AscWriter } from '#codec/asc-writer.ts';
import { formatCandump, parseCandump } from '#codec/candump.ts';
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';
import { recording, withoutRecordings } from '#test/support/recordings.ts';
import { batchOf, frameArbitrary, framesOf } from './frames.ts';

const bytes = (text: string) => Uint8Array.from(Buffer.from(text, 'latin1'));
const START = Date.UTC(2026, 5, 1, 6, 30) * 1000;
const HEAD = 'date Mon Jun 1 06:30:00.000 2026\nbase hex  timestamps absolute\ninternal events logged\n';

function parse(text: string) {
  const batch = new FrameBatch();
  const parser = ASC.create();
  const { unparsable } = parser.parse(bytes(text), batch, true);
  return { unparsable, foundInfo: parser.foundInfo, rows: framesOf(batch) };
}

const row = (over: object) => ({
  t: START + 1_500_000,
  bus: 1,
  id: 0x18feee00,
  flags: FRAME.extended,
  data: '7E6E',
  ...over,
});

test('[F40] every form of a frame is read', () => {
  const { fd, brs, remote, error, extended: ext, transmitted: sent } = FRAME;
  for (const [line, frame] of [
    ['1.500000 1  18FEEE00x       Rx   d 2 7E 6E', {}],
    ['   1.500000 1  18feee00X  Rx d 2 7e 6e  Length = 273910 BitCount = 141 ID = 418119424x', {}],
    ['1.5 1 18FEEE00x Tx d 2 7E 6E', { flags: ext | sent }],
    ['1.500000999 2 123 Rx d 0', { bus: 2, id: 0x123, flags: 0, data: '' }],
    ['1,5 255 1 Rx d f 00 11 22 33 44 55 66 77', { bus: 255, id: 1, flags: 0, data: '0011223344556677' }],
    ['1.5 1 64 Rx r', { id: 0x64, flags: remote, data: '' }],
    ['1.5 1 64x Rx r 3', { id: 0x64, flags: remote | ext, data: '000000' }],
    ['1.5 1 64 Rx r Length = 0 BitCount = 0 ID = 100', { id: 0x64, flags: remote, data: '' }],
    ['1.5 1  ErrorFrame', { id: 0x80, flags: error, data: '' }],
    ['1.5 1 ErrorFrame Flags = 0xe CodeExt = 0x20a2 Code = 0x82 ID = 0 DLC = 0', { id: 0x80, flags: error, data: '' }],
    ['1.5 CANFD 1 Rx ErrorFrame Not Acknowledge error, dominant error flag', { id: 0x80, flags: error, data: '' }],
    ['1.5 CANFD   1 Rx  18feee00x  1 0 2  2 7e 6e  104812 132 323000 a800f6c9 0 0 0 0', { flags: ext | fd | brs }],
    [
      '1.5 CANFD   1 Tx  7d  A_Name  0 0 9 12 00 01 02 03 04 05 06 07 08 09 0a 0b',
      { id: 0x7d, flags: fd | sent, data: '000102030405060708090A0B' },
    ],
    ['1.5 CANFD   1 Rx  7d  0 0 2 2 7e 6e 104812 132 1000 0 0 0 0 0', { id: 0x7d, flags: fd }],
    ['1.5 CANFD   1 Rx  7d  0 0 2 2 7e 6e 104812 132 200040 0 0 0 0 0', { id: 0x7d, flags: 0 }],
    ['1.5 CANFD   1 Rx  7d  0 0 4 0 104812 132 10 0 0 0 0 0', { id: 0x7d, flags: remote, data: '00000000' }],
  ] as const) {
    const { rows, unparsable } = parse(`${HEAD}${line}\r\n`);
    assert.deepEqual([rows, unparsable], [[row(frame)], 0], line);
  }
});

test('[F40] other events are passed over, broken frames counted', () => {
  for (const line of [
    '0.000000 Start of measurement',
    '0.015991 CAN 1 Status:chip status error passive - TxErr: 132 RxErr: 0',
    '1.015991 1  Statistic: D 0 R 0 XD 0 XR 0 E 0 O 0 B 0.00%',
    '3.297743 1  J1939TP FEE3p 6 0 0 - Rx d 23 A0 0F',
    '3.3 1 64 TxRq d 2 00 00',
    '3.4 L1 3C Rx 8 00 00 00 00 00 00 00 00',
    '// a comment',
    'Begin Triggerblock Mon Jun 1 06:30:00.000 2026',
    'End TriggerBlock',
    '',
  ])
    assert.deepEqual([parse(`${HEAD}${line}`).rows, parse(`${HEAD}${line}`).unparsable], [[], 0], line);
  for (const line of [
    '1.5 1 64 Rx d 2 00',
    '1.5 1 64 Rx d 2 00 1FF',
    '1.5 1 864 Rx d 0',
    '1.5 1 20000000x Rx d 0',
    '1.5 1 Engine_Data Rx d 2 00 00',
    '1.5 1 64 Rx x 2 00 00',
    '1.5 CANFD 1 Rx 7d 0 0 9 65 00',
    '1.5 CANFD 1 Rx',
    '1.5 CANXL 2 Rx CBFF 1 2 3 name f 8 00',
    '1.5',
    '1.5x 1 64 Rx d 0',
    'whatever this is',
  ])
    assert.deepEqual([parse(`${HEAD}${line}`).rows, parse(`${HEAD}${line}`).unparsable], [[], 1], line);
});

test('[F41] base dec, and times from event to event, whatever the event', () => {
  const { rows } = parse(
    'date Mon Jun 1 06:30:00 AM 2026\nbase dec  timestamps relative\n' +
      '0.250000 Start of measurement\n1.250000 1 100 Rx d 2 126 110\n0.5 1 Statistic: D 0\n0.5 1 419360256x Tx d 2 126 110',
  );
  assert.deepEqual(rows, [
    row({ id: 100, flags: 0 }),
    row({ t: START + 2_500_000, flags: FRAME.extended | FRAME.transmitted }),
  ]);
});

test('[F42] dates in many languages; none is no date, and nobody names a zone', () => {
  const at = Date.UTC(2017, 2, 5, 15, 6, 13) * 1000 + 191_000;
  for (const date of [
    'Sun Mar 5 15:06:13.191 2017',
    'Sun Mar 05 03:06:13.191 pm 2017',
    'Son Mär 5 15:06:13.191 2017',
    'Son M\u0084r 5 15:06:13,191 2017',
    'So Mrz 5 15:06:13.191 2017',
    'dim. mars 5 15:06:13.191 2017',
    'dom mar 5 15:06:13.191 2017',
    '周日 3月 5 03:06:13.191 下午 2017',
    '5 marzo 15:06:13.191 2017',
  ])
    assert.equal(parseAscDate(date), at, date);
  const february = parseAscDate('mar. févr. 7 12:00:00 am 2017');
  assert.equal(february, Date.UTC(2017, 1, 7) * 1000);
  for (const none of [
    '',
    'Sun Xyz 5 15:06:13 2017',
    'Wed Feb 31 10:00:00 2017',
    'Sun Mar 5 2017',
    'Sun Mar 5 25:00:00 2017',
  ])
    assert.equal(parseAscDate(none), undefined, none);
  const undated = parse('base hex  timestamps absolute\n1.5 1 64 Rx d 0');
  assert.equal(undated.rows[0]?.t, 1_500_000);
  assert.equal(undated.foundInfo.local_time, true);
  const trigger = parse('base hex\nBegin Triggerblock Mon Jun 1 06:30:00.000 2026\n1.5 1 64 Rx d 0');
  assert.equal(trigger.rows[0]?.t, START + 1_500_000);
  assert.equal(parse(`${HEAD}// version 9.0.0\n`).foundInfo.tool, 'ASC 9.0.0');
});

/** What a reader makes of what the writer wrote. */
function again(...batches: FrameBatch[]) {
  const writer = new AscWriter();
  const parts = batches.map((batch) => writer.write(batch));
  return parse(Buffer.concat([...parts, writer.end()]).toString('latin1'));
}

test('[F43] what is written as ASC reads back the same, errors, remote and FD frames too', () => {
  fc.assert(
    fc.property(fc.array(frameArbitrary, { minLength: 1, maxLength: 40 }), fc.nat(40), (frames, cut) => {
      const { rows, unparsable, foundInfo } = again(batchOf(frames, 0, cut), batchOf(frames, cut));
      assert.deepEqual(rows, framesOf(batchOf(frames)));
      assert.equal(unparsable, 0);
      assert.equal(foundInfo.local_time, false);
    }),
  );
});

test('[F43] channels count from 1: buses that count from 0 move up and are read back; a log without frames is one', () => {
  const batch = new FrameBatch();
  parseCandump(bytes('(1780295401.5) can0 123#01\n(1780295401.6) can1 18FEEE00#02'), batch, null);
  const text = Buffer.from(new AscWriter().write(batch)).toString('latin1');
  assert.match(text, /^ {3}0\.500000 1 {2}123 {13}Rx {3}d 1 01$/m);
  assert.match(text, /^ {3}0\.600000 2 {2}18FEEE00x {7}Rx {3}d 1 02$/m);
  assert.match(text, /^date Mon Jun 1 06:30:01\.000 2026$/m);
  assert.deepEqual(again(batch).rows, framesOf(batch));
  batch.bus.fill(3);
  assert.match(Buffer.from(new AscWriter().write(batch)).toString('latin1'), /^ {3}0\.500000 3 /m);
  assert.deepEqual(parse(Buffer.from(new AscWriter().end()).toString()), {
    unparsable: 0,
    foundInfo: { local_time: false, tool: 'ASC 9.0.0' },
    rows: [],
  });
});

test('[F43] times without a date stay what they were', () => {
  const batch = new FrameBatch();
  parseCandump(bytes('(0.352) can1 123#01\n(10.5) can1 123#02'), batch, null);
  assert.deepEqual(again(batch).rows, framesOf(batch));
});

test('[F44] ASC is known by its first lines, and by its frames where it has no header', () => {
  const known = (text: string) => ASC.recognise(bytes(text));
  assert.ok(known(HEAD));
  assert.ok(known('// written by hand\n  1.5 1 64 Rx d 0\n'));
  assert.ok(known('date Sam Sep 30 15:06:13.191 2017'));
  assert.ok(!known('(1622547830.084000) can1 18FEEE00#7E6E\n'));
  assert.ok(!known('  can1  18FEEE00   [2]  7E 6E\n'));
  assert.ok(!known('\0\0\0\0'.repeat(5000)));
  assert.ok(!known('dates and figures\n1 2 3\n'));
});

test('[F44] random bytes, and lines with one byte changed, never throw', () => {
  const line = fc.constantFrom(
    ...HEAD.split('\n'),
    '   3.098426 1  18EBFF00x       Rx d 8 01 A0 0F A6 60 3B D1 40    Length = 273910 BitCount = 141',
    '  24.986902 CANFD   7 Tx   716  a_name  1 0 9 12 12 3b 36 01 7b 0a 20 20 20 20 22 66  0 0 3000 0 0 0 0 0',
    '   2.501000 1  ErrorFrame',
    '// error frame 20000004#0001000000000000',
  );
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 8 }), fc.nat(), fc.nat(255), (lines, at, byte) => {
      const text = bytes(lines.join('\n'));
      text[at % text.length] = byte;
      const batch = new FrameBatch();
      ASC.create().parse(text, batch, true);
      for (const { t, id, data } of framesOf(batch)) assert.ok(t >= 0 && id <= 0x1fffffff && data.length <= 128);
    }),
    { numRuns: 1000 },
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (noise) => void ASC.create().parse(noise, new FrameBatch(), true)),
  );
});

test('[F43] recordings go to ASC and back without a change', { skip: withoutRecordings }, () => {
  for (const file of ['candump/FCBF0606-jd6130.candump.log', 'candump-real/canboat-candumpSample3.txt']) {
    const batch = new FrameBatch();
    parseCandump(recording(file), batch, null);
    const writer = new AscWriter();
    const back = new FrameBatch();
    const { unparsable } = ASC.create().parse(Buffer.concat([writer.write(batch), writer.end()]), back, true);
    assert.equal(unparsable, 0);
    assert.equal(Buffer.compare(formatCandump(back), formatCandump(batch)), 0, file);
  }
});

const withoutCanUtils = spawnSync('asc2log', ['-h']).error === undefined ? false : 'can-utils is not installed';

test('[F43] can-utils reads what is written here, and what it writes is read here', { skip: withoutCanUtils }, () => {
  const sizes = new Set([0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 20, 24, 32, 48, 64]);
  const frames = fc
    .sample(frameArbitrary, { numRuns: 2_000, seed: 7 })
    .filter(({ flags, data }) => (flags & FRAME.error) === 0 && sizes.has(data.length))
    .map((one, i) => ({ ...one, t: START + i * 1_500, bus: i % 3 }));
  const batch = batchOf(frames);
  /** What candump text says, without the date, which can-utils reads and writes in the language of the computer. */
  const said = (text: Uint8Array, above: number) => {
    const back = new FrameBatch();
    assert.equal(parseCandump(text, back, null).unparsable, 0);
    const rows = framesOf(back);
    const [first] = rows;
    return rows.map((one) => ({ ...one, t: one.t - (first?.t ?? 0), bus: one.bus + above }));
  };
  const wanted = said(formatCandump(batch), 0);
  assert.ok(wanted.length > 1_000);
  const writer = new AscWriter();
  const ours = Buffer.concat([writer.write(batch), writer.end()]);
  assert.deepEqual(said(spawnSync('asc2log', { input: ours }).stdout, 0), wanted);

  const { stdout } = spawnSync('log2asc', ['can0', 'can1', 'can2'], { input: formatCandump(batch) });
  const theirs = new FrameBatch();
  assert.equal(ASC.create().parse(stdout, theirs, true).unparsable, 0);
  assert.deepEqual(said(formatCandump(theirs), -1), wanted);
});
