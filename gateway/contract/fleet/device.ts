/** Device: the hardware that sends data. The gateway computes the status of a device only from its connection and its messages. */
import { z } from 'zod';
import {
  base,
  Context,
  freshnessFields,
  Id,
  idPath,
  Labels,
  LabelsInput,
  listOf,
  MediaInput,
  searchQuery,
  Timestamp,
} from '#contract/base/common.ts';
import { eventOperations } from '#contract/base/event.ts';
import { ADMINS, HINTS, operation, V1 } from '#contract/base/operation.ts';
import { shown } from '#contract/base/shown.ts';
import { DeviceSettings } from './bus.ts';
import { DeviceMetrics } from './device-metrics.ts';
import { TRANSPORTS } from './ingest.ts';
import { MAX_POINTS, TelemetryAck, TelemetryPoint } from './telemetry.ts';

export const DEVICE_STATUS = ['unassigned', 'provisioned', 'online', 'offline', 'transmitting', 'fault'] as const;
export type DeviceStatus = (typeof DEVICE_STATUS)[number];
const DEVICE_KIND = ['can_logger', 'camera', 'gateway', 'generic'] as const;

/** Name of the theme colour that screens use for each status of a device. */
export const STATUS_COLOR = {
  unassigned: 'gray',
  provisioned: 'blue',
  online: 'teal',
  transmitting: 'green',
  offline: 'amber',
  fault: 'red',
} as const satisfies Record<DeviceStatus, string>;

export const Observation = z
  .object({
    id: z.string(),
    observed_at: Timestamp,
    received_at: Timestamp,
    late: z.boolean().meta({ description: 'True when the data was old on arrival.' }),
    signals: z.record(
      z.string(),
      z.object({
        value: z.number(),
        unit: z.string(),
        observed_at: Timestamp,
        ref: z.string().nullable(),
        ...freshnessFields,
      }),
    ),
  })
  .meta({ id: 'Observation', description: 'Latest normalized values that the device sent.' });

export const RESOLUTIONS = ['retired', 'no_power', 'no_coverage', 'replaced', 'maintenance', 'unknown'] as const;
const OfflineResolution = z.object({
  resolution: z.enum(RESOLUTIONS),
  until: Timestamp.nullable(),
  replaced_by: z.string().nullable(),
  note: z.string().nullable(),
  resolved_at: Timestamp,
});

/** Quarantine of a device: when it began, its reason, and who set it. */
const Quarantine = z.object({ since: Timestamp, reason: z.string().nullable(), by: z.string() });

const WorkerShape = z.object({
  name: z.string(),
  version: z.string(),
  capabilities: z.array(z.string()),
  registered_at: Timestamp,
});

/** State of a device: connection, firmware, configuration and credential, and any other fields that the device reported about itself. */
const DeviceState = z.looseObject({
  connectivity: z
    .object({
      session: z.string().meta({ description: '`open` or `closed`; `none` if the device keeps none.' }),
      ip: z.string().nullable(),
      transport: z.enum(TRANSPORTS).nullable().meta({ description: 'Transport of its last message.' }),
      since: Timestamp.nullable(),
    })
    .nullable(),
  firmware: z.string().nullable(),
  hardware: z.string().nullable(),
  config: z.object({
    desired: z.number().int().nullable().meta({ description: 'Revision of the desired configuration.' }),
    reported: z.number().int().nullable(),
    applied_at: Timestamp.nullable(),
    error: z.string().nullable(),
  }),
  credential: z
    .object({
      key_id: z.string(),
      status: z.enum(['active', 'rolling', 'expired']),
      expires_at: Timestamp.nullable(),
    })
    .nullable(),
  worker: WorkerShape.nullable(),
});
export type DeviceState = z.infer<typeof DeviceState>;

export const Device = z
  .object({
    object: z.literal('device'),
    ...base,
    device_id: z.string().meta({ description: 'Id that the hardware uses; its MQTT user name.' }),
    name: z.string(),
    serial: z.string().nullable(),
    kind: shown(DEVICE_KIND),
    equipment_id: z.string().nullable().meta({ description: 'The machine that it is linked to.' }),
    linked_at: Timestamp.nullable(),
    location_id: z.string().nullable(),
    expected_interval_s: z.number().nullable().meta({ description: 'Expected seconds between messages.', unit: 's' }),
    labels: Labels,
    settings: z.record(z.string(), z.unknown()),
    status: z.enum(DEVICE_STATUS).meta({ description: 'Computed by the gateway.' }),
    status_color: z.string().meta({ description: 'Theme token of the status.' }),
    status_reported_at: Timestamp.nullable(),
    last_seen_at: Timestamp.nullable().meta({ description: 'Time of the last message of any kind.' }),
    state: DeviceState,
    bus_requests: z.object({ armed: z.boolean(), armed_at: Timestamp.nullable() }).meta({
      description: 'Whether it may send requests on the bus of its machine; see PUT /devices/{id}/bus-requests.',
    }),
    quarantine: Quarantine.nullable().meta({ description: 'Set while the device is quarantined.' }),
    offline_resolution: OfflineResolution.nullable().meta({
      description: 'Reason for its silence, as recorded by a person.',
    }),
    observation: Observation.nullable(),
    timeline_changes: z.array(
      z.object({ at: Timestamp, field: z.string(), from: z.string().nullable(), to: z.string(), reason: z.string() }),
    ),
    metrics: DeviceMetrics,
    context: Context,
  })
  .meta({ id: 'Device', description: 'Reporting hardware.' });
