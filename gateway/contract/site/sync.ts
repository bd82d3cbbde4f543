/**
 * Replication between a site and head office: how a gateway is enrolled, and how both ends show whether they are in step. `gateway/sync/SPEC.md`
 * has the rules.
 */
import { z } from 'zod';
import { idPath, listOf, listQuery, Timestamp, Words } from '#contract/base/common.ts';
import { ADMINS, operation, V1 } from '#contract/base/operation.ts';
import { BoxReport, boxMark, type KeptBox } from './sync-boxes.ts';
import { LinkBudget } from './sync-budget.ts';
import { LinkFiles } from './sync-files.ts';
import { GatewayState } from './sync-gateway.ts';
import { LiveView, liveAsked } from './sync-live.ts';
import { gatewayReport } from './sync-report.ts';
import { Takeover, TakeoverGrant } from './sync-takeover.ts';

/** How long the code of an enrolment is valid, if the person who makes it does not choose another time. */
const CODE_HOURS = 72;
/** The longest time for which a code can be valid: a month, for a box that travels to its site. */
const MOST_CODE_HOURS = 744;
/** Largest number of gateways of a head office, with those that were revoked. */
export const MOST_GATEWAYS = 1_000;
/** Largest number of projects that one gateway brings along. */
export const MOST_PROJECTS = 100;
/** Receipts that a site keeps of each project. The oldest are deleted. */
export const MOST_RECEIPTS = 50;

const gatewayName = z.string().trim().min(1).max(120).meta({ description: 'Name of the site, such as Quarry North.' });
const code = z.string().trim().min(4).max(40).meta({ description: 'The code that head office made.' });

const Enrolment = z
  .object({
    object: z.literal('enrolment'),
    id: z.string(),
    name: z.string(),
    state: z.enum(['waiting', 'enrolled', 'expired', 'replaced', 'revoked']).meta({
      description: '`waiting`: no gateway has used the code yet. `replaced`: the gateway has enrolled again.',
    }),
    gateway_id: z.string().nullable().meta({
      description: 'The gateway, or before the code is used the one whose place a new box takes with it.',
    }),
    code_expires_at: Timestamp,
    enrolled_at: Timestamp.nullable(),
    revoked_at: Timestamp.nullable(),
    created_at: Timestamp,
  })
  .meta({ id: 'Enrolment', description: 'The permission of one gateway to exchange data with head office.' });
export type Enrolment = z.infer<typeof Enrolment>;

/** A stored enrolment. `key` is the id of the credential of the gateway. */
export interface EnrolmentData {
  name: string;
  /** The gateway whose place a new box takes with this code. Absent or null: the code is for a new site. */
  replaces?: string | null;
  code_hash: string;
  code_expires_at: string;
  gateway_id: string | null;
  key: string | null;
  enrolled_at: string | null;
  replaced_at: string | null;
  revoked_at: string | null;
  /** Which of several boxes with this identity a person chose; absent before the first choice. */
  kept?: KeptBox;
}

/** Which gateway brought a project to head office. Its id is `sync_<project id>`. */
export interface SyncProjectData {
  project_id: string;
  gateway_id: string;
}

/** Id of the link of a site to head office. */
export const SYNC_LINK = 'sync_link';

/** The link of a site to head office, with its sealed credential. There is at most one. */
export interface SyncLinkData {
  cloud_url: string;
  cloud_id: string;
  enrolment_id: string;
  name: string;
  credential: string;
  /** SHA-256 of the code. A code that stays in the settings is used once. */
  code_hash: string;
  enrolled_at: string;
  /** Set if this box has taken the place of another one. `done_at`: when everything had come back. */
  takeover?: TakeoverGrant & { readonly at: string; readonly done_at?: string };
}

const LinkState = z
  .enum(['off', 'connecting', 'in_step', 'catching_up', 'offline', 'fenced', 'revoked', 'refused'])
  .meta({
    description:
      '`off`: no head office. `offline`: no connection, which is normal; the site works on. `fenced`: another computer uses the identity of this gateway. `revoked`: head office revoked this gateway. `refused`: head office answered with an error that a person must look at.',
  });
export type LinkState = z.infer<typeof LinkState>;

const Lane = z.object({
  lane: z.enum(['safety', 'alerts', 'work', 'live', 'samples', 'files']),
  waiting: z.number().int().meta({ description: 'Changes that head office does not have yet.' }),
  bytes: z.number().int().meta({
    description: 'About how much text waits, before compression; the first changes are measured.',
    unit: 'bytes',
  }),
  oldest_at: Timestamp.nullable(),
});
export type SyncLane = z.infer<typeof Lane>;

