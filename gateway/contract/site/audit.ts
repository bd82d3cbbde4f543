/** Audit log: changes to objects that have no event log of their own. */
import { z } from 'zod';
import { AUDIT_OBJECT, AuditLink } from '#contract/base/audit-entry.ts';
import { listOf, listQuery, Timestamp } from '#contract/base/common.ts';
import { ADMINS, operation, V1 } from '#contract/base/operation.ts';

/**
 * Audited objects: those without an event log, and devices that were quarantined (locked out) or purged. A purge deletes the data of a
 * device and may delete its log. The entries about the gateway say where the chain of the log begins, and where entries are missing.
 */
const AUDIT_SUBJECTS = [
  'project',
  'location',
  'expected_interval',
  'custom_action',
  'learning',
  'preference',
  'skill_revision',
  'key',
  'user',
  'tablet',
  'display_share',
  'display',
  'alert_rule',
  'maintenance_plan',
  'inspection_checklist',
  'webhook_endpoint',
  'review_configuration',
  'artifact',
  'task',
  'dbc_file',
  'device',
  'gateway',
  'listener',
  'enrolment',
] as const;
export type AuditSubject = (typeof AUDIT_SUBJECTS)[number];

const Door = z
  .enum(['rest', 'mcp', 'cli', 'gateway'])
  .meta({ description: 'How the actor reached the gateway; `gateway` if the gateway acted by itself.' });

const Audit = z
  .object({
    object: z.literal(AUDIT_OBJECT),
    id: z.string(),
    project_id: z.string().nullable().meta({ description: 'Null for objects of the gateway itself.' }),
    type: z.string().meta({ description: 'created, updated, deleted, revoked, ...' }),
    subject: z.object({ object: z.enum(AUDIT_SUBJECTS), id: z.string() }),
    occurred_at: Timestamp,
    actor: z.object({
      type: z.string(),
      id: z.string().nullable(),
      name: z.string().nullable(),
      door: Door,
    }),
    data: z.record(z.string(), z.unknown()).meta({ description: 'Names of the changed fields; never a secret.' }),
    chain: AuditLink.nullable().meta({ description: 'Null for entries of versions before the chain.' }),
  })
  .meta({ id: 'Audit', description: 'One change to an object that has no event log.' });

/** `data` of a stored entry of the audit log. */
export interface AuditData {
  type: string;
  subject: { object: AuditSubject; id: string };
  actor: { type: string; id: string | null; name: string | null; door: z.infer<typeof Door> };
  data: Record<string, unknown>;
  /** The store adds the place in the chain. */
  chain?: AuditLink;
}

const auditListQuery = {
  ...listQuery,
  of: z.enum(['project', 'gateway']).default('project').meta({
    description: 'gateway: changes of keys and projects; needs a key for all projects.',
  }),
  subject: z.string().max(64).optional().meta({ description: 'Id of the object that changed.' }),
  actor: z.string().max(64).optional().meta({ description: 'Id of the key that changed it.' }),
  type: z.string().max(80).optional(),
};

/** Operations on the audit log. */
export const auditOperations = {
  audit_list: operation({
    method: 'GET',
    path: `${V1}/audit`,
    summary: 'Read the audit log: changes to objects without an event log',
    roles: ADMINS,
    input: z.object(auditListQuery),
    output: listOf(Audit),
    errors: ['invalid_cursor', 'permission_denied'],
    source: { extension: 'shows who changed an object that has no event log' },
  }),
  audit_export: operation({
    method: 'GET',
    path: `${V1}/audit/export`,
    summary: 'Read the whole audit log of the gateway in the order of its chain',
    scope: 'node',
    roles: ADMINS,
    input: z.object({
      limit: listQuery.limit,
      after: z.number().int().min(0).default(0).meta({
        description: 'Number of the last entry that you have. The answer begins with the next entry.',
      }),
    }),
    output: z.object({
      object: z.literal('audit_export'),
      data: z.array(Audit),
      has_more: z.boolean(),
      next_after: z.number().int().meta({ description: 'Number of the last entry; `after` of the next call.' }),
    }),
    errors: ['permission_denied'],
    source: { extension: 'lets a program copy the log to another computer and check its hash chain there' },
  }),
} as const;
