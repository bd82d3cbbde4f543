/**
 * What earlier searches have found out about log files, so that the next search of a file reads less of it: the judgement about its clock,
 * and the times of its parts.
 */
import type { LogPlace } from '#bridge/log-file.ts';
import type { FrameBatch } from '#contract/fleet/frame.ts';
import { observedTime } from '#domain/base/times.ts';
import type { LogClockResult } from '#domain/clock/log-clock.ts';
import { LONGEST_MESSAGE_S } from './value-scan.ts';

/** The largest number of known logs. If there are more, the least recently used log is forgotten. */
const MOST_LOGS = 64;
/** The largest number of known parts of a log. A part has about 256 kB. */
const MOST_PARTS = 4_096;

/** A part of a log: the place at which it begins, and the earliest and latest time of its frames. */
interface Part {
  readonly place: LogPlace;
  readonly from_us: number;
  readonly to_us: number;
}

/** What is known about one log file. */
export class KnownLog {
  /** The judgement about the clock of the log; undefined if no search has needed it. */
  clock: LogClockResult | undefined;
  /** The parts from the start of the file without a gap. */
  readonly #parts: Part[] = [];
  /** The number of frames in the parts. */
  #frames = 0;

  /** Adds a batch that begins at this place. The times of its frames are corrected if the search corrects them. */
  add(place: LogPlace | null, batch: FrameBatch, received_us: number): void {
    if (place === null || place.frames !== this.#frames || this.#parts.length >= MOST_PARTS) return;
    let from_us = Number.POSITIVE_INFINITY;
    let to_us = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < batch.count; i++) {
      const t_us = observedTime(batch.t[i] as number, received_us);
      from_us = Math.min(from_us, t_us);
      to_us = Math.max(to_us, t_us);
    }
    this.#parts.push({ place, from_us, to_us });
    this.#frames += batch.count;
  }

  /** Returns the place from which a search for values of this second must read; undefined for the start of the file. */
  placeOfSecond(second: number): LogPlace | undefined {
    const [from_us, until_us] = [(second - LONGEST_MESSAGE_S) * 1e6, (second + 1) * 1e6];
    const part = this.#parts.find((one) => one.to_us >= from_us && one.from_us < until_us) ?? this.#parts.at(-1);
    return part?.place;
  }

  /** Returns the place from which a search for the values of this frame must read; undefined for the start of the file. */
  placeOfFrame(frame: number): LogPlace | undefined {
    const last = this.#parts.findLast(({ place }) => place.frames <= frame);
    if (last === undefined) return undefined;
    const from_us = last.from_us - LONGEST_MESSAGE_S * 1e6;
    return this.#parts.find((one) => one.to_us >= from_us)?.place;
  }
}

/** The known logs of one gateway. */
export class KnownLogs {
  readonly #logs = new Map<string, KnownLog>();

  /** Returns what is known about a log. The key names the file and everything on which the knowledge depends. */
  of(key: string): KnownLog {
    const log = this.#logs.get(key) ?? new KnownLog();
    this.#logs.delete(key);
    this.#logs.set(key, log);
    for (const oldest of this.#logs.keys()) {
      if (this.#logs.size <= MOST_LOGS) break;
      this.#logs.delete(oldest);
    }
    return log;
  }
}
