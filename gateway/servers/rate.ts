/** Token buckets, bounded: the bucket that was used least recently gives way, which can only be generous. */

interface Allowance {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until there is room for another. */
  readonly retry_after_s: number;
}

export interface Rate {
  /** Takes one from the bucket of this key. */
  take(key: string): Allowance;
}

/** Buckets that hold `perMinute` and refill evenly. */
export function createRate(perMinute: number, clock: () => number, maxBuckets = 10_000): Rate {
  const buckets = new Map<string, { level: number; at: number }>();
  return {
    take(key) {
      const now = clock();
      const bucket = buckets.get(key) ?? { level: perMinute, at: now };
      const elapsed = Math.max(0, now - bucket.at);
      const level = Math.min(perMinute, bucket.level + (elapsed / 60_000) * perMinute);
      const allowed = level >= 1;
      buckets.delete(key);
      if (buckets.size >= maxBuckets) buckets.delete(buckets.keys().next().value as string);
      const left = allowed ? level - 1 : level;
      buckets.set(key, { level: left, at: now });
      return {
        allowed,
        limit: perMinute,
        remaining: Math.floor(left),
        retry_after_s: allowed ? 0 : Math.max(1, Math.ceil(((1 - left) / perMinute) * 60)),
      };
    },
  };
}
