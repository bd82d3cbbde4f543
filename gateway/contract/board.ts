/** Dashboard and playlist: what stands on a wall, and in which order. */
import { z } from 'zod';
import { base, Context, Deleted, Id, idPath, listOf, MediaInput, searchQuery } from './common.ts';
import { eventOperations } from './event.ts';
import { operation, V1 } from './operation.ts';
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

/** Screens show the revision of now, so what is published is either that or nothing. */
const published = z
  .number()
  .int()
  .nullable()
  .meta({ description: 'Revision that its own display link shows now; null without an active link.' });

export const DashboardData = z.object({
  name: z.string().trim().min(1).max(120),
  description: z.string().max(2_000),
  audience: z.enum(['tv', 'tablet', 'desktop']),
  widgets: z.array(Widget).max(48),
  theme: z.enum(['tv-dark', 'tv-light']),
});
export type DashboardData = z.infer<typeof DashboardData>;
export const Dashboard = z
  .object({
    object: z.literal('dashboard'),
    ...base,
    ...DashboardData.shape,
    layout: z.object({ columns: z.literal(12), rows: z.literal(6) }).meta({ description: 'The grid of positions.' }),
    published_revision: published,
    context: Context,
  })
  .meta({ id: 'Dashboard', description: "Board that shows a site's live state." });
export type Dashboard = z.infer<typeof Dashboard>;
const dashboardCreateInput = {
  name: DashboardData.shape.name,
  description: DashboardData.shape.description.default(''),
  audience: DashboardData.shape.audience.default('tv'),
  widgets: DashboardData.shape.widgets.default([]),
  theme: DashboardData.shape.theme.default('tv-dark'),
  context: MediaInput.optional(),
};
const dashboardUpdateInput = {
  name: DashboardData.shape.name.optional(),
  description: DashboardData.shape.description.optional(),
  audience: DashboardData.shape.audience.optional(),
  widgets: DashboardData.shape.widgets.optional(),
  theme: DashboardData.shape.theme.optional(),
  context: MediaInput.optional(),
};

const LocalTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'a local time HH:MM');

const PlaylistWhen = z
  .object({
    days: z
      .array(z.enum(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']))
      .min(1)
      .max(7)
      .optional(),
    from: LocalTime.optional(),
    to: LocalTime.optional().meta({ description: 'Not after `from`: on the next day.' }),
    shift: z
      .string()
      .trim()
      .min(1)
      .max(40)
      .optional()
      .meta({ description: 'A shift of the project instead of times.' }),
  })
  .refine(
    ({ from, to, shift }) => shift === undefined || (from === undefined && to === undefined),
    'either a shift or times',
  )
  .meta({ description: 'Days and times of the site at which the item is shown.' });
export type PlaylistWhen = z.infer<typeof PlaylistWhen>;

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
    when: PlaylistWhen.optional().meta({ description: 'Absent: always.' }),
  })
  .meta({ id: 'PlaylistItem' });
export const PlaylistData = z.object({
  name: z.string().trim().min(1).max(120),
  items: z.array(PlaylistItem).max(50),
  default_duration_s: z.number().int().min(5).max(3_600).meta({ unit: 's' }),
});
export type PlaylistData = z.infer<typeof PlaylistData>;
const Playlist = z
  .object({
    object: z.literal('playlist'),
    ...base,
    ...PlaylistData.shape,
    published_revision: published,
    context: Context,
  })
  .meta({ id: 'Playlist', description: 'Rotation of dashboards for an office TV.' });
export type Playlist = z.infer<typeof Playlist>;
const playlistCreateInput = {
  name: PlaylistData.shape.name,
  items: PlaylistData.shape.items.default([]),
  default_duration_s: PlaylistData.shape.default_duration_s.default(30),
  context: MediaInput.optional(),
};
const playlistUpdateInput = {
  name: PlaylistData.shape.name.optional(),
  items: PlaylistData.shape.items.optional(),
  default_duration_s: PlaylistData.shape.default_duration_s.optional(),
  context: MediaInput.optional(),
};
const boardListQuery = { ...searchQuery };

const dashboardEvents = eventOperations('dashboards', 'dashboard');
const playlistEvents = eventOperations('playlists', 'playlist');

/** Operations on dashboards and playlists. */
export const boardOperations = {
  dashboards_create: operation({
    method: 'POST',
    path: `${V1}/dashboards`,
    summary: 'Create a dashboard',
    input: z.object(dashboardCreateInput),
    output: Dashboard,
    status: 201,
    revision: 'etag',
    errors: ['not_found'],
  }),
  dashboards_list: operation({
    method: 'GET',
    path: `${V1}/dashboards`,
    summary: 'List dashboards',
    input: z.object(boardListQuery),
    output: listOf(Dashboard),
  }),
  dashboards_get: operation({
    method: 'GET',
    path: `${V1}/dashboards/{id}`,
    summary: 'Get a dashboard',
    input: z.object(idPath),
    output: Dashboard,
    revision: 'etag',
    errors: ['not_found'],
  }),
  dashboards_update: operation({
    method: 'PATCH',
    path: `${V1}/dashboards/{id}`,
    summary: 'Update a dashboard',
    input: z.object({ ...idPath, ...dashboardUpdateInput }),
    output: Dashboard,
    revision: 'if-match',
    errors: ['not_found', 'revision_mismatch'],
  }),
  dashboards_delete: operation({
    method: 'DELETE',
    path: `${V1}/dashboards/{id}`,
    summary: 'Delete a dashboard',
    input: z.object(idPath),
    output: Deleted,
    revision: 'if-match',
    errors: ['not_found', 'revision_mismatch'],
  }),
  dashboards_append_event: dashboardEvents.append,
  dashboards_events: dashboardEvents.list,
  playlists_create: operation({
    method: 'POST',
    path: `${V1}/playlists`,
    summary: 'Create a TV playlist',
    input: z.object(playlistCreateInput),
    output: Playlist,
    status: 201,
    revision: 'etag',
    errors: ['not_found'],
  }),
  playlists_list: operation({
    method: 'GET',
    path: `${V1}/playlists`,
    summary: 'List TV playlists',
    input: z.object(boardListQuery),
    output: listOf(Playlist),
  }),
  playlists_get: operation({
    method: 'GET',
    path: `${V1}/playlists/{id}`,
    summary: 'Get a TV playlist',
    input: z.object(idPath),
    output: Playlist,
    revision: 'etag',
    errors: ['not_found'],
  }),
  playlists_update: operation({
    method: 'PATCH',
    path: `${V1}/playlists/{id}`,
    summary: 'Update a TV playlist',
    input: z.object({ ...idPath, ...playlistUpdateInput }),
    output: Playlist,
    revision: 'if-match',
    errors: ['not_found', 'revision_mismatch'],
  }),
  playlists_delete: operation({
    method: 'DELETE',
    path: `${V1}/playlists/{id}`,
    summary: 'Delete a TV playlist',
    input: z.object(idPath),
    output: Deleted,
    revision: 'if-match',
    errors: ['not_found', 'revision_mismatch'],
  }),
  playlists_append_event: playlistEvents.append,
  playlists_events: playlistEvents.list,
} as const;
