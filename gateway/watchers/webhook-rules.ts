/** Decides which events an endpoint gets, what a response means for a delivery, and when the next try is due. */
import type { EventData } from '#contract/base/event.ts';
import type { Stored } from '#contract/base/view.ts';
import type { WebhookDeliveryData, WebhookEndpointData } from '#contract/work/webhook.ts';
import type { Answer } from './webhook-request.ts';

const TRIES = 8;
/** Milliseconds before the second, third and each further try of a delivery. */
const BACKOFF_MS = [5_000, 30_000, 120_000, 600_000, 1_800_000, 7_200_000, 21_600_000];
// After a failed request to an endpoint, the gateway pauses all requests to it, and doubles the pause after each further failure. These are
// the longest and the first pause, in milliseconds.
const SLOWEST_PROBE_MS = 300_000;
const FIRST_PROBE_MS = 5_000;
/** No pause is longer than this number of milliseconds. So if a stored time is further in the future, somebody has set the clock back. */
const LONGEST_WAIT_MS = 28_800_000;

/** Returns true if `kind` (an event type, `*`, or a prefix such as `alert.*`) covers this event type. */
function covers(kind: string, type: string): boolean {
  return kind === '*' || kind === type || (kind.endsWith('.*') && type.startsWith(kind.slice(0, -1)));
}

/** Returns true if the endpoint gets this event. It gets an alert event only if the webhook action of the alert rule was executed. */
export function wants(
  { kinds, since }: Pick<WebhookEndpointData, 'kinds' | 'since'>,
  event: Pick<Stored<EventData>, 'created_at' | 'data'>,
): boolean {
  const { type, data: details } = event.data;
  // A rule that joins an open alert raises no alert. So endpoints that ask for `alert.raised` also get `alert.joined`.
  const asked = type === 'alert.joined' ? [type, 'alert.raised'] : [type];
  if (!kinds.some((kind) => asked.some((one) => covers(kind, one))) || event.created_at < since) return false;
  if (!type.startsWith('alert.')) return true;
  const actions = (details.actions ?? []) as { action?: unknown; status?: unknown }[];
  return actions.some(({ action, status }) => action === 'webhook' && status === 'executed');
}

const ALERT_KINDS = ['alert.raised', 'alert.joined', 'alert.acknowledged', 'alert.cleared'];

/** Returns true if the endpoint is enabled and asks for at least one type of alert event. */
export function takesAlerts({ enabled, kinds }: Pick<WebhookEndpointData, 'enabled' | 'kinds'>): boolean {
  return enabled && kinds.some((kind) => ALERT_KINDS.some((type) => covers(kind, type)));
}

/** The state of a delivery after a try, and what the try means for its endpoint. */
export interface Outcome {
  readonly next: WebhookDeliveryData['state'];
  readonly failed: boolean;
  readonly tries: number;
  readonly error: string | null;
  readonly retry_after_ms: number;
}

/**
 * Returns the new state of a delivery after a try. `before` is the number of its earlier tries. `answer` is the answer of the endpoint; if
 * `answer` is undefined, the delivery could not be sent, and `why` is the reason.
 */
export function judgeAnswer(answer: Answer | undefined, before: number, why: string): Outcome {
  if (answer === undefined) return { next: 'dead', failed: false, tries: before, error: why, retry_after_ms: 0 };
  if (answer.kind === 'unreachable')
    return { next: 'pending', failed: true, tries: before, error: answer.error, retry_after_ms: 0 };
  const tries = before + 1;
  if (answer.kind === 'answered' && answer.status >= 200 && answer.status < 300)
    return { next: 'delivered', failed: false, tries, error: null, retry_after_ms: 0 };
  const status = answer.kind === 'answered' ? answer.status : null;
  return {
    next: status === 410 || tries >= TRIES ? 'dead' : 'pending',
    failed: true,
    tries,
    error: answer.kind === 'failed' ? answer.error : `it answered ${answer.status}`,
    retry_after_ms: answer.kind === 'answered' && (status === 429 || status === 503) ? (answer.retry_after_ms ?? 0) : 0,
  };
}

/** Returns the milliseconds to wait before a delivery is tried again, after `tries` failed tries. */
export function backoff(tries: number): number {
  return BACKOFF_MS[Math.min(tries, BACKOFF_MS.length) - 1] ?? FIRST_PROBE_MS;
}

/** Returns the milliseconds to wait before the next request to an endpoint that has failed `failures` times in a row. */
export function probeAfter(failures: number): number {
  return Math.min(FIRST_PROBE_MS * 2 ** Math.min(failures - 1, 10), SLOWEST_PROBE_MS);
}

/**
 * Returns the stored time of the next try. If this time is too far in the future, somebody has set the clock back after the time was
 * stored; in this case returns `now_ms`.
 */
export function waitUntil(at_ms: number, now_ms: number): number {
  return at_ms - now_ms > LONGEST_WAIT_MS && at_ms !== Number.POSITIVE_INFINITY ? now_ms : at_ms;
}
