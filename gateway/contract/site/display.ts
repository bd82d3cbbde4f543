/** Display links, which give a screen read access to boards, and pairing, which gives a screen its link. */
import { z } from 'zod';
import { Id, Timestamp } from '#contract/base/common.ts';
import { HINTS, operation, V1 } from '#contract/base/operation.ts';
import { SHARE_KINDS, type ShareKind } from '#contract/base/share-kinds.ts';
import { Artifact } from '#contract/work/artifact.ts';
import { DashboardData, DisplayGroup } from './board.ts';

const SHARE_ACTIONS = ['read', 'read-or-create', 'create', 'rotate', 'revoke', 'pause', 'resume'] as const;
const DisplayShare = z
  .object({
    object: z.literal('display_share'),
    id: z.string(),
    kind: z.enum(SHARE_KINDS),
    object_id: z.string(),
    status: z.enum(['active', 'paused', 'revoked']),
    url: z.string().nullable().meta({ description: 'Opens on a TV with no login; null once revoked.' }),
    qr: z.string().nullable().meta({ description: 'The url as a QR code (SVG); null once revoked.' }),
    short_code: z.string().meta({ description: 'Short name of the link for people. It gives no access.' }),
    scope: z.array(z.string()),
    expires_at: Timestamp.nullable(),
    created_at: Timestamp,
    rotated_at: Timestamp.nullable(),
    last_seen_at: Timestamp.nullable(),
    displays: z
      .array(z.object({ paired_at: Timestamp, address: z.string(), paired_by: z.string() }))
      .meta({ description: 'The latest 20 screens that were paired with this link.' }),
  })
  .meta({ id: 'DisplayShare', description: 'Read-only link to the boards that a screen may show.' });
export type DisplayShare = z.infer<typeof DisplayShare>;
/**
 * A stored display link. The gateway finds it by the hash of its token. It also stores the token encrypted, so that it can show the link
 * again.
 */
export interface ShareData {
  kind: ShareKind;
  object_id: string;
  status: 'active' | 'paused' | 'revoked';
  token: string | null;
  token_hash: string;
  rotated_at: string | null;
  last_seen_at: string | null;
  expires_at?: string | null;
  displays?: DisplayShare['displays'];
}
const displayShareInput = {
  kind: z.enum(SHARE_KINDS),
  object_id: Id,
  action: z.enum(SHARE_ACTIONS).default('read-or-create'),
  expires_in_days: z.number().int().min(1).max(3_650).optional().meta({
    description: 'How long the new link is valid; default: until it is revoked.',
    unit: 'd',
  }),
};

/** Files on boards. A display link gives access to the files of its boards. */
const media = { httpOnly: 'secret', bytes: 'shared_content', errors: ['not_found', 'range_not_satisfiable'] } as const;

export const DisplayPairing = z
  .object({
    object: z.literal('display_pairing'),
    device_code: z.string().optional().meta({ description: 'Held by the screen only.' }),
    user_code: z.string().meta({ description: 'The code on the screen, such as `7KQ-2MD`.' }),
    status: z.enum(['authorization_pending', 'approved', 'expired_token']),
    verification_url: z.string().meta({ description: 'Page on which a person enters the code.' }),
    share_url: z.string().nullable().meta({ description: 'Page that the screen opens after approval.' }),
    expires_in: z.number().int().meta({ unit: 's' }),
    interval: z.number().int().meta({ description: 'Seconds between polls.', unit: 's' }),
  })
  .meta({ id: 'DisplayPairing', description: 'Pairing of a screen by code (RFC 8628).' });
export type DisplayPairing = z.infer<typeof DisplayPairing>;

