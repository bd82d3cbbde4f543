/**
 * The most memory that reading a large MF4 takes, in a process of its own:
 *
 *   node test/bench/mf4-memory.ts [MEGABYTES] [FOLDER] [FORM]
 *
 * Writes the file in several forms, one after the other (or in one, counted from 0), reads each, and deletes it.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLogFile } from '#bridge/log-file.ts';
import { createMdf4File } from '#bridge/mdf4-file.ts';
import type { Mdf4WriterOptions } from '#codec/mdf4/writer.ts';
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';
import { Random } from '#test/sim/random.ts';

const START_US = 1_700_000_000_000_000;
const FORMS: readonly (readonly [string, Partial<Mdf4WriterOptions>])[] = [
  ['unsorted, unfinished, payloads apart', { layout: 'single', order: 'unsorted', unfinished: true }],
  ['unsorted, unfinished, grouped', { layout: 'grouped', order: 'unsorted', unfinished: true }],
  ['sorted, payloads apart, transposed', { layout: 'single', zip: 'transposed', pieceBytes: 4 << 20 }],
  ['sorted, grouped, deflated', { layout: 'grouped', zip: 'deflate', pieceBytes: 4 << 20 }],
];

async function read(path: string): Promise<void> {
  const started = performance.now();
  await using log = await openLogFile(path);
  let frames = 0;
  for await (const { count } of log.batches()) frames += count;
  const seconds = (performance.now() - started) / 1000;
  console.log(JSON.stringify({ frames, gaps: log.gaps, seconds, peak_kb: process.resourceUsage().maxRSS }));
}

function write(path: string, bytes: number, form: Partial<Mdf4WriterOptions>): void {
  using writer = createMdf4File(path, { started_us: START_US, written_ms: START_US / 1000, ...form });
  const batch = new FrameBatch(4_096);
  const data = new Uint8Array(8);
  const random = new Random(1);
  for (let i = 0; ; ) {
    batch.clear();
    for (let k = 0; k < 4_096; k++, i++) {
      // Numbers that zip to a third, about as a bus does.
      for (let b = 0; b < 8; b++) data[b] = b < 3 ? 255 : random.int(256);
      const flags = FRAME.extended | (i % 7 === 0 ? FRAME.transmitted : 0);
      batch.push(START_US + i * 500, 1 + (i % 2), 0x18f00400 + (i % 64) * 256, flags, data, 0, 8);
    }
    writer.add(batch);
    if (i % (1 << 18) === 0 && statSync(path).size >= bytes) break;
  }
  writer.end();
}

if (process.argv[2] === 'read') await read(process.argv[3] as string);
else {
  const bytes = Number(process.argv[2] ?? '2000') * 1_000_000;
  const folder = mkdtempSync(join(process.argv[3] ?? tmpdir(), 'headframe-mf4-'));
  try {
    const only = process.argv[4];
    for (const [name, form] of only === undefined ? FORMS : FORMS.slice(Number(only), Number(only) + 1)) {
      const path = join(folder, 'large.mf4');
      write(path, bytes, form);
      const told = execFileSync(process.execPath, [import.meta.filename, 'read', path], { encoding: 'utf8' });
      const { frames, gaps, seconds, peak_kb } = JSON.parse(told);
      console.log(
        `${name}: ${(statSync(path).size / 1e6).toFixed(0)} MB, ${frames.toLocaleString('en')} frames in ${seconds.toFixed(1)} s, ${gaps.length} gaps, peak ${(peak_kb / 1024).toFixed(0)} MiB resident`,
      );
      rmSync(path);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
