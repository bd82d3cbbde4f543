/** Token buckets, bounded: the bucket that was used least recently gives way, which can only be generous. */

export interface Allowance {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until there is room for another. */
  readonly retry_after_s: number;
  /** True for a refusal that follows another within a second: its caller does not wait as it was asked to. */
  readonly again: boolean;
}

export interface Rate {
  /** Takes one, or as many as given, from the bucket of this key. */
  take(key: string, count?: number): Allowance;
}

/** A caller that was refused is expected to wait at least this long. */
const PATIENCE_MS = 1_000;

/** Buckets that hold `perMinute` and refill evenly. A bucket that is full gives any count, and pays for it afterwards. */
export function createRate(perMinute: number, clock: () => number, maxBuckets = 10_000): Rate {
  const buckets = new Map<string, { level: number; at: number; refused: number }>();
  return {
    take(key, count = 1) {
      const now = clock();
      const bucket = buckets.get(key) ?? { level: perMinute, at: now, refused: Number.NEGATIVE_INFINITY };
      const elapsed = Math.max(0, now - bucket.at);
      const level = Math.min(perMinute, bucket.level + (elapsed / 60_000) * perMinute);
      const needed = Math.min(count, perMinute);
      const allowed = level >= needed;
      buckets.delete(key);
      if (buckets.size >= maxBuckets) buckets.delete(buckets.keys().next().value as string);
      const left = allowed ? level - count : level;
      buckets.set(key, { level: left, at: now, refused: allowed ? bucket.refused : now });
      return {
        allowed,
        limit: perMinute,
        remaining: Math.max(0, Math.floor(left)),
        retry_after_s: allowed ? 0 : Math.max(1, Math.ceil(((needed - left) / perMinute) * 60)),
        again: !allowed && Math.abs(now - bucket.refused) < PATIENCE_MS,
      };
    },
  };
}
