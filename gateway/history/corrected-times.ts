/**
 * Collects which values of a time series have corrected times: times that the gateway corrected because the clock of the logger was wrong.
 */
import type { CorrectedTimes } from '#contract/fleet/telemetry.ts';
import type { SampleClock, TrustedClock } from '#domain/base/sample-clock.ts';

/** Collects the corrections of one series, one row for each trusted clock. */
export class CorrectionNotes {
  readonly #rows = new Map<TrustedClock, { -readonly [K in keyof CorrectedTimes]: CorrectedTimes[K] }>();

  /** Adds values at `t` (milliseconds since 1970). `clock` is the correction of their times. */
  add(t: number, values: number, { clock, correction_ms, uncertainty_ms }: SampleClock): void {
    const row = this.#rows.get(clock);
    if (row === undefined) {
      const least = { least_ms: correction_ms, most_ms: correction_ms };
      this.#rows.set(clock, { clock, from: t, to: t, values, ...least, uncertainty_ms });
      return;
    }
    row.from = Math.min(row.from, t);
    row.to = Math.max(row.to, t);
    row.values += values;
    row.least_ms = Math.min(row.least_ms, correction_ms);
    row.most_ms = Math.max(row.most_ms, correction_ms);
    row.uncertainty_ms = Math.max(row.uncertainty_ms, uncertainty_ms);
  }

  /** Returns the rows. */
  list(): CorrectedTimes[] {
    return [...this.#rows.values()];
  }
}