const ProjectState = z.object({
  project_id: z.string(),
  in_step: z.boolean(),
  waiting: z.number().int(),
  lanes: z.array(Lane).meta({ description: 'The lanes in which changes wait, the most urgent first.' }),
  not_taken: z.number().int().meta({ description: 'Changes of head office that this site could not take.' }),
  conflicts: z.number().int().meta({ description: 'Records about which a person must decide: sync_conflicts_list.' }),
  repairing: z.boolean().meta({ description: 'Both ends compare all documents.' }),
});
export type SyncProject = z.infer<typeof ProjectState>;

const SyncStatus = z
  .object({
    object: z.literal('sync_status'),
    role: z.enum(['site', 'cloud']),
    gateway_id: z.string(),
    state: LinkState.nullable().meta({ description: 'Null at head office, which has no other end.' }),
    sentence: z.string().meta({ description: 'The state in one sentence.' }),
    words: Words.optional(),
    since: Timestamp.nullable(),
    cloud_url: z.string().nullable(),
    cloud_id: z.string().nullable(),
    last_contact_at: Timestamp.nullable(),
    in_step_at: Timestamp.nullable().meta({ description: 'When both ends last had the same data.' }),
    next_try_at: Timestamp.nullable(),
    error: z
      .object({ code: z.string(), message: z.string(), words: Words.optional() })
      .nullable()
      .meta({ description: 'Why the last contact failed.' }),
    takeover: Takeover.nullable().meta({ description: 'Set at a site whose box has taken the place of another one.' }),
    projects: z.array(ProjectState),
    files: LinkFiles.nullable().meta({ description: 'Photos, logs and other files; null without a link.' }),
    budget: LinkBudget.nullable().meta({
      description: 'What the link may use, and what it used; null at head office.',
    }),
    live: LiveView.nullable().meta({ description: 'Only with `live`; null for a project that no site brought.' }),
    box: BoxReport.nullable().meta({ description: 'How this box names itself at head office; null without a link.' }),
    gateways: z.array(GatewayState).meta({ description: 'At head office: the gateways that are enrolled.' }),
  })
  .meta({ id: 'SyncStatus' });
export type SyncStatus = z.infer<typeof SyncStatus>;

const SyncReceipt = z
  .object({
    object: z.literal('sync_receipt'),
    id: z.string(),
    project_id: z.string(),
    verdict: z.enum(['complete', 'declared_gap', 'incomplete', 'not_settled']).meta({
      description:
        'complete: head office has everything that this site made or holds. declared_gap: all but what gap records name. incomplete: something is missing. not_settled: something still waits.',
    }),
    sentence: z.string(),
    words: Words.optional(),
    checked_at: Timestamp,
    waiting: z.number().int(),
    missing: z
      .array(z.string())
      .meta({ description: 'Documents that head office lacks, as `collection/id`; at most 100.' }),
    missing_total: z.number().int(),
    not_taken: z
      .array(z.string())
      .meta({ description: 'Keys of commits that head office could not take; at most 100.' }),
    not_taken_total: z.number().int(),
    lost_in_lives: z
      .array(z.string())
      .meta({ description: 'Times of the gateway in which something vanished without a record.' }),
    gaps: z.array(z.string()).meta({ description: 'Ids of gap records.' }),
    files_waiting: z.number().int().meta({ description: 'Files that head office does not have yet.' }),
    files_lost: z.array(z.string()).meta({ description: 'Ids of files whose content neither end has; at most 100.' }),
    files_lost_total: z.number().int(),
  })
  .meta({ id: 'SyncReceipt', description: 'The result of a comparison of everything that both ends have.' });
export type SyncReceipt = z.infer<typeof SyncReceipt>;
export type SyncReceiptData = Omit<SyncReceipt, 'object' | 'id'>;

const EnrolmentCreated = z
  .object({
    object: z.literal('enrolment_created'),
    enrolment: Enrolment,
    code: z.string().meta({ description: 'Enter it at the gateway. It is valid once, until `code_expires_at`.' }),
  })
  .meta({ id: 'EnrolmentCreated' });

const Enrolled = z
  .object({
    object: z.literal('enrolled'),
    cloud_id: z.string(),
    enrolment_id: z.string(),
    name: z.string(),
    secret: z.string().meta({ description: 'The credential of the gateway (gw_...).' }),
    takeover: TakeoverGrant.optional(),
  })
  .meta({ id: 'Enrolled' });

const source = { extension: 'a site and head office exchange data' };

