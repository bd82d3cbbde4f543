/** What belongs to the gateway itself: keys, the claim, health, tasks that trace a number. */
import { z } from 'zod';
import { Id, Timestamp } from './common.ts';

export const ROLES = [
  'owner',
  'admin',
  'supervisor',
  'mechanic',
  'operator',
  'viewer',
  'agent',
  'device',
  'display',
] as const;
export type Role = (typeof ROLES)[number];
export const KEY_ROLES = ['owner', 'admin', 'supervisor', 'mechanic', 'operator', 'viewer', 'agent'] as const;

export const Key = z
  .object({
    object: z.literal('key'),
    id: z.string(),
    name: z.string(),
    role: z.enum(KEY_ROLES),
    prefix: z.string().meta({ description: 'First characters of the key, to tell keys apart.' }),
    project_ids: z.array(z.string()).nullable().meta({ description: 'Null: all projects of this gateway.' }),
    expires_at: Timestamp.nullable(),
    revoked_at: Timestamp.nullable(),
    created_at: Timestamp,
  })
  .meta({ id: 'Key', description: 'A workspace key; only its hash is kept.' });
export type Key = z.infer<typeof Key>;
export const KeyCreated = z
  .object({
    object: z.literal('key_created'),
    key: Key,
    secret: z.string().meta({ description: 'The key itself, shown this once.' }),
  })
  .meta({ id: 'KeyCreated' });

/** A key at rest, workspace or device: found by `prefix`, checked by `hash` (SHA-256 of the whole key, hex). */
export interface KeyData {
  kind: 'workspace' | 'device';
  name: string;
  role: Role;
  prefix: string;
  hash: string;
  project_ids: string[] | null;
  /** Record id, for a device key. */
  device: string | null;
  /** Hardware-facing id, for a device key. */
  device_id: string | null;
  expires_at: string | null;
  revoked_at: string | null;
}

export const keyCreateInput = {
  name: z.string().trim().min(1).max(120).default('key'),
  role: z.enum(KEY_ROLES).default('admin'),
  project_ids: z.array(Id).max(100).optional(),
  expires_in_days: z.number().int().min(1).max(3650).optional(),
};

export const claimInput = {
  code: z
    .string()
    .min(4)
    .max(32)
    .meta({ description: 'The claim code that `npm start` and `headframe claim-code` print.' }),
  name: z.string().trim().min(1).max(120).default('owner'),
};

export const SourceHealth = z
  .object({
    source: z.string().meta({ description: 'device_id, or the address for strangers.' }),
    messages: z.number().int(),
    frames: z.number().int(),
    unparsable: z.number().int().meta({ description: 'Lines or payloads that were not what the topic takes.' }),
    refused: z.number().int().meta({ description: 'Wrong key, foreign topic, unknown device, oversize.' }),
    duplicates: z.number().int(),
    late: z.number().int(),
    unknown_pgns: z.number().int(),
    transport_aborts: z.number().int(),
    last_error: z.string().nullable(),
    last_error_at: Timestamp.nullable(),
  })
  .meta({ id: 'SourceHealth' });
export type SourceHealth = z.infer<typeof SourceHealth>;

export const Health = z
  .object({
    object: z.literal('health'),
    status: z.enum(['ok', 'degraded']),
    problems: z.array(z.object({ code: z.string(), message: z.string() })),
    version: z.string(),
    gateway_id: z.string(),
    started_at: Timestamp,
    now: Timestamp,
    journal: z.object({
      bytes: z.number().int(),
      segments: z.number().int(),
      unfolded_messages: z.number().int().meta({ description: 'Acknowledged, not yet part of the facts.' }),
      last_sync_ms: z.number().nullable().meta({ unit: 'ms' }),
    }),
    disk: z.object({ free_bytes: z.number().nullable(), total_bytes: z.number().nullable() }),
    sources: z.array(SourceHealth).meta({ description: 'The 200 sources with the latest news.' }),
  })
  .meta({ id: 'Health', description: 'What works, what does not, and what each source sent that could not be used.' });
export type Health = z.infer<typeof Health>;

const RUN_STATUS = ['pending', 'running', 'completed', 'failed', 'canceled'] as const;
const Run = z
  .object({
    object: z.literal('run'),
    id: z.string(),
    task_id: z.string(),
    status: z.enum(RUN_STATUS),
    terminal_event_count: z.number().int(),
    output: z.record(z.string(), z.unknown()).nullable(),
    usage: z.record(z.string(), z.unknown()).nullable(),
    cost_usd: z.number().nullable().meta({ description: 'Null when unknown; never 0 for unknown.', unit: 'USD' }),
    error: z.record(z.string(), z.unknown()).nullable(),
    gaps: z.array(z.record(z.string(), z.unknown())),
    backend: z.record(z.string(), z.unknown()),
    created_at: Timestamp,
    started_at: Timestamp.nullable(),
  })
  .meta({ id: 'Run', description: 'One attempt of a task.' });
export const Task = z
  .object({
    object: z.literal('task'),
    id: z.string(),
    project_id: z.string(),
    kind: z.enum(['decode', 'setup', 'custom_action', 'agent', 'worker', 'import', 'export', 'backup', 'maintenance']),
    title: z.string(),
    latest_run_id: z.string().nullable(),
    run: Run.nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Task', description: 'Durable handle for asynchronous work, with the receipt of its latest run.' });
export type Task = z.infer<typeof Task>;
