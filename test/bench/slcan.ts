/**
 * SLCAN over a pair of ptys that socat joins: bytes that a plain serialport reads, frames that the source makes of them, and frames
 * that are in the spool on disk, in turns in one run.
 *
 *   cat FILE ─▶ pty ─ socat ─ pty ─▶ serialport ─▶ [parser ─▶ [spool]]
 *
 * `node test/bench/slcan.ts [FRAMES] [ROUNDS]`
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SerialPort } from 'serialport';
import { startBridge } from '#bridge/bridge.ts';
import { openSerialSource } from '#bridge/serial-source.ts';
import { formatSlcan } from '#codec/slcan.ts';
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';
import { eventually } from '#test/support/gateway.ts';

const [frames = 1_000_000, rounds = 3] = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), 'headframe-bench-slcan-'));
const host = join(folder, 'host');
const far = join(folder, 'far');
const file = join(folder, 'frames');

const data = new Uint8Array(8);
const batch = new FrameBatch(frames);
for (let i = 0; i < frames; i++) {
  for (let k = 0; k < 8; k++) data[k] = (i * 7 + k * 31) & 255;
  batch.push(0, 0, 0x0cf00400 + (i % 250), FRAME.extended, data, 0, 8);
}
writeFileSync(file, formatSlcan(batch));
const bytes = frames * 27;

const socat = spawn('socat', ['-b', '65536', `pty,raw,echo=0,link=${host}`, `pty,raw,echo=0,link=${far}`]);
await eventually(
  async () => existsSync(host) && existsSync(far),
  (there) => there,
);
/** What the host says goes nowhere. */
const drain = spawn('sh', ['-c', `cat < ${far} > /dev/null`]);

/** Seconds until all of the file was read, from the moment that it begins. */
async function feed(done: () => boolean): Promise<number> {
  const started = performance.now();
  const cat = spawn('sh', ['-c', `cat ${file} > ${far}`], { stdio: 'ignore' });
  while (!done()) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (performance.now() - started > 60_000) throw new Error('not all came through');
  }
  const seconds = (performance.now() - started) / 1000;
  cat.kill();
  return seconds;
}

async function plain(): Promise<number> {
  let got = 0;
  const port = new SerialPort({ path: host, baudRate: 115_200, highWaterMark: 1 << 16 });
  await new Promise((done) => port.once('open', done));
  port.on('data', (chunk: Buffer) => {
    got += chunk.length;
  });
  const seconds = await feed(() => got >= bytes);
  await new Promise<void>((done) => port.close(() => done()));
  return seconds;
}

const listening = <T extends { state: string }>(ask: () => T) =>
  eventually(
    async () => ask().state,
    (state) => state === 'listening',
  );

async function toFrames(): Promise<number> {
  let got = 0;
  const taken = new FrameBatch(8192);
  const source = openSerialSource(
    { kind: 'slcan', path: host, baud: 115_200, stamps: false, bus: 0, bitrate: 250_000 },
    {
      sink: {
        batch: taken,
        filled() {
          got += taken.count;
          taken.clear();
        },
      },
      clock: Date.now,
      log() {},
    },
  );
  await listening(() => source.report());
  const seconds = await feed(() => got >= frames);
  await source[Symbol.asyncDispose]();
  return seconds;
}

async function toDisk(): Promise<number> {
  const bridge = await startBridge({
    source: `slcan:${host}?bitrate=250000&stamps=0`,
    // Nobody listens there: all of it stays on disk.
    url: 'mqtt://127.0.0.1:9',
    device_id: 'bench',
    key: 'none of this gateway',
    folder: join(folder, 'spool'),
    clock: Date.now,
    log() {},
    firmware: 'bench',
  });
  await listening(() => bridge.report().bus);
  const before = bridge.report().bus.frames;
  const seconds = await feed(() => bridge.report().bus.frames - before >= frames);
  await bridge[Symbol.asyncDispose]();
  return seconds;
}

const best = { plain: Number.POSITIVE_INFINITY, frames: Number.POSITIVE_INFINITY, disk: Number.POSITIVE_INFINITY };
try {
  for (let round = 0; round < rounds; round++) {
    best.plain = Math.min(best.plain, await plain());
    best.frames = Math.min(best.frames, await toFrames());
    best.disk = Math.min(best.disk, await toDisk());
  }
} finally {
  drain.kill();
  socat.kill();
  rmSync(folder, { recursive: true, force: true });
}
const rate = (seconds: number) => Math.round(frames / seconds);
process.stdout.write(
  `${JSON.stringify({
    frames,
    rounds,
    plain_bytes_per_s: Math.round(bytes / best.plain),
    frames_per_s: rate(best.frames),
    of_plain: Number((best.plain / best.frames).toFixed(2)),
    to_disk_frames_per_s: rate(best.disk),
    to_disk_of_plain: Number((best.plain / best.disk).toFixed(2)),
  })}\n`,
);
