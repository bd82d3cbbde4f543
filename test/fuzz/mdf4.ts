/**
 * MF4 files with bytes changed, real ones and our own, wrapped and not: nothing may come of it but a `LogFileError` or gaps, in time,
 * and without growing.
 *
 *   node test/fuzz/mdf4.ts [MINUTES] [SEED]      npm run fuzz:mdf4
 */
import { createCipheriv, pbkdf2Sync } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { unwrap } from '#bridge/log-bytes.ts';
import { wrapperHead } from '#codec/canedge-wrapper.ts';
import { packHeatshrink } from '#codec/heatshrink.ts';
import { LogFileError } from '#codec/log-types.ts';
import { openMdf4 } from '#codec/mdf4/reader.ts';
import { inflate, sampleFrames, sourceOf, writeMdf4 } from '#test/codec/mdf4-files.ts';
import { Random } from '#test/sim/random.ts';
import { collect } from '#test/support/collect.ts';
import { recording, withoutRecordings } from '#test/support/recordings.ts';

export interface Mdf4FuzzResult {
  readonly files: number;
  readonly frames: number;
  /** How files ended: read whole, with gaps, or by the code of an error. */
  readonly ends: Readonly<Record<string, number>>;
  readonly slowest_ms: number;
  /** What must not be, each with the seed of the file that did it. */
  readonly violations: readonly string[];
}

const LONGEST_MS = 20_000;
const MOST_VIOLATIONS = 10;
const PASSWORD = 'fuzz';
const ROUNDS = 10;
/** Numbers that readers trip over. */
const NUMBERS = [
  0n,
  1n,
  23n,
  24n,
  25n,
  64n,
  0xffffn,
  0x7fffffffn,
  0xffffffffn,
  1n << 40n,
  (1n << 53n) - 1n,
  1n << 63n,
  (1n << 64n) - 1n,
];

/** The files that are changed; the smaller, the more of them in a minute. */
function seeds(): readonly Uint8Array[] {
  const random = new Random(7);
  const frames = sampleFrames(400, () => random.next());
  const own = (['standard', 'single', 'grouped'] as const).flatMap((layout) => [
    writeMdf4(frames, { layout, order: 'unsorted', unfinished: true }),
    writeMdf4(frames, { layout, order: 'unsorted', zip: 'deflate', pieceBytes: 2_000 }),
    writeMdf4(frames, { layout, pieceBytes: 1_500 }),
    writeMdf4(frames, { layout, zip: 'transposed', pieceBytes: 1_500 }),
  ]);
  const form = { windowBits: 9, lengthBits: 4 };
  const single = own[4] as Uint8Array;
  const packed = Buffer.concat([wrapperHead({ kind: 'heatshrink', form }, 1), packHeatshrink(single, form)]);
  const real = withoutRecordings
    ? []
    : [
        'mf4/FCBF0606_00003482_00000001-60B621D9.MF4',
        'mf4/FCBF0606.asammdf-sorted-c0.mf4',
        'mf4/FCBF0606.asammdf-sorted-c1.mf4',
        'mf4/2F6913DB_00001089_00000002-63BEFDF9.fw0107-11bit.MF4',
        'mfc/FCBF0606.synthetic-w512.MFC',
      ].map((name) => new Uint8Array(recording(name)));
  return [...own, packed, encrypt(single), encrypt(packed), ...real];
}

