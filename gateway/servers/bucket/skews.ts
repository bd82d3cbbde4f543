/**
 * Keeps a list of the loggers with a clock so wrong that the bucket refuses their requests. `GET /api/v1/health` shows such a logger until
 * its clock is right, or until it has sent no request for a day.
 */
import { type BriefProblem, messageOf, part, say, type ToldPart } from '#contract/base/told.ts';
import type { BucketDevice } from '#contract/fleet/bucket.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Largest number of loggers in the list. When the list is full, the logger with the oldest refusal is removed. */
const MOST_LOGGERS = 1_000;
/** Largest number of loggers that `GET /api/v1/health` shows. */
const MOST_LISTED = 20;

interface Skew {
  readonly device_id: string;
  readonly offset_ms: number;
  readonly seen_ms: number;
  /** Time of the last event about the wrong clock that was written to the event log of the device. */
  readonly logged_ms: number;
}

/** Creates the list of loggers with a wrong clock. */
export function createSkews(clock: () => number) {
  const skews = new Map<string, Skew>();

  return {
    remove({ device }: BucketDevice): void {
      skews.delete(device);
    },
    /**
     * Records a wrong clock. Returns true if the caller should write an event to the event log of the device. It returns true at most once
     * an hour for each device.
     */
    record({ device, device_id }: BucketDevice, offset_ms: number): boolean {
      const now = clock();
      const before = skews.get(device)?.logged_ms ?? Number.NEGATIVE_INFINITY;
      const due = now - before >= HOUR_MS;
      skews.delete(device);
      if (skews.size === MOST_LOGGERS) skews.delete(skews.keys().next().value as string);
      skews.set(device, { device_id, offset_ms, seen_ms: now, logged_ms: due ? now : before });
      return due;
    },
    problems(): BriefProblem[] {
      const now = clock();
      const current = [...skews.values()].filter(({ seen_ms }) => now - seen_ms < DAY_MS);
      return current.slice(-MOST_LISTED).map(({ device_id, offset_ms }) => ({
        code: 'logger_clock',
        ...messageOf(
          offset_ms > 0
            ? say(
                'The clock of the logger {device} is {time} ahead. The bucket refuses its uploads until the clock is right.',
                { device: device_id, time: spanOf(offset_ms) },
              )
            : say(
                'The clock of the logger {device} is {time} behind. The bucket refuses its uploads until the clock is right.',
                { device: device_id, time: spanOf(offset_ms) },
              ),
        ),
      }));
    },
  };
}

function spanOf(ms: number): ToldPart {
  const minutes = Math.round(Math.abs(ms) / 60_000);
  if (minutes < 120) return part('{n} minute|{n} minutes', { n: minutes });
  return minutes < 2_880
    ? part('{n} hour|{n} hours', { n: Math.round(minutes / 60) })
    : part('{n} day|{n} days', { n: Math.round(minutes / 1_440) });
}
