/** Plays a candump recording, plain or gzip, into a publisher: its own timestamps, at its own pace, a multiple of it, or as fast as acknowledged. */
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { parseCandump } from '#codec/candump.ts';
import { FrameBatch } from '#contract/frame.ts';
import type { Publisher } from './publisher.ts';

export interface ReplayOptions {
  readonly path: string;
  readonly publisher: Publisher;
  /** Times the recording's own pace; 0 is as fast as the broker acknowledges. */
  readonly speed: number;
  /** Milliseconds since 1970, for frames without a date and for the pace. */
  readonly clock: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Asked before each message; true ends the replay. */
  readonly stopped?: () => boolean;
  readonly onProgress?: (so_far: ReplayResult) => void;
}

export interface ReplayResult {
  readonly frames: number;
  readonly messages: number;
  readonly acked: number;
  readonly unparsable: number;
  readonly dropped_frames: number;
  /** Times of the first and the last frame, microseconds since 1970; null without frames. */
  readonly first_us: number | null;
  readonly last_us: number | null;
}

/** Frames in a message at most, and the time that it may span at the pace of the replay. */
const MESSAGE_FRAMES = 500;
const MESSAGE_MS = 250;
/** A recording that stands still for longer was cut there: the replay goes on after this. */
const LONGEST_PAUSE_MS = 60_000;
/** A line is some hundred bytes; what has no end by then is no text. */
const LONGEST_LINE = 64 * 1024;

/** Publishes every frame of the file and waits for the acknowledgements; rejects when the file cannot be read. */
export async function replayFile(options: ReplayOptions): Promise<ReplayResult> {
  const { publisher, speed, clock } = options;
  const message = new FrameBatch(MESSAGE_FRAMES);
  let unparsable = 0;
  let first_us: number | null = null;
  let last_us: number | null = null;
  // Where the recording's time meets the clock's.
  let from_us = 0;
  let from_ms = 0;

  const result = (): ReplayResult => {
    const { frames, messages, acked, dropped_frames } = publisher.counters;
    return { frames, messages, acked, unparsable, dropped_frames, first_us, last_us };
  };

  async function send(): Promise<void> {
    if (message.count === 0) return;
    if (speed > 0) {
      const at_us = message.t[message.count - 1] as number;
      let wait = from_ms + (at_us - from_us) / 1000 / speed - clock();
      if (last_us === null || wait < -LONGEST_PAUSE_MS || wait > LONGEST_PAUSE_MS) {
        wait = Math.min(Math.max(last_us === null ? 0 : wait, 0), LONGEST_PAUSE_MS);
        from_us = at_us;
        from_ms = clock() + wait;
      }
      if (wait > 0) await options.sleep(wait);
    }
    first_us ??= message.t[0] as number;
    last_us = message.t[message.count - 1] as number;
    publisher.publish(message);
    message.clear();
    await publisher.room();
    options.onProgress?.(result());
  }

  const parsed = new FrameBatch(4096);
  for await (const { bytes, final } of pieces(options.path)) {
    parsed.clear();
    const { unparsable: wrong } = parseCandump(bytes, parsed, clock() * 1000, final);
    unparsable += wrong;
    for (let i = 0; i < parsed.count; i++) {
      const t = parsed.t[i] as number;
      const spans = message.count > 0 && Math.abs(t - (message.t[0] as number)) / 1000 > MESSAGE_MS * (speed || 1);
      if (message.count >= MESSAGE_FRAMES || (speed > 0 && spans)) await send();
      if (options.stopped?.()) return result();
      const data = parsed.payload(i);
      const { bus, id, flags } = parsed;
      message.push(t, bus[i] as number, id[i] as number, flags[i] as number, data, 0, data.length);
    }
  }
  await send();
  await publisher.drained();
  return result();
}

/** The file, unzipped where it is gzip (RFC 1952 2.3.1), in pieces that end with a line; only the last may end otherwise. */
async function* pieces(path: string): AsyncGenerator<{ bytes: Uint8Array; final: boolean }> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of await bytesOf(path)) {
    const bytes = Buffer.concat([rest, chunk as Buffer]);
    const end = bytes.lastIndexOf(10) + 1;
    rest = bytes.subarray(end);
    if (rest.length > LONGEST_LINE) {
      yield { bytes, final: true };
      rest = Buffer.alloc(0);
    } else if (end > 0) yield { bytes: bytes.subarray(0, end), final: false };
  }
  if (rest.length > 0) yield { bytes: rest, final: true };
}

async function bytesOf(path: string): Promise<AsyncIterable<unknown>> {
  const head = Buffer.concat(await createReadStream(path, { end: 1 }).toArray());
  const file = createReadStream(path);
  // A failure of either end comes out of the end that is read.
  return head[0] === 0x1f && head[1] === 0x8b ? pipeline(file, createGunzip(), () => {}) : file;
}
