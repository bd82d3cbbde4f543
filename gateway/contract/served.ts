/**
 * Which operations a site and head office serve. What reaches a machine or a device is decided at its site: bus requests, configuration,
 * firmware, keys, arming. So these operations are absent at head office, whoever calls them, and pages show no control for them there.
 */
import type { Operation } from '#contract/base/operation.ts';
import { type OperationName, operations } from './operations.ts';

export type NodeRole = 'gateway' | 'cloud';

/** Writes about devices that only change what people wrote about them. */
const OF_PEOPLE: ReadonlySet<string> = new Set<OperationName>(['devices_update', 'devices_append_event']);

/** Other writes of what the machinery of a site owns, and reads of what only a site has. */
const OF_SITES: ReadonlySet<string> = new Set<OperationName>([
  'alert_rules_test',
  'alerts_acknowledge',
  'artifacts_decode',
  'custom_actions_run',
  'devices_bucket_key_get',
  'devices_config_file',
  'devices_config_get',
  'devices_diagnosis',
  'devices_firmware_get',
  'devices_label',
  'devices_media_status',
  'devices_new',
  'devices_provision_info',
  'devices_stream',
  'equipment_diagnosis',
  'equipment_meters',
  'equipment_meters_reconcile',
  'lineage_get',
  'lineage_replay',
  'review_configuration_get',
  'review_configuration_update',
  'sync_budget_set',
  'sync_link_remove',
  'sync_link_set',
  'sync_receipts_list',
  'sync_verify',
  'tasks_cancel',
  'tasks_create',
  'tasks_run',
  'telemetry_devices_link',
]);

const OF_HEAD_OFFICE: ReadonlySet<string> = new Set<OperationName>([
  'fleet_equipment_list',
  'fleet_repair_tickets_list',
  'fleet_alerts_list',
  'sync_enrol',
  'sync_enrolments_create',
  'sync_enrolments_list',
  'sync_enrolments_revoke',
  'sync_files_get',
  'sync_files_offer',
  'sync_files_put',
  'sync_hints',
  'sync_message',
]);

const ROWS: ReadonlyMap<string, Operation> = new Map(Object.entries<Operation>(operations));

/** Returns true if only a site may carry out the operation. */
export function isOfSites(name: string): boolean {
  const row = ROWS.get(name);
  if (row === undefined) return false;
  const isOfDevice = row.path.startsWith('/api/v1/devices/') || row.path === '/api/v1/devices';
  const isWrite = isOfDevice && !row.hints.readOnly && !OF_PEOPLE.has(name);
  return isWrite || OF_SITES.has(name) || name.startsWith('dbc_');
}

/** Returns true if a node with this role serves the operation. */
export const isServedBy = (role: NodeRole, name: string): boolean =>
  role === 'cloud' ? !isOfSites(name) : !OF_HEAD_OFFICE.has(name);
