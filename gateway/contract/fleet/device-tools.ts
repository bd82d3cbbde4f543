/** Operations on one device: keys, settings, worker, link, label, and the reason for its silence. */
import { z } from 'zod';
import { Id, idPath, Timestamp } from '#contract/base/common.ts';
import { ADMINS, HINTS, operation, V1 } from '#contract/base/operation.ts';
import { Task } from '#contract/work/task.ts';
import { DeviceSettings } from './bus.ts';
import { Device, deviceCreateInput, RESOLUTIONS } from './device.ts';

const DEVICE = `${V1}/devices/{id}`;
const dryRun = {
  dry_run: z.boolean().default(false).meta({ description: 'Validate and return the answer without writing anything.' }),
};
const NAMED = { extension: 'the tool has a route, so that REST callers can do the same' };
const UNDER = { extension: 'it acts on one device, so its path is below the path of the device' };

const KeyRoll = z
  .object({
    object: z.literal('device_key_roll'),
    device_id: z.string().meta({ description: 'Record id of the device.' }),
    key_id: z.string().nullable().meta({ description: 'The new key; null in a dry run.' }),
    previous_key_id: z.string(),
    rolled_at: Timestamp,
    claim_url: z.string().nullable().meta({
      description: 'POST to this address once, with an admin key, to get the new key. The key takes effect then.',
    }),
    claim_expires_at: Timestamp.nullable(),
  })
  .meta({ id: 'DeviceKeyRoll', description: 'A prepared key roll. It contains no secret.' });

const DeviceKey = z
  .object({
    object: z.literal('device_key'),
    device_id: z.string(),
    key: z.string().nullable().meta({ description: 'The device key. It is shown only once.' }),
    key_id: z.string(),
    shown_once: z.literal(true),
    expires_at: Timestamp.nullable(),
    previous: z.object({
      key_id: z.string().nullable(),
      expires_at: Timestamp.nullable().meta({ description: 'The old key is valid until then.' }),
    }),
  })
  .meta({ id: 'DeviceKey' });

/** Operations on one device. */
export const deviceToolOperations = {
  devices_new: operation({
    inputLike: 'devices_create',
    method: 'POST',
    path: `${V1}/devices/new`,
    summary: 'Create a device record, and return the steps until it reports',
    input: z.object({ ...deviceCreateInput, ...dryRun }),
    output: z.object({
      object: z.literal('device_new'),
      device: Device,
      next_steps: z.array(z.object({ step: z.string(), tool: z.string().nullable(), route: z.string() })),
    }),
    status: 201,
    roles: [...ADMINS, 'supervisor', 'agent'],
    errors: ['already_exists', 'not_found'],
    source: NAMED,
  }),
  devices_api_key_roll: operation({
    method: 'POST',
    path: `${DEVICE}/key/roll`,
    summary: 'Roll the key of a device; the new key can only be fetched over HTTP',
    roles: ADMINS,
    input: z.object({ ...idPath, expires_in_days: z.number().int().min(1).max(3650).optional(), ...dryRun }),
    output: KeyRoll,
    status: 201,
    errors: ['not_found', 'not_provisioned'],
    source: NAMED,
  }),
  devices_key_claim: operation({
    secretFields: ['key'],
    secretOf: 'key_id',
    method: 'POST',
    path: `${DEVICE}/key-claims/{claim_id}`,
    summary: 'Fetch a rolled device key, once; the old key stays valid for 24 hours',
    httpOnly: 'secret',
    roles: ADMINS,
    input: z.object({ ...idPath, claim_id: Id }),
    output: DeviceKey,
    errors: ['not_found'],
    source: { extension: 'a model with MCP tools must never get a device key' },
  }),
  devices_key_revoke: operation({
    method: 'POST',
    path: `${DEVICE}/key/revoke`,
    summary: 'Revoke all credentials of a device and close its connections',
    roles: ADMINS,
    hints: HINTS.REMOVE,
    input: z.object({ ...idPath, reason: z.string().trim().min(1).max(500).optional() }),
    output: Device,
    errors: ['not_found', 'not_provisioned'],
    source: UNDER,
  }),
  devices_settings_update: operation({
    method: 'PATCH',
    path: `${DEVICE}/settings`,
    summary: 'Change settings of a device by name; null removes one',
    input: z.object({ ...idPath, settings: DeviceSettings, ...dryRun }),
    output: Device,
    revision: 'if-match',
    errors: ['not_found', 'revision_mismatch', 'parameter_invalid'],
    source: NAMED,
  }),
  devices_worker_register: operation({
    method: 'PUT',
    path: `${DEVICE}/worker`,
    summary: 'Register the worker program of a device',
    roles: [...ADMINS, 'agent'],
    hints: HINTS.CHANGE,
    input: z.object({
      ...idPath,
      name: z.string().trim().min(1).max(120),
      version: z.string().trim().min(1).max(60),
      capabilities: z.array(z.string().trim().min(1).max(60)).max(20).default([]),
      ...dryRun,
    }),
    output: Device,
    errors: ['not_found'],
    source: NAMED,
  }),
  devices_worker_run: operation({
    method: 'POST',
    path: `${DEVICE}/worker-runs`,
    summary: 'Queue a run for the worker of a device; returns its task',
    roles: [...ADMINS, 'supervisor', 'agent', 'device'],
    input: z.object({
      ...idPath,
      title: z.string().trim().min(1).max(120).default('Worker run'),
      prompt: z.string().trim().min(1).max(20_000).optional().meta({ description: 'What the worker should do.' }),
      ...dryRun,
    }),
    output: Task,
    status: 202,
    errors: ['not_found', 'no_worker'],
    source: NAMED,
  }),
  devices_unlink: operation({
    method: 'POST',
    path: `${DEVICE}/unlink`,
    summary: 'Unlink a device from its machine; later data reaches no machine',
    hints: HINTS.CHANGE,
    input: z.object({ ...idPath, reason: z.string().trim().min(1).max(500).optional() }),
    output: Device,
    errors: ['not_found'],
    source: { extension: 'people must be able to remove a link that they made by mistake' },
  }),
  devices_label: operation({
    method: 'GET',
    path: `${DEVICE}/label`,
    summary: 'Get a label for a device: its identity and a QR code of its page; no secret',
    input: z.object(idPath),
    output: z
      .object({
        object: z.literal('device_label'),
        device_id: z.string().meta({ description: 'The MQTT user name.' }),
        name: z.string(),
        lines: z.array(z.string()).meta({ description: 'Further lines: serial, site, machine.' }),
        url: z.string().meta({ description: 'Page of the device on this gateway.' }),
        qr: z.string().nullable().meta({ description: 'The address as SVG.' }),
      })
      .meta({ id: 'DeviceLabel' }),
    errors: ['not_found'],
    source: UNDER,
  }),
  devices_offline_resolution: operation({
    method: 'POST',
    path: `${DEVICE}/offline-resolution`,
    summary: 'Record why a device is silent; mutes alerts about missing data until it sends again',
    input: z.object({
      ...idPath,
      resolution: z.enum(RESOLUTIONS),
      until: Timestamp.optional().meta({ description: 'Expected return of the device. The mute ends then.' }),
      replaced_by: Id.optional().meta({ description: 'Record id of the device that replaced it.' }),
      note: z.string().trim().min(1).max(2_000).optional(),
    }),
    output: Device,
    errors: ['not_found', 'parameter_invalid'],
    source: UNDER,
  }),
} as const;
