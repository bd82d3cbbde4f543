/**
 * The roll of a logger's key pair, which replaces the pair by a new one. One commit creates the new pair, sets the end time of the old
 * pair, and writes the configuration with the new pair to the bucket. The logger downloads this configuration with the old pair. Then the
 * logger sends a heartbeat (the file `device.json`) that is signed with the new pair and confirms the configuration. This heartbeat ends
 * the old pair.
 */

import type { Stored } from '#contract/base/view.ts';
import type { HmacData } from '#contract/fleet/bucket.ts';
import type { DeviceData } from '#contract/fleet/device.ts';
import { handlerGroup } from '#contract/handler.ts';
import { type Config, configVersion } from '#domain/device/logger-config.ts';
import { requireRecord } from '#handlers/base/documents.ts';
import { stageEvent } from '#handlers/base/events.ts';
import { pairsOf, pairWorks, stageRoll, usesOf } from './bucket-pairs.ts';
import { desiredOf, stageConfig } from './device-config.ts';
import { carriesOurs, heartbeatOf, stageConfigFile } from './logger-config.ts';
import { getLoggerObject } from './logger-objects.ts';
import { LOGGER_SERVICES, type LoggerContext } from './logger-services.ts';
import { stageClaim } from './secret-claims.ts';

const HOUR_MS = 3_600_000;
type Device = Stored<DeviceData>;

/**
 * Returns the configuration into which the gateway writes the key pair, and the firmware versions that need a file with it. Undefined if
 * the logger has no configuration.
 */
async function carrierOf(
  context: LoggerContext,
  device: Device,
): Promise<{ readonly config: Config; readonly file: string; readonly versions: readonly string[] } | undefined> {
  const desired = await desiredOf(context, device.id);
  const file = desired?.file;
  if (desired === undefined || file == null || !carriesOurs(context, desired.config)) return undefined;
  const own = configVersion(/^config-(.+)\.json$/.exec(file.name)?.[1]);
  const running = configVersion((await heartbeatOf(context, device))?.firmware);
  const versions: string[] = [];
  for (const version of new Set([own, running]))
    if (version !== undefined && (await getLoggerObject(context, device, `config-${version}.json`)) !== undefined)
      versions.push(version);
  return versions.length === 0 ? undefined : { config: desired.config, file: file.name, versions };
}

/** Stages (adds to the commit of this call) the configuration files with the current pair, and returns their names. */
async function stageFiles(context: LoggerContext, device: Device): Promise<string[]> {
  const carrier = await carrierOf(context, device);
  if (carrier === undefined) return [];
  const { config, file, versions } = carrier;
  const made = [];
  // The logger may run one firmware and download another. Each firmware reads a different file, so write the new pair to all of them.
  for (const version of versions) made.push(await stageConfigFile(context, device, version, config));
  await stageConfig(context, device.id, config, made.find(({ name }) => name === file) ?? made[0]);
  return made.map(({ name }) => name);
}

export const bucketRollHandlers = handlerGroup(LOGGER_SERVICES, {
  async devices_bucket_key_get({ id }, context) {
    const device = await requireRecord<DeviceData>(context.view, 'device', id);
    const pairs = await pairsOf(context.node, id);
    const uses = await usesOf(context, pairs);
    const { current, before } = pairs;
    const toPair = ({ data }: Stored<HmacData>) => ({
      access_key_id: data.access_key_id,
      made_at: data.made_at ?? null,
      last_used_at: uses.get(data.access_key_id)?.data.last_used_at ?? null,
    });
    const [last] = [...uses.values()].sort((a, b) => b.data.last_used_at.localeCompare(a.data.last_used_at));
    const ends_ms = before?.data.ends_ms ?? null;
    const works = before !== undefined && pairWorks(before.data, Date.parse(context.now));
    const end = ends_ms === null ? null : new Date(ends_ms).toISOString();
    return {
      object: 'bucket_key',
      device_id: id,
      current: current === undefined ? null : toPair(current),
      previous:
        before === undefined
          ? null
          : {
              ...toPair(before),
              ends_at: works ? end : null,
              ended_at: works ? null : (before.data.ended_at ?? end),
            },
      in_use: last?.data.access_key_id ?? null,
      delivery: (await carrierOf(context, device)) === undefined ? 'by_hand' : 'over_the_air',
    };
  },

  async devices_bucket_key_roll({ id, overlap_hours, dry_run }, context) {
    const device = await requireRecord<DeviceData>(context.view, 'device', id);
    const pairs = await pairsOf(context.node, id);
    const ends_ms = Date.parse(context.now) + overlap_hours * HOUR_MS;
    const ends_at = new Date(ends_ms).toISOString();
    const common = { object: 'bucket_key_roll', device_id: id, rolled_at: context.now } as const;
    const previousOf = (pair: Stored<HmacData> | undefined) =>
      pair === undefined ? null : { access_key_id: pair.data.access_key_id, ends_at };
    if (dry_run)
      return {
        ...common,
        access_key_id: null,
        previous: previousOf(pairs.current),
        delivery: (await carrierOf(context, device)) === undefined ? 'by_hand' : 'over_the_air',
        config_files: [],
        secret_ref: null,
        secret_ref_expires_at: null,
      };
    const { made, kept } = await stageRoll(context, device, pairs, ends_ms);
    const { access_key_id } = made.data;
    const previous = previousOf(kept);
    const config_files = await stageFiles(context, device);
    const claim = stageClaim(context, 'hmac', id, access_key_id, context.sealer.open(made.data.sealed, access_key_id));
    const event = previous === null ? 'provisioned' : 'key_rolled';
    stageEvent(context, context.view, 'device', id, event, { access_key_id, previous, config_files }, id);
    return {
      ...common,
      access_key_id,
      previous,
      delivery: config_files.length === 0 ? 'by_hand' : 'over_the_air',
      config_files,
      secret_ref: `/api/v1/devices/${id}/hmac-claims/${claim.id}`,
      secret_ref_expires_at: claim.expires_at,
    };
  },
});
