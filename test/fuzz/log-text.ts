/**
 * Log files of text (candump in two dialects, ASC, TRC), damaged, through the door, the survey and every writer: nothing thrown but a
 * `LogFileError`, frames within the bounds of CAN, what is written can be read again, no growth.
 *
 *   node test/fuzz/log-text.ts [MINUTES] [SEED]      npm run fuzz:log-text
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LogFileError, openLogFile } from '#bridge/log-file.ts';
import { WRITTEN } from '#bridge/log-writer.ts';
import { inspectionOf } from '#commands/inspection/inspect-report.ts';
import { inspectionText } from '#commands/inspection/inspect-text.ts';
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';
import { createLogSurvey } from '#domain/logs/log-survey.ts';
import { Random } from '#test/sim/random.ts';

export interface LogTextResult {
  readonly files: number;
  readonly frames: number;
  readonly unparsable: number;
  /** Files that gave nothing, by code. */
  readonly refused: Readonly<Record<string, number>>;
  /** Of the heap over the second half, in MB. */
  readonly growth_mb: number;
}

const START_US = 1_780_295_400_000_000;
const SLOWEST_MS = 5_000;
const LENGTHS = [8, 8, 8, 0, 1, 7, 12, 64] as const;
const FORMS = [0, FRAME.remote, FRAME.fd, FRAME.fd | FRAME.brs, FRAME.error, FRAME.transmitted] as const;
/** Groups that are read, so that the survey has something to read. */
const GROUPS = [0xf004, 0xf003, 0xfee5, 0xfeca, 0xec00, 0xeb00, 0xee00, 0xfeec, 0xfeef, 0xfef3] as const;
/** What splits, begins and ends things in these languages. */
const SHARP = [...'\r\n\x00\xff()[]<>{}#;$,./-+:=xXrRdDTt 019Ff'].map((letter) => letter.charCodeAt(0));
const TRC_HEADS = [
  ';$FILEVERSION=1.1\n;$STARTTIME=46174.2708333333\n',
  ';$FILEVERSION=2.1\n;$STARTTIME=46174.2708333333\n;$COLUMNS=N,O,T,B,I,d,R,L,D\n',
];

function randomFrames(random: Random): FrameBatch {
  const batch = new FrameBatch(64);
  const start = random.int(4) === 0 ? 0 : START_US;
  for (let n = 1 + random.int(120); n > 0; n--) {
    const form = FORMS[random.int(FORMS.length)] as number;
    const extended = random.int(4) === 0 ? 0 : FRAME.extended;
    const len = Math.min(LENGTHS[random.int(LENGTHS.length)] as number, form & FRAME.fd ? 64 : 8);
    const data = Uint8Array.from({ length: len }, () => (random.int(3) === 0 ? 0xff : random.int(256)));
    const group = GROUPS[random.int(GROUPS.length)] as number;
    const id = extended ? 0x18000000 + group * 256 + random.int(3) : random.int(0x800);
    batch.push(start + random.int(1e9), random.int(3), id, form | extended, data, 0, len);
  }
  return batch;
}

function trcOf(batch: FrameBatch, random: Random): Uint8Array {
  const newer = random.int(2);
  const rows = Array.from({ length: batch.count }, (_, i) => {
    const id = (batch.id[i] as number).toString(16).padStart((batch.flags[i] as number) & FRAME.extended ? 8 : 4, '0');
    const data = [...batch.payload(i)].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const ms = (random.int(1e7) / 10).toFixed(1);
    return newer === 1
      ? `${i} ${ms} DT 1 ${id} Rx - ${batch.len[i]} ${data}`
      : `${i}) ${ms} Rx ${id} ${batch.len[i]} ${data}`;
  });
  return Buffer.from(`${TRC_HEADS[newer]}${rows.join('\r\n')}\n`);
}

