/** Objects of the gateway itself: keys, tokens, the claim and health. */
import { z } from 'zod';
import { Id, idPath, listOf, listQuery, Timestamp, Words } from '#contract/base/common.ts';
import { ADMINS, operation, READERS, V1 } from '#contract/base/operation.ts';
import type { Role } from '#contract/base/roles.ts';
import { BackupHealth, HistoryHealth } from '#contract/fleet/history.ts';

export const KEY_ROLES = ['owner', 'admin', 'supervisor', 'mechanic', 'operator', 'viewer', 'agent'] as const;

export const Key = z
  .object({
    object: z.literal('key'),
    id: z.string(),
    name: z.string(),
    role: z.enum(KEY_ROLES),
    prefix: z.string().meta({ description: 'First characters of the key, to tell keys apart.' }),
    project_ids: z.array(z.string()).nullable().meta({ description: 'Null: all projects of this gateway.' }),
    scopes: z.array(z.string()).nullable().meta({ description: 'Null: everything that its role permits.' }),
    allowed_cidrs: z.array(z.string()).nullable().meta({ description: 'Null: usable from any address.' }),
    last_used_at: Timestamp.nullable().meta({ description: 'Accurate to 10 minutes.' }),
    replaced_by: z.string().nullable().meta({ description: 'The key that replaced it.' }),
    expires_at: Timestamp.nullable(),
    revoked_at: Timestamp.nullable(),
    created_at: Timestamp,
  })
  .meta({ id: 'Key', description: 'A workspace key. The gateway stores only its hash.' });
export type Key = z.infer<typeof Key>;
const KeyCreated = z
  .object({
    object: z.literal('key_created'),
    key: Key,
    secret: z.string().meta({ description: 'The key itself. It is shown only once.' }),
  })
  .meta({ id: 'KeyCreated' });

const KeyRolled = z
  .object({
    object: z.literal('key_rolled'),
    key: Key,
    secret: z.string().meta({ description: 'The new key itself. It is shown only once.' }),
    previous: Key,
  })
  .meta({ id: 'KeyRolled' });

const PersonalToken = z
  .object({
    object: z.literal('personal_token'),
    id: z.string(),
    name: z.string(),
    prefix: z.string(),
    key_id: z.string().meta({ description: 'The user or key that issued it. The token ends with that user or key.' }),
    scopes: z.array(z.string()),
    last_used_at: Timestamp.nullable(),
    expires_at: Timestamp.nullable(),
    revoked_at: Timestamp.nullable(),
    created_at: Timestamp,
  })
  .meta({ id: 'PersonalToken', description: 'A token that can only read transcripts.' });
export type PersonalToken = z.infer<typeof PersonalToken>;
const PersonalTokenCreated = z
  .object({
    object: z.literal('personal_token_created'),
    token: PersonalToken,
    secret: z.string().meta({ description: 'The token itself. It is shown only once.' }),
  })
  .meta({ id: 'PersonalTokenCreated' });

/** A stored key (workspace, personal, device, the session of a user, a shared tablet, or a gateway at head office). The gateway finds it by `prefix` and verifies it with `hash`, the SHA-256 of the key. */
export interface KeyData {
  kind: 'workspace' | 'personal' | 'device' | 'session' | 'tablet' | 'gateway';
  name: string;
  role: Role;
  prefix: string;
  hash: string;
  project_ids: string[] | null;
  /** Null or absent: everything that the role permits. */
  scopes?: string[] | null;
  /** Null or absent: from any address. */
  allowed_cidrs?: string[] | null;
  replaced_by?: string | null;
  /**
   * For a personal token: the key or user that issued it. For a session: its user. The key has the role and the projects of its parent. For
   * the credential of a tablet: the tablet. For the credential of a gateway: its enrolment.
   */
  parent?: string | null;
  /** For a session: it ends when it was not used for this many milliseconds. */
  idle_ms?: number;
  /** For a session: its begin, by the time by which sessions end. That time may be later than the clock, if the clock was set back. */
  began_at?: string;
  /** For a session: the network address at sign-in. */
  address?: string;
  /** For a session that began with a PIN: the tablet. The session is valid only as long as the user may use this tablet. */
  tablet?: string;
  /** Record id, for a device key. */
  device: string | null;
  /** The `device_id`, for a device key. */
  device_id: string | null;
  expires_at: string | null;
  revoked_at: string | null;
}

