/**
 * Compares the checksum in a logger's heartbeat (the file `device.json`, which it uploads regularly) with the desired configuration, and
 * records once that the logger uses that configuration.
 */

import type { Stored, View, Write } from '#contract/base/view.ts';
import type { BucketDevice } from '#contract/fleet/bucket.ts';
import type { DeviceConfigData, DeviceConfigLive } from '#contract/fleet/device-config.ts';
import { heartbeatFacts } from '#domain/device/logger-config.ts';
import { configId } from './logger-config-id.ts';

/** Returns the desired configuration if the checksum in the heartbeat matches its file; otherwise undefined. */
export async function runsWith(
  view: Pick<View, 'get'>,
  { device }: BucketDevice,
  heartbeat: Readonly<Record<string, unknown>>,
): Promise<Stored<DeviceConfigData> | undefined> {
  const { config_crc32 } = heartbeatFacts(heartbeat);
  if (config_crc32 === undefined) return undefined;
  const desired = await view.get<DeviceConfigData>('records', configId(device));
  return desired?.data.file?.crc32 === config_crc32 ? desired : undefined;
}

/**
 * Returns the write that records that the logger uses the desired configuration, and the data of the event that the caller must write.
 * Returns undefined if the store already has the report that this revision is applied.
 */
export async function appliedBy(
  view: Pick<View, 'get'>,
  { id, revision, data: wanted }: Stored<DeviceConfigData>,
  now: string,
): Promise<{ readonly write: Write; readonly event: Record<string, unknown> } | undefined> {
  const live = await view.get<DeviceConfigLive>('live', id);
  if (live?.data.reported.revision === revision && live.data.reported.status === 'applied') return undefined;
  const reported = { revision, status: 'applied', applied_at: now, error: null } as const;
  const data: DeviceConfigLive = { desired: revision, reported };
  return {
    write: { collection: 'live', id, object: 'device_config', data: { ...data }, expected: live?.revision ?? 0 },
    event: { ...reported, desired: revision, crc32: wanted.file?.crc32 },
  };
}