function damaged(text: Uint8Array, random: Random): Uint8Array {
  let bytes = Buffer.from(text);
  for (let n = random.int(12); n > 0 && bytes.length > 0; n--) {
    const at = random.int(bytes.length);
    const length = random.int(40);
    const kind = random.int(5);
    if (kind === 0) bytes[at] = random.int(256);
    else if (kind < 3) bytes[at] = SHARP[random.int(SHARP.length)] as number;
    else if (kind === 3) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]);
    else bytes = Buffer.concat([bytes, bytes.subarray(at, at + length)]);
  }
  return bytes;
}

function check({ count, t, id, flags, len }: FrameBatch): void {
  for (let i = 0; i < count; i++) {
    const wide = ((flags[i] as number) & (FRAME.extended | FRAME.error)) !== 0;
    if ((id[i] as number) > (wide ? 0x1fffffff : 0x7ff)) throw new Error(`identifier ${id[i]?.toString(16)}`);
    if ((len[i] as number) > ((flags[i] as number) & FRAME.fd ? 64 : 8)) throw new Error(`length ${len[i]}`);
    if (!((t[i] as number) >= 0)) throw new Error(`time ${t[i]}`);
  }
}

/** Reads one file as the commands do; the frames and lines of it. */
async function readOne(path: string): Promise<{ frames: number; unparsable: number }> {
  await using log = await openLogFile(path);
  const writers = [WRITTEN.candump, WRITTEN.console, WRITTEN.asc, WRITTEN['csv-frames'], WRITTEN.slcan].map(
    ({ create }) => create(),
  );
  const survey = createLogSurvey();
  for await (const batch of log.batches()) {
    check(batch);
    for (const writer of writers) writer.write(batch);
    survey.take(batch);
  }
  for (const writer of writers) writer.end();
  const report = inspectionOf(path, log, survey.result());
  for (const person of [true, false]) inspectionText(report, { person, columns: 80, problems: [], assumed: [] });
  JSON.stringify(report);
  return log.counters;
}

/** Runs until `until` says so; throws what must not be, with the number of the file that did it. */
export async function fuzzLogText(seed: number, until: () => boolean): Promise<LogTextResult> {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-fuzz-'));
  const path = join(folder, 'log');
  const random = new Random(seed);
  const refused: Record<string, number> = {};
  let files = 0;
  let frames = 0;
  let unparsable = 0;
  let half = { at: 0, heap: 0 };
  const heap = () => {
    globalThis.gc?.();
    return process.memoryUsage().heapUsed;
  };
  try {
    for (; !until(); files++) {
      const batch = randomFrames(random);
      const writer = [WRITTEN.candump, WRITTEN.console, WRITTEN.asc][random.int(4)]?.create();
      const text = writer === undefined ? trcOf(batch, random) : Buffer.concat([writer.write(batch), writer.end()]);
      writeFileSync(path, damaged(text, random));
      const began = performance.now();
      try {
        const read = await readOne(path);
        frames += read.frames;
        unparsable += read.unparsable;
      } catch (cause) {
        if (!(cause instanceof LogFileError)) throw new Error(`seed ${seed}, file ${files}`, { cause });
        refused[cause.code] = (refused[cause.code] ?? 0) + 1;
      }
      if (performance.now() - began > SLOWEST_MS) throw new Error(`seed ${seed}, file ${files}: too slow`);
      if (files > half.at * 2) half = { at: files, heap: heap() };
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return { files, frames, unparsable, refused, growth_mb: Math.round((heap() - half.heap) / 1e4) / 100 };
}

if (import.meta.main) {
  const [minutes = '10', seed = String(Date.now() % 1e9)] = process.argv.slice(2);
  process.stdout.write(`seed ${seed}\n`);
  const end = performance.now() + Number(minutes) * 60_000;
  const result = await fuzzLogText(Number(seed), () => performance.now() > end);
  process.stdout.write(`${JSON.stringify(result)}\n`);
  process.exitCode = result.growth_mb > 50 || result.frames === 0 ? 1 : 0;
}
