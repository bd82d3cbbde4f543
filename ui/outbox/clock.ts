/** The page asks for the time of the gateway again after this time. */
const OLD_MS = 60_000;

/**
 * The gateway's clock in this page. A clock of a tablet can be wrong, and people set it. The page learns the time of the gateway from each
 * answer, and counts on from there with the two clocks of the browser. The clock of the day can be set back; the other one can stop while
 * the device sleeps. So the larger of the two counts.
 */
export function createGatewayClock() {
  const learn = (gateway_ms: number): void => {
    if (Number.isFinite(gateway_ms)) heard = { gateway_ms, day_ms: Date.now(), run_ms: performance.now() };
  };
  let heard: { readonly gateway_ms: number; readonly day_ms: number; readonly run_ms: number } | null = null;
  /** How long ago the gateway answered, by the clock of the day and by the other one. */
  const since = (from: {
    readonly day_ms: number;
    readonly run_ms: number;
  }): readonly [day_ms: number, run_ms: number] => [Date.now() - from.day_ms, performance.now() - from.run_ms];
  return {
    /** Learns the time from the header `Date` of an answer. */
    heard: (response: Response): void => learn(Date.parse(response.headers.get('date') ?? '')),
    /** Learns the time of the gateway that the page got just now. */
    learn,
    /** The time of the gateway in milliseconds since 1970; null if no answer has come yet. */
    now(): number | null {
      if (heard === null) return null;
      return heard.gateway_ms + Math.max(...since(heard));
    },
    /** True if the page must ask for the time: it has not heard it for a minute, or somebody set the clock of the device since. */
    isOld: (): boolean => heard === null || since(heard).some((ms) => Math.abs(ms) > OLD_MS),
  };
}

/** A write is never older than its pass (45 days), and the clocks of one site differ by less than some minutes. */
const OLDEST_MS = 45 * 86_400_000;
const SLACK_MS = 300_000;

/**
 * Returns how many milliseconds ago a person wrote. It counts by the clock of the gateway. If that is impossible, because somebody set the
 * clock of the device before the person wrote, it counts by the clock of the device. Returns null if neither can be right.
 */
export function writtenAgo(
  written: { readonly gateway_ms: number | null; readonly device_ms: number },
  gateway_now: number | null,
): number | null {
  const by_gateway =
    gateway_now === null || written.gateway_ms === null ? Number.NaN : gateway_now - written.gateway_ms;
  const found = [by_gateway, Date.now() - written.device_ms].find((ago) => ago >= -SLACK_MS && ago <= OLDEST_MS);
  return found === undefined ? null : Math.max(0, Math.round(found));
}

export type GatewayClock = ReturnType<typeof createGatewayClock>;
