/** `headframe convert` as people run it. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { formatCandump, parseCandump } from '#codec/candump.ts';
import { CommandError } from '#commands/command-line.ts';
import { runConvert } from '#commands/convert.ts';
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';
import { headframe } from '#test/support/command.ts';
import { recording, recordingPath, withoutRecordings } from '#test/support/recordings.ts';

const folder = mkdtempSync(join(tmpdir(), 'headframe-convert-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string) => join(folder, name);

const START_US = Date.UTC(2026, 5, 1, 6, 30) * 1000;

/** Frames of every kind on two buses, one every 10 ms. */
function mixed(): FrameBatch {
  const { extended, error, fd, brs, remote, transmitted } = FRAME;
  const kinds = [extended, 0, extended | transmitted, error, fd | brs, remote, fd | extended, remote | extended];
  const batch = new FrameBatch();
  for (let i = 0; i < 9_000; i++) {
    const flags = kinds[i % kinds.length] as number;
    const length = flags & fd ? [12, 64, 3][i % 3] : flags & remote ? 0 : i % 9;
    const data = Uint8Array.from({ length: length as number }, (_, k) => (i + k) & 255);
    const id = flags & (extended | error) ? 0x18fe0000 + (i % 0x10000) : i % 0x800;
    batch.push(START_US + i * 10_000 + (i % 7), i % 2, id, flags, data, 0, data.length);
  }
  return batch;
}

const text = Buffer.from(formatCandump(mixed()));

test('[F46] candump to ASC, to a candump file and through a pipe comes back byte for byte', async () => {
  writeFileSync(at('a.log'), text);
  const toAsc = await headframe(['convert', at('a.log'), '-o', at('a.asc')]);
  assert.deepEqual([toAsc.code, toAsc.stdout.length], [0, 0]);
  assert.equal(toAsc.stderr, `9,000 frames of ${at('a.log')} written to ${at('a.asc')}.\n`);
  const back = await headframe(['convert', at('a.asc'), '--to', 'candump']);
  assert.equal(back.stderr, '');
  assert.ok(back.stdout.equals(text));
  const piped = await headframe(
    ['convert', '-', '--to', 'candump', '-o', at('b.log')],
    gzipSync(readFileSync(at('a.asc'))),
  );
  assert.equal(piped.code, 0, piped.stderr);
  assert.ok(readFileSync(at('b.log')).equals(text));
  assert.match(piped.stderr, /^9,000 frames of standard input written to /);
  assert.deepEqual(readdirSync(folder).sort(), ['a.asc', 'a.log', 'b.log']);
});

