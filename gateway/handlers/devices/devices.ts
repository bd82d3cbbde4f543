/**
 * Operations on device records. People cannot set the status of a device, because the gateway derives it from connections and data. Only
 * the operation `devices_provision` makes a key.
 */

import { OperationError } from '#contract/base/errors.ts';
import { freshnessOf } from '#contract/base/freshness.ts';
import type { DeviceNameData } from '#contract/base/names.ts';
import { ADMINS } from '#contract/base/operation.ts';
import { isSignal } from '#contract/base/signals.ts';
import { say } from '#contract/base/told.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext, StagedView } from '#contract/context.ts';
import {
  type DeviceData,
  type DeviceLive,
  type DeviceState,
  type DeviceStatus,
  isArmed,
  STATUS_COLOR,
} from '#contract/fleet/device.ts';
import type { DeviceConfigLive } from '#contract/fleet/device-config.ts';
import type { Transport } from '#contract/fleet/ingest.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Output, Parsed } from '#contract/operations.ts';
import type { KeyData } from '#contract/site/node.ts';
import { requireActive } from '#handlers/base/assignments.ts';
import {
  applyFields,
  checkRevision,
  contextOf,
  mediaFrom,
  requireRecord,
  type WithMedia,
  wireBase,
} from '#handlers/base/documents.ts';
import { stageEvent } from '#handlers/base/events.ts';
import { listPage } from '#handlers/base/lists.ts';
import { claimNames, deviceNameId, mintDeviceId } from '#handlers/base/names.ts';
import { mediaOf } from '#handlers/base/shown-media.ts';
import { devicesWithPair } from './bucket-pairs.ts';
import { configId } from './logger-config-id.ts';

type Device = Output<'devices_get'>;
type Data = DeviceData & WithMedia;

/** The live state (status and newest values) of a device that has never sent data and has no document in the collection `live`. */
const NEVER_SENT: DeviceLive = {
  status: 'unassigned',
  status_reported_at: null,
  last_seen_at: null,
  state: {},
  observation: null,
  timeline_changes: [],
  metrics: {
    messages_total: 0,
    bytes_total: 0,
    frames_total: 0,
    decode_errors_total: 0,
    dropped_total: 0,
    duplicates_total: 0,
    late_total: 0,
    buffer_depth: null,
    clock_skew_ms: null,
    last_rtt_ms: null,
    rate_per_min: null,
  },
};

/** Data about a device that its record and its live state do not contain. */
interface About {
  readonly credential: DeviceState['credential'];
  /** True if the device has a key, or a key pair for the bucket. */
  readonly provisioned: boolean;
  readonly config: DeviceConfigLive | undefined;
  /** The stored live state of the device; undefined if the gateway has a newer live state in memory. */
  readonly stored: DeviceLive | undefined;
  /** The newest files that the device sent. */
  readonly files: readonly string[] | undefined;
}
/** The data of a device that has no key and no configuration. */
const NOTHING_ABOUT: About = {
  credential: null,
  provisioned: false,
  config: undefined,
  stored: undefined,
  files: undefined,
};

const orNull = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null);

function stateOf(known: DeviceLive, data: Data, { credential, config }: About): DeviceState {
  const { connectivity, ...said } = known.state as {
    connectivity?: { session: string; address: string | null; since: string | null; transport?: Transport | null };
    reported?: Record<string, unknown>;
  };
  return {
    ...said,
    connectivity: connectivity
      ? {
          session: connectivity.session,
          ip: connectivity.address,
          transport: connectivity.transport ?? null,
          since: connectivity.since,
        }
      : null,
    firmware: orNull(said.reported?.firmware),
    hardware: orNull(said.reported?.hardware),
    config: {
      desired: config?.desired ?? null,
      reported: config?.reported.revision ?? null,
      applied_at: config?.reported.applied_at ?? null,
      error: config?.reported.error ?? null,
    },
    credential,
    worker: data.worker ?? null,
  };
}

/** Returns the status of a device. Before the device has sent data, its status depends on its credential. */
function statusOf({ status }: DeviceLive, { provisioned }: About): DeviceStatus {
  if (status !== 'unassigned' && status !== 'provisioned') return status;
  return provisioned ? 'provisioned' : 'unassigned';
}

/** Returns the observation of a device with the freshness of each value at the time `now`. */
function observationAt(observation: DeviceLive['observation'], now: string): DeviceLive['observation'] {
  if (observation === null) return null;
  const now_ms = Date.parse(now);
  const judged = Object.entries(observation.signals).map(([signal, value]) => [
    signal,
    isSignal(signal) ? { ...value, ...freshnessOf(signal, value, now_ms) } : value,
  ]);
  return { ...observation, signals: Object.fromEntries(judged) };
}

