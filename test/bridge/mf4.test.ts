/** MF4 files through the one door: real recordings frame for frame, wrappings, and files that mean harm. */
import assert from 'node:assert/strict';
import { createCipheriv, createHash, pbkdf2Sync } from 'node:crypto';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { LogFileError, openLogFile } from '#bridge/log-file.ts';
import { formatCandump } from '#codec/candump.ts';
import { wrapperHead } from '#codec/canedge-wrapper.ts';
import { packHeatshrink } from '#codec/heatshrink.ts';
import { FrameBatch } from '#contract/fleet/frame.ts';
import { append, sampleFrames, writeMdf4 } from '#test/codec/mdf4-files.ts';
import { Random } from '#test/sim/random.ts';
import { recording, recordingPath, withoutRecordings } from '#test/support/recordings.ts';

const folder = mkdtempSync(join(tmpdir(), 'headframe-mf4-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const skip = withoutRecordings;
const PASSWORD = 'test-password';

function file(bytes: Uint8Array): string {
  const path = join(folder, 'a-log');
  writeFileSync(path, bytes);
  return path;
}

/** All frames as candump text, and what else the log told. */
async function read(path: string, passwords: readonly string[] = []) {
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

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const codeOf = (path: string, passwords: readonly string[] = []) =>
  read(path, passwords).then(
    () => 'read',
    (error) => (error instanceof LogFileError ? error.code : error),
  );

/** What asammdf (8.1) reads: how many frames, and the digest of the canonical text; or a text that holds the same. */
const RECORDINGS = [
  { file: 'mf4/FCBF0606_00003482_00000001-60B621D9.MF4', frames: 1_815, same: 'candump/FCBF0606-jd6130.candump.log' },
  { file: 'mf4/11111111_00000012_00000001.MF4', frames: 57_849, same: 'candump/11111111-dm1-4dtc.candump.log.gz' },
  {
    file: 'mf4/2F6913DB_00001089_00000002-63BEFDF9.fw0107-11bit.MF4',
    frames: 3_587,
    digest: 'a5497296145103a081a675a5fc9efebaaddd337db3323dcc4d5c1bbd7cfc856a',
  },
  {
    file: 'mf4/94C49784_00000005_00000002.nmea2000.MF4',
    frames: 9_600,
    digest: 'bd517bfb91547c4c68c347366a79c7d37f7569b5e9b4c65d1e586062e800b0dd',
  },
  {
    file: 'mf4/17BD1DB7_00000006_00000170.obd2-11bit.MF4',
    frames: 2_010,
    digest: 'e92b1fc3041c6988597d5c333a329c3b985ece0f092503860b329af699657c2d',
  },
  {
    file: 'mfc/5BC57FEC_00000001_00000007-643E54EA.MFC',
    frames: 119_952,
    digest: '0e9a21d3a283de1d4e431acb69af5f4d84b01d62414062938ce3ce14bb14a6f7',
  },
];

for (const { file: name, frames, same, digest } of RECORDINGS)
  test(`[F12] ${name} is read frame for frame`, { skip }, async () => {
    const { text, lines, gaps, counters } = await read(recordingPath(name));
    assert.deepEqual(counters, { frames, unparsable: 0, late: 0 });
    assert.deepEqual(gaps, []);
    assert.equal(lines.length, frames);
    if (same === undefined) assert.equal(sha256(text), digest, `${lines[0]} ... ${lines.at(-1)}`);
    else {
      const truth = recording(same).toString('latin1').trim().split('\n');
      assert.deepEqual(lines, truth);
    }
  });

test('[F12] every variant of one log gives the identical list', { skip }, async () => {
  const { text } = await read(recordingPath('mf4/FCBF0606_00003482_00000001-60B621D9.MF4'));
  for (const name of [
    'mf4/FCBF0606.asammdf-sorted-c0.mf4',
    'mf4/FCBF0606.asammdf-sorted-c1.mf4',
    'mfc/FCBF0606.synthetic-w512.MFC',
    'mfc/FCBF0606.synthetic.MFE',
  ])
    assert.equal((await read(recordingPath(name), ['no', PASSWORD])).text, text, name);
  const cut = await read(recordingPath('mf4/FCBF0606.truncated-mid-record.MF4'));
  assert.equal(cut.lines.length, 903);
  assert.deepEqual(cut.lines, text.split('\n').slice(0, 903));
  assert.deepEqual(
    cut.gaps.map(({ code, at_frame }) => ({ code, at_frame })),
    [{ code: 'cut', at_frame: 903 }],
  );
});

test('[F12] a real header tells logger, session and buses', { skip }, async () => {
  const { info } = await read(recordingPath('mf4/FCBF0606_00003482_00000001-60B621D9.MF4'));
  assert.deepEqual(info, {
    started_us: 1_622_547_829_000_000,
    comment: 'JD6130',
    device_type: '0000001F',
    serial_number: 'FCBF0606',
    firmware: '01.03.01',
    session: 3482,
    split: 1,
    tool: 'CE',
    buses: [
      { bus: 1, name: 'CAN1', bit_rate: 500_000, fd_bit_rate: null },
      { bus: 2, name: 'CAN2', bit_rate: 250_000, fd_bit_rate: null },
    ],
    clock: 'device',
    local_time: false,
    zone: null,
    wrapping: [],
  });
});

test('[F6] a real log written anew in every layout and read again gives the identical list', { skip }, async () => {
  for (const name of RECORDINGS.slice(0, 4).map((each) => each.file)) {
    const all = new FrameBatch();
    await using log = await openLogFile(recordingPath(name));
    for await (const batch of log.batches()) append(all, batch);
    const text = Buffer.from(formatCandump(all)).toString('latin1');
    const started_us = log.info.started_us as number;
    for (const layout of ['standard', 'single', 'grouped'] as const) {
      const written = writeMdf4(all, { layout, started_us, zip: 'deflate' });
      assert.equal((await read(file(written))).text, text, `${name} ${layout}`);
    }
  }
});

// Wrappings.

const SAMPLE = writeMdf4(sampleFrames(20_000, seeded(4)), { layout: 'single', order: 'unsorted', unfinished: true });

function seeded(seed: number): () => number {
  const random = new Random(seed);
  return () => random.next();
}

function pack(bytes: Uint8Array, windowBits = 10): Uint8Array {
  const form = { windowBits, lengthBits: 4 };
  return Buffer.concat([wrapperHead({ kind: 'heatshrink', form }, 0xfcbf0606), packHeatshrink(bytes, form)]);
}

function encrypt(bytes: Uint8Array, rounds = 1_000): Uint8Array {
  const iv = new Uint8Array(12).fill(7);
  const salt = new Uint8Array(16).fill(9);
  const head = wrapperHead({ kind: 'aes_gcm', iv, rounds, salt }, 0xfcbf0606);
  const cipher = createCipheriv('aes-256-gcm', pbkdf2Sync(PASSWORD, salt, rounds, 32, 'sha256'), iv);
  cipher.setAAD(head);
  return Buffer.concat([head, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
}

test('[F13] packed, encrypted, and packed in encrypted give the frames that were wrapped', async () => {
  const { text } = await read(file(SAMPLE));
  const forms: readonly (readonly [Uint8Array, readonly string[]])[] = [
    [pack(SAMPLE), ['heatshrink']],
    [pack(SAMPLE, 8), ['heatshrink']],
    [encrypt(SAMPLE), ['aes_gcm']],
    [encrypt(pack(SAMPLE)), ['aes_gcm', 'heatshrink']],
  ];
  for (const [bytes, wrapping] of forms) {
    const found = await read(file(bytes), ['wrong', PASSWORD]);
    assert.equal(found.text, text);
    assert.deepEqual(found.info.wrapping, wrapping);
  }
});

test('[F13] a packed log that is cut gives what is before the cut', async () => {
  const whole = await read(file(SAMPLE));
  const packed = pack(SAMPLE);
  const { lines, gaps } = await read(file(packed.subarray(0, packed.length >> 1)));
  assert.ok(lines.length > 5_000 && lines.length < 15_000);
  assert.deepEqual(lines, whole.lines.slice(0, lines.length));
  assert.ok(gaps.length <= 1);
});

test('[F13] an encrypted log needs its password, and one byte that is not what was recorded opens nothing', async () => {
  const bytes = encrypt(SAMPLE);
  assert.equal(await codeOf(file(bytes)), 'password_needed');
  assert.equal(await codeOf(file(bytes), ['wrong']), 'wrong_password');
  assert.equal(await codeOf(file(bytes.subarray(0, bytes.length - 1)), [PASSWORD]), 'not_authentic');
  for (const at of [13, 17, 60 + 100, bytes.length >> 1, bytes.length - 17, bytes.length - 1]) {
    const changed = bytes.slice();
    changed[at] = (changed[at] as number) ^ 1;
    assert.equal(await codeOf(file(changed), [PASSWORD]), 'not_authentic', `byte ${at}`);
  }
});

test('[F13] an encrypted log that changes after it was opened gives nothing that was changed', async () => {
  const big = writeMdf4(sampleFrames(200_000, seeded(5)), { layout: 'single', order: 'unsorted', unfinished: true });
  const bytes = encrypt(big);
  const path = file(bytes);
  await using log = await openLogFile(path, { passwords: [PASSWORD] });
  const changed = bytes.slice();
  changed.fill(0x55, changed.length - 100_000);
  writeFileSync(path, changed);
  let frames = 0;
  await assert.rejects(
    async () => {
      for await (const { count } of log.batches()) frames += count;
    },
    (error) => error instanceof LogFileError && error.code === 'not_authentic',
  );
  assert.ok(frames > 0 && frames < 200_000);
});

test('[F10] a key that would take hours, a window that no logger has, wrappings without end: named errors', async () => {
  const hours = encrypt(SAMPLE);
  new DataView(hours.buffer, hours.byteOffset).setUint32(32, 0xffffffff);
  assert.equal(await codeOf(file(hours), [PASSWORD]), 'too_large');
  const window = pack(SAMPLE);
  new DataView(window.buffer, window.byteOffset).setUint32(24, 1000);
  assert.equal(await codeOf(file(window)), 'damaged');
  let nested: Uint8Array = SAMPLE.subarray(0, 1_000);
  for (let i = 0; i < 5; i++) nested = pack(nested);
  assert.equal(await codeOf(file(nested)), 'unsupported');
  const unknown = pack(SAMPLE);
  unknown[14] = 0x33;
  assert.equal(await codeOf(file(unknown)), 'unsupported');
  assert.equal(await codeOf(file(pack(new Uint8Array(5_000)))), 'not_a_log');
  assert.equal(await codeOf(file(unknown.subarray(0, 30))), 'damaged');
});

test('[F3] MDF 3 and a zipped MF4 are named errors', async () => {
  const old = SAMPLE.slice();
  old.set([0x33, 0x2e, 0x33, 0x30], 8);
  new DataView(old.buffer).setUint16(28, 330, true);
  assert.equal(await codeOf(file(old)), 'unsupported');
  assert.equal(await codeOf(file(gzipSync(SAMPLE))), 'not_a_log');
});

test('[F10] a file of 5 GB that holds nothing but its header ends at once', async () => {
  const path = file(SAMPLE);
  const { lines } = await read(path);
  truncateSync(path, 5 * 1024 ** 3);
  const sparse = await read(path);
  assert.deepEqual(sparse.lines, lines);
  assert.deepEqual(
    sparse.gaps.map(({ code }) => code),
    ['damaged'],
  );
});
