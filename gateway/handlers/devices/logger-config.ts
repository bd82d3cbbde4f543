/**
 * The configuration file of a CAN logger of the CANedge type. The gateway makes the file from the stored configuration, validates it with
 * the logger's own schema, and writes it to the bucket.
 *
 *   request -> replace masks -> add address of this gateway's bucket and key pair -> validate -> encrypt secrets -> `config-XX.XX.json`
 */

import { OperationError } from '#contract/base/errors.ts';
import type { Stored } from '#contract/base/view.ts';
import type { CommonServices } from '#contract/context.ts';
import type { DeviceData } from '#contract/fleet/device.ts';
import type { ConfigProblem, DeviceConfigData } from '#contract/fleet/device-config.ts';
import {
  type Config,
  fieldOf,
  type Heartbeat,
  hasEncrypted,
  heartbeatFacts,
  mergeConfig,
  openSecrets,
  sealedPlaces,
  secretsOf,
  withEncrypted,
  wrongSecrets,
} from '#domain/device/logger-config.ts';
import { readHeartbeat } from '#domain/device/logger-heartbeat.ts';
import { configId } from './logger-config-id.ts';
import { readLoggerObject, stageLoggerObject } from './logger-objects.ts';
import type { LoggerContext } from './logger-services.ts';
import { ourEndpoint, ourServer } from './provision-info.ts';

type Device = Stored<DeviceData>;
const utf8 = new TextEncoder();
const text = new TextDecoder();

/** Decrypts a secret of a device's configuration; undefined if that fails. */
export function openConfigSecret({ sealer }: Pick<CommonServices, 'sealer'>, device: string, sealed: string) {
  return sealer.tryOpen(sealed, configId(device));
}

/** Returns the last heartbeat of a logger (the file `device.json`, which it uploads regularly); undefined before the first heartbeat. */
export async function heartbeatOf(context: LoggerContext, device: Pick<Device, 'id'>): Promise<Heartbeat | undefined> {
  const bytes = await readLoggerObject(context, device, 'device.json');
  const said = bytes && readHeartbeat(bytes);
  return said && heartbeatFacts(said);
}

/** Returns the configuration that the logger uploaded for this firmware; undefined if there is none. */
export async function ownConfig(
  context: LoggerContext,
  device: Pick<Device, 'id'>,
  version: string,
): Promise<Config | undefined> {
  const bytes = await readLoggerObject(context, device, `config-${version}.json`);
  if (bytes === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text.decode(bytes));
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return wrongSecrets(value).length === 0 ? (value as Config) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns true if the gateway writes its bucket address and the logger's key pair into the file of this configuration. The result is false
 * only if the configuration names another server.
 */
export function carriesOurs(context: LoggerContext, config: Config): boolean {
  if (fieldOf(config, 'connect') === undefined) return false;
  const endpoint = fieldOf(config, 'connect', 's3', 'server', 'endpoint');
  if (endpoint === undefined || endpoint === '') return true;
  // A configuration from before a change of "encrypted only" has the other scheme.
  return String(endpoint).replace(/^https?:/, '') === ourEndpoint(context).replace(/^https?:/, '');
}

/** Throws `config_invalid` with the paths of all faults if the configuration does not fit the schema. */
export async function checkBy(context: LoggerContext, schema: string, config: string): Promise<void> {
  const problems: readonly ConfigProblem[] = await context.logger.check(schema, config);
  if (problems.length === 0) return;
  throw new OperationError(
    'config_invalid',
    `The configuration does not fit the schema of this logger's firmware: ${problems[0]?.path} ${problems[0]?.message}`,
    { param: 'config', details: problems },
  );
}

/**
 * Stages (adds to the commit of this call) the configuration file for a firmware and returns its description. `config` is in the stored
 * form, with sealed (encrypted) secrets. `schema` is the schema of the firmware; by default it is the schema that the logger uploaded.
 * Throws `config_invalid` if the configuration does not fit the schema.
 */
export async function stageConfigFile(
  context: LoggerContext,
  device: Device,
  version: string,
  config: Config,
  given?: { readonly schema: string | undefined },
): Promise<NonNullable<DeviceConfigData['file']>> {
  const known = given === undefined ? await readLoggerObject(context, device, `schema-${version}.json`) : undefined;
  const schema = known === undefined ? given?.schema : text.decode(known);
  let plain = openSecrets(config, (sealed) => openConfigSecret(context, device.id, sealed));
  const lost = sealedPlaces(plain);
  if (lost.length > 0)
    throw new OperationError(
      'config_invalid',
      `The stored secret at ${lost.join(', ')} can no longer be decrypted. Store the configuration again with this secret in plain text.`,
      { param: 'config', details: lost.map((path) => ({ path, message: 'cannot be decrypted' })) },
    );
  if (carriesOurs(context, plain)) plain = mergeConfig(plain, await ourServer(context, device));
  if (schema !== undefined) await checkBy(context, schema, JSON.stringify(plain));
  const kpub = (await heartbeatOf(context, device))?.kpub;
  const secrets = secretsOf(plain);
  let made = plain;
  if (kpub !== undefined && secrets.length > 0 && !hasEncrypted(plain)) {
    const { encrypted, kpub: public_key } = context.logger.encrypt(kpub, secrets);
    made = withEncrypted(plain, encrypted, public_key);
    if (schema !== undefined) await checkBy(context, schema, JSON.stringify(made));
  }
  const name = `config-${version}.json`;
  const content = utf8.encode(JSON.stringify(made, null, 2));
  await stageLoggerObject(context, device, name, content, 'application/json');
  return {
    name,
    bytes: content.length,
    crc32: context.logger.crc32(content),
    encrypted: secrets.length === 0 || hasEncrypted(made),
    checked: schema !== undefined,
  };
}
