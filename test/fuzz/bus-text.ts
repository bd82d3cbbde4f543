/**
 * SLCAN and candump text that is nearly right, and nonsense, as live sources get it: cut anywhere. After each piece: nothing thrown,
 * frames within the bounds of CAN, nothing held beyond a line; at the end: no growth.
 *
 *   node test/fuzz/bus-text.ts [MINUTES] [SEED]
 */
import { openCandumpSource } from '#bridge/candump-source.ts';
import { formatCandump } from '#codec/candump.ts';
import { formatSlcan, SlcanParser } from '#codec/slcan.ts';
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';
import { Random } from '#test/sim/random.ts';

export interface BusTextResult {
  readonly pieces: number;
  readonly bytes: number;
  readonly frames: number;
  readonly refused: number;
  /** Of the heap over the second half, in MB. */
  readonly growth_mb: number;
}

const NOW = 1_795_248_000_000;
const FORMS = [0, FRAME.remote, FRAME.fd, FRAME.fd | FRAME.brs, FRAME.error, FRAME.transmitted] as const;
const LENGTHS = [8, 8, 8, 0, 1, 7, 12, 64] as const;
/** What splits, begins and ends things in either language. */
const SHARP = [...'\r\n\x07tTrRdDbBxesFzZ#R_()[]<>{}. :-0Ff \x00\xff'].map((letter) => letter.charCodeAt(0));
const SLOWEST_MS = 2_000;

function randomFrames(random: Random): FrameBatch {
  const batch = new FrameBatch(64);
  for (let n = random.int(40); n > 0; n--) {
    const form = FORMS[random.int(FORMS.length)] as number;
    const extended = random.int(2) * FRAME.extended;
    const len = Math.min(LENGTHS[random.int(LENGTHS.length)] as number, form & FRAME.fd ? 64 : 8);
    const data = Uint8Array.from({ length: len }, () => random.int(256));
    const id = random.int(extended ? 0x20000000 : 0x800);
    batch.push(NOW * 1000 + random.int(1e9), random.int(3), id, form | extended, data, 0, len);
  }
  return batch;
}

/** Bytes changed, put in, taken out, doubled, in a copy. */
function damage(text: Uint8Array, random: Random): Buffer {
  let bytes: Buffer = Buffer.from(text);
  for (let n = random.int(8); n > 0 && bytes.length > 0; n--) {
    const at = random.int(bytes.length);
    const byte = random.int(3) === 0 ? random.int(256) : (SHARP[random.int(SHARP.length)] as number);
    const length = random.int(random.int(10) === 0 ? 2_000 : 20);
    switch (random.int(4)) {
      case 0:
        bytes[at] = byte;
        break;
      case 1:
        bytes = Buffer.concat([bytes.subarray(0, at), Buffer.alloc(length, byte), bytes.subarray(at)]);
        break;
      case 2:
        bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]);
        break;
      default:
        bytes = Buffer.concat([bytes, bytes.subarray(at, at + length)]);
    }
  }
  return bytes;
}

function check(batch: FrameBatch): void {
  for (let i = 0; i < batch.count; i++) {
    const flags = batch.flags[i] as number;
    const id = batch.id[i] as number;
    const len = batch.len[i] as number;
    const wide = (flags & (FRAME.extended | FRAME.error)) !== 0;
    if (id > (wide ? 0x1fffffff : 0x7ff)) throw new Error(`identifier ${id.toString(16)}`);
    if (len > (flags & FRAME.fd ? 64 : 8)) throw new Error(`length ${len} with flags ${flags}`);
    if (!((batch.t[i] as number) >= 0)) throw new Error(`time ${batch.t[i]}`);
  }
}

/** Runs until `until` says so; throws what must not be, with the piece that did it. */
export function fuzzBusText(seed: number, until: () => boolean): BusTextResult {
  const random = new Random(seed);
  const batch = new FrameBatch(256);
  const parser = new SlcanParser({ answer() {} });
  let push: (chunk: Buffer) => void = () => {};
  const source = openCandumpSource(
    { bus: null, bitrate: null },
    { sink: { batch, filled() {} }, clock: () => NOW, log() {} },
    (to) => {
      push = to;
      return new Promise(() => {});
    },
  );
  let pieces = 0;
  let bytes = 0;
  let frames = 0;
  let arrival = NOW * 1000;
  let half = { at: 0, heap: 0 };
  const heap = () => {
    globalThis.gc?.();
    return process.memoryUsage().heapUsed;
  };
  while (!until()) {
    const clean = randomFrames(random);
    const languages = [formatSlcan(clean, 0, clean.count, random.int(2) === 0), formatCandump(clean)];
    const text = damage(languages[random.int(2)] as Uint8Array, random);
    for (let from = 0; from < text.length; ) {
      const piece = text.subarray(from, from + 1 + random.int(random.int(2) === 0 ? 8 : 4_096));
      from += piece.length;
      arrival += random.int(100) === 0 ? random.int(2e8) - 1e8 : random.int(50_000);
      arrival = Math.max(arrival, 1e15);
      const began = performance.now();
      try {
        for (const read of [() => parser.parse(piece, batch, arrival), () => push(piece)]) {
          batch.clear();
          read();
          frames += batch.count;
          check(batch);
        }
      } catch (cause) {
        throw new Error(`seed ${seed}, piece ${pieces}: ${piece.toString('hex')}`, { cause });
      }
      if (performance.now() - began > SLOWEST_MS) throw new Error(`seed ${seed}, piece ${pieces}: too slow`);
      pieces++;
      bytes += piece.length;
    }
    // The second half is compared with the first, where tables and compiled code have grown to what they are.
    if (pieces > half.at * 2) half = { at: pieces, heap: heap() };
  }
  const growth_mb = Math.round((heap() - half.heap) / 1e4) / 100;
  const { malformed, overlong } = parser.counters;
  const refused = malformed + overlong + source.report().malformed;
  return { pieces, bytes, frames, refused, growth_mb };
}

if (import.meta.main) {
  const [minutes = '10', seed = String(Date.now() % 1e9)] = process.argv.slice(2);
  process.stdout.write(`seed ${seed}\n`);
  const end = performance.now() + Number(minutes) * 60_000;
  const result = fuzzBusText(Number(seed), () => performance.now() > end);
  process.stdout.write(`${JSON.stringify(result)}\n`);
  const grows = result.growth_mb > 50;
  process.stdout.write(`${grows ? '0 passed, 1 failed' : '1 passed, 0 failed'}\n`);
  process.exit(grows ? 1 : 0);
}
