/**
 * Plans the writes that raise or clear an alert: an event in the log of its machine or device, and the alert document, which the gateway
 * computes from the events of the alert.
 */

import type { EventData } from '#contract/base/event.ts';
import { makeId } from '#contract/base/ids.ts';
import type { ProjectWrite } from '#contract/base/view.ts';
import type { AlertData } from '#contract/work/alert.ts';
import { MAX_ENDPOINTS, type WebhookEndpointData } from '#contract/work/webhook.ts';
import { type AlertFact, applyAlertFact, joinedFact, raisedFact, repeatedFields } from '#domain/work/alert-facts.ts';
import type { Measured, Open, Raise, Verdict } from '#domain/work/alerts.ts';
import type { Store } from '#store/open-store.ts';
import type { Rule, Target } from './alert-targets.ts';
import { takesAlerts } from './webhook-rules.ts';

/** The machine or device of an alert. Its log gets the event of the alert. */
export type Home = Pick<Target, 'id' | 'project_id' | 'object'>;

/** A rule that joins an open alert instead of raising a second alert. */
interface Join {
  readonly alert_id: string;
  readonly rule: Rule;
  readonly measured: Measured;
}

/** An alert to clear, to raise, or both; or a rule that joins an open alert. */
export interface Step {
  readonly home: Home;
  /** The open alert; null when there is none. */
  readonly open: Open | null;
  readonly clear: Verdict['clear'];
  readonly raise: { readonly verdict: Raise; readonly rule: Rule } | null;
  readonly join?: Join;
}

/** The planned writes of a `Step`, and their result. */
export interface Written {
  readonly writes: readonly ProjectWrite[];
  /** The open alert after the writes; null when there is none. */
  readonly open: Open | null;
  /** True if the rule has joined the open alert. */
  readonly joined: boolean;
}

/** Returns a function that plans the writes of a `Step`. The commit of a write fails if the alert has changed after it was read. */
export function createAlertWrites(
  store: Pick<Store, 'view'>,
  random: (bytes: number) => Uint8Array,
): (step: Step, now: string) => Promise<Written> {
  let made = 0;

  function eventWrite(
    { id, project_id, object }: Home,
    type: AlertFact['type'],
    at: string,
    occurred_at: string,
    data: object,
    device_id: string | null,
  ): ProjectWrite {
    // All ids that are made in one tick (one pass of the watcher) contain the same time. A counter after the time makes them sort in the
    // order of their creation (RFC 9562 6.2, method 1).
    const bytes = random(10);
    made = (made + 1) & 0xfff;
    bytes[0] = made >> 8;
    bytes[1] = made & 0xff;
    const event: EventData = {
      type,
      subject: { object, id },
      occurred_at,
      source: 'headframe',
      source_event_id: null,
      actor: { type: 'service', id: null, name: null },
      data: { ...data },
      context: { run_id: null, device_id, media: [] },
    };
    return {
      collection: 'events',
      id: makeId('event', Date.parse(at), bytes),
      object: 'event',
      project_id,
      data: { ...event },
      expected: 0,
      at,
    };
  }

  /** Returns true if a webhook endpoint of the project asks for alert events. */
  async function hasWebhook(project_id: string): Promise<boolean> {
    const query = { object: 'webhook_endpoint', limit: MAX_ENDPOINTS };
    const endpoints = await store.view(project_id).find<WebhookEndpointData>('local', query);
    return endpoints.some(({ data }) => takesAlerts(data));
  }

  async function clearWrites({ home, open, clear }: Step, now: string): Promise<ProjectWrite[]> {
    if (open === null || clear === null) return [];
    const { alert_id } = open;
    const current = await store.view(home.project_id).get<AlertData>('live', alert_id);
    if (current === undefined) return [];
    const alert = applyAlertFact(current.data, { type: 'alert.cleared', at: now, data: { because: clear } });
    if (alert === undefined || alert === current.data) return [];
    const details = { alert_id, ...repeatedFields(alert), because: clear };
    return [
      eventWrite(home, 'alert.cleared', now, now, details, alert.device_id),
      alertWrite(home, alert_id, alert, now, current.revision),
    ];
  }

  /** Returns the writes that make a rule join an open alert; undefined if that alert is no longer open. */
  async function joinWrites({ home, open, clear }: Step, join: Join, now: string): Promise<ProjectWrite[] | undefined> {
    const { alert_id, rule, measured } = join;
    const current = await store.view(home.project_id).get<AlertData>('live', alert_id);
    if (current?.data.state !== 'active') return undefined;
    const verdict: Raise = { condition: rule.service == null ? 'threshold' : 'service', late: false, measured };
    const raised = raisedFact(alert_id, rule, home.id, verdict, await hasWebhook(home.project_id));
    const data = joinedFact(current.data, raised, clear === 'joined' ? (open?.alert_id ?? null) : null);
    const alert = applyAlertFact(current.data, { type: 'alert.joined', at: now, data });
    if (alert === undefined || alert === current.data) return [];
    const details = { alert_id, ...repeatedFields(alert), ...data };
    const occurred = new Date(measured.observed_ms).toISOString();
    return [
      eventWrite(home, 'alert.joined', now, occurred, details, measured.device_id),
      alertWrite(home, alert_id, alert, now, current.revision),
    ];
  }

  return async (step, now) => {
    const { home, open, clear, raise, join } = step;
    const joining = join === undefined ? [] : await joinWrites(step, join, now);
    if (joining === undefined) return { writes: [], open, joined: false };
    const writes = [...joining, ...(await clearWrites(step, now))];
    if (raise === null) return { writes, open: clear === null ? open : null, joined: join !== undefined };
    const { rule, verdict } = raise;
    const { condition, late, measured } = verdict;
    const alert_id = makeId('alert', Date.parse(now), random(10));
    const machine_id = home.object === 'equipment' ? home.id : null;
    const data = raisedFact(alert_id, rule, machine_id, verdict, await hasWebhook(home.project_id));
    const device_id = home.object === 'device' ? home.id : data.device_id;
    const fact: AlertFact = { type: 'alert.raised', at: now, data: { ...data, device_id } };
    const occurred = condition === 'no_data' ? now : new Date(measured.observed_ms).toISOString();
    writes.push(
      eventWrite(home, 'alert.raised', now, occurred, fact.data, device_id),
      alertWrite(home, alert_id, applyAlertFact(undefined, fact) as AlertData, now, 0),
    );
    return { writes, open: { alert_id, condition, late, raised_ms: Date.parse(now) }, joined: false };
  };
}

function alertWrite(home: Home, id: string, data: AlertData, at: string, expected: number): ProjectWrite {
  return { collection: 'live', id, object: 'alert', project_id: home.project_id, data: { ...data }, expected, at };
}