export type Device = z.infer<typeof Device>;

/** The stored record of a device. `DeviceLive` has the fields of the API object that are not here. */
export const DeviceData = z.object({
  device_id: z.string(),
  name: z.string(),
  serial: z.string().nullable(),
  kind: z.enum(DEVICE_KIND),
  equipment_id: z.string().nullable(),
  linked_at: Timestamp.nullable(),
  location_id: z.string().nullable(),
  expected_interval_s: z.number().nullable(),
  labels: Labels,
  settings: z.record(z.string(), z.unknown()),
  worker: WorkerShape.nullable().optional(),
  offline_resolution: OfflineResolution.nullable().optional(),
  quarantine: Quarantine.nullable().optional(),
  /**
   * The machine and the time of the link for which an admin allowed requests on the bus. A new link has another time, so the permission
   * does not apply to it.
   */
  bus_requests: z
    .object({ equipment_id: z.string(), linked_at: Timestamp.nullable(), armed_at: Timestamp })
    .nullable()
    .optional(),
});
export type DeviceData = z.infer<typeof DeviceData>;

/** Returns true if the device may send requests on the bus: an admin allowed them for its current link to a machine. */
export function isArmed(data: Pick<DeviceData, 'bus_requests' | 'equipment_id' | 'linked_at'>): boolean {
  const { bus_requests: armed, equipment_id, linked_at } = data;
  return armed != null && armed.equipment_id === equipment_id && armed.linked_at === linked_at;
}

/** Live state of a device (its status and newest values), stored in the collection `live` under the id of the device. */
export interface DeviceLive {
  status: DeviceStatus;
  status_reported_at: string | null;
  last_seen_at: string | null;
  state: Record<string, unknown>;
  observation: z.infer<typeof Observation> | null;
  timeline_changes: { at: string; field: string; from: string | null; to: string; reason: string }[];
  metrics: DeviceMetrics;
}

/** A `device_id` is an MQTT user name and a topic level, so it has no wildcard, no `/` and no control character. */
export const DeviceId = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/,
    'letters, digits and . _ : - only, 64 at most, starting with a letter or digit',
  );

const descriptive = {
  name: z.string().trim().min(1).max(120),
  serial: z.string().trim().min(1).max(120),
  location_id: Id.nullable(),
  expected_interval_s: z.number().positive().max(86_400).nullable().meta({ unit: 's' }),
  labels: LabelsInput,
  settings: DeviceSettings,
};

export const deviceCreateInput = {
  device_id: DeviceId.optional().meta({ description: 'Default: made from the name.' }),
  name: descriptive.name.optional(),
  serial: descriptive.serial.optional(),
  kind: z.enum(DEVICE_KIND).default('generic'),
  location_id: Id.optional(),
  expected_interval_s: descriptive.expected_interval_s.optional(),
  labels: LabelsInput.optional(),
  context: MediaInput.optional(),
};

const deviceUpdateInput = {
  name: descriptive.name.optional(),
  serial: descriptive.serial.nullable().optional(),
  location_id: descriptive.location_id.optional(),
  expected_interval_s: descriptive.expected_interval_s.optional(),
  labels: LabelsInput.optional(),
  settings: descriptive.settings.optional(),
  context: MediaInput.optional(),
};

const deviceListQuery = {
  ...searchQuery,
  status: z.enum(DEVICE_STATUS).optional(),
  kind: z.enum(DEVICE_KIND).optional(),
  equipment_id: Id.optional(),
  location_id: Id.optional(),
  device_id: z.string().max(64).optional(),
  serial: z.string().max(120).optional(),
};

const provisionInput = {
  serial: descriptive.serial.meta({
    description: 'Serial number of the hardware. An unknown one creates a new device.',
  }),
  device_id: DeviceId.optional().meta({
    description: 'Desired device_id. If absent or already used, it is made from the serial.',
  }),
  kind: z.enum(DEVICE_KIND).default('can_logger'),
  name: descriptive.name.optional(),
  equipment_id: Id.optional(),
  location_id: Id.optional(),
  expires_in_days: z.number().int().min(1).max(3650).optional(),
};

