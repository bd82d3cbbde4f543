/** Log files of lines through the one door. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { LogFileError, type LogPlace, openLogFile } from '#bridge/log-file.ts';
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';
import { framesOf } from '#test/codec/frames.ts';

const folder = mkdtempSync(join(tmpdir(), 'headframe-log-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function file(bytes: Uint8Array | string, name = 'a-log'): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

async function readAll(path: string) {
  await using log = await openLogFile(path);
  const all = new FrameBatch();
  for await (const batch of log.batches())
    for (let i = 0; i < batch.count; i++) {
      const data = batch.payload(i);
      const [t, bus, id, flags] = [batch.t, batch.bus, batch.id, batch.flags].map((column) => column[i] as number);
      all.push(t as number, bus as number, id as number, flags as number, data, 0, data.length);
    }
  const { format, info, gaps, counters } = log;
  const { frames, unparsable, late } = counters;
  return { format, info, gaps, counters: { frames, unparsable, late }, rows: framesOf(all) };
}

const LINES = Array.from(
  { length: 30_000 },
  (_, i) => `(1622547830.${String(i).padStart(6, '0')}) can2 18FEEE00#${String(i).padStart(8, '0')}`,
);

test('[F1] candump text, plain and gzip, is read in pieces to the same frames', async () => {
  const text = `${LINES.join('\n')}\n# a comment\nno frame\n(1622547830.5) can2 123#R4`;
  const plain = await readAll(file(text));
  assert.equal(plain.format, 'candump');
  assert.deepEqual(plain.counters, { frames: 30_001, unparsable: 1, late: 0 });
  assert.equal(plain.info.started_us, 1622547830000000);
  assert.equal(plain.info.clock, 'host');
  assert.deepEqual(plain.gaps, []);
  assert.deepEqual(plain.rows[29_999], {
    t: 1622547830029999,
    bus: 2,
    id: 0x18feee00,
    flags: FRAME.extended,
    data: '00029999',
  });
  const packed = await readAll(file(gzipSync(text)));
  assert.deepEqual(packed.rows, plain.rows);
  assert.deepEqual(packed.info.wrapping, ['gzip']);
});

test('[F18] a reading of a candump file with dates can begin at each place of an earlier reading', async () => {
  const path = file(`${LINES.join('\n')}\nno frame\n(1622547830.5) can2 123#R4`);
  const whole = (await readAll(path)).rows;
  const places: LogPlace[] = [];
  {
    await using log = await openLogFile(path);
    for await (const batch of log.batches()) {
      assert.ok(log.place !== null && batch.count > 0);
      places.push(log.place);
    }
  }
  assert.ok(places.length > 3, `${places.length} places`);
  for (const place of places) {
    await using log = await openLogFile(path);
    const rows: unknown[] = [];
    for await (const batch of log.batches(place)) {
      if (rows.length === 0) assert.deepEqual(log.place, place);
      rows.push(...framesOf(batch));
    }
    assert.deepEqual(rows, whole.slice(place.frames));
    assert.deepEqual([log.counters.frames, log.position], [whole.length, log.size_bytes]);
  }
});

test('[F18] a reading of a packed file, or of a file without dates, begins only at its start', async () => {
  const undated = LINES.map((line) => line.replace('(1622547830.', '(12.'));
  const [last] = LINES.slice(-1);
  for (const bytes of [
    gzipSync(LINES.join('\n')),
    undated.join('\n'),
    [...LINES.slice(0, -1), last?.replace('(1622547830.', '(12.')].join('\n'),
  ]) {
    const path = file(bytes);
    await using log = await openLogFile(path);
    let place: LogPlace | null = null;
    for await (const _ of log.batches()) place = log.place;
    assert.equal(place, null);
  }
  await using packed = await openLogFile(file(gzipSync(LINES.join('\n'))));
  await assert.rejects(async () => {
    for await (const _ of packed.batches({ at_byte: 1_000, frames: 20 }));
  }, /only at its start/);
});

test('[F1] a gzip that ends early gives what is there and tells the cut', async () => {
  const whole = gzipSync(LINES.join('\n'));
  const { rows, gaps } = await readAll(file(whole.subarray(0, whole.length >> 1)));
  assert.ok(rows.length > 1_000 && rows.length < LINES.length);
  assert.deepEqual(
    gaps.map(({ code }) => code),
    ['cut'],
  );
});

test('[F2] frames without a date carry the time since the first and are marked, across pieces', async () => {
  const since = Array.from({ length: 20_000 }, (_, i) => `(${(i / 1000).toFixed(6)}) can0 123#${'00'.repeat(8)}`);
  const { info, rows } = await readAll(file(since.join('\n')));
  assert.equal(info.clock, 'relative');
  assert.equal(info.started_us, null);
  assert.equal(rows[19_999]?.t, 19_999_000);
  assert.equal(rows[19_999]?.flags, FRAME.noTime);
  const apart = Array.from({ length: 20_000 }, (_, i) => `(0.00${1 + (i % 2)}000) can0 123#${'00'.repeat(8)}`);
  const distances = await readAll(file(apart.join('\n')));
  assert.equal(distances.rows[19_999]?.t, 30_000_000);
  assert.equal(distances.counters.late, 0);
});

test('[F3] a file that gives nothing is a named error', async () => {
  mkdirSync(join(folder, 'sub'), { recursive: true });
  const code = (path: string) =>
    openLogFile(path).then(
      () => 'opened',
      (error) => (error instanceof LogFileError ? error.code : error),
    );
  assert.equal(await code(join(folder, 'absent')), 'not_found');
  assert.equal(await code(join(folder, 'sub')), 'not_a_log');
  assert.equal(await code(file('')), 'empty');
  assert.equal(await code(file('hello\nworld\n')), 'not_a_log');
  assert.equal(await code(file(gzipSync('hello\n'))), 'not_a_log');
  assert.equal(await code(file(new Uint8Array(1_000_000))), 'not_a_log');
  assert.equal(await code(file(gzipSync(new Uint8Array(200_000_000)))), 'not_a_log');
});

test('[F4] a line without an end is passed over and told; reading goes on behind it', async () => {
  const text = `${LINES.slice(0, 5000).join('\n')}\n${'A'.repeat(2_000_000)}\n${LINES.slice(5000).join('\n')}`;
  const { rows, gaps } = await readAll(file(text));
  assert.equal(rows.length, LINES.length);
  assert.deepEqual(
    gaps.map(({ code }) => code),
    ['damaged'],
  );
});

test('[F4] text that is packed denser than any bus is not read to its end', async () => {
  const bomb = gzipSync(`${LINES[0]}\n${' '.repeat(300_000_000)}`);
  const { rows, gaps } = await readAll(file(bomb));
  assert.equal(rows.length, 1);
  assert.equal(gaps.at(-1)?.code, 'too_dense');
});
