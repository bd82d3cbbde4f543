/** Says which limit decides how far back stored data reaches: its age, or its share of the disk. */
import type { RetentionLimit } from '#contract/fleet/history.ts';

const DAY_MS = 86_400_000;

const NAMES: Readonly<Record<RetentionLimit['what'], string>> = {
  samples: 'History',
  minutes: 'The statistics of each minute',
  raw: 'Raw data',
};

/** What is known about the stored data of one resolution. */
interface Known extends Pick<RetentionLimit, 'what' | 'days' | 'bytes' | 'limit_bytes'> {
  /** Time of the oldest stored data, in milliseconds since 1970; null if there is none, or if the clock may be wrong. */
  readonly oldest_ms: number | null;
  readonly now_ms: number;
  /** True if data was deleted last because of its share of the disk. */
  readonly byDisk: boolean;
}

/** Returns the limits of one resolution for the health report. */
export function retentionLimit({ oldest_ms, now_ms, byDisk, ...known }: Known): RetentionLimit {
  const days = oldest_ms === null ? null : Math.max(0, Math.floor(((now_ms - oldest_ms) / DAY_MS) * 10) / 10);
  const isShort = byDisk && (days === null || days < known.days);
  const reach = days === null ? '' : ` reaches back ${Math.floor(days)} days`;
  const verb = known.what === 'minutes' ? reach.replace('reaches', 'reach') : reach;
  return {
    ...known,
    reaches_back_days: days,
    decides: isShort ? 'disk' : 'age',
    note: isShort ? `${NAMES[known.what]}${verb || ' is short'}; the disk share is full.` : null,
  };
}
