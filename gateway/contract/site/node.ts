/** What belongs to the gateway itself: keys, the claim, health. */
import { z } from 'zod';
import { Id, idPath, listOf, listQuery, Timestamp } from '#contract/base/common.ts';
import { ADMINS, operation, READERS, V1 } from '#contract/base/operation.ts';
import type { Role } from '#contract/base/roles.ts';

export const KEY_ROLES = ['owner', 'admin', 'supervisor', 'mechanic', 'operator', 'viewer', 'agent'] as const;

export const Key = z
  .object({
    object: z.literal('key'),
    id: z.string(),
    name: z.string(),
    role: z.enum(KEY_ROLES),
    prefix: z.string().meta({ description: 'First characters of the key, to tell keys apart.' }),
    project_ids: z.array(z.string()).nullable().meta({ description: 'Null: all projects of this gateway.' }),
    scopes: z.array(z.string()).nullable().meta({ description: 'Null: all that its role may do.' }),
    allowed_cidrs: z.array(z.string()).nullable().meta({ description: 'Null: usable from any address.' }),
    last_used_at: Timestamp.nullable().meta({ description: 'To within ten minutes.' }),
    replaced_by: z.string().nullable().meta({ description: 'The key that a roll made in its place.' }),
    expires_at: Timestamp.nullable(),
    revoked_at: Timestamp.nullable(),
    created_at: Timestamp,
  })
  .meta({ id: 'Key', description: 'A workspace key; only its hash is kept.' });
export type Key = z.infer<typeof Key>;
const KeyCreated = z
  .object({
    object: z.literal('key_created'),
    key: Key,
    secret: z.string().meta({ description: 'The key itself, shown this once.' }),
  })
  .meta({ id: 'KeyCreated' });

const KeyRolled = z
  .object({
    object: z.literal('key_rolled'),
    key: Key,
    secret: z.string().meta({ description: 'The new key itself, shown this once.' }),
    previous: Key,
  })
  .meta({ id: 'KeyRolled' });

const PersonalToken = z
  .object({
    object: z.literal('personal_token'),
    id: z.string(),
    name: z.string(),
    prefix: z.string(),
    key_id: z.string().meta({ description: 'The workspace key that issued it; the token ends with that key.' }),
    scopes: z.array(z.string()),
    last_used_at: Timestamp.nullable(),
    expires_at: Timestamp.nullable(),
    revoked_at: Timestamp.nullable(),
    created_at: Timestamp,
  })
  .meta({ id: 'PersonalToken', description: 'A token that reads transcripts and nothing else.' });
export type PersonalToken = z.infer<typeof PersonalToken>;
const PersonalTokenCreated = z
  .object({
    object: z.literal('personal_token_created'),
    token: PersonalToken,
    secret: z.string().meta({ description: 'The token itself, shown this once.' }),
  })
  .meta({ id: 'PersonalTokenCreated' });

/** A key at rest, workspace, personal or device: found by `prefix`, checked by `hash` (SHA-256 of the whole key, hex). */
export interface KeyData {
  kind: 'workspace' | 'personal' | 'device';
  name: string;
  role: Role;
  prefix: string;
  hash: string;
  project_ids: string[] | null;
  /** Null or absent: all that the role may do. */
  scopes?: string[] | null;
  /** Null or absent: from any address. */
  allowed_cidrs?: string[] | null;
  replaced_by?: string | null;
  /** The workspace key behind a personal token, whose role and projects it has. */
  parent?: string | null;
  /** Record id, for a device key. */
  device: string | null;
  /** Hardware-facing id, for a device key. */
  device_id: string | null;
  expires_at: string | null;
  revoked_at: string | null;
}

const keyCreateInput = {
  name: z.string().trim().min(1).max(120).default('key'),
  role: z.enum(KEY_ROLES).default('admin'),
  project_ids: z.array(Id).max(100).optional(),
  scopes: z.array(z.string().max(80)).min(1).max(100).optional().meta({
    description: '`equipment:read`, `devices:write`, `*:read`, ...; writing covers reading. Absent: no bound.',
  }),
  allowed_cidrs: z
    .array(z.union([z.cidrv4(), z.cidrv6()]))
    .min(1)
    .max(20)
    .optional()
    .meta({ description: 'Addresses from which the key works, as 10.2.0.0/16.' }),
  expires_in_days: z.number().int().min(1).max(3650).optional(),
};

