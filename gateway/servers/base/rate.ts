/** Token buckets, bounded: the bucket that was used least recently gives way, which can only be generous. */

export interface Allowance {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until there is room for another. */
  readonly retry_after_s: number;
}

export interface Rate {
  /** Takes one, or as many as given, from the bucket of this key. */
  take(key: string, count?: number): Allowance;
}

/** Buckets that hold `perMinute` and refill evenly. A bucket that is full gives any count, and pays for it afterwards. */
export function createRate(perMinute: number, clock: () => number, maxBuckets = 10_000): Rate {
  const buckets = new Map<string, { level: number; at: number }>();
  return {
    take(key, count = 1) {
      const now = clock();
      const bucket = buckets.get(key) ?? { level: perMinute, at: now };
      const elapsed = Math.max(0, now - bucket.at);
      const level = Math.min(perMinute, bucket.level + (elapsed / 60_000) * perMinute);
      const needed = Math.min(count, perMinute);
      const allowed = level >= needed;
      buckets.delete(key);
      if (buckets.size >= maxBuckets) buckets.delete(buckets.keys().next().value as string);
      const left = allowed ? level - count : level;
      buckets.set(key, { level: left, at: now });
      return {
        allowed,
        limit: perMinute,
        remaining: Math.max(0, Math.floor(left)),
        retry_after_s: allowed ? 0 : Math.max(1, Math.ceil(((needed - left) / perMinute) * 60)),
      };
    },
  };
}
