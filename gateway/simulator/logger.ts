/**
 * The simulated logger of a machine. It gives frames the time of its clock, puts them into batches, and keeps the batches while the link to
 * the gateway is down.
 *
 *   frames ─▶ open batch ─(every batch_ms, or full)─▶ link up: sent, sometimes twice
 *                                                     link down: kept, all sent in order when it is up again
 *
 * All random choices depend only on the seed and on the true time (the time of the simulation, without the error of the logger's clock). So
 * the same frames give the same messages, whether the caller passes them in one call of `advance` or in many calls. A wrong clock changes
 * only the times in the messages.
 */
import { FrameBatch } from '#contract/fleet/frame.ts';
import { between, random, streamOf } from '#domain/base/random.ts';

/** The fault of the clock of a logger. */
export type LoggerClock =
  | { readonly kind: 'right' }
  /** The clock differs from true time by `by_ms`. */
  | { readonly kind: 'offset'; readonly by_ms: number }
  /** The clock shows local time, and the logger sends it as UTC. */
  | { readonly kind: 'zone'; readonly hours: number }
  /** The clock is right at the start. Then it gains `ppm` microseconds a second, or loses them if `ppm` is negative. */
  | { readonly kind: 'drift'; readonly ppm: number }
  /** The clock starts at 1970 at each power-up, and is set `set_after_s` seconds later; null: never. */
  | { readonly kind: 'reset'; readonly set_after_s: number | null }
  /** The logger has no clock; its frames have no time. */
  | { readonly kind: 'none' };

export interface LoggerRow {
  readonly clock: LoggerClock;
  /** Time after which a batch is sent, in milliseconds. */
  readonly batch_ms: number;
  /** True if the logger numbers its messages. */
  readonly numbered: boolean;
  /** Share of messages that are sent twice, 0 to 1. */
  readonly repeats: number;
  /** Shortest and longest time for which the link is up, and for which it is down, in seconds; null if the link never fails. */
  readonly outages: { readonly up_s: readonly [number, number]; readonly down_s: readonly [number, number] } | null;
  /**
   * Largest number of frames that the logger keeps while the link is down; default 1,000,000, which is enough for about eight hours. If
   * there are more, the logger drops and counts the oldest batch.
   */
  readonly keeps_frames?: number;
}

/** A logger without faults. */
export const GOOD_LOGGER: LoggerRow = {
  clock: { kind: 'right' },
  batch_ms: 1_000,
  numbered: true,
  repeats: 0,
  outages: null,
};

/** A batch that the logger sends. */
export interface LoggerMessage {
  /** Number of the batch; null when the logger does not number its batches. */
  readonly seq: number | null;
  readonly frames: FrameBatch;
  /** True time at which the logger sent it. */
  readonly sent_ms: number;
  /** True when the logger has already sent this batch. */
  readonly repeat: boolean;
}

export type Send = (message: LoggerMessage) => void;

export interface Logger {
  readonly counters: {
    readonly frames: number;
    readonly messages: number;
    readonly repeats: number;
    readonly outages: number;
    readonly lost_frames: number;
    /** Frames that wait for the link, or for their batch to be closed. */
    readonly kept_frames: number;
  };
  /**
   * Simulates the logger up to the true time `to_ms`: gives it the frames of the bus, and calls `send` for each message that it sends, in
   * order.
   */
  advance(to_ms: number, frames: FrameBatch, send: Send): void;
  /** Ends the simulation: closes the open batch, restores the link and sends all messages. */
  finish(to_ms: number, send: Send): void;
}

/** Largest number of frames in a batch. */
const MOST_FRAMES = 500;
const KEEPS_FRAMES = 1_000_000;
/**
 * The logger has power only while the ignition of the machine is on. If the bus carries no frame for this many microseconds, the simulation
 * assumes that the logger was off.
 */
const POWER_DOWN_US = 30_000_000;
/** Probability that the acknowledgement of the last message before an outage is lost, so that the logger sends the message again. */
const ACK_LOST = 0.5;

/**
 * Returns the time that a clock shows at a true time. `start_us` is the start of the simulation, `power_us` the last power-up of the
 * logger.
 */
