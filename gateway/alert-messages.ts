/**
 * Sends the messages of alerts to devices over MQTT. The broker may not take a message, for example because the queue of a device is full.
 * The gateway then stores which devices did not get it, and sends the present state of the alert to them again until the broker takes it.
 * A message is given up only after seven days, or if more than 5,000 alerts wait; the log of the machine then says so.
 */

import { messageOf, say } from '#contract/base/told.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext, OwnWork } from '#contract/context.ts';
import type { DeviceData } from '#contract/fleet/device.ts';
import type { Health } from '#contract/site/node.ts';
import { type AlertData, MAX_MISSED } from '#contract/work/alert.ts';
import { recordAction, stageUnsent } from '#handlers/work/alert-actions.ts';
import type { Broker } from '#servers/mqtt/broker-types.ts';
import type { Store } from '#store/open-store.ts';
import { walk } from '#store/walk.ts';

/** An alert is published to at most this many devices of its machine, and to at most this many devices without a machine. */
const MOST_DEVICES = 100;
/** After a refused message the gateway waits so many milliseconds, and twice as long after each further refusal. */
const FIRST_WAIT_MS = 5_000;
const LONGEST_WAIT_MS = 60_000;
/** A message is given up at this age, as a webhook delivery is. */
const MAX_AGE_MS = 7 * 86_400_000;
/** If more alerts than this wait, the messages of the oldest one are given up. */
const MOST_WAITING = 5_000;
const TICK_MS = 1_000;

/** What is stored while devices have not got the present state of an alert. */
interface UnsentData {
  readonly alert_id: string;
  /** The devices that did not get it. */
  readonly devices: readonly string[];
  /** When the broker first did not take it. */
  readonly since: string;
  /** True if a device has got the alert while it was active. */
  readonly taken: boolean;
  /** Why the broker did not take it the last time. */
  readonly error: string;
}

/** An alert whose messages wait. */
interface Waiting {
  readonly alert_id: string;
  readonly project_id: string;
  readonly devices: Set<string>;
  readonly since_ms: number;
  taken: boolean;
  error: string;
  refusals: number;
  /** Next try, on the monotonic clock. */
  next_ms: number;
}

interface Options {
  readonly store: Pick<Store, 'view' | 'find'>;
  readonly ownWork: OwnWork;
  /** Undefined on a gateway without a broker. */
  readonly broker: Pick<Broker, 'publish'> | undefined;
  /** Returns the time in milliseconds since 1970. */
  readonly clock: () => number;
  /** Returns the milliseconds of a clock that never decreases. Default: `performance.now`. */
  readonly monotonic?: () => number;
  /** Returns false while the gateway does not trust its clock. Then no message is given up because of its age. */
  readonly agesKnown: () => boolean;
  readonly log: (level: 'info' | 'warn' | 'error', message: string, data?: object) => void;
}

/** The sender of the messages of alerts. */
export interface AlertMessages extends AsyncDisposable {
  /**
   * Executes the action `mqtt` of an alert: sends the alert to its devices and stores the result. While the broker does not take the message
   * of a device, the action stays `pending`.
   */
  execute(alert: Stored<AlertData>): Promise<void>;
  /** Sends a change of an alert to its devices. */
  change(alert: Stored<AlertData>): Promise<void>;
  /** Sends again the messages that are due. The sender also does this itself, once a second. */
  retry(): Promise<void>;
  problems(): Health['problems'];
}

const unsentId = (alert_id: string) => `alert_message_${alert_id}`;

class Sender {
  private readonly options: Options;
  private readonly monotonic: () => number;
  /** The waiting alerts; the one that waits longest is the first. */
  private readonly waiting = new Map<string, Waiting>();
  /** What was published last about each active alert. */
  private readonly published = new Map<string, string>();
  /** The last publish. Each publish begins after the one before it, so that devices get the changes of an alert in their order. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(options: Options) {
    this.options = options;
    this.monotonic = options.monotonic ?? (() => performance.now());
  }

  /** Reads what waited when the gateway stopped. It is sent again at once. */
  async read(): Promise<void> {
    const query = { object: 'alert_message' } as const;
    for await (const { project_id, data } of walk<UnsentData>(this.options.store, 'local', query)) {
      const { alert_id, devices, since, taken, error } = data;
      const since_ms = Date.parse(since);
      const own = { alert_id, project_id, devices: new Set(devices), since_ms, taken, error };
      this.waiting.set(alert_id, { ...own, refusals: 0, next_ms: 0 });
    }
  }

