/** The diagnosis operation. It collects the data about a device, and finds the step at which the data of the device stops. */

import { valueFreshnessAt } from '#contract/base/freshness.ts';
import { type SignalName, signalRow } from '#contract/base/signals.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import { BUCKET, type HmacData } from '#contract/fleet/bucket.ts';
import type { DeviceData } from '#contract/fleet/device.ts';
import type { EquipmentData } from '#contract/fleet/equipment.ts';
import type { DeviceTrail, Transport } from '#contract/fleet/ingest.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Output } from '#contract/operations.ts';
import type { ArtifactData } from '#contract/work/artifact.ts';
import type { RunData, TaskData } from '#contract/work/task.ts';
import { deviceChain } from '#domain/device/chain.ts';
import type { ChainFacts, LatestFile } from '#domain/device/chain-facts.ts';
import { NO_DEVICE, valueChain } from '#domain/device/value-chain.ts';
import { decodeTaskId, isRecording } from '#domain/runs/decode-task.ts';
import { requireRecord } from '#handlers/base/documents.ts';
import { pairsOf, pairWorks, usesOf } from './bucket-pairs.ts';
import { deviceName, oneDevice } from './devices.ts';
import { ourEndpoint, ourPort } from './provision-info.ts';

type Device = Output<'devices_get'>;

/** The operation searches for the newest log among this many of the newest files. */
const LATEST = 20;

/** Returns the state of the run that decodes a file. */
async function runOf(context: HandlerContext, artifact_id: string): Promise<LatestFile['run']> {
  const task = await context.view.get<TaskData>('records', decodeTaskId(artifact_id));
  const id = task?.data.latest_run_id;
  const run = id == null ? undefined : await context.view.get<RunData>('records', id);
  if (run === undefined) return null;
  const { status, error } = run.data;
  return { status, message: error?.message ?? null, remedy: error?.remedy ?? null };
}

/** Returns the newest picture of a camera, or the newest log of another device. */
async function latestFile(context: HandlerContext, device: Device): Promise<LatestFile | null> {
  const isCamera = device.kind === 'camera';
  const where = { 'data.device_id': device.id, ...(isCamera && { 'data.kind': 'frame' }) };
  const found = await context.view.find<ArtifactData>('records', {
    object: 'artifact',
    where,
    order: 'desc',
    limit: isCamera ? 1 : LATEST,
  });
  const file = isCamera ? found[0] : found.find(({ data }) => isRecording(data));
  if (file === undefined) return null;
  const { name, received_at } = file.data;
  return { name: name ?? file.id, received_at, run: isCamera ? null : await runOf(context, file.id) };
}

/**
 * Returns the transport that the device used last. For a device that has never sent, the transport that its kind and credentials suggest.
 */
function transportOf(device: Device, trail: DeviceTrail, pairInUse: boolean): Transport {
  const known = device.state.connectivity?.transport;
  if (known != null) return known;
  if (device.kind === 'camera') return 'http';
  const { refused_login, refused_request } = trail;
  if (refused_request !== null && refused_request.at_ms > (refused_login?.at_ms ?? 0)) return 'http';
  if (refused_login !== null) return 'mqtt';
  return pairInUse || trail.refused_signature !== null ? 'upload' : 'mqtt';
}

function keyState(
  device: Device,
  transport: Transport,
  pair: Stored<HmacData> | undefined,
  revoked_at: string | null,
  now: number,
): ChainFacts['key'] {
  const { credential } = device.state;
  if (transport === 'upload' && pair !== undefined && pairWorks(pair.data, now))
    return { state: 'active', since: pair.data.made_at ?? null };
  if (transport !== 'upload' && credential !== null)
    return credential.status === 'expired'
      ? { state: 'expired', since: credential.expires_at }
      : { state: 'active', since: null };
  return { state: revoked_at === null ? 'none' : 'revoked', since: revoked_at };
}

async function nameOf(context: HandlerContext, id: string | null): Promise<string | null> {
  const found = id === null ? undefined : await context.view.get<{ name: string }>('records', id);
  return found?.data.name ?? null;
}

/** Computes the diagnosis of a device. */
async function diagnose(context: HandlerContext<'bucket' | 'mqtt' | 'trail'>, id: string) {
  const { view, mqtt, caller } = context;
  const record = await requireRecord<DeviceData>(view, 'device', id);
  const device = await oneDevice(context, record);
  const now = Date.parse(context.now);
  const pairs = await pairsOf(context.node, id);
  const uses = await usesOf(context, pairs);
  const trail = context.trail(id);
  // A device with a key pair for the bucket and without a device key can only upload files.
  const onlyPair = device.state.credential === null && pairs.current !== undefined;
  const transport = transportOf(device, trail, uses.size > 0 || onlyPair);
  const machine =
    device.equipment_id === null ? undefined : await view.get<EquipmentData>('records', device.equipment_id);
  const revoked_at = (await deviceName(context, device.device_id))?.data.revoked_at ?? null;
  const facts: ChainFacts = {
    now,
    device,
    transport,
    trail,
    key: keyState(device, transport, pairs.current, revoked_at, now),
    machine:
      machine === undefined
        ? null
        : { unit_number: machine.data.unit_number, retired: machine.data.status === 'decommissioned' },
    location: await nameOf(context, device.location_id),
    file: transport === 'upload' || device.kind === 'camera' ? await latestFile(context, device) : null,
    at: {
      mqtt: mqtt.encryptedOnly ? `${mqtt.host}:${mqtt.tlsPort} (TLS)` : `${mqtt.host}:${mqtt.port}`,
      http: caller.base_url,
      bucket: `${ourEndpoint(context)}:${ourPort(context)}`,
      folder: `${BUCKET}/${device.device_id}/`,
    },
  };
  return { transport, chain: deviceChain(facts) };
}

export const deviceDiagnosisHandlers = handlerGroup(['bucket', 'mqtt', 'trail'], {
  async devices_diagnosis({ id }, context) {
    const { transport, chain } = await diagnose(context, id);
    return { object: 'device_diagnosis', device_id: id, transport, ...chain, checked_at: context.now };
  },

  async equipment_diagnosis({ id, signal: given }, context) {
    const { view, live } = context;
    const signal = given as SignalName;
    await requireRecord<EquipmentData>(view, 'equipment', id);
    const linked = live.devicesOf(id);
    const value = live.equipment(id)?.values[signal];
    const device_id = linked.find((one) => one === value?.device_id) ?? linked[0] ?? null;
    const now = Date.parse(context.now);
    const freshness = valueFreshnessAt(signal, value, now);
    const { label } = signalRow(signal);
    const chain =
      device_id === null
        ? NO_DEVICE
        : valueChain((await diagnose(context, device_id)).chain, {
            now,
            label,
            freshness,
            value,
            heard: live.bus(device_id),
          });
    return {
      object: 'value_diagnosis',
      equipment_id: id,
      signal,
      as_of: value?.observed_at ?? null,
      device_id,
      ...chain,
      checked_at: context.now,
    };
  },
});
