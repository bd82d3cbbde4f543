/**
 * Rate limits with token buckets: a request takes tokens from the bucket of its key, and the bucket refills evenly. If there are too many
 * buckets, the least recently used bucket is removed. At the next request of this key, the key gets a full bucket. So the removal of a
 * bucket never causes a refusal.
 */

export interface Allowance {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the same request would be allowed; 0 if it is allowed now. */
  readonly retry_after_s: number;
}

export interface Rate {
  /** Takes `count` tokens (default 1) from the bucket of this key. */
  take(key: string, count?: number): Allowance;
}

/** Creates buckets of `perMinute` tokens that refill evenly. A full bucket allows a request of any count, even above `perMinute`. */
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
