/** What is sent to an endpoint, what an answer means for a delivery, and how long to wait for the next try. */
import type { EventData } from '#contract/base/event.ts';
import type { Stored } from '#contract/base/view.ts';
import type { WebhookDeliveryData, WebhookEndpointData } from '#contract/work/webhook.ts';
import type { Answer } from './webhook-request.ts';

const TRIES = 8;
/** From one try to the next. */
const BACKOFF_MS = [5_000, 30_000, 120_000, 600_000, 1_800_000, 7_200_000, 21_600_000];
/** While an endpoint fails, one request probes it, at least so often. */
const SLOWEST_PROBE_MS = 300_000;
const FIRST_PROBE_MS = 5_000;
/** Waits longer than any of ours come from a clock that was set back. */
const LONGEST_WAIT_MS = 28_800_000;

/** True when a kind, `*`, or `alert.*` and the like covers this type. */
function asksFor(kind: string, type: string): boolean {
  return kind === '*' || kind === type || (kind.endsWith('.*') && type.startsWith(kind.slice(0, -1)));
}

/** True when the endpoint asked for such events, since it is on; alerts go only where their rule's action was executed. */
export function wants(
  { kinds, since }: Pick<WebhookEndpointData, 'kinds' | 'since'>,
  event: Pick<Stored<EventData>, 'created_at' | 'data'>,
): boolean {
  const { type, data: told } = event.data;
  if (!kinds.some((kind) => asksFor(kind, type)) || event.created_at < since) return false;
  if (!type.startsWith('alert.')) return true;
  const actions = (told.actions ?? []) as { action?: unknown; status?: unknown }[];
  return actions.some(({ action, status }) => action === 'webhook' && status === 'executed');
}

const ALERT_KINDS = ['alert.raised', 'alert.acknowledged', 'alert.cleared'];

/** True when the endpoint is on and asks for any event of alerts. */
export function takesAlerts({ enabled, kinds }: Pick<WebhookEndpointData, 'enabled' | 'kinds'>): boolean {
  return enabled && kinds.some((kind) => ALERT_KINDS.some((type) => asksFor(kind, type)));
}

/** What becomes of a delivery. */
export interface Outcome {
  readonly next: WebhookDeliveryData['state'];
  readonly failed: boolean;
  readonly tries: number;
  readonly error: string | null;
  readonly retry_after_ms: number;
}

/** What an answer means for a delivery that was tried `before` times; `undefined` when it was not sent at all, and `why`. */
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

/** From this try of a delivery to its next. */
export function backoff(tries: number): number {
  return BACKOFF_MS[Math.min(tries, BACKOFF_MS.length) - 1] ?? FIRST_PROBE_MS;
}

/** From this failure in a row of an endpoint to the request that probes it. */
export function probeAfter(failures: number): number {
  return Math.min(FIRST_PROBE_MS * 2 ** Math.min(failures - 1, 10), SLOWEST_PROBE_MS);
}

/** A time to wait for; one that lies too far ahead comes from a clock that was set back, and is over. */
export function waitUntil(at_ms: number, now_ms: number): number {
  return at_ms - now_ms > LONGEST_WAIT_MS && at_ms !== Number.POSITIVE_INFINITY ? now_ms : at_ms;
}
