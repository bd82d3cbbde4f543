/** The gateway's clock on a screen whose own clock may be wrong or jump. */

export interface SiteClock {
  /** Milliseconds since 1970 on the gateway. */
  now(): number;
  /** Corrects the clock with a message that the gateway sent at `serverMs`. */
  learn(serverMs: number): void;
  /** The gateway's clock minus the screen's clock in milliseconds, stored for a start without the gateway. */
  offset(): number;
}

/** The number of recent anchors that are kept; older ones are dropped so that clock drift does not add up. */
const MOST_ANCHORS = 12;

/** Creates a clock from a monotonic clock, the screen's wall clock and, for a start without the gateway, the stored offset. */
export function createSiteClock(monotonic: () => number, wall: () => number, remembered = 0): SiteClock {
  /** Message latency makes an anchor too early, never too late, so the largest of the recent anchors is the best. */
  const anchors: number[] = [];
  let base = wall() + remembered - monotonic();
  let wallOffset = remembered;
  return {
    // The monotonic clock stops while a device sleeps. The later of both clocks never makes old data look fresh.
    now: () => Math.max(base + monotonic(), wall() + wallOffset),
    learn(serverMs) {
      anchors.push(serverMs - monotonic());
      if (anchors.length > MOST_ANCHORS) anchors.shift();
      const best = Math.max(...anchors);
      // A difference above 2 s means that the gateway's clock was set: drop the older anchors.
      if (Math.abs(best - (serverMs - monotonic())) > 2_000) anchors.splice(0, anchors.length - 1);
      base = Math.max(...anchors);
      wallOffset = base + monotonic() - wall();
    },
    offset: () => wallOffset,
  };
}