  execute(alert: Stored<AlertData>): Promise<void> {
    return this.inOrder(async () => {
      const { id, project_id, data } = alert;
      // The state was published, and the devices that did not get it wait.
      if (this.waiting.has(id) && this.published.get(id) === textOf(alert)) return;
      this.published.delete(id);
      const devices = await this.publishNow(alert);
      if (devices === 0)
        await this.options.ownWork(project_id, (context) =>
          recordAction(context, id, { action: 'mqtt', status: 'skipped', reason: 'no_device' }),
        );
      else if (!this.waiting.has(id)) await this.options.ownWork(project_id, (own) => stageSent(own, alert, false));
      if (data.state === 'cleared') this.published.delete(id);
    });
  }

  change(alert: Stored<AlertData>): Promise<void> {
    return this.inOrder(async () => {
      await this.publishNow(alert);
    });
  }

  retry(): Promise<void> {
    const due = () => [...this.waiting.values()].filter(({ next_ms }) => next_ms <= this.monotonic());
    if (due().length === 0 && this.waiting.size <= MOST_WAITING) return Promise.resolve();
    return this.inOrder(async () => {
      const surplus = new Set([...this.waiting.values()].slice(0, Math.max(0, this.waiting.size - MOST_WAITING)));
      for (const entry of new Set([...surplus, ...due()])) await this.retryOne(entry, surplus.has(entry));
    });
  }

  settled(): Promise<unknown> {
    return this.last;
  }

  problems(): Health['problems'] {
    const [oldest] = this.waiting.values();
    if (oldest === undefined) return [];
    const [device] = oldest.devices;
    return [
      {
        code: 'alert_messages_waiting',
        ...messageOf(
          say(
            '{n} alert waits to be sent to devices, because the broker does not take the message (device {device}: {error}). The gateway tries again for seven days.|{n} alerts wait to be sent to devices, because the broker does not take the message (device {device}: {error}). The gateway tries again for seven days.',
            { n: this.waiting.size, device: device ?? '', error: oldest.error },
          ),
        ),
        since: new Date(oldest.since_ms).toISOString(),
        given_up: null,
        remedy: 'Connect the light or horn, so that it takes its waiting messages, or delete the device.',
      },
    ];
  }

  private inOrder<T>(act: () => Promise<T>): Promise<T> {
    const done = this.last.then(act);
    this.last = done.catch(() => undefined);
    return done;
  }

  /** Publishes the state of an alert if it has changed since the last time; returns the number of devices. */
  private async publishNow(alert: Stored<AlertData>): Promise<number> {
    const { id, data } = alert;
    const text = textOf(alert);
    const { broker } = this.options;
    const devices = broker === undefined || this.published.get(id) === text ? [] : await this.devicesOf(alert);
    if (data.state === 'active') this.published.set(id, text);
    else this.published.delete(id);
    if (devices.length > 0) await this.sendTo(alert, devices);
    return devices.length;
  }

  private async devicesOf({ project_id, data }: Stored<AlertData>): Promise<string[]> {
    const of = (equipment_id: string | null) =>
      this.options.store.view(project_id).find<DeviceData>('records', {
        object: 'device',
        where: { 'data.equipment_id': equipment_id },
        limit: MOST_DEVICES,
      });
    return [...(await of(data.machine_id)), ...(await of(null))].map((one) => one.data.device_id);
  }

  /** Publishes the state of an alert to these devices, and stores which of them did not get it. */
  private async sendTo(alert: Stored<AlertData>, devices: readonly string[]): Promise<void> {
    const { broker, clock, log } = this.options;
    const { id, project_id, data } = alert;
    const age_s = Math.max(0, Math.floor((clock() - Date.parse(data.raised_at)) / 1000));
    const payload = JSON.stringify({ ...stateOf(alert), age_s });
    const known = this.waiting.get(id);
    const failed: string[] = [];
    let why = '';
    for (const device_id of devices) {
      try {
        await broker?.publish(device_id, 'alerts', payload, false);
        known?.devices.delete(device_id);
      } catch (error) {
        why = error instanceof Error ? error.message : String(error);
        failed.push(device_id);
      }
    }
    const taken = data.state === 'active' && failed.length < devices.length;
    if (known === undefined && failed.length === 0) return;
    const fresh = { alert_id: id, project_id, devices: new Set<string>(), since_ms: clock(), taken: false, error: '' };
    const entry: Waiting = known ?? { ...fresh, refusals: 0, next_ms: 0 };
    for (const device_id of failed) entry.devices.add(device_id);
    entry.taken ||= taken;
    if (entry.devices.size === 0) return this.complete(alert, entry);
    if (failed.length > 0) {
      if (known === undefined)
        log('warn', 'the broker did not take the message of an alert; it is sent again', { alert_id: id, error: why });
      entry.error = why;
      entry.refusals++;
    }
    entry.next_ms = this.monotonic() + Math.min(FIRST_WAIT_MS * 2 ** Math.min(entry.refusals - 1, 10), LONGEST_WAIT_MS);
    this.waiting.set(id, entry);
    await this.options.ownWork(project_id, (context) => stageUnsentNote(context, entry));
  }

