/**
 * Operations on the desired configuration of a device. The device reports which configuration it uses. The gateway stores this report in
 * another document, so that the report does not change the revision of the desired configuration.
 */

import { OperationError } from '#contract/base/errors.ts';
import type { Stored } from '#contract/base/view.ts';
import type { DeviceData } from '#contract/fleet/device.ts';
import { type DeviceConfigData, type DeviceConfigLive, MAX_CONFIG } from '#contract/fleet/device-config.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Output } from '#contract/operations.ts';
import {
  type Config,
  configVersion,
  maskSecrets,
  openSecrets,
  sealSecrets,
  wrongSecrets,
} from '#domain/device/logger-config.ts';
import { checkRevision, requireRecord } from '#handlers/base/documents.ts';
import { stageEvent } from '#handlers/base/events.ts';
import { heartbeatOf, openConfigSecret, ownConfig, stageConfigFile } from './logger-config.ts';
import { configId } from './logger-config-id.ts';
import { readLoggerObject } from './logger-objects.ts';
import { LOGGER_SERVICES, type LoggerContext } from './logger-services.ts';

type DeviceConfig = Output<'devices_config_get'>;
const NOT_REPORTED: DeviceConfigLive['reported'] = { revision: null, status: null, applied_at: null, error: null };

/** Returns the stored desired configuration of a device and its file; undefined if there is none. */
export async function desiredOf(context: LoggerContext, device: string): Promise<DeviceConfigData | undefined> {
  return (await readConfig(context, device)).desired?.data;
}

/**
 * Stages (adds to the commit of this call) three writes: the desired configuration of a device, the document that compares it with the last
 * report of the device, and an event.
 */
export async function stageConfig(
  context: LoggerContext,
  device: string,
  config: Config,
  file: DeviceConfigData['file'],
): Promise<{ readonly document: Stored<DeviceConfigData>; readonly live: DeviceConfigLive }> {
  const { view } = context;
  const { id, desired, live: before } = await readConfig(context, device);
  const data: DeviceConfigData = { device, config, file: file ?? null };
  const wanted = { collection: 'records', id, object: 'device_config', data } as const;
  const document = view.stage<DeviceConfigData>({ ...wanted, current: desired, expected: desired?.revision ?? 0 });
  const live: DeviceConfigLive = { desired: document.revision, reported: before?.data.reported ?? NOT_REPORTED };
  const staged = { collection: 'live', id, object: 'device_config', data: live } as const;
  view.stage<DeviceConfigLive>({ ...staged, current: before, expected: before?.revision ?? 0 });
  const fields = { fields: ['config'], config_revision: document.revision };
  stageEvent(context, view, 'device', device, 'updated', fields, device);
  return { document, live };
}

async function readConfig(context: LoggerContext, device: string) {
  const { view } = context;
  const id = configId(device);
  const desired = await view.get<DeviceConfigData>('records', id);
  return { id, desired, live: await view.get<DeviceConfigLive>('live', id) };
}

function toConfig(
  context: LoggerContext,
  device: string,
  desired: Stored<DeviceConfigData> | undefined,
  live: DeviceConfigLive | undefined,
): DeviceConfig {
  const config = desired?.data.config ?? {};
  return {
    object: 'device_config',
    device_id: device,
    revision: desired?.revision ?? 0,
    // Only the device itself receives the secrets.
    config:
      context.caller.kind === 'device'
        ? openSecrets(config, (sealed) => openConfigSecret(context, device, sealed))
        : maskSecrets(config),
    file: desired?.data.file ?? null,
    reported: live?.reported ?? NOT_REPORTED,
    updated_at: desired?.updated_at ?? null,
  };
}

/**
 * Converts a configuration of a request to its stored form: seals (encrypts) its secrets, and replaces each mask (`********`) with the
 * secret that `before` has at the same path. Throws `parameter_invalid` with the paths if a secret is not a string or a mask has no stored
 * secret.
 */
