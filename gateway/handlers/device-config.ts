/** The configuration that a device should run with; what it says it runs with stands beside it and moves no revision. */
import type { HandlerContext } from '#contract/context.ts';
import type { DeviceData } from '#contract/device.ts';
import { type DeviceConfigData, type DeviceConfigLive, MAX_CONFIG } from '#contract/device-config.ts';
import { OperationError } from '#contract/errors.ts';
import type { Output } from '#contract/operations.ts';
import type { Stored } from '#contract/view.ts';
import { checkRevision, requireRecord } from './documents.ts';
import { stageEvent } from './events.ts';
import type { Handlers } from './handler.ts';

type DeviceConfig = Output<'devices_config_get'>;
const NOT_REPORTED: DeviceConfigLive['reported'] = { revision: null, status: null, applied_at: null, error: null };

/** Id of the configuration of a device, and of what is told of it. */
export function configId(device: string): string {
  return `cfg_${device}`;
}

async function readConfig(context: HandlerContext, device: string) {
  const { view } = context;
  const id = configId(device);
  const desired = await view.get<DeviceConfigData>('records', id);
  return { id, desired, live: await view.get<DeviceConfigLive>('live', id) };
}

function toConfig(
  device: string,
  desired: Stored<DeviceConfigData> | undefined,
  live: DeviceConfigLive | undefined,
): DeviceConfig {
  return {
    object: 'device_config',
    device_id: device,
    revision: desired?.revision ?? 0,
    config: desired?.data.config ?? {},
    reported: live?.reported ?? NOT_REPORTED,
    updated_at: desired?.updated_at ?? null,
  };
}

export const deviceConfigHandlers = {
  async devices_config_get({ id }, context) {
    await requireRecord<DeviceData>(context.view, 'device', id);
    const { desired, live } = await readConfig(context, id);
    return toConfig(id, desired, live?.data);
  },

  async devices_config_put({ id: device, config }, context) {
    const { view } = context;
    await requireRecord<DeviceData>(view, 'device', device);
    const text = JSON.stringify(config);
    if (text.length > MAX_CONFIG)
      throw new OperationError('payload_too_large', `A configuration has at most ${MAX_CONFIG} characters.`, {
        param: 'config',
      });
    const { id, desired, live } = await readConfig(context, device);
    if (desired !== undefined) checkRevision(context, desired);
    else if (context.if_match !== null && context.if_match !== 0)
      throw new OperationError('revision_mismatch', 'The device has no configuration yet.', {
        param: 'If-Match',
        details: [{ current_revision: 0 }],
      });
    if (desired !== undefined && JSON.stringify(desired.data.config) === text)
      return toConfig(device, desired, live?.data);
    const expected = desired?.revision ?? 0;
    const data: DeviceConfigData = { device, config };
    const document = view.stage({
      collection: 'records',
      id,
      object: 'device_config',
      data,
      current: desired,
      expected,
    });
    const told: DeviceConfigLive = { desired: document.revision, reported: live?.data.reported ?? NOT_REPORTED };
    view.stage({
      collection: 'live',
      id,
      object: 'device_config',
      data: told,
      current: live,
      expected: live?.revision ?? 0,
    });
    const fields = { fields: ['config'], config_revision: document.revision };
    stageEvent(context, view, 'device', device, 'updated', fields, device);
    return toConfig(device, document, told);
  },

  async devices_config_ack({ id: device, revision, status, applied_at, error }, context) {
    const { view } = context;
    await requireRecord<DeviceData>(view, 'device', device);
    const { id, desired, live } = await readConfig(context, device);
    const newest = desired?.revision ?? 0;
    if (revision > newest)
      throw new OperationError('parameter_invalid', `The configuration is at revision ${newest}.`, {
        param: 'revision',
      });
    const at = new Date(applied_at ?? context.now).toISOString();
    const known = live?.data.reported ?? NOT_REPORTED;
    const reported = { revision, status, applied_at: at, error: error ?? null };
    const same = known.revision === revision && known.status === status && known.error === reported.error;
    // A device that says again what it said is no news.
    if (same && (applied_at === undefined || known.applied_at === at)) return toConfig(device, desired, live?.data);
    const told: DeviceConfigLive = { desired: newest, reported };
    view.stage({
      collection: 'live',
      id,
      object: 'device_config',
      data: told,
      current: live,
      expected: live?.revision ?? 0,
    });
    stageEvent(context, view, 'device', device, 'config_applied', { ...reported, desired: newest }, device);
    return toConfig(device, desired, told);
  },
} satisfies Handlers;