function shownTime(clock: LoggerClock, t_us: number, start_us: number, power_us: number): number {
  switch (clock.kind) {
    case 'right':
      return t_us;
    case 'offset':
      return t_us + clock.by_ms * 1000;
    case 'zone':
      return t_us + clock.hours * 3_600_000_000;
    case 'drift':
      return Math.round(t_us + ((t_us - start_us) * clock.ppm) / 1e6);
    case 'reset': {
      const on_us = t_us - power_us;
      return clock.set_after_s !== null && on_us >= clock.set_after_s * 1e6 ? t_us : on_us;
    }
    case 'none':
      return 0;
  }
}

interface Batch {
  readonly seq: number | null;
  readonly frames: FrameBatch;
  readonly repeat: boolean;
}

/** Creates a logger that is powered from the start of the simulation. */
export function createLogger(row: LoggerRow, options: { readonly seed: number; readonly start_ms: number }): Logger {
  const { start_ms } = options;
  const start_us = start_ms * 1000;
  // Each fault has its own random stream, so that removing one fault does not change the others.
  const links = streamOf(options.seed, 1);
  const chance = streamOf(options.seed, 2);
  const counters = { frames: 0, messages: 0, repeats: 0, outages: 0, lost_frames: 0, kept_frames: 0 };
  const kept: Batch[] = [];
  let up = true;
  let until_ms = row.outages === null ? Number.POSITIVE_INFINITY : start_ms + 1000 * between(links, row.outages.up_s);
  let seq = 0;
  let last: Batch | undefined;
  let open = new FrameBatch(64);
  let ends_us = 0;
  let power_us = start_us;
  let heard_us = Number.NEGATIVE_INFINITY;

  function transmit(batch: Batch, sent_ms: number, send: Send, again = false): void {
    last = batch;
    counters.messages++;
    if (again) counters.repeats++;
    counters.kept_frames -= again ? 0 : batch.frames.count;
    send({ seq: batch.seq, frames: batch.frames, sent_ms, repeat: again });
    if (batch.repeat && !again) transmit(batch, sent_ms, send, true);
  }

  /** Simulates the link up to a time. When the link works again after an outage, sends the batches that the logger has kept. */
  function live(to_ms: number, send: Send): void {
    while (row.outages !== null && until_ms <= to_ms) {
      up = !up;
      const at_ms = until_ms;
      until_ms += 1000 * between(links, up ? row.outages.up_s : row.outages.down_s);
      const lostAck = random(links) < ACK_LOST;
      if (!up) counters.outages++;
      else restore(at_ms, lostAck, send);
    }
  }

  function restore(at_ms: number, lostAck: boolean, send: Send): void {
    if (lostAck && last !== undefined) transmit(last, at_ms, send, true);
    for (const batch of kept.splice(0)) transmit(batch, at_ms, send);
  }

  /** Closes the open batch at this time; its frames become a message. */
  function close(at_ms: number, send: Send): void {
    if (open.count === 0) return;
    seq++;
    const batch = { seq: row.numbered ? seq : null, frames: open, repeat: random(chance) < row.repeats };
    open = new FrameBatch(64);
    live(at_ms, send);
    if (up) {
      transmit(batch, at_ms, send);
      return;
    }
    kept.push(batch);
    while (counters.kept_frames > (row.keeps_frames ?? KEEPS_FRAMES) && kept.length > 1) {
      const oldest = kept.shift() as Batch;
      counters.lost_frames += oldest.frames.count;
      counters.kept_frames -= oldest.frames.count;
    }
  }

  const logger: Logger = {
    counters,
    advance(to_ms, frames, send) {
      for (let i = 0; i < frames.count; i++) {
        const t = frames.t[i] as number;
        if (open.count > 0 && t >= ends_us) close(ends_us / 1000, send);
        if (open.count === 0) ends_us = (Math.floor(t / 1000 / row.batch_ms) + 1) * row.batch_ms * 1000;
        if (t - heard_us > POWER_DOWN_US) power_us = t;
        heard_us = t;
        const data = frames.payload(i);
        const shown = shownTime(row.clock, t, start_us, power_us);
        open.push(
          shown,
          frames.bus[i] as number,
          frames.id[i] as number,
          frames.flags[i] as number,
          data,
          0,
          data.length,
        );
        counters.frames++;
        counters.kept_frames++;
        if (open.count === MOST_FRAMES) close(t / 1000, send);
      }
      if (open.count > 0 && ends_us <= to_ms * 1000) close(ends_us / 1000, send);
      live(to_ms, send);
    },
    finish(to_ms, send) {
      live(to_ms, send);
      close(to_ms, send);
      if (!up) restore(to_ms, false, send);
      up = true;
    },
  };
  return logger;
}
