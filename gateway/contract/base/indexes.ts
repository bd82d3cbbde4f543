/** Fields of `data` that list filters use, by collection and object. */
import type { CollectionName } from './view.ts';

/** The store builds a partial index for each of these fields at start. */
export const INDEXES = {
  records: {
    device: ['data.serial', 'data.device_id', 'data.equipment_id', 'data.kind', 'data.location_id'],
    task: ['data.kind', 'data.links.device_id', 'data.links.custom_action_id'],
    artifact: [
      'data.device_id',
      'data.kind',
      'data.sha256',
      'data.retention_until',
      'data.subject.id',
      'data.run_id',
      'data.replication',
      'data.wanted_at',
    ],
    run: ['data.task_id', 'data.status'],
    equipment: ['data.unit_number', 'data.status', 'data.kind', 'data.location_id', 'data.operator_id'],
    location: ['data.parent_id', 'data.kind'],
    operator: ['data.status', 'data.crew', 'data.location_id'],
    mechanic: ['data.status', 'data.crew', 'data.location_id'],
    learning: ['data.subject.id', 'data.status', 'data.created_by_run_id'],
    custom_action: ['data.scope'],
    skill_revision: ['data.skill_id'],
    shift_report: ['data.location_id', 'data.shift.date'],
    expected_interval: ['data.equipment_id', 'data.kind'],
    repair_ticket: ['data.number', 'data.equipment_id', 'data.status', 'data.location_id'],
    maintenance_plan: ['data.equipment_id', 'data.kind'],
    maintenance_record: ['data.plan_id'],
    inspection_checklist: ['data.kind'],
    inspection: ['data.equipment_id', 'data.result'],
  },
  live: {
    device: ['data.status'],
    equipment: ['data.live_status'],
    alert: ['data.state', 'data.machine_id', 'data.device_id', 'data.rule_id', 'data.severity'],
  },
  events: {
    event: ['data.subject.id', 'data.type'],
    message: ['data.task_id', 'data.run_id'],
    audit: ['data.subject.id', 'data.actor.id', 'data.type', 'data.chain.number'],
  },
  telemetry: {
    segment: ['data.equipment_id', 'data.slot', 'data.sealed_hour'],
    rollup: ['data.equipment_id', 'data.slot'],
  },
  local: {
    key: ['data.prefix', 'data.parent', 'data.device', 'data.kind'],
    upload: ['data.device', 'data.expires_ms'],
    secret_claim: ['data.device', 'data.expires_ms'],
    display_share: ['data.token_hash', 'data.object_id'],
    display: ['data.token_hash', 'data.object_id'],
    user: ['data.role'],
    invitation: ['data.user'],
    fault_link: ['data.token_hash'],
    device_name: ['data.device_id'],
    receipt: ['data.expires_ms'],
    ingest_receipt: ['data.expires_ms'],
    late_receipt: ['data.expires_ms'],
    fault_receipt: ['data.expires_ms', 'data.link'],
    webhook_delivery: ['data.queue'],
    hmac_credential: ['data.access_key_id', 'data.ends_ms'],
    bucket_object: ['data.path', 'data.sha256'],
    bucket_upload: ['data.device', 'data.expires_ms'],
  },
} as const satisfies Partial<Record<CollectionName, Record<string, readonly string[]>>>;

/**
 * Fields that filters use only together with a field of `INDEXES`. The store keeps them in columns without an index: a new segment is
 * written about once a minute for each machine, and each index would write one more page.
 */
export const COLUMNS = {
  telemetry: ['data.to_ms', 'data.open_slot'],
} as const satisfies Partial<Record<CollectionName, readonly string[]>>;