const keyCreateInput = {
  name: z.string().trim().min(1).max(120).default('key'),
  role: z.enum(KEY_ROLES).default('admin'),
  project_ids: z.array(Id).max(100).optional(),
  scopes: z.array(z.string().max(80)).min(1).max(100).optional().meta({
    description: '`equipment:read`, `devices:write`, `*:read`, ...; write includes read. Absent: no limit.',
  }),
  allowed_cidrs: z
    .array(z.union([z.cidrv4(), z.cidrv6()]))
    .min(1)
    .max(20)
    .optional()
    .meta({ description: 'Client addresses that may use the key, such as 10.2.0.0/16.' }),
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
    source: z.string().meta({ description: 'device_id; the address if unknown.' }),
    messages: z.number().int(),
    frames: z.number().int(),
    unparsable: z.number().int().meta({ description: 'Lines or payloads that could not be parsed.' }),
    refused: z
      .number()
      .int()
      .meta({ description: 'Refused messages: wrong key, topic of another device, unknown device, or too large.' }),
    duplicates: z.number().int(),
    late: z.number().int(),
    unknown_pgns: z.number().int(),
    transport_aborts: z.number().int(),
    last_error: z.string().nullable(),
    last_error_at: Timestamp.nullable(),
  })
  .meta({ id: 'SourceHealth' });
export type SourceHealth = z.infer<typeof SourceHealth>;

/** Levels of free disk space. At each level the gateway stops more functions than at the level before. */
export const DISK_LEVELS = ['ok', 'low', 'scarce', 'critical'] as const;
export type DiskLevel = (typeof DISK_LEVELS)[number];

export const Problem = z
  .object({
    code: z.string(),
    message: z.string().meta({ description: 'Description of the problem.' }),
    words: Words.optional(),
    since: Timestamp.nullable().meta({ description: 'Start of the problem; null if not recorded.' }),
    given_up: z.string().nullable().meta({ description: 'Functions that the gateway has stopped because of it.' }),
    remedy: z.string().nullable().meta({ description: 'What a person can do.' }),
  })
  .meta({ id: 'Problem' });
export type Problem = z.infer<typeof Problem>;

/** Kinds of data loss when space is short: history samples of a machine, refused messages of a device, raw messages of all devices. */
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
  .meta({ id: 'OpenGap', description: 'A gap that has not ended. When it ends, `gap_declared` events are written.' });

/** Stored bytes of one device, or of the history of one machine. */
const Writer = z
  .object({
    object: z.enum(['device', 'equipment']),
    id: z.string().meta({ description: 'Record id.' }),
    device_id: z.string().nullable().meta({ description: 'The `device_id`; null for a machine.' }),
    today: z
      .object({ events: z.number(), facts: z.number(), samples: z.number(), files: z.number() })
      .meta({ description: 'Bytes stored today (UTC), by budget.', unit: 'bytes' }),
    total_bytes: z.number().meta({ description: 'Bytes stored since counting began, or since the last purge.' }),
    dropped: z.number().int().meta({ description: 'Items dropped today because a budget was used up.' }),
  })
  .meta({ id: 'Writer' });
export type Writer = z.infer<typeof Writer>;

