/**
 * Operations on a device: create it with a list of next steps, change its settings, register a worker, end its link to a machine, print a
 * label, and explain why it sends nothing.
 */

import { OperationError } from '#contract/base/errors.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import type { DeviceData } from '#contract/fleet/device.ts';
import type { EquipmentData } from '#contract/fleet/equipment.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Output } from '#contract/operations.ts';
import type { ProjectData } from '#contract/site/project.ts';
import { DEVICE_PLATFORM } from '#domain/runs/run.ts';
import { stageTask } from '#domain/runs/writes.ts';
import { checkRevision, requireRecord } from '#handlers/base/documents.ts';
import { stageEvent } from '#handlers/base/events.ts';
import { oneTask } from '#handlers/tasks/tasks.ts';
import { createDevice, oneDevice } from './devices.ts';

/** Largest number of settings of a device, and largest size of all its settings as JSON in bytes. */
const MOST_SETTINGS = 200;
const MOST_BYTES = 64 * 1024;
/** Host names that are not reachable from another computer. */
const LOOPBACK = /^(localhost|127\..*|\[::1\])$/;

/** Stages (adds to the commit of this call) a new version of the record with an event. */
function stageChange(
  context: HandlerContext,
  current: Stored<DeviceData>,
  change: Partial<DeviceData>,
  type: string,
  eventData: Record<string, unknown>,
): Stored<DeviceData> {
  const { id, revision } = current;
  stageEvent(context, context.view, 'device', id, type, eventData, id);
  const data = { ...current.data, ...change };
  return context.view.stage<DeviceData>({
    collection: 'records',
    id,
    object: 'device',
    data,
    current,
    expected: revision,
  });
}

/** Returns the steps that a person must take until a new device sends data. */
function nextSteps({ id, serial, kind }: Output<'devices_get'>): Output<'devices_new'>['next_steps'] {
  const named = serial === null ? '' : ` with the serial ${serial}`;
  return [
    {
      step: `Provision the hardware${named}. A person gets its key, which is shown once.`,
      tool: null,
      route: 'POST /api/v1/devices/provision',
    },
    ...(kind === 'can_logger'
      ? [
          {
            step: 'If the logger uploads files, fetch the address of the bucket, the access key id and the link to its secret.',
            tool: 'devices_provision_info',
            route: 'POST /api/v1/devices/provision-info',
          },
        ]
      : []),
    {
      step: 'Get suggestions for its machine, and confirm one.',
      tool: 'telemetry_devices_match',
      route: 'POST /api/v1/devices/match-suggestions',
    },
    { step: 'Link it.', tool: 'telemetry_devices_link', route: 'POST /api/v1/devices/link' },
    { step: 'Wait until last_seen_at changes.', tool: 'devices_get', route: `GET /api/v1/devices/${id}` },
  ];
}

/** Changes the settings that `given` names and keeps all others. The value null removes a setting (RFC 7396). */
function mergeSettings(settings: DeviceData['settings'], given: Record<string, unknown>): DeviceData['settings'] {
  const merged = Object.fromEntries(Object.entries({ ...settings, ...given }).filter(([, value]) => value !== null));
  if (Object.keys(merged).length > MOST_SETTINGS || JSON.stringify(merged).length > MOST_BYTES)
    throw new OperationError(
      'parameter_invalid',
      `A device can have at most ${MOST_SETTINGS} settings in ${MOST_BYTES} bytes. Use a configuration file instead.`,
      { param: 'settings' },
    );
  return merged;
}