function encrypt(bytes: Uint8Array): Uint8Array {
  const iv = new Uint8Array(12);
  const salt = new Uint8Array(16);
  const head = wrapperHead({ kind: 'aes_gcm', iv, rounds: ROUNDS, salt }, 1);
  const cipher = createCipheriv('aes-256-gcm', pbkdf2Sync(PASSWORD, salt, ROUNDS, 32, 'sha256'), iv);
  cipher.setAAD(head);
  return Buffer.concat([head, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
}

/** Some changes: bytes, numbers at places where numbers stand, links to other blocks, parts gone, doubled or moved. */
function mutate(seed: Uint8Array, random: Random): Uint8Array {
  let bytes = new Uint8Array(seed);
  const blocks: number[] = [];
  for (let i = 0; i + 24 < bytes.length; i += 8) if (bytes[i] === 35 && bytes[i + 1] === 35) blocks.push(i);
  const changes = 1 + random.int(4);
  for (let n = 0; n < changes; n++) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const place = random.int(Math.max(1, bytes.length - 8));
    const block = blocks[random.int(blocks.length)] ?? 0;
    const inBlock = Math.min(block + 8 * random.int(14), bytes.length - 8);
    switch (random.int(8)) {
      case 0:
        bytes[place] = random.int(256);
        break;
      case 1:
        bytes[inBlock] = random.int(256);
        break;
      case 2:
        view.setBigUint64(inBlock, NUMBERS[random.int(NUMBERS.length)] as bigint, true);
        break;
      case 3:
        view.setBigUint64(inBlock, BigInt(blocks[random.int(blocks.length)] ?? 0), true);
        break;
      case 4:
        view.setUint32(inBlock + 4 * random.int(2), random.int(2) ? random.int(1 << 20) : 0xffffffff, true);
        break;
      case 5:
        bytes = bytes.slice(0, 1 + random.int(bytes.length));
        break;
      case 6: {
        const length = random.int(600);
        const from = random.int(bytes.length);
        bytes.set(bytes.slice(from, from + Math.min(length, bytes.length - place)), place);
        break;
      }
      default:
        view.setUint16(Math.min(60, bytes.length - 2), random.int(128), true);
        if (random.int(2)) bytes.set([0x55, 0x6e, 0x46, 0x69, 0x6e, 0x4d, 0x46, 0x20].slice(0, bytes.length));
    }
    if (bytes.length < 16) break;
  }
  return bytes;
}

/** Reads changed files until the time is up or there are so many. */
export async function fuzzMdf4(
  limit: { readonly minutes: number; readonly files: number },
  seed: number,
): Promise<Mdf4FuzzResult> {
  const files = seeds();
  const ends: Record<string, number> = {};
  const violations: string[] = [];
  const until = performance.now() + limit.minutes * 60_000;
  let slowest_ms = 0;
  let frames = 0;
  let n = 0;
  let grown = 0;
  for (; n < limit.files && performance.now() < until && violations.length < MOST_VIOLATIONS; n++) {
    const random = new Random(seed + n);
    const bytes = mutate(files[random.int(files.length)] as Uint8Array, random);
    const started = performance.now();
    const end = await read(bytes);
    const took = performance.now() - started;
    slowest_ms = Math.max(slowest_ms, took);
    ends[end] = (ends[end] ?? 0) + 1;
    if (end.startsWith('thrown')) violations.push(`file ${seed + n}: ${end}`);
    if (took > LONGEST_MS) violations.push(`file ${seed + n}: ${took.toFixed(0)} ms`);
    if (n % 2_000 === 1_999) {
      const held = await heldBytes(grown);
      if (grown === 0) grown = held + 100e6;
      if (held > grown) violations.push(`after file ${seed + n}: ${(held / 1e6).toFixed(0)} MB held`);
    }
  }

  async function read(bytes: Uint8Array): Promise<string> {
    let gaps = 0;
    try {
      const { source } = await unwrap(sourceOf(bytes), [PASSWORD]);
      const log = openMdf4(source, inflate, () => gaps++);
      for (const batch of log.batches()) frames += batch.count;
      return gaps === 0 ? 'whole' : 'gaps';
    } catch (error) {
      if (error instanceof LogFileError) return error.code;
      return `thrown ${error instanceof Error ? error.stack : error}`;
    }
  }
  return { files: n, frames, ends, slowest_ms, violations };
}

/** Bytes held when all is collected; what unzipped gives its memory back some turns later, so a number over `enough` is looked at again. */
async function heldBytes(enough: number): Promise<number> {
  let held = 0;
  for (let look = 0; look < 5 && (look < 2 || held > enough); look++) {
    await setTimeout(20);
    collect();
    const { heapUsed, external } = process.memoryUsage();
    held = heapUsed + external;
  }
  return held;
}

if (import.meta.main) {
  const seed = Number(process.argv[3] ?? Date.now() % 1_000_000_007);
  console.log(`seed ${seed}`);
  const result = await fuzzMdf4({ minutes: Number(process.argv[2] ?? '10'), files: Number.POSITIVE_INFINITY }, seed);
  console.log(`${result.files} files, ${result.frames} frames, slowest ${result.slowest_ms.toFixed(0)} ms`);
  console.log(result.ends);
  for (const each of result.violations) console.log(each);
  process.exitCode = result.violations.length > 0 ? 1 : 0;
}
