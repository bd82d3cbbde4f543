/**
 * Reads how fast the meters of machines grow, for the expected dates of maintenance. A result is cached for an hour, because it is made from
 * the history of 14 days. Only one read of history runs at a time, so that charts on pages do not wait for these reads.
 */
import type { NodeServices, UseReader } from '#contract/context.ts';
import { type MeterHour, meterUse } from '#domain/work/meter-use.ts';

const HOUR_MS = 3_600_000;
const DAYS = 14;
/** Largest number of cached results. The oldest one is removed first. */
const MOST_CACHED = 10_000;
/** A meter cannot grow faster than this in an hour: an hour and 5 % for clock drift, and 200 km. */
const MOST_PER_H = { 'engine.hours': 1.05, 'vehicle.odometer': 200 } as const;

/** Creates the reader of meter use. */
export function createMachineUse(options: {
  readonly readTelemetry: NodeServices['readTelemetry'];
  /** Returns the time in milliseconds since 1970. */
  readonly clock: () => number;
}): UseReader {
  const { readTelemetry, clock } = options;
  const cached = new Map<string, { readonly at_ms: number; readonly per_day: Promise<number | null> }>();
  let last: Promise<unknown> = Promise.resolve();

  async function read(...[project_id, equipment_id, signal, counts_itself]: Parameters<UseReader['perDay']>) {
    const now_ms = clock();
    const to_ms = Math.floor(now_ms / HOUR_MS) * HOUR_MS;
    const query = { project_id, equipment_id, signals: [signal], to_ms, step_s: 3_600, now_ms } as const;
    const { series, until_ms } = await readTelemetry({ ...query, from_ms: Math.max(0, to_ms - DAYS * 24 * HOUR_MS) });
    const [found] = series;
    if (found === undefined || until_ms < to_ms) return null;
    const { t, min = [], last: lasts = [] } = found;
    const hours: MeterHour[] = t.map((t_ms, i) => ({ t_ms, lowest: min[i] as number, last: lasts[i] as number }));
    return meterUse(hours, { counts_itself, most_per_h: MOST_PER_H[signal] })?.per_day ?? null;
  }

  return {
    perDay(...of) {
      const key = of.join('\n');
      const now_ms = clock();
      const known = cached.get(key);
      if (known !== undefined && Math.abs(now_ms - known.at_ms) < HOUR_MS) return known.per_day;
      // If the read fails, for example because too many reads wait, the use is not known, and the next call tries again.
      const per_day = last
        .then(() => read(...of))
        .catch(() => {
          cached.delete(key);
          return null;
        });
      last = per_day;
      cached.delete(key);
      if (cached.size >= MOST_CACHED) cached.delete(cached.keys().next().value as string);
      cached.set(key, { at_ms: now_ms, per_day });
      return per_day;
    },
  };
}
