/** Limits how many reads of stored telemetry run at once and how many wait, so that memory and load are bounded. */
import { OperationError } from '#contract/base/errors.ts';
import { LIMITS } from '#contract/base/limits.ts';
import { say } from '#contract/base/told.ts';

/** The largest number of reads that wait. */
export const MAX_WAITING_READS = 32;

/** Returns a function that runs a read at once, or after the reads that wait already. It throws `rate_limited` if too many reads wait. */
export function createReadQueue(): <T>(read: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (read) => {
    if (running < LIMITS.telemetry_reads.value) running++;
    else {
      if (waiting.length >= MAX_WAITING_READS)
        throw new OperationError(
          'rate_limited',
          say('{max_waiting_reads} reads of stored telemetry wait already; try again in a few seconds.', {
            max_waiting_reads: MAX_WAITING_READS,
          }),
        );
      // When a read ends, the next waiting read starts in its place, so `running` stays the same.
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
    try {
      return await read();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}
