/** Every form of one simulated log through the one door, and through every way that frames come in: no recording of others is needed. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { LogFileError, openLogFile } from '#bridge/log-file.ts';
import { formatCandump, parseCandump } from '#codec/candump.ts';
import { formatSlcan, SlcanParser } from '#codec/slcan.ts';
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';
import { append, writeMdf4 } from '#test/codec/mdf4-files.ts';
import {
  lockLog,
  OWN_PASSWORD,
  OWN_SERIAL,
  OWN_START_MS,
  ownForms,
  ownRecording,
  packLog,
  unfinishedMf4,
} from '#test/support/own-recordings.ts';

const folder = mkdtempSync(join(tmpdir(), 'headframe-own-logs-'));
after(() => rmSync(folder, { recursive: true, force: true }));

async function read(name: string, bytes: Uint8Array, passwords: readonly string[] = []) {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  await using log = await openLogFile(path, { passwords });
  const all = new FrameBatch();
  for await (const batch of log.batches()) append(all, batch);
  const text = Buffer.from(formatCandump(all)).toString('latin1');
  const { frames, unparsable, late } = log.counters;
  return {
    text,
    lines: text.split('\n').slice(0, -1),
    info: log.info,
    gaps: log.gaps,
    counters: { frames, unparsable, late },
  };
}

const { batch, text } = ownRecording();
const wanted = text.toString('latin1');

test('the simulated log has what a real one has: long and short identifiers, remote frames, packets, two buses', () => {
  const kinds = new Set<string>();
  for (let i = 0; i < batch.count; i++) kinds.add(`${batch.bus[i]} ${batch.flags[i]}`);
  assert.deepEqual([...kinds].sort(), [`1 ${FRAME.extended}`, '2 0', `2 ${FRAME.remote}`].sort());
  assert.ok(batch.count > 8_000, `${batch.count} frames`);
});

for (const { name, bytes, wrapping } of ownForms())
  test(`[F12] [F43] [F55] ${name} gives the simulated log frame for frame`, async () => {
    const { text, gaps, counters, info } = await read(name, bytes, ['wrong', OWN_PASSWORD]);
    assert.deepEqual(counters, { frames: batch.count, unparsable: 0, late: 0 });
    assert.deepEqual(gaps, []);
    assert.equal(text, wanted);
    assert.deepEqual(info.wrapping, wrapping);
  });

test('[F12] the header of a simulated logger file says logger, session and buses', async () => {
  const about = {
    started_us: OWN_START_MS * 1000,
    comment: 'SIM-1',
    device_type: '0000001F',
    serial_number: OWN_SERIAL,
    firmware: '01.03.01',
    session: 3482,
    split: 2,
    buses: [
      { bus: 1, name: 'CAN1', bit_rate: 250_000, fd_bit_rate: null },
      { bus: 2, name: 'CAN2', bit_rate: 500_000, fd_bit_rate: 2_000_000 },
    ],
  };
  const { info } = await read('about.mf4', writeMdf4(batch, about));
  const { tool, wrapping, clock, local_time, zone, ...said } = info;
  assert.deepEqual(said, about);
  assert.deepEqual([wrapping, clock, local_time, zone], [[], 'device', false, null]);
  assert.equal(typeof tool, 'string');
});

test('[F12] a simulated log that is cut gives every frame before the cut and says where it ends, wrapped or not', async () => {
  const whole = unfinishedMf4();
  const lines = wanted.split('\n');
  for (const share of [0.2, 0.5, 0.9]) {
    const cut = whole.subarray(0, Math.floor(whole.length * share));
    const forms = { 'cut.MF4': cut, 'cut.MFC': packLog(cut), 'cut.MFE': lockLog(cut) };
    for (const [name, bytes] of Object.entries(forms)) {
      const found = await read(name, bytes, [OWN_PASSWORD]);
      const { length } = found.lines;
      assert.ok(length > batch.count * share * 0.8 && length < batch.count * share * 1.1, `${name}: ${length} frames`);
      assert.deepEqual(found.lines, lines.slice(0, length));
      assert.ok(found.gaps.length <= 1);
      for (const { code, at_frame } of found.gaps) assert.deepEqual([code, at_frame], ['cut', length]);
    }
  }
  const half = await read('half.log', text.subarray(0, text.length >> 1));
  assert.deepEqual(half.lines.slice(0, -1), lines.slice(0, half.lines.length - 1));
});

test('[F13] a locked simulated log opens with its password alone', async () => {
  const locked = lockLog(unfinishedMf4());
  const code = (bytes: Uint8Array, passwords: readonly string[]) =>
    read('locked.MFE', bytes, passwords).then(
      () => 'read',
      (error) => (error instanceof LogFileError ? error.code : error),
    );
  assert.equal(await code(locked, []), 'password_needed');
  assert.equal(await code(locked, ['wrong']), 'wrong_password');
  assert.equal(await code(locked, ['wrong', OWN_PASSWORD]), 'read');
  const changed = Uint8Array.from(locked);
  changed[changed.length >> 1] = (changed[changed.length >> 1] as number) ^ 1;
  assert.equal(await code(changed, [OWN_PASSWORD]), 'not_authentic');
});

test('a simulated log survives being written again as candump text, byte for byte', () => {
  const again = new FrameBatch();
  const { frames, unparsable } = parseCandump(text, again, 0);
  assert.deepEqual([frames, unparsable], [batch.count, 0]);
  assert.equal(Buffer.compare(formatCandump(again), text), 0);
});

test('[F80] a simulated bus through the words of a serial adapter has the same frames in the same order', () => {
  for (const stamps of [false, true]) {
    const parser = new SlcanParser({ bus: 1 });
    const heard = new FrameBatch();
    const bytes = formatSlcan(batch, 0, batch.count, stamps);
    for (let at = 0; at < bytes.length; at += 997)
      parser.parse(bytes.subarray(at, at + 997), heard, OWN_START_MS * 1000);
    assert.deepEqual([parser.counters.frames, parser.counters.malformed], [batch.count, 0]);
    assert.equal(heard.count, batch.count);
    for (let i = 0; i < batch.count; i++) {
      assert.deepEqual([heard.id[i], heard.flags[i]], [batch.id[i], batch.flags[i]]);
      assert.deepEqual(heard.payload(i), batch.payload(i));
    }
  }
});
