/** A logger tells by the checksum in its heartbeat which configuration it runs with: when it is the one that was wanted, that is told. */
import type { BucketDevice } from '#contract/bucket.ts';
import type { DeviceConfigData, DeviceConfigLive } from '#contract/device-config.ts';
import type { View, Write } from '#contract/view.ts';
import { heartbeatFacts } from '#domain/logger-config.ts';
import { configId } from './device-config.ts';

/** The writes that tell it, but the event; undefined when the heartbeat says nothing new of the configuration. */
export async function appliedBy(
  view: Pick<View, 'get'>,
  { device }: BucketDevice,
  said: Readonly<Record<string, unknown>>,
  now: string,
): Promise<{ readonly write: Write; readonly told: Record<string, unknown> } | undefined> {
  const { config_crc32 } = heartbeatFacts(said);
  if (config_crc32 === undefined) return undefined;
  const id = configId(device);
  const desired = await view.get<DeviceConfigData>('records', id);
  if (desired?.data.file?.crc32 !== config_crc32) return undefined;
  const live = await view.get<DeviceConfigLive>('live', id);
  const { revision } = desired;
  if (live?.data.reported.revision === revision && live.data.reported.status === 'applied') return undefined;
  const reported = { revision, status: 'applied', applied_at: now, error: null } as const;
  const data: DeviceConfigLive = { desired: revision, reported };
  return {
    write: { collection: 'live', id, object: 'device_config', data: { ...data }, expected: live?.revision ?? 0 },
    told: { ...reported, desired: revision, crc32: config_crc32 },
  };
}