export const deviceToolHandlers = handlerGroup([], {
  async devices_new({ dry_run: _, ...input }, context) {
    const device = await createDevice(context, input);
    return { object: 'device_new', device, next_steps: nextSteps(device) };
  },

  async devices_settings_update({ id, settings: given }, context) {
    const current = await requireRecord<DeviceData>(context.view, 'device', id);
    checkRevision(context, current);
    const settings = mergeSettings(current.data.settings, given);
    const names = Object.keys({ ...settings, ...current.data.settings });
    const moved = names.filter(
      (name) => JSON.stringify(settings[name]) !== JSON.stringify(current.data.settings[name]),
    );
    if (moved.length === 0) return oneDevice(context, current);
    const eventData = { fields: ['settings'], settings: moved };
    return oneDevice(context, stageChange(context, current, { settings }, 'updated', eventData));
  },

  async devices_worker_register({ id, name, version, capabilities }, context) {
    const current = await requireRecord<DeviceData>(context.view, 'device', id);
    const { registered_at: _, ...known } = current.data.worker ?? { registered_at: null };
    const wanted = { name, version, capabilities };
    if (JSON.stringify(known) === JSON.stringify(wanted)) return oneDevice(context, current);
    const worker = { ...wanted, registered_at: context.now };
    return oneDevice(
      context,
      stageChange(context, current, { worker }, 'updated', { fields: ['worker'], worker: wanted }),
    );
  },

  async devices_worker_run({ id, title, prompt }, context) {
    const { caller } = context;
    const device = await requireRecord<DeviceData>(context.view, 'device', id);
    const { worker } = device.data;
    if (worker == null)
      throw new OperationError('no_worker', 'This device has no worker; register it with devices_worker_register.', {
        param: 'id',
      });
    const links = {
      device_id: id,
      ...(device.data.equipment_id === null ? {} : { equipment_id: device.data.equipment_id }),
    };
    const { task } = stageTask(context, context.view, {
      kind: 'worker',
      title,
      prompt: prompt ?? null,
      created_by: { type: caller.kind, id: caller.id, name: caller.name },
      links,
      run: {
        backend: {
          platform: DEVICE_PLATFORM,
          harness: worker.name,
          provider: null,
          model: worker.version,
          preset: null,
        },
        pins: { [id]: device.revision },
      },
    });
    return oneTask(context, task);
  },

  async devices_unlink({ id, reason }, context) {
    const { view } = context;
    const current = await requireRecord<DeviceData>(view, 'device', id);
    const { equipment_id } = current.data;
    if (equipment_id === null) return oneDevice(context, current);
    const eventData = { device_id: id, equipment_id, ...(reason === undefined ? {} : { reason }) };
    stageEvent(context, view, 'equipment', equipment_id, 'device.unlinked', eventData, id);
    const change = { equipment_id: null, linked_at: null };
    return oneDevice(context, stageChange(context, current, change, 'device.unlinked', eventData));
  },

  async devices_offline_resolution({ id, resolution, until, replaced_by, note }, context) {
    const current = await requireRecord<DeviceData>(context.view, 'device', id);
    if (replaced_by !== undefined) {
      if (resolution !== 'replaced' || replaced_by === id)
        throw new OperationError(
          'parameter_invalid',
          '`replaced_by` is allowed only with the resolution `replaced`, and names the device that replaces this one.',
          {
            param: 'replaced_by',
          },
        );
      await requireRecord(context.view, 'device', replaced_by, 'replaced_by');
    }
    const offline_resolution = {
      resolution,
      until: until === undefined ? null : new Date(until).toISOString(),
      replaced_by: replaced_by ?? null,
      note: note ?? null,
      resolved_at: context.now,
    };
    const { resolved_at: _, ...eventData } = offline_resolution;
    return oneDevice(context, stageChange(context, current, { offline_resolution }, 'offline_resolved', eventData));
  },
});

/** The label with the QR code that people stick on a device. */
export const deviceLabelHandlers = handlerGroup(['mqtt', 'qr'], {
  async devices_label({ id }, context) {
    const { data, project_id } = await requireRecord<DeviceData>(context.view, 'device', id);
    const machine =
      data.equipment_id === null ? undefined : await context.view.get<EquipmentData>('records', data.equipment_id);
    const project = await context.node.get<ProjectData>('records', project_id);
    const base = new URL(context.caller.base_url);
    // The label is scanned on another device, where a loopback address does not work.
    if (LOOPBACK.test(base.hostname)) base.hostname = context.mqtt.host;
    base.hash = `devices/${id}`;
    const lines = [
      data.serial !== null && data.serial !== data.device_id ? `Serial ${data.serial}` : null,
      machine === undefined ? null : `Machine ${machine.data.unit_number}`,
      project?.data.name ?? null,
    ];
    return {
      object: 'device_label',
      device_id: data.device_id,
      name: data.name,
      lines: lines.filter((line) => line !== null),
      url: base.href,
      qr: context.qr(base.href),
    };
  },
});