  private async retryOne(entry: Waiting, isSurplus: boolean): Promise<void> {
    const { store, clock, agesKnown, log } = this.options;
    const { alert_id, project_id, since_ms } = entry;
    // A change of the alert that was sent in the meantime may have reached all devices.
    if (this.waiting.get(alert_id) !== entry) return;
    const alert = await store.view(project_id).get<AlertData>('live', alert_id);
    if (alert === undefined) return this.forget(entry);
    const isOld = agesKnown() && clock() - since_ms > MAX_AGE_MS;
    if (!isOld && !isSurplus) return this.sendTo(alert, [...entry.devices]);
    await this.options.ownWork(project_id, async (context) => {
      const devices = [...entry.devices];
      await stageUnsent(context, alert_id, { devices, since: new Date(since_ms).toISOString(), error: entry.error });
      await recordAction(context, alert_id, {
        action: 'mqtt',
        status: entry.taken ? 'executed' : 'skipped',
        reason: 'not_taken',
        missed: devices.slice(0, MAX_MISSED),
      });
      await stageNoNote(context, alert_id);
    });
    this.waiting.delete(alert_id);
    log('error', 'the message of an alert was given up', { alert_id, devices: [...entry.devices] });
  }

  /** All devices have got the present state. Stores the result of the action, if it waits. */
  private async complete(alert: Stored<AlertData>, { taken }: Waiting): Promise<void> {
    await this.options.ownWork(alert.project_id, async (context) => {
      await stageSent(context, alert, taken);
      await stageNoNote(context, alert.id);
    });
    this.waiting.delete(alert.id);
  }

  private async forget({ alert_id, project_id }: Waiting): Promise<void> {
    await this.options.ownWork(project_id, (context) => stageNoNote(context, alert_id));
    this.waiting.delete(alert_id);
  }
}

/**
 * Stages the result of the action `mqtt`. If the alert was over before any device got it, the action is skipped: the gateway may have
 * published the alert before a stop, so the devices had to be told that it is over.
 */
function stageSent(context: HandlerContext, alert: Stored<AlertData>, taken: boolean): Promise<void> {
  const isOver = alert.data.state === 'cleared' && !taken;
  const reason = isOver ? ('cleared' as const) : null;
  return recordAction(context, alert.id, { action: 'mqtt', status: isOver ? 'skipped' : 'executed', reason });
}

/** Stages the note which devices have not got the present state of an alert. */
async function stageUnsentNote({ view }: HandlerContext, entry: Waiting): Promise<void> {
  const { alert_id, devices, since_ms, taken, error } = entry;
  const id = unsentId(alert_id);
  const current = await view.get<UnsentData>('local', id);
  const data = { alert_id, devices: [...devices], since: new Date(since_ms).toISOString(), taken, error };
  if (current !== undefined && JSON.stringify(current.data) === JSON.stringify(data)) return;
  const expected = current?.revision ?? 0;
  view.stage<UnsentData>({ collection: 'local', id, object: 'alert_message', data, current, expected });
}

/** Stages the deletion of that note. */
async function stageNoNote({ view }: HandlerContext, alert_id: string): Promise<void> {
  const id = unsentId(alert_id);
  const current = await view.get<UnsentData>('local', id);
  if (current === undefined) return;
  const { data, revision: expected } = current;
  view.stage({ collection: 'local', id, object: 'alert_message', data, current, expected, deleted: true });
}

/** Returns the fields of an alert in its message. */
function stateOf({ id: alert_id, data }: Stored<AlertData>) {
  const { state, severity, rule_id, rule_name, signal_name, machine_id, value, unit, raised_at } = data;
  const acknowledged = data.acknowledged_at !== null;
  return {
    alert_id,
    state,
    acknowledged,
    severity,
    rule_id,
    rule_name,
    signal_name,
    machine_id,
    value,
    unit,
    raised_at,
  };
}

const textOf = (alert: Stored<AlertData>) => JSON.stringify(stateOf(alert));

/** Starts the sender. It first reads what waited when the gateway stopped. */
export async function startAlertMessages(options: Options): Promise<AlertMessages> {
  const sender = new Sender(options);
  await sender.read();
  const warn = (error: unknown) =>
    options.log('warn', 'a message of an alert could not be sent again', { error: String(error) });
  let retrying = false;
  const timer = setInterval(() => {
    if (retrying) return;
    retrying = true;
    sender
      .retry()
      .catch(warn)
      .finally(() => {
        retrying = false;
      });
  }, TICK_MS);
  return {
    execute: (alert) => sender.execute(alert),
    change: (alert) => sender.change(alert),
    retry: () => sender.retry(),
    problems: () => sender.problems(),
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await sender.settled();
    },
  };
}
