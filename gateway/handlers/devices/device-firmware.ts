/** Over-the-air firmware for CAN loggers of the CANedge type. One commit writes the firmware and the configuration for it to the bucket. */

import { OperationError } from '#contract/base/errors.ts';
import type { Stored } from '#contract/base/view.ts';
import type { DeviceData } from '#contract/fleet/device.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Output } from '#contract/operations.ts';
import type { ArtifactData } from '#contract/work/artifact.ts';
import { configVersion, sealSecrets } from '#domain/device/logger-config.ts';
import { readFirmware } from '#domain/device/logger-firmware.ts';
import { requireRecord } from '#handlers/base/documents.ts';
import { stageEvent } from '#handlers/base/events.ts';
import { desiredOf, stageConfig } from './device-config.ts';
import { checkBy, heartbeatOf, ownConfig, stageConfigFile } from './logger-config.ts';
import { configId } from './logger-config-id.ts';
import { getLoggerObject, readLoggerObject, stageLoggerObject, stageNoLoggerObject } from './logger-objects.ts';
import { LOGGER_SERVICES, type LoggerContext } from './logger-services.ts';

type Device = Stored<DeviceData>;
type DeviceFirmware = Output<'devices_firmware_get'>;

const FILE = 'firmware.bin';
const utf8 = new TextEncoder();

async function offeredTo(context: LoggerContext, device: Device): Promise<DeviceFirmware['offered']> {
  const object = await getLoggerObject(context, device, FILE);
  const bytes = object && (await readLoggerObject(context, device, FILE));
  const firmware = bytes && readFirmware(bytes);
  if (object === undefined || firmware === undefined) return null;
  return {
    version: firmware.version,
    model: firmware.model,
    bytes: object.bytes,
    sha256: object.sha256,
    config: `config-${firmware.version.slice(0, 5)}.json`,
    offered_at: new Date(object.modified_ms).toISOString(),
  };
}

async function toFirmware(
  context: LoggerContext,
  device: Device,
  offered: DeviceFirmware['offered'],
): Promise<DeviceFirmware> {
  const running = (await heartbeatOf(context, device))?.firmware ?? null;
  const status = offered === null ? 'none' : offered.version === running ? 'installed' : 'offered';
  return { object: 'device_firmware', device_id: device.id, running, offered, status };
}

/**
 * Ensures that the bucket has a configuration file for the new firmware. If there is no such file, validates the current configuration with
 * the schema of the new firmware, and writes it.
 */
async function stageCarriedConfig(context: LoggerContext, device: Device, version: string, schema: string | undefined) {
  const ready = await readLoggerObject(context, device, `config-${version}.json`);
  if (ready !== undefined) {
    if (schema !== undefined) await checkBy(context, schema, new TextDecoder().decode(ready));
    return;
  }
  const running = configVersion((await heartbeatOf(context, device))?.firmware);
  const known = (await desiredOf(context, device.id))?.config;
  const own = known === undefined && running !== undefined ? await ownConfig(context, device, running) : undefined;
  const config =
    known ?? (own && sealSecrets(own, undefined, (plain) => context.sealer.seal(plain, configId(device.id))).config);
  if (config === undefined)
    throw new OperationError(
      'config_missing',
      `With this firmware the logger would start without a configuration and have no network. Store a configuration with \`firmware\` ${version} first.`,
      { param: 'artifact_id' },
    );
  const file = await stageConfigFile(context, device, version, config, { schema });
  await stageConfig(context, device.id, config, file);
}

export const deviceFirmwareHandlers = handlerGroup(LOGGER_SERVICES, {
  async devices_firmware_get({ id }, context) {
    const device = await requireRecord<DeviceData>(context.view, 'device', id);
    return toFirmware(context, device, await offeredTo(context, device));
  },

  async devices_firmware_put({ id, artifact_id }, context) {
    const { view } = context;
    const device = await requireRecord<DeviceData>(view, 'device', id);
    const artifact = await requireRecord<ArtifactData>(view, 'artifact', artifact_id, 'artifact_id');
    const content = await context.readArtifact(artifact.data.sha256);
    const firmware = content && readFirmware(content);
    if (content === undefined || firmware === undefined)
      throw new OperationError(
        'firmware_invalid',
        'This file is not firmware of a CANedge logger. Use the firmware file that the maker of the logger provides.',
        {
          param: 'artifact_id',
        },
      );
    const type = (await heartbeatOf(context, device))?.type;
    if (type !== undefined && type !== firmware.type)
      throw new OperationError(
        'firmware_invalid',
        `The firmware file is for a ${firmware.model}, but this logger is another model.`,
        {
          param: 'artifact_id',
          details: [{ logger_type: type, firmware_type: firmware.type }],
        },
      );
    const { version, schema, model } = firmware;
    const short = version.slice(0, 5);
    await stageCarriedConfig(context, device, short, schema);
    if (schema !== undefined)
      await stageLoggerObject(context, device, `schema-${short}.json`, utf8.encode(schema), 'application/json');
    const { bytes, sha256 } = await stageLoggerObject(context, device, FILE, content, 'application/octet-stream');
    const config = `config-${short}.json`;
    const offered = { version, model, artifact_id, config, sha256 };
    stageEvent(context, view, 'device', id, 'updated', { fields: ['firmware'], firmware: offered }, id);
    return toFirmware(context, device, { version, model, bytes, sha256, config, offered_at: context.now });
  },

  async devices_firmware_withdraw({ id }, context) {
    const device = await requireRecord<DeviceData>(context.view, 'device', id);
    if (await stageNoLoggerObject(context, device, FILE))
      stageEvent(context, context.view, 'device', id, 'updated', { fields: ['firmware'], firmware: null }, id);
    return toFirmware(context, device, null);
  },
});
