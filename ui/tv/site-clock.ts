/** The gateway's clock on a screen whose own clock may be hours wrong, or jump. */

export interface SiteClock {
  /** Milliseconds since 1970 on the gateway. */
  now(): number;
  /** Learns from a message that left the gateway at `serverMs`. */
  learn(serverMs: number): void;
  /** Gateway minus screen, in milliseconds; what a screen remembers for a start without the gateway. */
  offset(): number;
}

/** How often the anchor is taken anew, so that drift does not add up. */
const KEEP = 12;

/** A clock from a monotonic source, a wall clock and, at an offline start, the offset remembered from before. */
export function createSiteClock(monotonic: () => number, wall: () => number, remembered = 0): SiteClock {
  /** Message latency makes an anchor too early, never too late: the latest of the last few is the best. */
  const anchors: number[] = [];
  let base = wall() + remembered - monotonic();
  let wallOffset = remembered;
  return {
    // A page that slept has a monotonic clock that stood still; the later of both never makes old data look young.
    now: () => Math.max(base + monotonic(), wall() + wallOffset),
    learn(serverMs) {
      anchors.push(serverMs - monotonic());
      if (anchors.length > KEEP) anchors.shift();
      const best = Math.max(...anchors);
      // A gateway whose clock was set is believed at once.
      if (Math.abs(best - (serverMs - monotonic())) > 2_000) anchors.splice(0, anchors.length - 1);
      base = Math.max(...anchors);
      wallOffset = base + monotonic() - wall();
    },
    offset: () => wallOffset,
  };
}
