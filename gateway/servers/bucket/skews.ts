/** Loggers whose clock is too far off to upload: told in health until they come with a right one, or not for a day. */
import type { BucketDevice } from '#contract/fleet/bucket.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Loggers that are noted; the one that is silent longest gives way. */
const NOTED = 1_000;
/** Of these so many are told. */
const TOLD = 20;

interface Skew {
  readonly device_id: string;
  readonly offset_ms: number;
  readonly seen_ms: number;
  /** When the log of the device was told last. */
  readonly told_ms: number;
}

/** The skews of the loggers that come. */
export function createSkews(clock: () => number) {
  const skews = new Map<string, Skew>();

  return {
    right({ device }: BucketDevice): void {
      skews.delete(device);
    },
    /** Notes it; true when the log of the device should be told again. */
    wrong({ device, device_id }: BucketDevice, offset_ms: number): boolean {
      const now = clock();
      const before = skews.get(device)?.told_ms ?? Number.NEGATIVE_INFINITY;
      const tell = now - before >= HOUR_MS;
      skews.delete(device);
      if (skews.size === NOTED) skews.delete(skews.keys().next().value as string);
      skews.set(device, { device_id, offset_ms, seen_ms: now, told_ms: tell ? now : before });
      return tell;
    },
    problems(): { code: string; message: string }[] {
      const now = clock();
      const current = [...skews.values()].filter(({ seen_ms }) => now - seen_ms < DAY_MS);
      return current.slice(-TOLD).map(({ device_id, offset_ms }) => ({
        code: 'logger_clock',
        message: `The clock of the logger ${device_id} is ${spanOf(offset_ms)} ${offset_ms > 0 ? 'ahead' : 'behind'}; it uploads nothing until it is right.`,
      }));
    },
  };
}

function spanOf(ms: number): string {
  const minutes = Math.round(Math.abs(ms) / 60_000);
  if (minutes < 120) return `${minutes} minutes`;
  return minutes < 2_880 ? `${Math.round(minutes / 60)} hours` : `${Math.round(minutes / 1_440)} days`;
}