/** Operations on the replication between sites and head office. */
export const syncOperations = {
  sync_status: operation({
    method: 'GET',
    path: `${V1}/sync/status`,
    summary: 'Tell whether this site and head office are in step; at head office, of each site',
    scope: 'node',
    input: z.object(liveAsked),
    output: SyncStatus,
    errors: ['project_not_found'],
    source,
  }),
  sync_link_set: operation({
    method: 'POST',
    path: `${V1}/sync/link`,
    summary: 'Connect this site to head office with a code',
    httpOnly: 'secret',
    scope: 'node',
    roles: ADMINS,
    input: z.object({
      cloud_url: z.string().trim().max(500).meta({ description: 'Address of head office. It begins with https.' }),
      code,
    }),
    output: SyncStatus,
    status: 201,
    errors: ['parameter_invalid', 'enrolment_code_invalid', 'head_office_unreachable', 'head_office_refused'],
    source,
  }),
  sync_link_remove: operation({
    method: 'DELETE',
    path: `${V1}/sync/link`,
    summary: 'Disconnect this site from head office; the site keeps its data',
    scope: 'node',
    roles: ADMINS,
    input: z.object({}),
    output: SyncStatus,
    source,
  }),
  sync_verify: operation({
    method: 'POST',
    path: `${V1}/sync/receipts`,
    summary: 'Compare everything that both ends have; a receipt for each project',
    scope: 'node',
    roles: ADMINS,
    input: z.object({}),
    output: z.object({ object: z.literal('list'), data: z.array(SyncReceipt) }),
    status: 201,
    errors: ['sync_off', 'head_office_unreachable', 'head_office_refused'],
    source,
  }),
  sync_receipts_list: operation({
    method: 'GET',
    path: `${V1}/sync/receipts`,
    summary: 'List receipts of comparisons, the newest first',
    scope: 'node',
    roles: ADMINS,
    input: z.object(listQuery),
    output: listOf(SyncReceipt),
    source,
  }),
  sync_enrolments_create: operation({
    method: 'POST',
    path: `${V1}/sync/enrolments`,
    summary: 'Make a code with which one gateway connects to this head office',
    httpOnly: 'secret',
    scope: 'node',
    roles: ADMINS,
    input: z.object({
      name: gatewayName,
      gateway_id: z.string().max(80).optional().meta({
        description: 'Replace the box of this site: a new box with the code takes its place, and gets its data back.',
      }),
      hours: z
        .number()
        .int()
        .min(1)
        .max(MOST_CODE_HOURS)
        .default(CODE_HOURS)
        .meta({ description: 'How long the code is valid.', unit: 'h' }),
    }),
    example: { name: 'Quarry North' },
    output: EnrolmentCreated,
    status: 201,
    errors: ['limit_reached', 'not_found'],
    secretFields: ['code'],
    source,
  }),
  sync_enrolments_list: operation({
    method: 'GET',
    path: `${V1}/sync/enrolments`,
    summary: 'List enrolled gateways, and codes that wait',
    scope: 'node',
    roles: ADMINS,
    input: z.object(listQuery),
    output: listOf(Enrolment),
    source,
  }),
  sync_enrolments_revoke: operation({
    method: 'DELETE',
    path: `${V1}/sync/enrolments/{id}`,
    summary: 'Revoke a gateway: head office refuses it, and keeps what it has',
    scope: 'node',
    roles: ADMINS,
    input: z.object({
      ...idPath,
      keep: boxMark.optional().meta({
        description:
          'Keep the box with this `mark`, revoke nothing. If several boxes use the identity of the gateway, this one becomes the site, and the others are fenced: head office takes nothing from them.',
      }),
    }),
    output: Enrolment,
    errors: ['not_found'],
    source,
  }),
  sync_enrol: operation({
    method: 'POST',
    path: `${V1}/sync/enrol`,
    summary: 'Exchange a code for the credential of a gateway; gateways call this',
    httpOnly: 'secret',
    scope: 'none',
    roles: [],
    perAddress: 10,
    input: z.object({
      code,
      gateway_id: z.string().regex(/^gw_[0-9a-z]{10,60}$/),
      version: z.string().max(60),
      can_replace: z
        .boolean()
        .optional()
        .meta({ description: 'This box has no project, so it can replace another box.' }),
    }),
    output: Enrolled,
    status: 201,
    errors: ['enrolment_code_invalid', 'gateway_not_empty', 'limit_reached'],
    source,
  }),
  sync_message: operation({
    method: 'POST',
    path: `${V1}/sync/messages`,
    summary: 'Answer one message of the sync protocol; gateways call this',
    httpOnly: 'stream',
    bytes: 'sync',
    scope: 'node',
    roles: ['gateway'],
    input: z.object({}),
    output: z.object({}),
    errors: ['body_malformed', 'not_acceptable', 'payload_too_large', 'permission_denied', 'limit_reached'],
    source,
  }),
  sync_hints: operation({
    method: 'GET',
    path: `${V1}/sync/hints`,
    summary: 'Wait until head office may have something new for a gateway; gateways call this',
    httpOnly: 'stream',
    bytes: 'sync',
    scope: 'node',
    roles: ['gateway'],
    input: z.object({
      after: z
        .string()
        .max(2_000)
        .optional()
        .meta({ description: 'The header Headframe-Sync-Hint of the last answer.' }),
      ...gatewayReport,
    }),
    output: z.object({}),
    status: 204,
    source,
  }),
} as const;
