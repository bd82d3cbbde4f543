/**
 * A clock for times at which access ends, such as the end of a session. It follows the gateway's clock forward, but never goes back. If
 * somebody sets the clock back, this clock counts the elapsed time, so no ended session becomes valid again.
 */
export function createForwardClock(options: {
  /** The gateway's clock in milliseconds since 1970. */
  readonly clock: () => number;
  /** The clock never shows an earlier time than this one. */
  readonly floor_ms: number;
  /** Milliseconds that never decrease. */
  readonly monotonic?: () => number;
}): () => number {
  const { clock, floor_ms, monotonic = () => performance.now() } = options;
  let at = Math.max(clock(), floor_ms);
  let counted = monotonic();
  return () => {
    const now = monotonic();
    at = Math.max(at + (now - counted), clock());
    counted = now;
    return Math.floor(at);
  };
}
