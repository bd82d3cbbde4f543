/**
 * Display links, which give a screen read access to boards, and paired displays: each TV that was paired by code has a name, an access token
 * of its own, and the board that it shows.
 */
import { z } from 'zod';
import { Id, idPath, listOf, listQuery, Timestamp } from '#contract/base/common.ts';
import { HINTS, operation, V1 } from '#contract/base/operation.ts';
import { SHARE_KINDS, type ShareKind } from '#contract/base/widget-kinds.ts';
import { Artifact } from '#contract/work/artifact.ts';
import { DashboardData, DisplayGroup } from './board.ts';
import { LIVE_MS } from './live.ts';

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

/** For this number of seconds a display shows its name after a person asked for it. */
export const NAMED_S = 30;

/** What the setup of a display says about it; the page of screens computes from it whether the texts can be read. */
const displaySetup = {
  name: z.string().trim().min(1).max(120).meta({ description: 'Such as the place of the screen.' }),
  inches: z.number().min(5).max(200).meta({ description: 'Diagonal of the screen.', unit: 'in' }),
  metres: z.number().min(0.3).max(50).meta({ description: 'Distance from which people read it.', unit: 'm' }),
};

const shownFields = {
  board_id: z.string().max(64).nullable().meta({ description: 'Board on the screen; null if it shows none.' }),
  page: z.number().int().min(0).max(1_000).meta({ description: 'Page in the rotation, from 1; 0: none.' }),
  pages: z.number().int().min(0).max(1_000),
  width: z.number().int().min(1).max(32_768).meta({ unit: 'px' }),
  height: z.number().int().min(1).max(32_768).meta({ unit: 'px' }),
  build: z.string().max(64).meta({ description: 'Build of the page on the screen.' }),
};
const Shown = z.object(shownFields);
export type DisplayReport = z.infer<typeof Shown>;

const Display = z
  .object({
    object: z.literal('display'),
    id: z.string(),
    revision: z.number().int(),
    name: displaySetup.name,
    kind: z.enum(SHARE_KINDS),
    object_id: z.string().meta({ description: 'What it shows.' }),
    inches: displaySetup.inches.nullable(),
    metres: displaySetup.metres.nullable(),
    state: z.enum(['live', 'not_heard', 'never_heard']).meta({
      description: `\`live\`: heard within ${LIVE_MS / 1000} s.`,
    }),
    last_seen_at: Timestamp.nullable().meta({
      description: 'When the gateway last heard it. After a restart of the gateway up to 10 minutes too early.',
    }),
    shown: Shown.nullable().meta({ description: 'Its last report since the gateway started.' }),
    paired_at: Timestamp,
    paired_by: z.string(),
    address: z.string().meta({ description: 'Network address of the screen when it was paired.' }),
  })
  .meta({ id: 'Display', description: 'A screen that was paired by code.' });
export type Display = z.infer<typeof Display>;

/** A stored display. The gateway finds it by the hash of its token; the token itself is only on the screen. */
export interface DisplayData extends Pick<Display, 'name' | 'inches' | 'metres' | 'paired_by' | 'address'> {
  kind: ShareKind;
  object_id: string;
  token_hash: string;
  last_seen_at: string | null;
}

/** What the gateway has heard from a display since it started. */
export interface DisplayHeard {
  readonly seen_ms: number;
  readonly shown: DisplayReport | null;
}

/** Knows the displays that are connected to this process. */
export interface DisplayReader {
  /** What was heard from a display; undefined if nothing since the start. */
  heard(id: string): DisplayHeard | undefined;
  /** Takes the report of the display with this token; false if no display with it is connected. */
  report(token_hash: string, shown: DisplayReport): boolean;
  /** Lets a display show its name; false if it is not connected. */
  identify(id: string, name: string): boolean;
}

/** A screen that waits to be paired, as it is stored. */
export interface PairingData {
  readonly user_code: string;
  readonly expires_ms: number;
  /** The display that a person made for the screen, with its sealed token. */
  readonly target: {
    readonly project_id: string;
    readonly object_id: string;
    readonly display: string;
    readonly token: string;
    readonly token_hash: string;
  } | null;
  /** Network address of the screen. */
  readonly address: string;
}

/** Counts wrong codes of screens. */
export interface PairingTries {
  /** Throws `rate_limited` if the caller has sent too many wrong codes. */
  check(by: string): void;
  wrong(by: string): void;
}

const SEES_SCREENS = { extension: 'a person sees all screens of the site, and which of them are dark' };

/** Operations on display links, live streams, pairing and paired displays. */
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
      name: displaySetup.name.optional().meta({ description: 'Name of the screen; default: TV and a number.' }),
      inches: displaySetup.inches.optional(),
      metres: displaySetup.metres.optional(),
    }),
    output: DisplayPairing,
    errors: ['not_found', 'parameter_missing', 'limit_reached', 'rate_limited'],
    source: { extension: 'a person in the office confirms the code on the screen' },
  }),
  displays_list: operation({
    method: 'GET',
    path: `${V1}/displays`,
    summary: 'List paired screens',
    input: z.object(listQuery),
    output: listOf(Display),
    source: SEES_SCREENS,
  }),
  displays_update: operation({
    method: 'PATCH',
    path: `${V1}/displays/{id}`,
    summary: 'Change what a paired screen shows, its name, size or distance',
    httpOnly: 'pairing',
    input: z.object({
      ...idPath,
      name: displaySetup.name.optional(),
      kind: z.enum(SHARE_KINDS).optional().meta({ description: 'With object_id.' }),
      object_id: Id.optional(),
      inches: displaySetup.inches.nullable().optional(),
      metres: displaySetup.metres.nullable().optional(),
    }),
    output: Display,
    revision: 'if-match',
    errors: ['not_found', 'parameter_missing', 'revision_mismatch'],
    source: SEES_SCREENS,
  }),
  displays_identify: operation({
    method: 'POST',
    path: `${V1}/displays/{id}/identify`,
    summary: `Let a paired screen show its name for ${NAMED_S} seconds`,
    httpOnly: 'pairing',
    input: z.object(idPath),
    output: z
      .object({
        object: z.literal('display_identify'),
        id: z.string(),
        shown: z.boolean().meta({ description: 'False: the screen is not connected, and shows nothing.' }),
      })
      .meta({ id: 'DisplayIdentify' }),
    hints: HINTS.CHANGE,
    errors: ['not_found'],
    source: SEES_SCREENS,
  }),
  displays_unpair: operation({
    method: 'DELETE',
    path: `${V1}/displays/{id}`,
    summary: 'Unpair a screen; it goes dark and shows a pairing code',
    httpOnly: 'pairing',
    input: z.object(idPath),
    output: Display,
    errors: ['not_found'],
    source: SEES_SCREENS,
  }),
  display_report: operation({
    perAddress: 600,
    method: 'POST',
    path: `${V1}/displays/{share}/report`,
    summary: 'Report what a paired screen shows (called by the screen)',
    httpOnly: 'secret',
    scope: 'none',
    roles: ['display'],
    frequent: true,
    input: z.object({ share: z.string().min(20).max(200), ...shownFields }),
    output: z.object({ object: z.literal('display_report') }).meta({ id: 'DisplayReport' }),
    hints: HINTS.CHANGE,
    errors: ['not_found', 'rate_limited'],
    source: { extension: 'the page of screens shows what each screen shows, and when it was last heard' },
  }),
} as const;