/** A CAN bus that is connected to the gateway's own computer. */
const BusHealth = z
  .object({
    device_id: z.string().meta({ description: 'The device to which its frames belong.' }),
    source: z.string(),
    state: z.enum(['opening', 'searching', 'listening', 'away', 'refused']),
    detail: z.string().nullable().meta({ description: 'Description of a fault, if there is one.' }),
    bitrate: z.number().nullable().meta({ unit: 'bit/s' }),
    bus_state: z.enum(['active', 'warning', 'passive', 'bus_off']).nullable().meta({ description: 'CAN error state.' }),
    load_pct: z.number().nullable().meta({ description: 'Share of the bus in use, estimated.', unit: '%' }),
    frames: z.number().int(),
    frames_per_s: z.number().int(),
    malformed: z.number().int(),
    overruns: z
      .number()
      .int()
      .meta({ description: 'Frames lost before they reached the gateway, as reported by the adapter or the kernel.' }),
    waiting_messages: z.number().int(),
    waiting_bytes: z.number().int(),
    lost_frames: z.number().int().meta({ description: 'Frames dropped because space was short, in total.' }),
    requests: z
      .enum(['never', 'waiting', 'sending'])
      .meta({ description: 'Whether it requests totals from the machine.' }),
  })
  .meta({ id: 'BusHealth' });
export type BusHealth = z.infer<typeof BusHealth>;

export const Health = z
  .object({
    object: z.literal('health'),
    status: z.enum(['ok', 'degraded']),
    problems: z.array(Problem),
    version: z.string(),
    role: z.enum(['gateway', 'cloud']).meta({ description: 'cloud: this is head office.' }),
    gateway_id: z.string(),
    started_at: Timestamp,
    now: Timestamp,
    journal: z.object({
      bytes: z.number().int(),
      segments: z.number().int(),
      unfolded_messages: z.number().int().meta({ description: 'Acknowledged messages that are not yet processed.' }),
      uncommitted_messages: z.number().int().meta({
        description: 'Acknowledged messages without committed results. A restart processes them again.',
      }),
      last_sync_ms: z.number().nullable().meta({ unit: 'ms' }),
    }),
    disk: z.object({
      free_bytes: z.number().nullable(),
      total_bytes: z.number().nullable(),
      reserve_bytes: z.number().meta({ description: 'Disk space that the gateway reserves for a full disk.' }),
      level: z.enum(DISK_LEVELS),
    }),
    history: HistoryHealth,
    backups: BackupHealth,
    gaps: z.array(OpenGap).meta({ description: 'Data that is being lost now; at most 100 entries.' }),
    writers: z
      .array(Writer)
      .meta({ description: 'The 20 devices and machines with the most bytes today, then in total.' }),
    sources: z.array(SourceHealth).meta({ description: 'The 200 sources with the latest activity.' }),
    buses: z.array(BusHealth).meta({ description: 'CAN buses connected to this computer (HEADFRAME_CAN).' }),
    names: z.array(z.string()).meta({ description: 'Names announced in the local network, such as headframe.local.' }),
  })
  .meta({ id: 'Health', description: 'State of the gateway, current problems, and unusable data by source.' });
export type Health = z.infer<typeof Health>;

/** What operations have in common that show a new workspace key. */
const showsKey = { httpOnly: 'secret', secretOf: 'key.id', scope: 'node', roles: ADMINS, status: 201 } as const;

