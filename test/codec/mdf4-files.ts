/** MDF 4.1 in memory: written by our writer, read by our reader, and frames to do it with. */
import { constants, deflateSync, inflateSync } from 'node:zlib';
import type { ByteSource } from '#codec/byte-source.ts';
import type { LogGap } from '#codec/log-types.ts';
import type { Inflate } from '#codec/mdf4/data.ts';
import { openMdf4 } from '#codec/mdf4/reader.ts';
import { createMdf4Writer, type Mdf4WriterOptions } from '#codec/mdf4/writer.ts';
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';
import { framesOf } from './frames.ts';

export const inflate: Inflate = (zipped, limit) =>
  inflateSync(zipped, {
    maxOutputLength: Math.max(1, limit),
    finishFlush: constants.Z_SYNC_FLUSH,
    // One buffer for all of it.
    chunkSize: limit + 64,
  });

/** Bytes in memory as a file. */
export function sourceOf(bytes: Uint8Array): ByteSource {
  return {
    bound: bytes.length,
    read(at, into, from, length) {
      const part = bytes.subarray(at, at + length);
      into.set(part, from);
      return part.length;
    },
  };
}

/** A file of all frames of the batch. */
export function writeMdf4(batch: FrameBatch, options: Partial<Mdf4WriterOptions> = {}): Uint8Array {
  const parts: Uint8Array[] = [];
  const patches: [number, Uint8Array][] = [];
  const sink = {
    write: (bytes: Uint8Array) => void parts.push(bytes),
    patch: (at: number, bytes: Uint8Array) => void patches.push([at, bytes]),
  };
  const writer = createMdf4Writer(sink, (bytes) => deflateSync(bytes), {
    started_us: START_US,
    written_ms: 1_700_000_000_000,
    ...options,
  });
  writer.add(batch);
  writer.end();
  const file = Buffer.concat(parts);
  for (const [at, bytes] of patches) file.set(bytes, at);
  return new Uint8Array(file);
}

/** Everything that reading gives. */
export function readMdf4(bytes: Uint8Array) {
  const gaps: LogGap[] = [];
  const file = openMdf4(sourceOf(bytes), inflate, (gap, at_frame) => gaps.push({ ...gap, at_frame }));
  const all = new FrameBatch();
  for (const batch of file.batches()) append(all, batch);
  const { frames, unparsable, skipped, late } = file.counters;
  return { info: file.info, gaps, counters: { frames, unparsable, skipped, late }, rows: framesOf(all), batch: all };
}

/** Adds the frames of a batch to another. */
export function append(all: FrameBatch, batch: FrameBatch): void {
  for (let i = 0; i < batch.count; i++) {
    const data = batch.payload(i);
    const [t, bus, id, flags] = [batch.t, batch.bus, batch.id, batch.flags].map((column) => column[i] as number);
    all.push(t as number, bus as number, id as number, flags as number, data, 0, data.length);
  }
}

export const START_US = 1_622_547_829_000_000;

/** Errors as the logger's kinds become them. */
const ERRORS: readonly (readonly [id: number, type: number, place: number])[] = [
  [0x08, 0, 0],
  [0x08, 1, 0],
  [0x08, 2, 0],
  [0x08, 4, 0],
  [0x08, 0, 8],
  [0x20, 0, 0],
];
const FD_LENGTHS = [0, 1, 5, 8, 12, 16, 20, 24, 32, 48, 64];

/** Frames of every kind that a logger's layouts have a place for, in the reader's order; `random` gives numbers from 0 to 1. */
export function sampleFrames(count: number, random: () => number): FrameBatch {
  const batch = new FrameBatch();
  const data = new Uint8Array(64);
  const below = (n: number) => Math.floor(random() * n);
  let t = START_US + 84_000;
  for (let i = 0; i < count; i++) {
    t += 1 + below(2_000);
    const bus = 1 + below(2);
    const kind = random();
    for (let k = 0; k < 64; k++) data[k] = below(256);
    const extended = random() < 0.7;
    const id = extended ? below(0x20000000) : below(0x800);
    const flags = (extended ? FRAME.extended : 0) | (random() < 0.2 ? FRAME.transmitted : 0);
    if (kind < 0.02) {
      const [error, type, place] = ERRORS[below(ERRORS.length)] as (typeof ERRORS)[number];
      batch.push(t, bus, error, FRAME.error, Uint8Array.of(0, 0, type, place, 0, 0, 0, 0), 0, 8);
    } else if (kind < 0.05) batch.push(t, bus, id, flags | FRAME.remote, new Uint8Array(8), 0, below(9));
    else if (kind < 0.2) {
      const length = FD_LENGTHS[below(FD_LENGTHS.length)] as number;
      batch.push(t, bus, id, flags | FRAME.fd | (random() < 0.5 ? FRAME.brs : 0), data, 0, length);
    } else batch.push(t, bus, id, flags, data, 0, random() < 0.8 ? 8 : below(9));
  }
  return batch;
}
