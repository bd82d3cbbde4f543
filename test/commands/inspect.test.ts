/** `headframe inspect` as people run it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createMdf4File } from '#bridge/mdf4-file.ts';
import { AscWriter } from '#codec/asc-writer.ts';
import { formatCandump } from '#codec/candump.ts';
import { chart, parts } from '#commands/inspection/terminal-plot.ts';
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';
import { encodeDm1, encodeGroup, framesOf, identifier, pushFrame } from '#domain/j1939/encode.ts';
import { encodeName } from '#domain/j1939/name.ts';
import { headframe } from '#test/support/command.ts';
import { ENGINE_NAME } from '#test/support/engine-name.ts';
import { eventually } from '#test/support/gateway.ts';
import { recordingPath, withoutRecordings } from '#test/support/recordings.ts';

const folder = mkdtempSync(join(tmpdir(), 'headframe-inspect-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const START_US = Date.UTC(2026, 5, 1, 6, 30) * 1000;
const fixture = (name: string) => join(import.meta.dirname, '..', 'fixtures', name);

/** A minute of a machine that idles, is revved up, and has a code and a broken pedal sensor; a second bus with short identifiers. */
function morning(): FrameBatch {
  const rows: { t: number; bus: number; id: number; flags: number; data: Uint8Array }[] = [];
  const put = (s: number, bus: number, id: number, data: Uint8Array, flags: number = FRAME.extended) =>
    rows.push({ t: START_US + Math.round(s * 1e6), bus, id, flags, data });
  const group = (s: number, sa: number, pgn: number, values: Record<number, number | null>) =>
    put(s, 1, identifier(6, pgn, sa), encodeGroup(pgn, values));
  const message = (s: number, sa: number, pgn: number, payload: Uint8Array) => {
    const batch = new FrameBatch();
    for (const { after_us, id, data } of framesOf(6, pgn, sa, payload)) pushFrame(batch, after_us, 1, id, data);
    for (let i = 0; i < batch.count; i++)
      put(s + (batch.t[i] as number) / 1e6, 1, batch.id[i] as number, batch.payload(i).slice());
  };
  put(0, 1, identifier(6, 0xee00, 0, 255), encodeName(ENGINE_NAME));
  message(0.5, 0, 0xfeec, Buffer.from('JHM77D00EHW012345*'));
  for (let k = 0; k < 600; k++) group(k / 10, 0, 61_444, { 190: k < 300 ? 700 + (k % 5) : 1_800 });
  for (let k = 0; k < 60; k++) {
    put(k + 0.02, 1, identifier(3, 61_443, 0), Uint8Array.of(0xff, 0xfe, 20 + k, 0xff, 0xff, 0xff, 0xff, 0xff));
    group(k + 0.03, 0, 65_262, { 110: 80 + Math.floor(k / 10) });
    put(k + 0.04, 2, 0x123, Uint8Array.of(k), 0);
  }
  group(30, 0, 65_253, { 247: 1418.25 });
  group(31, 23, 65_276, { 96: 40.4 });
  const lamps = { mil: false, red_stop: false, amber: true, protect: false };
  for (let k = 0; k < 10; k++)
    message(
      20.5 + k,
      0,
      0xfeca,
      encodeDm1(lamps, [
        { spn: 110, fmi: 16, count: 3 },
        { spn: 190, fmi: 2, count: 1 },
      ]),
    );
  put(45, 2, 0x80, Uint8Array.of(), FRAME.error);
  rows.sort((a, b) => a.t - b.t);
  const batch = new FrameBatch();
  for (const { t, bus, id, flags, data } of rows) batch.push(t, bus, id, flags, data, 0, data.length);
  return batch;
}

const candump = formatCandump(morning());

test('[F50] everything that is in a log, as JSON and as text, is what it was when somebody looked at it', async () => {
  const json = await headframe(['inspect', '-', '--json'], candump);
  assert.deepEqual([json.code, json.stderr], [0, '']);
  const text = await headframe(['inspect', '-'], candump);
  assert.deepEqual([text.code, text.stderr], [0, '']);
  if (process.env.HEADFRAME_WRITE_FIXTURES !== undefined) {
    writeFileSync(fixture('inspect.json'), `${JSON.stringify(JSON.parse(json.stdout.toString()), null, 2)}\n`);
    writeFileSync(fixture('inspect.txt'), text.stdout);
  }
  assert.deepEqual(JSON.parse(json.stdout.toString()), JSON.parse(readFileSync(fixture('inspect.json'), 'utf8')));
  assert.equal(text.stdout.toString(), readFileSync(fixture('inspect.txt'), 'utf8'));
});

test('[F50] the same frames in another format are the same inspection', async () => {
  const writer = new AscWriter();
  const path = join(folder, 'a.asc');
  writeFileSync(path, Buffer.concat([writer.write(morning()), writer.end()]));
  const { code, stdout } = await headframe(['inspect', path, '--json']);
  assert.equal(code, 0);
  const about = (text: string) => {
    const { file, size_bytes, format, device, ...rest } = JSON.parse(text);
    return rest;
  };
  assert.deepEqual(about(stdout.toString()), about(readFileSync(fixture('inspect.json'), 'utf8')));
});