/** Operations on display links, live streams and pairing. */
export const displayOperations = {
  display_shares: operation({
    example: { kind: 'playlist', object_id: 'pl_0198c2f4k3e7n9v5s1q8r6t2w0', action: 'read-or-create' },
    secretFields: ['url'],
    method: 'POST',
    path: `${V1}/display-shares`,
    summary: 'Create, read, rotate, pause or revoke a scoped display link',
    httpOnly: 'share',
    input: z.object(displayShareInput),
    output: DisplayShare,
    hints: HINTS.CHANGE,
    errors: ['not_found', 'already_exists'],
  }),
  display_live: operation({
    perAddress: 120,
    method: 'GET',
    path: `${V1}/displays/{share}/live`,
    summary: 'The live stream of a shared playlist or dashboard (server-sent events)',
    httpOnly: 'events',
    scope: 'none',
    roles: ['display'],
    input: z.object({ share: z.string().min(20).max(200) }),
    output: z.object({}),
    stream: 'shared_board',
    errors: ['not_found', 'rate_limited'],
    source: { extension: 'a TV reads this stream; the share token in the path is its credential' },
  }),
  display_media: operation({
    ...media,
    perAddress: 1_200,
    method: 'GET',
    path: `${V1}/displays/{share}/media/{id}`,
    summary: 'Get the content of a picture or video clip on a shared board',
    scope: 'none',
    roles: ['display'],
    input: z.object({ share: z.string().min(20).max(200), id: Id }),
    output: Artifact,
    source: { extension: 'a TV reads pictures and clips; the share token in the path is its credential' },
  }),
  live: operation({
    method: 'GET',
    path: `${V1}/live`,
    summary: 'The live stream of a dashboard or playlist for a signed-in page (server-sent events)',
    httpOnly: 'events',
    input: z.object({ kind: z.enum(SHARE_KINDS), object_id: z.string().max(64) }),
    output: z.object({}),
    stream: 'board',
    errors: ['not_found', 'rate_limited'],
    source: { extension: 'a page gets all its content and all changes in one stream' },
  }),
  live_preview: operation({
    example: {
      name: 'Pit wall',
      theme: 'tv-dark',
      widgets: [{ id: 'alerts', type: 'alert_feed', position: { x: 0, y: 0, w: 6, h: 6 } }],
    },
    method: 'POST',
    path: `${V1}/live`,
    summary: 'The live stream of a dashboard that is not stored (server-sent events)',
    httpOnly: 'events',
    input: z.object({
      name: DashboardData.shape.name,
      theme: DashboardData.shape.theme.default('tv-dark'),
      widgets: DashboardData.shape.widgets,
    }),
    output: z.object({}),
    stream: 'draft_board',
    hints: HINTS.READ,
    errors: ['rate_limited'],
    source: { extension: 'a person sees a board before it is saved' },
  }),
  display_pairings_create: operation({
    perAddress: 20,
    method: 'POST',
    path: `${V1}/display-pairings`,
    summary: 'Begin the pairing of a screen (called by the screen)',
    httpOnly: 'secret',
    scope: 'none',
    roles: ['display'],
    input: z.object({}),
    output: DisplayPairing,
    status: 201,
    errors: ['rate_limited'],
    source: { extension: 'pairs a TV without typing a link on it' },
  }),
  display_pairings_poll: operation({
    perAddress: 120,
    method: 'POST',
    path: `${V1}/display-pairings/poll`,
    summary: 'Ask whether the screen has been paired (called by the screen)',
    httpOnly: 'secret',
    scope: 'none',
    roles: ['display'],
    input: z.object({ device_code: z.string().min(20).max(200) }),
    output: DisplayPairing,
    hints: HINTS.READ,
    errors: ['not_found', 'rate_limited'],
    source: { extension: 'the screen asks for the result of the pairing (RFC 8628 3.4)' },
  }),
  display_pairings_approve: operation({
    perAddress: 20,
    method: 'POST',
    path: `${V1}/display-pairings/approve`,
    summary: 'Pair the screen that shows this code with a playlist or dashboard',
    httpOnly: 'secret',
    input: z.object({
      user_code: z.string().min(6).max(12),
      kind: z.enum(SHARE_KINDS).optional(),
      object_id: z.string().max(64).optional(),
      display_group_id: DisplayGroup.optional().meta({
        description: 'Group of screens whose playlist is shown, instead of kind and object_id.',
      }),
    }),
    output: DisplayPairing,
    errors: ['not_found', 'parameter_missing', 'rate_limited'],
    source: { extension: 'a person in the office confirms the code on the screen' },
  }),
} as const;