const DeviceProvision = z
  .object({
    object: z.literal('device_provision'),
    device: Device,
    credential: z.object({
      key: z.string().nullable().meta({ description: 'The device key, shown only once.' }),
      key_id: z.string(),
      shown_once: z.literal(true),
      expires_at: Timestamp.nullable(),
    }),
    mqtt: z.object({
      host: z.string(),
      port: z.number().int().meta({ description: 'Port without TLS.' }),
      tls_port: z.number().int().nullable().meta({ description: 'Port with TLS; null if there is none.' }),
      encrypted_only: z.boolean().meta({ description: 'True if the device can use only the port with TLS.' }),
      username: z.string(),
      client_id: z.string(),
      topic_prefix: z.string(),
    }),
    http: z.object({
      stream_url: z.string().meta({ description: 'Where a camera posts its frames.' }),
      telemetry_url: z.string(),
    }),
  })
  .meta({ id: 'DeviceProvision', description: 'A provisioned device and its one-time credential.' });

const linkInput = {
  project_id: Id.optional(),
  links: z
    .array(
      z.object({
        serial: z.string().min(1).max(120).meta({ description: 'Serial or device_id of the device.' }),
        equipment_id: Id,
        source: z.enum(['api', 'mcp', 'ui', 'setup', 'match', 'import', 'sync']).default('api'),
      }),
    )
    .min(1)
    .max(200),
};

const DeviceLink = z
  .object({
    object: z.literal('device_link'),
    serial: z.string(),
    device_id: z.string().nullable().meta({ description: 'Record id of the device.' }),
    equipment_id: z.string(),
    result: z
      .enum(['linked', 'unchanged', 'relinked', 'error'])
      .meta({ description: 'A link does not mean that the device sends; see last_seen_at.' }),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    linked_at: Timestamp.nullable(),
    source: z.string(),
  })
  .meta({ id: 'DeviceLink' });

const telemetryInput = { points: z.array(TelemetryPoint).min(1).max(MAX_POINTS) };

const events = eventOperations('devices', 'device');

/** Operations on devices. */
export const deviceOperations = {
  devices_create: operation({
    example: { name: 'Logger on HT-104', serial: 'CL-2045113', kind: 'can_logger' },
    method: 'POST',
    path: `${V1}/devices`,
    summary: 'Create a device record, without a credential',
    input: z.object(deviceCreateInput),
    output: Device,
    status: 201,
    roles: ADMINS.concat('supervisor', 'agent'),
    revision: 'etag',
    errors: ['already_exists'],
  }),
  devices_list: operation({
    method: 'GET',
    path: `${V1}/devices`,
    summary: 'List devices',
    input: z.object(deviceListQuery),
    output: listOf(Device),
    errors: ['invalid_cursor'],
  }),
  devices_get: operation({
    method: 'GET',
    path: `${V1}/devices/{id}`,
    summary: 'Get a device',
    input: z.object(idPath),
    output: Device,
    revision: 'etag',
    errors: ['not_found'],
  }),
  devices_update: operation({
    method: 'PATCH',
    path: `${V1}/devices/{id}`,
    summary: 'Update the descriptive fields of a device',
    input: z.object({ ...idPath, ...deviceUpdateInput }),
    output: Device,
    revision: 'if-match',
    errors: ['not_found', 'read_only_field', 'revision_mismatch', 'already_exists'],
  }),
  devices_append_event: { ...events.append, roles: [...events.append.roles, 'device'] },
  devices_events: { ...events.list, roles: [...events.list.roles, 'device'] },
  devices_provision: operation({
    example: { serial: 'CL-2045113', kind: 'can_logger' },
    secretFields: ['credential.key'],
    secretOf: 'credential.key_id',
    method: 'POST',
    path: `${V1}/devices/provision`,
    summary: 'Provision hardware; returns a one-time credential',
    httpOnly: 'provision',
    roles: ADMINS,
    input: z.object(provisionInput),
    output: DeviceProvision,
    status: 201,
    errors: ['not_found', 'already_exists'],
  }),
  telemetry_devices_link: operation({
    example: {
      links: [{ serial: 'CL-2045113', equipment_id: 'eq_0198c2f4k3e7n9v5s1q8r6t2w0', source: 'api' }],
    },
    method: 'POST',
    path: `${V1}/devices/link`,
    summary: 'Link confirmed devices to equipment',
    description:
      'A link decides which machine receives the data. It does not mean that the device sends; see last_seen_at. Each link succeeds or fails by itself. If all fail, the call is an error and `details` lists them.',
    input: z.object(linkInput),
    output: listOf(DeviceLink),
    hints: HINTS.CHANGE,
    errors: ['project_mismatch', 'not_found', 'parameter_invalid'],
  }),
  devices_telemetry: operation({
    example: {
      points: [{ observed_at: '2026-01-01T06:00:00Z', seq: 1, values: { 'engine.speed': 1450, 'fuel.level': 74.8 } }],
    },
    frequent: true,
    method: 'POST',
    path: `${V1}/devices/{id}/telemetry`,
    summary: 'Send telemetry points; the answer is sent once they are on disk',
    roles: [...ADMINS, 'device'],
    input: z.object({ ...idPath, ...telemetryInput }),
    output: TelemetryAck,
    status: 202,
    errors: ['not_found', 'payload_too_large', 'storage_full'],
    maxBody: 4 * 1024 * 1024,
    maxValues: 200_000,
    source: { extension: 'devices without MQTT write to the same journal' },
  }),
} as const;
