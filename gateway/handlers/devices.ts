/** Devices: descriptive fields are people's, status is written by connectivity alone; a credential comes from provisioning only. */
import type { HandlerContext, StagedView } from '#contract/context.ts';
import { type DeviceData, type DeviceLive, STATUS_COLOR } from '#contract/device.ts';
import { OperationError } from '#contract/errors.ts';
import type { Output } from '#contract/operations.ts';
import type { Stored } from '#contract/view.ts';
import {
  applyFields,
  checkRevision,
  contextOf,
  mediaFrom,
  requireRecord,
  type WithMedia,
  wireBase,
} from './documents.ts';
import { stageEvent } from './events.ts';
import type { Handlers } from './handler.ts';
import { listPage } from './lists.ts';
import { claimNames, type DeviceNameData, deviceNameId, mintDeviceId } from './names.ts';

type Device = Output<'devices_get'>;
type Data = DeviceData & WithMedia;

/** A device that has never been heard. */
const UNHEARD: DeviceLive = {
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

/** The wire shape of a device; `key_id` is its credential, which alone makes it provisioned until it is heard. */
export function toDevice(document: Stored<Data>, live: DeviceLive | undefined, key_id: string | null): Device {
  const known = live ?? UNHEARD;
  const { media, ...fields } = document.data;
  const status = known.status === 'unassigned' && key_id !== null ? 'provisioned' : known.status;
  return {
    object: 'device',
    ...wireBase(document),
    ...fields,
    ...known,
    status,
    status_color: STATUS_COLOR[status],
    state: key_id === null ? known.state : { ...known.state, credential: { key_id } },
    context: { ...contextOf({ ...(media && { media }) }), device_id: document.id },
  };
}

/** Devices with their live state and credential. */
async function joinDevices(context: HandlerContext, documents: readonly Stored<Data>[]): Promise<Device[]> {
  const ids = documents.map(({ data }) => deviceNameId(context, data.device_id));
  const names = await context.node.getMany<DeviceNameData>('local', ids);
  const keys = new Map(names.map(({ data }) => [data.device, data.key_id]));
  return documents.map((document) =>
    toDevice(document, context.live.device(document.id), keys.get(document.id) ?? null),
  );
}

/** Who holds a hardware-facing id on this gateway. */
export function deviceName(context: HandlerContext, device_id: string): Promise<Stored<DeviceNameData> | undefined> {
  return context.node.get<DeviceNameData>('local', deviceNameId(context, device_id));
}

/** Stages a new device record that holds its hardware-facing id and serial, unheard and without a credential. */
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
  view.stage({ collection: 'live', id, object: 'device', data: UNHEARD, expected: 0 });
  stageEvent(context, view, 'device', id, 'created', { device_id: data.device_id }, id);
  return document;
}

/** The wanted id when it is free; a minted one when another project has it, as if nothing had been there (decisions R12). */
async function freeDeviceId(context: HandlerContext, wanted: string | undefined, text: string): Promise<string> {
  if (wanted === undefined) return mintDeviceId(context, text);
  const holder = await deviceName(context, wanted);
  if (holder === undefined) return wanted;
  if (holder.data.project_id === context.view.project_id)
    throw new OperationError('already_exists', `device_id ${wanted} belongs to ${holder.data.device}.`, {
      param: 'device_id',
      details: [{ device_id: wanted, held_by: holder.data.device }],
    });
  return mintDeviceId(context, wanted);
}

export const deviceHandlers = {
  async devices_create(input, context) {
    const { view } = context;
    if (input.location_id !== undefined) await requireRecord(view, 'location', input.location_id, 'location_id');
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
    return toDevice(document, undefined, null);
  },

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
        // The filter saw the last commit of the fold; what has moved since is not what was asked for.
        return status === undefined ? items : items.filter((item) => item.status === status);
      },
    );
  },

  async devices_get({ id }, context) {
    const [device] = await joinDevices(context, [await requireRecord<Data>(context.view, 'device', id)]);
    if (device === undefined) throw new Error(`device ${id} was lost between two reads`);
    return device;
  },

  async devices_update({ id, context: shown, ...given }, context) {
    const { view } = context;
    const current = await requireRecord<Data>(view, 'device', id);
    checkRevision(context, current);
    const { data, fields } = applyFields(current.data, {
      ...given,
      ...(await mediaFrom(view, shown)),
    } as Partial<Data>);
    if (fields.includes('location_id') && data.location_id !== null)
      await requireRecord(view, 'location', data.location_id, 'location_id');
    if (fields.includes('serial')) {
      const serials = (serial: string | null) => (serial === null ? [] : [serial]);
      await claimNames(context, view, 'serial', id, serials(current.data.serial), serials(data.serial));
    }
    const stages = { collection: 'records', id, object: 'device', data, current, expected: current.revision } as const;
    const document = fields.length === 0 ? current : view.stage<Data>(stages);
    if (fields.length > 0) stageEvent(context, view, 'device', id, 'updated', { fields }, id);
    const [device] = await joinDevices(context, [document]);
    if (device === undefined) throw new Error(`device ${id} was lost between two reads`);
    return device;
  },
} satisfies Handlers;
