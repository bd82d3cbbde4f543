/** Connects the actions of alerts with the tickets and with the broker. */

import type { Stored } from '#contract/base/view.ts';
import type { OwnWork } from '#contract/context.ts';
import type { DeviceData } from '#contract/fleet/device.ts';
import type { AlertData } from '#contract/work/alert.ts';
import { recordAction, stageAlertTicket } from '#handlers/work/alert-actions.ts';
import type { Broker } from '#servers/mqtt/broker-types.ts';
import type { Store } from '#store/open-store.ts';
import type { Performers } from '#watchers/alert-actions.ts';

/** An alert is published to at most this many devices of its machine, and to at most this many devices without a machine. */
const MOST_DEVICES = 100;

/** Returns the functions that execute the actions of alerts. Without a broker, the action `mqtt` is skipped. */
export function createPerformers(options: {
  readonly store: Pick<Store, 'view'>;
  readonly ownWork: OwnWork;
  readonly broker: Pick<Broker, 'publish'> | undefined;
  readonly clock: () => number;
  readonly log: (level: 'info' | 'warn' | 'error', message: string, data?: object) => void;
}): Performers {
  const { store, ownWork, broker, clock, log } = options;
  /** What was published last about each active alert. */
  const published = new Map<string, string>();

  async function devicesOf({ project_id, data }: Stored<AlertData>): Promise<string[]> {
    const of = (equipment_id: string | null) =>
      store.view(project_id).find<DeviceData>('records', {
        object: 'device',
        where: { 'data.equipment_id': equipment_id },
        limit: MOST_DEVICES,
      });
    return [...(await of(data.machine_id)), ...(await of(null))].map((one) => one.data.device_id);
  }

  /** The last publish. Each publish begins after the one before it, so that devices get the changes of an alert in their order. */
  let last: Promise<unknown> = Promise.resolve();
  function publish(alert: Stored<AlertData>): Promise<number> {
    const done = last.then(() => publishNow(alert));
    last = done.catch(() => undefined);
    return done;
  }

  /** Publishes the state of an alert if it has changed since the last time; returns the number of devices. */
  async function publishNow(alert: Stored<AlertData>): Promise<number> {
    const { id, data } = alert;
    const state = { alert_id: id, ...shown(data) };
    const text = JSON.stringify(state);
    const devices = broker === undefined || published.get(id) === text ? [] : await devicesOf(alert);
    if (data.state === 'active') published.set(id, text);
    else published.delete(id);
    const age_s = Math.max(0, Math.floor((clock() - Date.parse(data.raised_at)) / 1000));
    const payload = JSON.stringify({ ...state, age_s });
    for (const device_id of devices)
      await broker?.publish(device_id, 'alerts', payload, false).catch((error: unknown) => {
        log('warn', 'an alert could not be published to a device', { device_id, alert_id: id, error: String(error) });
      });
    return devices.length;
  }

  return {
    ticket: ({ id, project_id }) => ownWork(project_id, (context) => stageAlertTicket(context, id)),
    async mqtt(alert) {
      published.delete(alert.id);
      const devices = await publish(alert);
      // The gateway stopped before it stored the result. It may have published the alert before, so a device needs to know that it is over.
      const isOver = alert.data.state === 'cleared';
      const reason = devices === 0 ? ('no_device' as const) : isOver ? ('cleared' as const) : null;
      const status = reason === null ? ('executed' as const) : ('skipped' as const);
      await ownWork(alert.project_id, (context) => recordAction(context, alert.id, { action: 'mqtt', status, reason }));
    },
    changed(alert) {
      publish(alert).catch((error: unknown) => {
        log('warn', 'a change of an alert could not be published', { alert_id: alert.id, error: String(error) });
      });
    },
  };
}

/** The fields of an alert in its message. */
function shown(alert: AlertData) {
  const { state, severity, rule_id, rule_name, signal_name, machine_id, value, unit, raised_at } = alert;
  const acknowledged = alert.acknowledged_at !== null;
  return { state, acknowledged, severity, rule_id, rule_name, signal_name, machine_id, value, unit, raised_at };
}