/** Converts a device to the API form; `now` is the time of the call. */
export function toDevice(
  document: Stored<Data>,
  live: DeviceLive | undefined,
  now: string,
  about: About = NOTHING_ABOUT,
): Device {
  const known = live ?? about.stored ?? NEVER_SENT;
  const { media, worker: _, offline_resolution, bus_requests, quarantine, ...fields } = document.data;
  const armed = isArmed(document.data);
  const status = statusOf(known, about);
  return {
    object: 'device',
    ...wireBase(document),
    ...fields,
    ...known,
    observation: observationAt(known.observation, now),
    status,
    status_color: STATUS_COLOR[status],
    state: stateOf(known, document.data, about),
    bus_requests: { armed, armed_at: armed ? (bus_requests?.armed_at ?? null) : null },
    quarantine: quarantine ?? null,
    offline_resolution: offline_resolution ?? null,
    context: { ...contextOf({ media: mediaOf(media, about.files) }), device_id: document.id },
  };
}

/** Returns the state of a device's key. */
function credentialOf(
  context: HandlerContext,
  key_id: string,
  key: Pick<KeyData, 'expires_at'> | undefined,
  rolling: string | null | undefined,
): NonNullable<DeviceState['credential']> {
  const expires_at = key?.expires_at ?? null;
  const expired = expires_at !== null && expires_at <= context.now;
  return { key_id, status: expired ? 'expired' : rolling == null ? 'active' : 'rolling', expires_at };
}

/** Returns the credential and configuration of devices, by record id. */
export async function aboutDevices(
  context: HandlerContext,
  documents: readonly Stored<DeviceData>[],
): Promise<Map<string, About>> {
  const ids = documents.map(({ data }) => deviceNameId(context, data.device_id));
  const names = await context.node.getMany<DeviceNameData>('local', ids);
  const keys = await context.node.getMany<KeyData>(
    'local',
    names.flatMap(({ data }) => data.key_id ?? []),
  );
  const keyById = new Map(keys.map(({ id, data }) => [id, data]));
  const nameByDevice = new Map(names.map(({ data }) => [data.device, data]));
  const keyless = documents.filter(({ id }) => (nameByDevice.get(id)?.key_id ?? null) === null);
  const paired = await devicesWithPair(
    context,
    keyless.map(({ id }) => id),
  );
  const configs = await context.view.getMany<DeviceConfigLive>(
    'live',
    documents.map(({ id }) => configId(id)),
  );
  const configById = new Map(configs.map(({ id, data }) => [id, data]));
  const unheard = documents.filter(({ id }) => context.live.device(id) === undefined).map(({ id }) => id);
  const stored = unheard.length === 0 ? [] : await context.view.getMany<DeviceLive>('live', unheard);
  const storedById = new Map(stored.map(({ id, data }) => [id, data]));
  const ownIds = documents.map(({ id }) => id);
  const files = await context.media.newest(context.view.project_id, 'device', ownIds);
  return new Map(
    documents.map(({ id }) => {
      const name = nameByDevice.get(id);
      const key_id = name?.key_id ?? null;
      const credential = key_id === null ? null : credentialOf(context, key_id, keyById.get(key_id), name?.rolling);
      const provisioned = credential !== null || paired.has(id);
      const config = configById.get(configId(id));
      return [id, { credential, provisioned, config, stored: storedById.get(id), files: files.get(id) }];
    }),
  );
}

/** Returns the devices with their live state, credential and configuration. */
async function joinDevices(context: HandlerContext, documents: readonly Stored<Data>[]): Promise<Device[]> {
  const about = await aboutDevices(context, documents);
  return documents.map((document) =>
    toDevice(document, context.live.device(document.id), context.now, about.get(document.id)),
  );
}

/** Converts one device to the API form, with live state, credential and configuration. */
export async function oneDevice(context: HandlerContext, document: Stored<DeviceData>): Promise<Device> {
  const [device] = await joinDevices(context, [document]);
  if (device === undefined) throw new Error(`device ${document.id} was deleted between two reads`);
  return device;
}

/** Returns the document that says which device has a `device_id`; undefined if no device of this gateway has it. */
export function deviceName(context: HandlerContext, device_id: string): Promise<Stored<DeviceNameData> | undefined> {
  return context.node.get<DeviceNameData>('local', deviceNameId(context, device_id));
}