/** Operations on keys, the claim and health. */
export const nodeOperations = {
  keys_create: operation({
    method: 'POST',
    path: `${V1}/keys`,
    summary: 'Create a workspace key; it is shown once',
    ...showsKey,
    input: z.object(keyCreateInput),
    output: KeyCreated,
    errors: ['permission_denied', 'project_not_found'],
    source: { extension: 'people must be able to create, replace and revoke keys' },
  }),
  keys_list: operation({
    method: 'GET',
    path: `${V1}/keys`,
    summary: 'List workspace keys, without their secrets',
    scope: 'node',
    roles: ADMINS,
    input: z.object(listQuery),
    output: listOf(Key),
    source: { extension: 'people must be able to create, replace and revoke keys' },
  }),
  keys_revoke: operation({
    method: 'DELETE',
    path: `${V1}/keys/{id}`,
    summary: 'Revoke a workspace key immediately',
    scope: 'node',
    roles: ADMINS,
    input: z.object(idPath),
    output: Key,
    errors: ['not_found', 'permission_denied'],
    source: { extension: 'people must be able to create, replace and revoke keys' },
  }),
  keys_roll: operation({
    method: 'POST',
    path: `${V1}/keys/{id}/roll`,
    summary: 'Replace a workspace key; the old one stays valid for a day',
    ...showsKey,
    input: z.object({
      ...idPath,
      overlap_hours: z
        .number()
        .int()
        .min(0)
        .max(168)
        .default(24)
        .meta({ description: 'How long the old key stays valid.', unit: 'h' }),
    }),
    output: KeyRolled,
    status: 201,
    errors: ['not_found', 'permission_denied'],
    source: { extension: 'people must be able to create, replace and revoke keys' },
  }),
  personal_tokens_create: operation({
    method: 'POST',
    path: `${V1}/personal-tokens`,
    summary: 'Issue a personal token that can read transcripts; it is shown once',
    httpOnly: 'secret',
    secretOf: 'token.id',
    scope: 'node',
    roles: READERS,
    input: z.object({
      name: z.string().trim().min(1).max(120).default('token'),
      expires_in_days: z.number().int().min(1).max(365).default(30).meta({ unit: 'd' }),
    }),
    output: PersonalTokenCreated,
    status: 201,
    errors: ['limit_reached', 'permission_denied'],
    source: { extension: 'issues the token that reads transcripts' },
  }),
  personal_tokens_list: operation({
    method: 'GET',
    path: `${V1}/personal-tokens`,
    summary: 'List the personal tokens of this key',
    scope: 'node',
    input: z.object({
      ...listQuery,
      key_id: Id.optional().meta({ description: 'Tokens of another key; owners and admins only.' }),
    }),
    output: listOf(PersonalToken),
    errors: ['permission_denied'],
    source: { extension: 'people must be able to see the tokens that exist' },
  }),
  personal_tokens_revoke: operation({
    method: 'DELETE',
    path: `${V1}/personal-tokens/{id}`,
    summary: 'Revoke a personal token immediately',
    scope: 'node',
    roles: READERS,
    input: z.object(idPath),
    output: PersonalToken,
    errors: ['not_found'],
    source: { extension: 'people must be able to revoke a token' },
  }),
  claim: operation({
    example: { code: 'ABCD-1234', name: 'Site office' },
    perAddress: 10,
    method: 'POST',
    path: `${V1}/claim`,
    summary: 'Become the owner of a new gateway with the claim code that it printed',
    httpOnly: 'secret',
    scope: 'none',
    roles: ['owner'],
    input: z.object(claimInput),
    output: KeyCreated,
    status: 201,
    errors: ['claim_code_invalid', 'already_claimed', 'rate_limited'],
    source: {
      extension: 'a new gateway has no default password, and a random first visitor must not become its owner',
    },
  }),
  claim_code: operation({
    method: 'POST',
    path: `${V1}/claim-code`,
    summary: 'Print a new claim code; only for the command line on the gateway itself',
    httpOnly: 'secret',
    scope: 'node',
    roles: ['owner'],
    input: z.object({}),
    output: z.object({
      object: z.literal('claim_code'),
      claimed: z
        .boolean()
        .meta({ description: 'True if the gateway has an owner; the code then recovers the account of an owner.' }),
      code: z.string(),
      expires_at: Timestamp,
    }),
    source: { extension: '`headframe claim-code` on a running gateway' },
  }),
  health_get: operation({
    method: 'GET',
    path: `${V1}/health`,
    summary: 'Get the state of the gateway, current problems, and unusable data by source',
    scope: 'node',
    roles: READERS,
    input: z.object({}),
    output: Health,
    source: { extension: 'the gateway counts unusable input by source and shows the counts' },
  }),
} as const;
