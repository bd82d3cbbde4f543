/** Detects from the checksum in a logger's heartbeat that it uses the desired configuration, and records that once. */

import type { Stored, View, Write } from '#contract/base/view.ts';
import type { BucketDevice } from '#contract/fleet/bucket.ts';
import type { DeviceConfigData, DeviceConfigLive } from '#contract/fleet/device-config.ts';
import { heartbeatFacts } from '#domain/device/logger-config.ts';
import { configId } from './logger-config-id.ts';

/** The desired configuration if the checksum in the heartbeat matches its file; otherwise undefined. */
export async function runsWith(
  view: Pick<View, 'get'>,
  { device }: BucketDevice,
  said: Readonly<Record<string, unknown>>,
): Promise<Stored<DeviceConfigData> | undefined> {
  const { config_crc32 } = heartbeatFacts(said);
  if (config_crc32 === undefined) return undefined;
  const desired = await view.get<DeviceConfigData>('records', configId(device));
  return desired?.data.file?.crc32 === config_crc32 ? desired : undefined;
}

/** The writes that record the applied configuration, without the event; undefined if it is already recorded. */
export async function appliedBy(
  view: Pick<View, 'get'>,
  { id, revision, data: wanted }: Stored<DeviceConfigData>,
  now: string,
): Promise<{ readonly write: Write; readonly told: Record<string, unknown> } | undefined> {
  const live = await view.get<DeviceConfigLive>('live', id);
  if (live?.data.reported.revision === revision && live.data.reported.status === 'applied') return undefined;
  const reported = { revision, status: 'applied', applied_at: now, error: null } as const;
  const data: DeviceConfigLive = { desired: revision, reported };
  return {
    write: { collection: 'live', id, object: 'device_config', data: { ...data }, expected: live?.revision ?? 0 },
    told: { ...reported, desired: revision, crc32: wanted.file?.crc32 },
  };
}