/** Stages (adds to the commit of this call) a new device record with its `device_id` and serial, without a credential. */
export async function stageDevice(context: HandlerContext, view: StagedView, data: Data): Promise<Stored<Data>> {
  const id = context.newId('device');
  if (data.serial !== null) await claimNames(context, view, 'serial', id, [], [data.serial]);
  context.node.stage<DeviceNameData>({
    collection: 'local',
    id: deviceNameId(context, data.device_id),
    object: 'device_name',
    data: { device_id: data.device_id, device: id, project_id: view.project_id, key_id: null },
    expected: 0,
  });
  const document = view.stage({ collection: 'records', id, object: 'device', data, expected: 0 });
  const live: DeviceLive = { ...NEVER_SENT, status_reported_at: context.now };
  view.stage({ collection: 'live', id, object: 'device', data: live, expected: 0 });
  stageEvent(context, view, 'device', id, 'created', { device_id: data.device_id }, id);
  return document;
}

/**
 * Returns the wanted `device_id` if no device has it. If a device of another project has it, returns a generated one, so that the answer
 * does not reveal devices of that project. Throws `already_exists` if a device of the same project has it.
 */
async function freeDeviceId(context: HandlerContext, wanted: string | undefined, text: string): Promise<string> {
  if (wanted === undefined) return mintDeviceId(context, text);
  const holder = await deviceName(context, wanted);
  if (holder === undefined) return wanted;
  if (holder.data.project_id === context.view.project_id)
    throw new OperationError(
      'already_exists',
      say('device_id {wanted} belongs to {device}.', { wanted, device: holder.data.device }),
      {
        param: 'device_id',
        details: [{ device_id: wanted, held_by: holder.data.device }],
      },
    );
  return mintDeviceId(context, wanted);
}

/**
 * Throws `permission_denied` if the request changes budgets and the caller is not an owner or admin. Budgets protect the disk of the
 * gateway.
 */
function checkBudgets({ caller }: HandlerContext, before: Data['settings'], wanted: Data['settings']): void {
  const same = JSON.stringify(before.budgets ?? null) === JSON.stringify(wanted.budgets ?? null);
  if (same || (caller.role !== null && ADMINS.includes(caller.role))) return;
  throw new OperationError('permission_denied', 'Only owners and admins can change `settings.budgets`.', {
    param: 'settings',
  });
}

/** Creates the record of a device, without a credential. */
export async function createDevice(context: HandlerContext, input: Parsed<'devices_create'>): Promise<Device> {
  const { view } = context;
  if (input.location_id !== undefined) await requireActive(view, 'location', [input.location_id], 'location_id');
  const device_id = await freeDeviceId(context, input.device_id, input.name ?? input.serial ?? input.kind);
  const document = await stageDevice(context, view, {
    device_id,
    name: input.name ?? device_id,
    serial: input.serial ?? null,
    kind: input.kind,
    equipment_id: null,
    linked_at: null,
    location_id: input.location_id ?? null,
    expected_interval_s: input.expected_interval_s ?? null,
    labels: input.labels ?? {},
    settings: {},
    ...(await mediaFrom(view, input.context)),
  });
  return oneDevice(context, document);
}

export const deviceHandlers = handlerGroup([], {
  devices_create: (input, context) => createDevice(context, input),

  async devices_list(input, context) {
    const { status, kind, equipment_id, location_id, device_id, serial } = input;
    return listPage<Data, Device>(
      context,
      context.view,
      'records',
      input,
      {
        object: 'device',
        where: {
          'data.serial': serial,
          'data.device_id': device_id,
          'data.equipment_id': equipment_id,
          'data.location_id': location_id,
          'data.kind': kind,
        },
        text: ({ data }) => [data.name, data.device_id, data.serial],
        live: { 'data.status': status },
      },
      async (documents) => {
        const items = await joinDevices(context, documents);
        // The filter read the stored status, which may be older than the status in memory. So leave out devices with another status in
        // memory.
        return status === undefined ? items : items.filter((item) => item.status === status);
      },
    );
  },

  async devices_get({ id }, context) {
    return oneDevice(context, await requireRecord<Data>(context.view, 'device', id));
  },

  async devices_update({ id, context: shown, ...given }, context) {
    const { view } = context;
    const current = await requireRecord<Data>(view, 'device', id);
    checkRevision(context, current);
    if (given.settings !== undefined) checkBudgets(context, current.data.settings, given.settings);
    const { data, fields } = applyFields(current.data, {
      ...given,
      ...(await mediaFrom(view, shown)),
    } as Partial<Data>);
    if (fields.includes('location_id') && data.location_id !== null)
      await requireActive(view, 'location', [data.location_id], 'location_id');
    if (fields.includes('serial')) {
      const serials = (serial: string | null) => (serial === null ? [] : [serial]);
      await claimNames(context, view, 'serial', id, serials(current.data.serial), serials(data.serial));
    }
    const stages = { collection: 'records', id, object: 'device', data, current, expected: current.revision } as const;
    const document = fields.length === 0 ? current : view.stage<Data>(stages);
    if (fields.length > 0) stageEvent(context, view, 'device', id, 'updated', { fields }, id);
    return oneDevice(context, document);
  },
});
