/**
 * Publishes the frames of a recorded log over MQTT. Frames keep their recorded times. The replay runs at the speed of the recording, at
 * a multiple of this speed, or as fast as the broker acknowledges.
 */
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';
import type { LogFile } from './log-file.ts';
import type { Publisher } from './publisher.ts';

export interface ReplayOptions {
  /** The log, which the replay reads to its end; the caller closes it. */
  readonly log: Pick<LogFile, 'batches' | 'counters'>;
  readonly publisher: Publisher;
  /** The speed of the replay as a multiple of the recorded speed. If it is 0, the replay runs as fast as the broker acknowledges. */
  readonly speed: number;
  /** If true, a frame gets the time at which it is published instead of its recorded time. `speed` must then be above 0. */
  readonly now?: boolean;
  /** Returns the time in milliseconds since 1970; the replay waits by this clock. */
  readonly clock: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** The replay calls this function before each frame, and ends when the function returns true. */
  readonly stopped?: () => boolean;
  readonly onProgress?: (so_far: ReplayResult) => void;
}

export interface ReplayResult {
  readonly frames: number;
  readonly messages: number;
  readonly acked: number;
  readonly unparsable: number;
  readonly dropped_frames: number;
  /** Recorded times of the first and the last frame with a date, in microseconds since 1970; null if no frame has a date. */
  readonly first_us: number | null;
  readonly last_us: number | null;
}

/** The largest number of frames in a message, and the longest period of the recording in one message, in milliseconds. */
const MESSAGE_FRAMES = 500;
const MESSAGE_MS = 250;
/** Longest pause between two messages in milliseconds; a longer pause of the recording is shortened. */
const LONGEST_PAUSE_MS = 60_000;

/** Publishes every frame of the log and waits for the acknowledgements. Rejects when the log cannot be read. */
export async function replayLog(options: ReplayOptions): Promise<ReplayResult> {
  const { log, publisher, speed, clock, now = false } = options;
  const message = new FrameBatch(MESSAGE_FRAMES);
  let first_us: number | null = null;
  let last_us: number | null = null;
  // Recorded time of the first frame (`from_us`) and the clock time at which it is played (`from_ms`).
  let from_us = 0;
  let from_ms = 0;
  let begun = false;

  const result = (): ReplayResult => {
    const { frames, messages, acked, dropped_frames } = publisher.counters;
    return { frames, messages, acked, unparsable: log.counters.unparsable, dropped_frames, first_us, last_us };
  };

  async function send(): Promise<void> {
    const { count, t, flags } = message;
    if (count === 0) return;
    const end_us = t[count - 1] as number;
    if (speed > 0) {
      let wait = from_ms + (end_us - from_us) / 1000 / speed - clock();
      if (!begun || wait < -LONGEST_PAUSE_MS || wait > LONGEST_PAUSE_MS) {
        wait = Math.min(Math.max(begun ? wait : 0, 0), LONGEST_PAUSE_MS);
        from_us = end_us;
        from_ms = clock() + wait;
      }
      begun = true;
      if (wait > 0) await options.sleep(wait);
    }
    for (let i = 0; i < count; i++) {
      const at = t[i] as number;
      if (((flags[i] as number) & FRAME.noTime) === 0) {
        first_us ??= at;
        last_us = at;
      }
      if (!now) continue;
      t[i] = from_ms * 1000 + (at - from_us) / speed;
      flags[i] = (flags[i] as number) & ~FRAME.noTime;
    }
    publisher.publish(message);
    message.clear();
    await publisher.room();
    options.onProgress?.(result());
  }

  for await (const batch of log.batches()) {
    const { count, t, bus, id, flags } = batch;
    for (let i = 0; i < count; i++) {
      const at = t[i] as number;
      const spans = message.count > 0 && Math.abs(at - (message.t[0] as number)) / 1000 > MESSAGE_MS * (speed || 1);
      if (message.count >= MESSAGE_FRAMES || (speed > 0 && spans)) await send();
      if (options.stopped?.()) return result();
      const data = batch.payload(i);
      message.push(at, bus[i] as number, id[i] as number, flags[i] as number, data, 0, data.length);
    }
  }
  await send();
  await publisher.drained();
  return result();
}
