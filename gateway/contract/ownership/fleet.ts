/** Ownership of machines, places and devices. */
import type { DbcFileData } from '#contract/fleet/dbc.ts';
import type { DeviceData } from '#contract/fleet/device.ts';
import type { DeviceConfigData } from '#contract/fleet/device-config.ts';
import type { EQUIPMENT_STATUS, EquipmentData } from '#contract/fleet/equipment.ts';
import type { ExpectedIntervalData } from '#contract/fleet/expected-interval.ts';
import type { LocationData } from '#contract/fleet/location.ts';
import {
  FACT,
  FIXED,
  KEYS,
  type KindRule,
  kind,
  kinds,
  MACHINERY,
  NEVER_DOWN,
  OWN,
  PEOPLE,
  SET,
  together,
} from './rule.ts';

/** A list of media ids that most records have. */
export interface Media {
  readonly media?: readonly string[];
}
export const MEDIA = { media: { ...SET, optional: true } } as const;

/** Which status people see when two were set at the same time: a machine that is down must look down. */
const GRAVEST: readonly (typeof EQUIPMENT_STATUS)[number][] = [
  'decommissioned',
  'available',
  'in_use',
  'maintenance',
  'down',
];

export const FLEET: readonly KindRule[] = [
  ...kind<EquipmentData & Media>('records', 'equipment', 'never', {
    unit_number: PEOPLE,
    aliases: SET,
    name: PEOPLE,
    kind: PEOPLE,
    oem_name: PEOPLE,
    model: PEOPLE,
    serial_number: PEOPLE,
    pin: PEOPLE,
    year: PEOPLE,
    status: together('status', { rank: GRAVEST }),
    status_since: together('status', { rank: GRAVEST }),
    taken: PEOPLE,
    location_id: PEOPLE,
    operator_id: together('operator'),
    operator_since: together('operator'),
    labels: KEYS,
    ...MEDIA,
  }),
  ...kinds('live', 'follows', MACHINERY, 'equipment'),
  ...kind<LocationData & Media>('records', 'location', 'never', {
    name: PEOPLE,
    code: PEOPLE,
    kind: PEOPLE,
    parent_id: PEOPLE,
    timezone: PEOPLE,
    geofence: PEOPLE,
    elevation_m: PEOPLE,
    active: PEOPLE,
    labels: KEYS,
    ...MEDIA,
  }),
  ...kind<DeviceData & Media>('records', 'device', 'never', {
    device_id: MACHINERY,
    serial: MACHINERY,
    kind: MACHINERY,
    name: PEOPLE,
    location_id: PEOPLE,
    expected_interval_s: PEOPLE,
    labels: KEYS,
    equipment_id: together('link'),
    linked_at: together('link'),
    settings: { ...NEVER_DOWN, empty: true },
    worker: NEVER_DOWN,
    offline_resolution: NEVER_DOWN,
    quarantine: NEVER_DOWN,
    bus_requests: NEVER_DOWN,
    ...MEDIA,
  }),
  ...kinds('live', 'follows', NEVER_DOWN, 'device', 'device_config'),
  ...kind<DeviceConfigData>('records', 'device_config', 'never', {
    device: FIXED,
    config: { ...NEVER_DOWN, empty: true },
    file: NEVER_DOWN,
  }),
  ...kind<ExpectedIntervalData>('records', 'expected_interval', 'edit_wins', {
    equipment_id: FIXED,
    kind: FIXED,
    signal: FIXED,
    interval_s: PEOPLE,
  }),
  ...kind<DbcFileData>('records', 'dbc_file', 'edit_wins', {
    name: FIXED,
    version: FIXED,
    file_version: FIXED,
    sha256: FIXED,
    bytes: FIXED,
    messages: FIXED,
    signals: FIXED,
    notes: FIXED,
    layout: FIXED,
    mapping: together('activation'),
    active: together('activation'),
    device_ids: together('activation'),
    first_activated_at: together('activation'),
  }),
  ...kinds('records', 'follows', FACT, 'dbc_text'),
  ...kinds('telemetry', 'bound', { ...FACT, direction: 'up' }, 'segment', 'rollup'),
  ...kinds(
    'local',
    'node',
    OWN,
    'device_name',
    'hmac_credential',
    'hmac_use',
    'bucket_object',
    'bucket_upload',
    'secret_claim',
    'history_removed',
    'raw_freeze',
  ),
];
