/** Estimates the gateway's clock on a screen, because the clock of the screen may be wrong or jump. */

export interface SiteClock {
  /** Returns the estimated time of the gateway, in milliseconds since 1970. */
  now(): number;
  /** Corrects the estimate with a message that has just arrived and that the gateway sent at `serverMs`. */
  learn(serverMs: number): void;
  /**
   * Returns the gateway's clock minus the screen's clock in milliseconds. The screen stores this offset, and uses it if it starts while the
   * gateway does not answer.
   */
  offset(): number;
}

/**
 * Number of recent anchors that the clock keeps. An anchor is the gateway's time of a message minus the screen's monotonic time at its
 * arrival. Older anchors are dropped, because the two clocks drift apart.
 */
const MOST_ANCHORS = 12;

/** Creates a clock from the screen's monotonic clock and wall clock. `remembered` is the stored offset, for a start without the gateway. */
export function createSiteClock(monotonic: () => number, wall: () => number, remembered = 0): SiteClock {
  /**
   * The recent anchors. A message takes some time to arrive, and this time makes its anchor too small, never too large. So the largest
   * anchor is the most exact.
   */
  const anchors: number[] = [];
  let base = wall() + remembered - monotonic();
  let wallOffset = remembered;
  return {
    // The monotonic clock may stop while the screen sleeps, and the wall clock may be set back. Use the clock that gives the later time, so
    // that old data never looks fresh.
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
