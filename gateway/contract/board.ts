/** Dashboard, playlist and display share: what stands on a wall, in which order, and who may look. */
import { z } from 'zod';
import { base, Context, Id, listQuery, Timestamp } from './common.ts';
import { SIGNAL_NAMES } from './signals.ts';

const WIDGET_TYPES = ['status_board', 'kpi', 'timeseries', 'text'] as const;

export const Widget = z
  .object({
    id: z.string().max(64).optional().meta({ description: 'Minted when absent.' }),
    type: z.enum(WIDGET_TYPES).meta({
      description: 'status_board: equipment state grid; kpi: one live value; timeseries: trend; text: a notice.',
    }),
    title: z.string().max(80).default(''),
    query: z
      .object({
        equipment_id: Id.optional().meta({ description: 'One machine; absent: all of the project that match.' }),
        kind: z.string().max(60).optional(),
        location_id: Id.optional(),
        signal: z.enum(SIGNAL_NAMES as [string, ...string[]]).optional(),
        signals: z
          .array(z.enum(SIGNAL_NAMES as [string, ...string[]]))
          .max(4)
          .optional(),
        window_s: z.number().int().min(60).max(86_400).optional().meta({ unit: 's' }),
        aggregate: z.enum(['sum', 'avg', 'min', 'max', 'count_running', 'count_reporting', 'utilization']).optional(),
      })
      .default({}),
    position: z
      .object({
        x: z.number().int().min(0).max(11),
        y: z.number().int().min(0).max(5),
        w: z.number().int().min(1).max(12),
        h: z.number().int().min(1).max(6),
      })
      .refine((p) => p.x + p.w <= 12 && p.y + p.h <= 6, 'the widget must lie inside the 12 by 6 grid'),
    thresholds: z
      .array(z.object({ at: z.number(), level: z.enum(['warning', 'critical']), below: z.boolean().default(false) }))
      .max(8)
      .default([]),
    params: z.record(z.string().max(64), z.unknown()).default({}),
  })
  .meta({ id: 'Widget', description: 'One tile of a dashboard on a 12 by 6 grid.' });
export type Widget = z.infer<typeof Widget>;
export type PlacedWidget = Widget & { id: string };

export const DashboardData = z.object({
  name: z.string().trim().min(1).max(120),
  description: z.string().max(2_000),
  audience: z.enum(['tv', 'tablet', 'desktop']),
  widgets: z.array(Widget).max(48),
  theme: z.enum(['tv-dark', 'tv-light']),
});
export type DashboardData = z.infer<typeof DashboardData>;
export const Dashboard = z
  .object({ object: z.literal('dashboard'), ...base, ...DashboardData.shape, context: Context })
  .meta({ id: 'Dashboard', description: "Board that shows a site's live state." });
export type Dashboard = z.infer<typeof Dashboard>;
export const dashboardCreateInput = {
  name: DashboardData.shape.name,
  description: DashboardData.shape.description.default(''),
  audience: DashboardData.shape.audience.default('tv'),
  widgets: DashboardData.shape.widgets.default([]),
  theme: DashboardData.shape.theme.default('tv-dark'),
};
export const dashboardUpdateInput = {
  name: DashboardData.shape.name.optional(),
  description: DashboardData.shape.description.optional(),
  audience: DashboardData.shape.audience.optional(),
  widgets: DashboardData.shape.widgets.optional(),
  theme: DashboardData.shape.theme.optional(),
};

const PlaylistItem = z
  .object({
    id: z.string().max(64).optional(),
    dashboard_id: Id,
    duration_s: z
      .number()
      .int()
      .min(5)
      .max(3_600)
      .optional()
      .meta({ description: 'Absent: the default of the playlist.', unit: 's' }),
    enabled: z.boolean().default(true),
  })
  .meta({ id: 'PlaylistItem' });
export const PlaylistData = z.object({
  name: z.string().trim().min(1).max(120),
  items: z.array(PlaylistItem).max(50),
  default_duration_s: z.number().int().min(5).max(3_600).meta({ unit: 's' }),
});
export type PlaylistData = z.infer<typeof PlaylistData>;
export const Playlist = z
  .object({ object: z.literal('playlist'), ...base, ...PlaylistData.shape, context: Context })
  .meta({ id: 'Playlist', description: 'Rotation of dashboards for an office TV.' });
export type Playlist = z.infer<typeof Playlist>;
export const playlistCreateInput = {
  name: PlaylistData.shape.name,
  items: PlaylistData.shape.items.default([]),
  default_duration_s: PlaylistData.shape.default_duration_s.default(30),
};
export const playlistUpdateInput = {
  name: PlaylistData.shape.name.optional(),
  items: PlaylistData.shape.items.optional(),
  default_duration_s: PlaylistData.shape.default_duration_s.optional(),
};
export const boardListQuery = { ...listQuery };

export const SHARE_KINDS = ['playlist', 'dashboard'] as const;
const SHARE_ACTIONS = ['read-or-create', 'create', 'rotate', 'revoke', 'pause', 'resume'] as const;
export const DisplayShare = z
  .object({
    object: z.literal('display_share'),
    id: z.string(),
    kind: z.enum(SHARE_KINDS),
    object_id: z.string(),
    status: z.enum(['active', 'paused', 'revoked']),
    url: z.string().nullable().meta({ description: 'Opens on a TV with no login; null once revoked.' }),
    scope: z.array(z.string()),
    created_at: Timestamp,
    rotated_at: Timestamp.nullable(),
    last_seen_at: Timestamp.nullable(),
  })
  .meta({ id: 'DisplayShare', description: 'Scoped link to a playlist or dashboard, read only.' });
export type DisplayShare = z.infer<typeof DisplayShare>;
/** What the node keeps of a share: the token's hash finds it, the sealed token lets it be shown again. */
export interface ShareData {
  kind: (typeof SHARE_KINDS)[number];
  object_id: string;
  status: 'active' | 'paused' | 'revoked';
  token: string | null;
  token_hash: string;
  rotated_at: string | null;
  last_seen_at: string | null;
}
export const displayShareInput = {
  kind: z.enum(SHARE_KINDS),
  object_id: Id,
  action: z.enum(SHARE_ACTIONS).default('read-or-create'),
};

export const DisplayPairing = z
  .object({
    object: z.literal('display_pairing'),
    device_code: z.string().optional().meta({ description: 'Held by the screen only.' }),
    user_code: z.string().meta({ description: 'Read off the screen, as `7KQ-2MD`.' }),
    status: z.enum(['authorization_pending', 'approved', 'expired_token']),
    verification_url: z.string().meta({ description: 'Where a person enters the code.' }),
    share_url: z.string().nullable().meta({ description: 'Where the screen goes once approved.' }),
    expires_in: z.number().int().meta({ unit: 's' }),
    interval: z.number().int().meta({ description: 'Seconds between polls.', unit: 's' }),
  })
  .meta({ id: 'DisplayPairing', description: 'Pairing of a screen by code (RFC 8628).' });
export type DisplayPairing = z.infer<typeof DisplayPairing>;