function toKeep(context: LoggerContext, device: string, config: Config, before: Config | undefined): Config {
  const wrong = wrongSecrets(config);
  if (wrong.length > 0)
    throw new OperationError('parameter_invalid', `The secret at ${wrong.join(', ')} must be a string.`, {
      param: 'config',
      details: wrong.map((path) => ({ path })),
    });
  const { config: sealed, unknown } = sealSecrets(
    config,
    before,
    (plain) => context.sealer.seal(plain, configId(device)),
    (secret) => openConfigSecret(context, device, secret) !== undefined,
  );
  if (unknown.length === 0) return sealed;
  throw new OperationError(
    'parameter_invalid',
    `There is no stored secret at ${unknown.join(', ')}. Send the secret itself instead of the mask.`,
    {
      param: 'config',
      details: unknown.map((path) => ({ path })),
    },
  );
}

/**
 * Returns true if two stored configurations are equal. Secrets are decrypted first, because sealing a secret twice gives two different
 * texts.
 */
function isSame(context: LoggerContext, device: string, one: Config, other: Config): boolean {
  const plain = (config: Config) =>
    JSON.stringify(openSecrets(config, (sealed) => openConfigSecret(context, device, sealed)));
  return plain(one) === plain(other);
}

export const deviceConfigHandlers = handlerGroup(LOGGER_SERVICES, {
  async devices_config_get({ id }, context) {
    const device = await requireRecord<DeviceData>(context.view, 'device', id);
    const { desired, live } = await readConfig(context, id);
    const known = toConfig(context, id, desired, live?.data);
    if (desired !== undefined || device.data.kind !== 'can_logger') return known;
    // There is no desired configuration yet. Return the configuration that the device uploaded.
    const version = configVersion((await heartbeatOf(context, device))?.firmware);
    const own = version === undefined ? undefined : await ownConfig(context, device, version);
    return own === undefined ? known : { ...known, config: maskSecrets(own) };
  },

  async devices_config_file({ id }, context) {
    const device = await requireRecord<DeviceData>(context.view, 'device', id);
    const { desired } = await readConfig(context, id);
    const file = desired?.data.file;
    const bytes = file == null ? undefined : await readLoggerObject(context, device, file.name);
    if (file == null || bytes === undefined)
      throw new OperationError(
        'not_found',
        'There is no configuration file for this device. Store its configuration first.',
        {
          param: 'id',
        },
      );
    return { object: 'device_config_file', ...file, content: new TextDecoder().decode(bytes) };
  },

  async devices_config_put({ id: device, config: given, firmware }, context) {
    const { view } = context;
    const record = await requireRecord<DeviceData>(view, 'device', device);
    const text = JSON.stringify(given);
    if (text.length > MAX_CONFIG)
      throw new OperationError('payload_too_large', `A configuration has at most ${MAX_CONFIG} characters.`, {
        param: 'config',
      });
    const { desired, live } = await readConfig(context, device);
    if (desired !== undefined) checkRevision(context, desired);
    else if (context.if_match !== null && context.if_match !== 0)
      throw new OperationError('revision_mismatch', 'The device has no configuration yet.', {
        param: 'If-Match',
        details: [{ current_revision: 0 }],
      });
    const isLogger = record.data.kind === 'can_logger';
    const heartbeat = isLogger ? await heartbeatOf(context, record) : undefined;
    const version = firmware ?? configVersion(heartbeat?.firmware);
    const own = desired === undefined && version !== undefined ? await ownConfig(context, record, version) : undefined;
    const config = isLogger ? toKeep(context, device, given, desired?.data.config ?? own) : given;
    const was = desired?.data.file ?? null;
    const sameFile =
      version === undefined ||
      (was?.name === `config-${version}.json` && (was.encrypted || heartbeat?.kpub === undefined));
    if (desired !== undefined && sameFile && isSame(context, device, desired.data.config, config))
      return toConfig(context, device, desired, live?.data);
    const file = isLogger && version !== undefined ? await stageConfigFile(context, record, version, config) : null;
    const staged = await stageConfig(context, device, config, file);
    return toConfig(context, device, staged.document, staged.live);
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
    // A repeated report changes nothing.
    if (same && (applied_at === undefined || known.applied_at === at))
      return toConfig(context, device, desired, live?.data);
    const now: DeviceConfigLive = { desired: newest, reported };
    view.stage({
      collection: 'live',
      id,
      object: 'device_config',
      data: now,
      current: live,
      expected: live?.revision ?? 0,
    });
    stageEvent(context, view, 'device', device, 'config_applied', { ...reported, desired: newest }, device);
    return toConfig(context, device, desired, now);
  },
});
