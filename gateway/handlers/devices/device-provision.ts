/**
 * Provisioning makes the key of a device. The answer shows the key once; the store keeps its hash. To replace a lost key, a person
 * provisions the same serial again: the same commit revokes the old key, and the log entry is `key_rolled`.
 */

import type { DeviceNameData } from '#contract/base/names.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import type { DeviceData } from '#contract/fleet/device.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Parsed } from '#contract/operations.ts';
import { mintKey, stageKey } from '#handlers/access/keys.ts';
import { requireActive } from '#handlers/base/assignments.ts';
import { requireRecord } from '#handlers/base/documents.ts';
import { stageEvent } from '#handlers/base/events.ts';
import { claimNames, deviceNameId, holderOf, mintDeviceId } from '#handlers/base/names.ts';
import { revokeKeys } from './device-keys.ts';
import { stageLink } from './device-links.ts';
import { stageProvisioned } from './device-status.ts';
import { aboutDevices, deviceName, stageDevice, toDevice } from './devices.ts';

const DAY_MS = 86_400_000;

/** Returns the device with this serial in the project, or a new one. */
async function deviceOf(context: HandlerContext, input: Parsed<'devices_provision'>): Promise<Stored<DeviceData>> {
  const { view } = context;
  const holder = await holderOf(context, view, 'serial', input.serial);
  if (holder !== undefined) return requireRecord<DeviceData>(view, 'device', holder, 'serial');
  const named = input.device_id === undefined ? undefined : await deviceName(context, input.device_id);
  const adopted = named === undefined ? undefined : await adopt(context, named.data, input.serial);
  if (adopted !== undefined) return adopted;
  const wanted = named === undefined ? input.device_id : undefined;
  const device_id = wanted ?? (await mintDeviceId(context, input.device_id ?? input.serial));
  return stageDevice(context, view, {
    device_id,
    name: input.name ?? device_id,
    serial: input.serial,
    kind: input.kind,
    equipment_id: null,
    linked_at: null,
    location_id: input.location_id ?? null,
    expected_interval_s: null,
    labels: {},
    settings: {},
  });
}

/**
 * If a person has created a record with this `device_id` and without a serial, stages (adds to the commit of this call) the serial for that
 * record and returns the record.
 */
async function adopt(
  context: HandlerContext,
  name: DeviceNameData,
  serial: string,
): Promise<Stored<DeviceData> | undefined> {
  const { view } = context;
  if (name.project_id !== view.project_id) return undefined;
  const current = await view.get<DeviceData>('records', name.device);
  if (current === undefined || current.data.serial !== null) return undefined;
  await claimNames(context, view, 'serial', current.id, [], [serial]);
  stageEvent(context, view, 'device', current.id, 'updated', { fields: ['serial'] }, current.id);
  return view.stage<DeviceData>({
    collection: 'records',
    id: current.id,
    object: 'device',
    data: { ...current.data, serial },
    current,
    expected: current.revision,
  });
}

export const provisionHandlers = handlerGroup(['mqtt'], {
  async devices_provision(input, context) {
    const { view, node, mqtt } = context;
    if (input.location_id !== undefined) await requireActive(view, 'location', [input.location_id], 'location_id');
    let device = await deviceOf(context, input);
    if (input.equipment_id !== undefined) device = await stageLink(context, device, input.equipment_id, 'api');
    const { device_id } = device.data;
    const name = await node.get<DeviceNameData>('local', deviceNameId(context, device_id));
    if (name === undefined) throw new Error(`device ${device.id} has no document for its device_id`);
    const expires_at =
      input.expires_in_days === undefined
        ? null
        : new Date(Date.parse(context.now) + input.expires_in_days * DAY_MS).toISOString();
    const minted = mintKey(context, {
      kind: 'device',
      name: device_id,
      role: 'device',
      project_ids: [view.project_id],
      device: device.id,
      device_id,
      expires_at,
    });
    const old = name.data.key_id;
    if (old !== null) await revokeKeys(context, device.id);
    const key = stageKey(context, minted.data);
    node.stage<DeviceNameData>({
      collection: 'local',
      id: name.id,
      object: 'device_name',
      data: { ...name.data, key_id: key.id, rolling: null, revoked_at: null },
      current: name,
      expected: name.revision,
    });
    const live = await stageProvisioned(context, device.id);
    const eventType = old === null ? 'provisioned' : 'key_rolled';
    stageEvent(context, view, 'device', device.id, eventType, { key_id: key.id, revoked_key_id: old }, device.id);
    return {
      object: 'device_provision',
      device: toDevice(device, live, context.now, (await aboutDevices(context, [device])).get(device.id)),
      credential: { key: minted.secret, key_id: key.id, shown_once: true, expires_at },
      mqtt: {
        host: mqtt.host,
        port: mqtt.port,
        tls_port: mqtt.tlsPort || null,
        encrypted_only: mqtt.encryptedOnly,
        username: device_id,
        client_id: device_id,
        topic_prefix: `v1/devices/${device_id}/`,
      },
      http: {
        stream_url: `${context.caller.base_url}/api/v1/devices/stream`,
        telemetry_url: `${context.caller.base_url}/api/v1/devices/${device.id}/telemetry`,
      },
    };
  },
});