const claimInput = {
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

/** How much room the disk has; each level gives up more than the one before. */
export const DISK_LEVELS = ['ok', 'low', 'scarce', 'critical'] as const;
export type DiskLevel = (typeof DISK_LEVELS)[number];

export const Problem = z
  .object({
    code: z.string(),
    message: z.string().meta({ description: 'What is wrong, for people.' }),
    since: Timestamp.nullable().meta({ description: 'Null where nobody notes when it began.' }),
    given_up: z.string().nullable().meta({ description: 'What the gateway does without meanwhile.' }),
    remedy: z.string().nullable().meta({ description: 'What a person can do.' }),
  })
  .meta({ id: 'Problem' });
export type Problem = z.infer<typeof Problem>;

/** What is given up for want of room: samples of a machine, messages of a device that were not taken, raw messages of all. */
export const GAP_KINDS = ['history', 'messages', 'raw'] as const;
const OpenGap = z
  .object({
    what: z.enum(GAP_KINDS),
    id: z.string().meta({ description: 'The machine, the device, or the gateway.' }),
    from: Timestamp,
    to: Timestamp,
    count: z.number().int().meta({ description: 'Samples, messages or journal files.' }),
    bytes: z.number().int().nullable(),
  })
  .meta({ id: 'OpenGap', description: 'Becomes `gap_declared` events once it is over.' });

/** What one device had stored, or the history of one machine: who fills the disk. */
const Writer = z
  .object({
    object: z.enum(['device', 'equipment']),
    id: z.string().meta({ description: 'Record id.' }),
    device_id: z.string().nullable().meta({ description: 'Hardware-facing id; null for a machine.' }),
    today: z
      .object({ events: z.number(), facts: z.number(), samples: z.number(), files: z.number() })
      .meta({ description: 'Bytes stored today (UTC), by budget.', unit: 'bytes' }),
    total_bytes: z.number().meta({ description: 'Stored since counting began, or since it was purged.' }),
    dropped: z.number().int().meta({ description: 'Not stored today because a budget was used up.' }),
  })
  .meta({ id: 'Writer' });
export type Writer = z.infer<typeof Writer>;

/** A bus that is plugged into the gateway's own machine. */
const BusHealth = z
  .object({
    device_id: z.string().meta({ description: 'The device that its frames are of.' }),
    source: z.string(),
    state: z.enum(['opening', 'searching', 'listening', 'away', 'refused']),
    detail: z.string().nullable().meta({ description: 'For people, when something is not as it should be.' }),
    bitrate: z.number().nullable().meta({ unit: 'bit/s' }),
    bus_state: z
      .enum(['active', 'warning', 'passive', 'bus_off'])
      .nullable()
      .meta({ description: 'Of the controller.' }),
    load_pct: z.number().nullable().meta({ description: 'Share of the bus in use, estimated.', unit: '%' }),
    frames: z.number().int(),
    frames_per_s: z.number().int(),
    malformed: z.number().int(),
    overruns: z
      .number()
      .int()
      .meta({ description: 'Lost before they reached the gateway, as the adapter or kernel says.' }),
    waiting_messages: z.number().int(),
    waiting_bytes: z.number().int(),
    lost_frames: z.number().int().meta({ description: 'Given up for want of room, ever.' }),
    requests: z.enum(['never', 'waiting', 'sending']).meta({ description: 'Whether it asks the machine for totals.' }),
  })
  .meta({ id: 'BusHealth' });
export type BusHealth = z.infer<typeof BusHealth>;

export const Health = z
  .object({
    object: z.literal('health'),
    status: z.enum(['ok', 'degraded']),
    problems: z.array(Problem),
    version: z.string(),
    gateway_id: z.string(),
    started_at: Timestamp,
    now: Timestamp,
    journal: z.object({
      bytes: z.number().int(),
      segments: z.number().int(),
      unfolded_messages: z.number().int().meta({ description: 'Acknowledged, not yet part of the facts.' }),
      uncommitted_messages: z.number().int().meta({
        description:
          'Acknowledged, and in the store with what follows from them at the next commit: a restart reads them again.',
      }),
      last_sync_ms: z.number().nullable().meta({ unit: 'ms' }),
    }),
    disk: z.object({
      free_bytes: z.number().nullable(),
      total_bytes: z.number().nullable(),
      reserve_bytes: z.number().meta({ description: 'Kept by the gateway for when the disk is full.' }),
      level: z.enum(DISK_LEVELS),
    }),
    gaps: z.array(OpenGap).meta({ description: 'What is being given up now, 100 at most.' }),
    writers: z.array(Writer).meta({ description: 'The 20 that stored the most today, then in total.' }),
    sources: z.array(SourceHealth).meta({ description: 'The 200 sources with the latest news.' }),
    buses: z.array(BusHealth).meta({ description: 'Buses plugged into this machine (HEADFRAME_CAN).' }),
  })
  .meta({ id: 'Health', description: 'What works, what does not, and what each source sent that could not be used.' });
export type Health = z.infer<typeof Health>;

/** Operations on keys, the claim and health. */
export const nodeOperations = {
  keys_create: operation({
    method: 'POST',
    path: `${V1}/keys`,
    summary: 'Create a workspace key, shown once',
    httpOnly: 'secret',
    scope: 'node',
    roles: ADMINS,
    input: z.object(keyCreateInput),
    output: KeyCreated,
    status: 201,
    errors: ['permission_denied', 'project_not_found'],
    source: { extension: 'the keys area of the product' },
  }),
  keys_list: operation({
    method: 'GET',
    path: `${V1}/keys`,
    summary: 'List workspace keys, without their secrets',
    scope: 'node',
    roles: ADMINS,
    input: z.object(listQuery),
    output: listOf(Key),
    source: { extension: 'the keys area of the product' },
  }),
  keys_revoke: operation({
    method: 'DELETE',
    path: `${V1}/keys/{id}`,
    summary: 'Revoke a workspace key at once',
    scope: 'node',
    roles: ADMINS,
    input: z.object(idPath),
    output: Key,
    errors: ['not_found', 'permission_denied'],
    source: { extension: 'the keys area of the product' },
  }),
  keys_roll: operation({
    method: 'POST',
    path: `${V1}/keys/{id}/roll`,
    summary: 'Replace a workspace key; the old one works for another day',
    httpOnly: 'secret',
    scope: 'node',
    roles: ADMINS,
    input: z.object({
      ...idPath,
      overlap_hours: z
        .number()
        .int()
        .min(0)
        .max(168)
        .default(24)
        .meta({ description: 'How long the old key still works.', unit: 'h' }),
    }),
    output: KeyRolled,
    status: 201,
    errors: ['not_found', 'permission_denied'],
    source: { extension: 'the keys area of the product' },
  }),
  personal_tokens_create: operation({
    method: 'POST',
    path: `${V1}/personal-tokens`,
    summary: 'Issue a personal token that reads transcripts, shown once',
    httpOnly: 'secret',
    scope: 'node',
    roles: READERS,
    input: z.object({
      name: z.string().trim().min(1).max(120).default('token'),
      expires_in_days: z.number().int().min(1).max(365).default(30).meta({ unit: 'd' }),
    }),
    output: PersonalTokenCreated,
    status: 201,
    errors: ['limit_reached', 'permission_denied'],
    source: { extension: 'the issuance of the token that the transcript read takes (D-57)' },
  }),
  personal_tokens_list: operation({
    method: 'GET',
    path: `${V1}/personal-tokens`,
    summary: 'List the personal tokens of this key',
    scope: 'node',
    input: z.object({
      ...listQuery,
      key_id: Id.optional().meta({ description: 'Of another key; owners and admins only.' }),
    }),
    output: listOf(PersonalToken),
    errors: ['permission_denied'],
    source: { extension: 'what was issued can be seen' },
  }),
  personal_tokens_revoke: operation({
    method: 'DELETE',
    path: `${V1}/personal-tokens/{id}`,
    summary: 'Revoke a personal token at once',
    scope: 'node',
    roles: READERS,
    input: z.object(idPath),
    output: PersonalToken,
    errors: ['not_found'],
    source: { extension: 'what was issued can be taken back' },
  }),
  claim: operation({
    method: 'POST',
    path: `${V1}/claim`,
    summary: 'Become the owner of a fresh gateway with the claim code it printed',
    httpOnly: 'secret',
    scope: 'none',
    roles: ['owner'],
    input: z.object(claimInput),
    output: KeyCreated,
    status: 201,
    errors: ['claim_code_invalid', 'already_claimed', 'rate_limited'],
    source: { extension: 'first run: no default password, and not the first visitor either' },
  }),
  claim_code: operation({
    method: 'POST',
    path: `${V1}/claim-code`,
    summary: 'Print a new claim code; only the command on the gateway itself may',
    httpOnly: 'secret',
    scope: 'node',
    roles: ['owner'],
    input: z.object({}),
    output: z.object({
      object: z.literal('claim_code'),
      claimed: z.boolean(),
      code: z.string().nullable(),
      expires_at: Timestamp.nullable(),
    }),
    source: { extension: '`headframe claim-code` on a running gateway' },
  }),
  health_get: operation({
    method: 'GET',
    path: `${V1}/health`,
    summary: 'What works, what does not, and what each source sent that could not be used',
    scope: 'node',
    roles: READERS,
    input: z.object({}),
    output: Health,
    source: { extension: 'bad input is data: counted per source and shown' },
  }),
} as const;