test('[F67] dates without a zone are read in the one that is named, and what is assumed is told', async () => {
  const asc = 'date Mon Jun 1 08:30:00.000 2026\nbase hex  timestamps absolute\n0.5 1 64 Rx d 0\n';
  writeFileSync(at('laptop.asc'), asc);
  const run = (...more: string[]) => headframe(['convert', at('laptop.asc'), '--to', 'candump', ...more]);
  const berlin = await run('--timezone', 'Europe/Berlin');
  assert.match(String(berlin.stdout), /^\(1780295400\.500000\) can1 064#/);
  assert.match(berlin.stderr, /^The dates of the log have no time zone; they were read as Europe\/Berlin\./);
  const utc = await run();
  assert.match(String(utc.stdout), /^\(1780302600\.500000\) can1 064#/);
  assert.match(utc.stderr, /read as UTC\. To assume another zone, use --timezone\./);
  const wrong = await run('--timezone', 'Berlin');
  assert.deepEqual([wrong.code, wrong.stdout.length], [2, 0]);
  assert.match(
    wrong.stderr,
    /--timezone must be the name of a time zone, such as Europe\/Berlin; Berlin is no time zone/,
  );
  const shown = await headframe(['inspect', at('laptop.asc'), '--timezone', 'Europe/Berlin']);
  assert.match(String(shown.stdout), /2026-06-01 06:30:00 to 06:30:00 UTC/);
  assert.match(String(shown.stdout), /read as Europe\/Berlin\. To assume another zone/);
  const json = JSON.parse(String((await headframe(['inspect', at('laptop.asc'), '--json'])).stdout));
  assert.deepEqual([json.local_time, json.timezone], [true, { name: 'UTC', doubt: null }]);
  writeFileSync(at('laptop.asc'), asc.replace('Jun 1 08', 'Oct 25 02'));
  assert.match(
    (await run('--timezone', 'Europe/Berlin')).stderr,
    /The start time of the log occurred twice in this zone/,
  );
  rmSync(at('laptop.asc'));
});

test('[F46] candump to MF4, in a file and through a pipe, comes back byte for byte', async () => {
  writeFileSync(at('c.log'), text);
  const made = await headframe(['convert', at('c.log'), '-o', at('c.mf4')]);
  assert.equal(made.code, 0, made.stderr);
  const back = await headframe(['convert', at('c.mf4'), '--to', 'candump']);
  assert.ok(back.stdout.equals(text));
  const piped = await headframe(['convert', '-', '--to', 'mf4'], text);
  assert.deepEqual([piped.code, piped.stderr], [0, '']);
  const again = await headframe(['convert', '-', '--to', 'candump'], piped.stdout);
  assert.ok(again.stdout.equals(text));
});

test('[F47] frames as CSV: no cell that becomes a number or a date', async () => {
  const { code, stdout } = await headframe(['convert', '-', '--to', 'csv-frames'], text);
  assert.equal(code, 0);
  const rows = stdout.toString().trimEnd().split('\n');
  assert.equal(rows.length, 9_001);
  assert.deepEqual(rows.slice(0, 6), [
    'time,bus,id,flags,dlc,data',
    '2026-06-01T06:30:00.000000Z,0,0x18FE0000,ext,0,',
    '2026-06-01T06:30:00.010001Z,1,0x001,,1,01',
    '2026-06-01T06:30:00.020002Z,0,0x18FE0002,ext tx,2,02 03',
    '2026-06-01T06:30:00.030003Z,1,0x18FE0003,err,3,03 04 05',
    `2026-06-01T06:30:00.040004Z,0,0x004,fd brs,15,${Array.from({ length: 64 }, (_, k) => (4 + k).toString(16).toUpperCase().padStart(2, '0')).join(' ')}`,
  ]);
  assert.equal(rows[6], '2026-06-01T06:30:00.050005Z,1,0x005,rtr,0,');
  const undated = await headframe(
    ['convert', '-', '--to', 'csv-frames'],
    Buffer.from('(0.352) can0 123#01\n(12.5) can0 123#02\n'),
  );
  assert.equal(
    undated.stdout.toString(),
    'time,bus,id,flags,dlc,data\n0.352000,0,0x123,,1,01\n12.500000,0,0x123,,1,02\n',
  );
});

/** A machine of two engines' controllers: speed ten times a second, hours once a minute, a temperature that is not there at first. */
function machineLog(): string {
  const lines: string[] = [];
  const line = (ms: number, frame: string) =>
    lines.push(`(${(START_US / 1e6 + ms / 1000).toFixed(6)}) can0 ${frame}\n`);
  for (let s = 0; s < 5; s++) {
    for (let tenth = 0; tenth < 10; tenth++) {
      const raw = (800 + s * 10 + tenth) * 8;
      const hex = Buffer.from(Uint16Array.of(raw).buffer).toString('hex').toUpperCase();
      if (s !== 3) line(s * 1000 + tenth * 100, `0CF00400#FFFFFF${hex}FFFFFF`);
    }
    line(s * 1000 + 50, s < 2 ? '18FEEE00#FFFFFFFFFFFFFFFF' : '18FEEE00#5AFEFFFFFFFFFFFF');
    if (s === 4) line(s * 1000 + 60, '0CF00401#FFFFFF0019FFFFFF');
  }
  line(4_900, '123#0102');
  return lines.sort().join('');
}

test('[F99] CSV is a table of decoded values: a row a second, a column a parameter with its unit, nothing carried on', async () => {
  const csv = async (...more: string[]) => {
    const { code, stdout, stderr } = await headframe(
      ['convert', '-', '--to', 'csv', ...more],
      Buffer.from(machineLog()),
    );
    assert.equal(code, 0, stderr);
    return stdout.toString().split('\r\n');
  };
  assert.deepEqual(await csv(), [
    'Time (UTC),"Engine speed (rpm), bus 0 address 0",Engine coolant temperature (deg C),"Engine speed (rpm), bus 0 address 1"',
    '2026-06-01 06:30:00,809,,',
    '2026-06-01 06:30:01,819,,',
    '2026-06-01 06:30:02,829,50,',
    '2026-06-01 06:30:03,,50,',
    '2026-06-01 06:30:04,849,50,800',
    '',
  ]);
  assert.deepEqual(await csv('--signal', 'SPN 110', '--every', '1m'), [
    'Time (UTC),Engine coolant temperature (deg C)',
    '2026-06-01 06:30:00,50',
    '',
  ]);
  const fine = await csv('--signal', 'engine.speed', '--every', '100ms', '--until', '0.2s');
  assert.deepEqual(fine, [
    'Time (UTC),Engine speed (rpm)',
    '2026-06-01 06:30:00.000,800',
    '2026-06-01 06:30:00.100,801',
    '2026-06-01 06:30:00.200,802',
    '',
  ]);
  assert.deepEqual((await csv('--every', 'all', '--pgn', 'ET1', '--from', '2s')).slice(1, 3), [
    '2026-06-01 06:30:02.050000,50',
    '2026-06-01 06:30:03.050000,50',
  ]);
  const undated = machineLog().replaceAll(/\((\d+\.\d+)\)/g, (_, t) => `(${(Number(t) - START_US / 1e6).toFixed(6)})`);
  const relative = await headframe(['convert', '-', '--to', 'csv', '--signal', 'coolant'], Buffer.from(undated));
  assert.equal(relative.stdout.toString(), 'Time (s),Engine coolant temperature (deg C)\r\n2,50\r\n3,50\r\n4,50\r\n');
});

test('[F99] a name that ends in .csv means the table; a log without a known parameter gives none, and says how to get its frames', async () => {
  writeFileSync(at('machine.log'), machineLog());
  const made = await headframe(['convert', at('machine.log'), '-o', at('machine.csv')]);
  assert.deepEqual(
    [made.code, made.stderr],
    [0, `5 rows of 3 columns of ${at('machine.log')} written to ${at('machine.csv')}.\n`],
  );
  assert.match(readFileSync(at('machine.csv'), 'utf8'), /^Time \(UTC\),/);
  const none = await headframe(['convert', '-', '-o', at('none.csv')], Buffer.from('(1780295400.0) can0 123#01\n'));
  assert.equal(none.code, 1);
  assert.match(
    none.stderr,
    /^The selected frames have no decoded value, so the table is empty; --to csv-frames writes the frames\./,
  );
  assert.ok(!readdirSync(folder).some((name) => name.startsWith('none.csv')));
});

test('[F48] filters by bus, identifier, group and time', async () => {
  const all = new FrameBatch();
  parseCandump(text, all, null);
  const only = async (keep: (i: number) => boolean, ...flags: string[]) => {
    const { stdout, code } = await headframe(['convert', '-', '--to', 'candump', ...flags], text);
    assert.equal(code, 0);
    const lines = text.toString().split('\n');
    assert.equal(
      stdout.toString(),
      lines
        .filter((_, i) => i < all.count && keep(i))
        .map((line) => `${line}\n`)
        .join(''),
      flags.join(' '),
    );
  };
  await Promise.all([
    only((i) => all.bus[i] === 1, '--bus', 'can1'),
    only((i) => all.id[i] === 0x18fe0010 || all.id[i] === 9, '--id', '18FE0010,0x9'),
    only(
      (i) => (all.flags[i] as number) % 2 === 1 && [0x18fe01, 0x18fe07].includes((all.id[i] as number) >>> 8),
      '--pgn',
      '65025,et',
    ),
    only(
      (i) => i >= 1000 && (all.t[i] as number) <= START_US + 20e6,
      '--from',
      '10s',
      '--until',
      '2026-06-01T06:30:20Z',
    ),
  ]);
  const none = await headframe(['convert', '-', '--to', 'candump', '--bus', '7'], text);
  assert.deepEqual(
    [none.code, none.stdout.length, none.stderr],
    [1, 0, 'No frame of standard input matches the flags.\n'],
  );
});

test('[F49] a file that is there stays unless --force, a conversion that fails leaves nothing', async () => {
  writeFileSync(at('a.log'), text);
  writeFileSync(at('there.asc'), 'mine');
  mkdirSync(at('sub'), { recursive: true });
  const refused = await headframe(['convert', at('a.log'), '-o', at('there.asc')]);
  assert.deepEqual(
    [refused.code, refused.stderr],
    [2, `${at('there.asc')} already exists; use --force to replace it.\n`],
  );
  assert.equal(readFileSync(at('there.asc'), 'utf8'), 'mine');
  assert.equal((await headframe(['convert', at('a.log'), '-o', at('there.asc'), '--force'])).code, 0);
  assert.match(readFileSync(at('there.asc'), 'latin1'), /^date Mon Jun 1/);
  const file = at('a.log');
  for (const [args, says] of [
    [{ file: at('absent'), to: 'asc', out: at('never.asc') }, /^There is no file .*absent\.$/],
    [{ file: at('sub'), to: 'asc' }, /is a folder/],
    [
      { file },
      /^The output format is not known; choose one with --to: candump, console, asc, csv-frames, slcan, mf4, csv\./,
    ],
    [{ file, out: at('x.wav') }, /The end \.wav of --out means none/],
    [{ file, to: 'wav' }, /^--to must be one of candump, /],
    [{ file, out: at('sub'), to: 'asc' }, /is a folder/],
    [{ file, out: at('no/such/folder.asc') }, /cannot be written/],
    [{ file, to: 'csv', every: '0s' }, /^--every must be a step such as 100ms/],
    [{ file, to: 'csv', every: 'often' }, /^--every must be a step/],
    [
      { file, to: 'csv', signal: 'engine.speed,warp drive' },
      /^--signal must name signals .*no signal fits "warp drive"/,
    ],
    [{ file, to: 'asc', signal: 'engine.speed' }, /^--signal and --every apply only to decoded values/],
    [{ file, to: 'asc', bus: 'x' }, /^--bus must be bus numbers/],
    [{ file, to: 'asc', id: '3FFFFFFF' }, /^--id must be hexadecimal/],
    [{ file, to: 'asc', pgn: '262144' }, /^--pgn must be parameter groups/],
    [{ file, to: 'asc', pgn: 'ET1,PropB' }, /^--pgn must be parameter groups .*"PropB" is not valid/],
    [{ file, to: 'asc', from: 'monday' }, /^--from must be a time/],
  ] as const)
    await assert.rejects(runConvert(args), (error) => {
      assert.ok(error instanceof CommandError && error.exit === 2, String(error));
      assert.match(error.message, says);
      return true;
    });
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.endsWith('.part')),
    [],
  );
});

