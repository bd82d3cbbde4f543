/** The part of the diagnosis about the clock of a device whose data counts as live or would count as live. */
import { say, type Told } from '#contract/base/told.ts';
import { aheadWords } from '#domain/clock/clock-words.ts';
import type { ChainFacts } from './chain-facts.ts';

/** A smaller offset is not worth a sentence, in milliseconds. */
const LEAST_MS = 1_000;
/** If even the newest frame of each message is older than this on arrival, in milliseconds, the clock or the way to the gateway is slow. */
const DELAY_MS = 5_000;

/**
 * Returns a sentence about a clock that is off; none for a clock that seems right. GNSS time says exactly how far the clock is off.
 * Without it, the age of the newest data on arrival is all that is known: an upper bound of what the clock is behind.
 */
export function clockFinding({ device: { metrics } }: ChainFacts): Told[] {
  const { gnss_clock, clock_skew_ms } = metrics;
  if (gnss_clock !== undefined) {
    if (Math.abs(gnss_clock.ahead_ms) < LEAST_MS) return [];
    return [
      say('Its clock is {ahead} GNSS time. Live values keep the time of the device; log files are corrected.', {
        ahead: aheadWords(gnss_clock.ahead_ms * 1000),
      }),
    ];
  }
  const delay_ms = -(clock_skew_ms ?? 0);
  if (delay_ms < DELAY_MS) return [];
  return [
    say(
      'Its newest data is {seconds} s old on arrival: its clock is behind by up to this time, or its messages are delayed.',
      { seconds: Math.round(delay_ms / 1000) },
    ),
  ];
}
