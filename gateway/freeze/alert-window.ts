/** Computes the time window whose raw traffic is kept for a critical alert. */
import type { AlertData } from '#contract/work/alert.ts';

/** The window of an alert begins at most this many milliseconds earlier because of its report: the clock of the device may be wrong. */
const MOST_DELAY_MS = 300_000;

/**
 * Returns the time at which an alert became critical, in milliseconds since 1970: its start, or the time at which another rule joined the
 * alert and raised its severity.
 */
export const criticalSince = ({ raised_at, also = [] }: AlertData): number =>
  Date.parse(also.findLast((one) => one.raised_severity)?.joined_at ?? raised_at);

/**
 * Returns the window of an alert. It begins `seconds` before the machine reported the value, because on a busy gateway the report can be
 * some seconds older than the alert. It ends `seconds` after the alert became critical.
 */
export function windowOf(
  data: AlertData,
  seconds: number,
  now_ms: number,
): { readonly from: string; readonly to: string } {
  const critical_ms = Math.min(criticalSince(data), now_ms);
  const reported_ms = data.observed_at === null ? critical_ms : Date.parse(data.observed_at);
  const from_ms = Math.min(critical_ms, Math.max(reported_ms, critical_ms - MOST_DELAY_MS)) - seconds * 1000;
  return { from: new Date(from_ms).toISOString(), to: new Date(critical_ms + seconds * 1000).toISOString() };
}