test('[F49] convert skips hostile text and reports it', async () => {
  const line = '(1780295400.000000) can0 123#01\n';
  const hostile = Buffer.concat([
    Buffer.from(line),
    Buffer.alloc(1_000_000, 'A'),
    Buffer.from('\n'),
    Buffer.alloc(5_000),
    Buffer.from(`\n\u0000\u0001\u0002 can0 123#01\n(((((\n(99999999999999999999.0) can0 123#01\n${line}`, 'latin1'),
  ]);
  const { code, stdout, stderr } = await headframe(['convert', '-', '--to', 'candump'], hostile);
  assert.equal(code, 0);
  assert.equal(stdout.toString(), line + line);
  assert.match(stderr, /A line has more than 65536 bytes/);
  assert.match(stderr, /4 lines could not be read as frames\./);
  const binary = await headframe(['convert', '-', '--to', 'asc'], Buffer.alloc(100_000, 0xa5));
  assert.equal(binary.code, 2);
  assert.match(binary.stderr, /^standard input is no log that can be read/);
});

test('[F46] a real logger file, plain, cut and encrypted', { skip: withoutRecordings }, async () => {
  const wanted = recording('candump/FCBF0606-jd6130.candump.log');
  const file = recordingPath('mf4/FCBF0606_00003482_00000001-60B621D9.MF4');
  const whole = await headframe(['convert', file, '--to', 'candump']);
  assert.ok(whole.stdout.equals(wanted));
  const asc = await headframe(['convert', '-', '--to', 'asc'], readFileSync(file));
  const back = await headframe(['convert', '-', '--to', 'candump'], asc.stdout);
  assert.ok(back.stdout.equals(wanted));
  const truncated = recordingPath('mf4/FCBF0606.truncated-mid-record.MF4');
  const cut = await headframe(['convert', truncated, '--to', 'csv-frames', '-o', at('cut.csv')]);
  assert.equal(cut.code, 0);
  assert.match(
    cut.stderr,
    /^903 frames of .*\nAfter frame 903, byte [\d,]+: The file is cut off in the middle of a record/,
  );
  const locked = recordingPath('mfc/FCBF0606.synthetic.MFE');
  const without = await headframe(['convert', locked, '--to', 'candump']);
  assert.equal(without.code, 2);
  assert.match(without.stderr, /encrypted.*--password gives it\.\n$/);
  const wrong = await headframe(['convert', locked, '--to', 'candump', '--password', 'x']);
  assert.equal(wrong.code, 2);
  const open = await headframe(['convert', locked, '--to', 'candump', '--password', 'test-password']);
  assert.ok(open.stdout.equals(wanted));
});