test('[F51] what could not be read comes first, and a file that gives nothing is one sentence', async () => {
  const broken = Buffer.concat([candump, Buffer.from('\0\0\0 garbage\n(123'), Buffer.alloc(100_000, 'x')]);
  const { code, stdout } = await headframe(['inspect', '-'], broken);
  assert.equal(code, 0);
  assert.match(stdout.toString(), /frames on 2 buses\n\nLook at this\n {2}2 lines could not be read as frames\.\n/);
  const none = await headframe(['inspect', join(folder, 'absent'), '--json']);
  assert.deepEqual(
    [none.code, none.stdout.length, none.stderr],
    [2, 0, `There is no file ${join(folder, 'absent')}.\n`],
  );
  const noise = await headframe(['inspect', '-'], Buffer.alloc(10_000, 0xa5));
  assert.equal(noise.code, 2);
  assert.match(noise.stderr, /^standard input is no log that can be read.*\n$/);
});

test('[F51] Ctrl+C ends what writes to the pipe, and what came until then is told', async () => {
  const cli = join(import.meta.dirname, '..', '..', 'gateway', 'commands', 'cli.ts');
  const recorder = `process.stdout.write(require('node:fs').readFileSync(${JSON.stringify(join(folder, 'b.log'))})); setInterval(() => {}, 1000)`;
  writeFileSync(join(folder, 'b.log'), candump);
  const shell = spawn('sh', ['-c', '"$0" -e "$1" | "$0" "$2" inspect - --json', process.execPath, recorder, cli], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(shell, 'close');
  let stdout = '';
  shell.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  // The command is reading once it has put everything into its temporary file.
  const reading = () =>
    readdirSync(tmpdir())
      .filter((name) => name.startsWith('headframe-input-'))
      .some((name) => statSync(join(tmpdir(), name, 'log'), { throwIfNoEntry: false })?.size === candump.length);
  await eventually(
    async () => reading(),
    (is) => is,
  );
  process.kill(-(shell.pid as number), 'SIGINT');
  await ended;
  assert.equal(JSON.parse(stdout).frames, 818);
});

test('[F57] nothing that stands in a file speaks to the terminal', async () => {
  const path = join(folder, 'hostile.mf4');
  const about = {
    started_us: START_US,
    written_ms: 0,
    comment: 'x\u001b]0;owned\u0007\u202ey',
    serial_number: '\u001b[2J',
  };
  using writer = createMdf4File(path, about);
  writer.add(morning());
  writer.end();
  const { code, stdout } = await headframe(['inspect', path]);
  assert.equal(code, 0);
  assert.match(stdout.toString(), /^"x.*y"$/m);
  for (const letter of ['\u001b', '\u0007', '\u202e']) assert.ok(!stdout.toString().includes(letter));
});

test('[F52] a picture has its values in their place, and silence is empty', () => {
  const points = { step_s: 1, min: [0, 0, null, 10], max: [0, 5, null, 10] };
  const [still, rising, top] = [
    { low: 0, high: 0, mean: 0 },
    { low: 0, high: 5, mean: 2.5 },
    { low: 10, high: 10, mean: 10 },
  ];
  assert.deepEqual(parts(points, 4, 4), [still, rising, null, top]);
  assert.deepEqual(parts(points, 4, 2), [{ low: 0, high: 5, mean: 1.25 }, top]);
  assert.deepEqual(parts(points, 8, 4), [{ low: 0, high: 5, mean: 1.25 }, top, null, null]);
  const style = { duration_s: 4, width: 2, height: 2, ends: ['a', 'b'] } as const;
  assert.deepEqual(chart(points, style), ['10 ⢀⠈', ' 0 ⣸', '   ab']);
  // Hardly moving, in its own range, or from 0 on where that is asked for.
  const steady = { step_s: 1, min: [8, 8], max: [8, 10] };
  assert.deepEqual(chart(steady, { ...style, duration_s: 2, width: 1 }), ['10 ⢸', ' 8 ⣸', '   ab']);
  assert.equal(chart(steady, { ...style, duration_s: 2, width: 1, zero: true })[1], ' 0');
});

test('[F50] real recordings: the tractor names itself, the idling engine has its codes', {
  skip: withoutRecordings,
}, async () => {
  const tractor = await headframe(['inspect', recordingPath('mf4/FCBF0606_00003482_00000001-60B621D9.MF4')]);
  const text = tractor.stdout.toString();
  assert.match(text, /^MF4 of CANedge2 FCBF0606: firmware 01\.03\.01, session 3482, split 1/m);
  assert.match(text, /VIN +1L06130RELP969468 \(bus 1, address 0\)/);
  assert.match(text, /Engine total hours of operation +219\.2 h/);
  assert.match(text, /Accelerator pedal position 1 .* error 116x/);
  assert.match(text, /1 CAN1 +500 kbit\/s +1,403/);
  const engine = await headframe(['inspect', recordingPath('candump/11111111-dm1-4dtc.candump.log.gz'), '--json']);
  const report = JSON.parse(engine.stdout.toString());
  assert.equal(report.frames, 57_849);
  assert.deepEqual(
    report.codes.map(({ spn, fmi, failure }: { spn: number; fmi: number; failure: string }) => [spn, fmi, failure]),
    [
      [980, 9, 'update rate wrong'],
      [3216, 20, 'drifted high'],
      [609, 9, 'update rate wrong'],
      [609, 12, 'device or component bad'],
    ],
  );
  const boat = await headframe(['inspect', recordingPath('candump-real/canboat-candumpSample3.txt')]);
  assert.match(boat.stdout.toString(), /This is NMEA 2000/);
});
