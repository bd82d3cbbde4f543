/**
 * The gateway's clock in this page. A clock of a tablet can be wrong, and people set it. The page learns the time of the gateway from each
 * answer, and counts on from there with the two clocks of the browser. The clock of the day can be set back; the other one can stop while
 * the device sleeps. So the larger of the two counts.
 */
export function createGatewayClock() {
  let heard: { readonly gateway_ms: number; readonly day_ms: number; readonly run_ms: number } | null = null;
  return {
    /** Learns the time from the header `Date` of an answer. */
    heard(response: Response): void {
      const gateway_ms = Date.parse(response.headers.get('date') ?? '');
      if (Number.isFinite(gateway_ms)) heard = { gateway_ms, day_ms: Date.now(), run_ms: performance.now() };
    },
    /** The time of the gateway in milliseconds since 1970; null if no answer has come yet. */
    now(): number | null {
      if (heard === null) return null;
      return heard.gateway_ms + Math.max(Date.now() - heard.day_ms, performance.now() - heard.run_ms);
    },
  };
}
export type GatewayClock = ReturnType<typeof createGatewayClock>;
