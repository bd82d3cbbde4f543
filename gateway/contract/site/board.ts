/** Dashboards and playlists: the content of TV boards, and the order in which boards rotate. */
import { z } from 'zod';
import { base, Context, Deleted, Id, idPath, listOf, MediaInput, searchQuery } from '#contract/base/common.ts';
import { eventOperations } from '#contract/base/event.ts';
import { LocalTime, WEEKDAYS } from '#contract/base/local-time.ts';
import { operation, V1 } from '#contract/base/operation.ts';
import { shownFields } from '#contract/base/shown.ts';
import { SEVERITY } from '#contract/work/alert.ts';
import { Widget } from './widget.ts';

/** Screens always show the current revision, so the published revision is either the current one or null. */
const published = z
  .number()
  .int()
  .nullable()
  .meta({ description: 'Revision that its display link shows; null without an active link.' });

const link = z
  .enum(['active', 'paused'])
  .nullable()
  .meta({ description: 'State of its display link; null without a link.' });

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
    ...shownFields(DashboardData.shape),
    layout: z.object({ columns: z.literal(12), rows: z.literal(6) }).meta({ description: 'The grid of positions.' }),
    published_revision: published,
    link_status: link,
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

const PlaylistWhen = z
  .object({
    days: z.array(z.enum(WEEKDAYS)).min(1).max(7).optional(),
    from: LocalTime.optional(),
    to: LocalTime.optional().meta({
      description: 'End of the window. If it is not after `from`, it is on the next day.',
    }),
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
  .meta({ description: 'Days and local times at which the item is shown.' });
export type PlaylistWhen = z.infer<typeof PlaylistWhen>;

const PlaylistItem = z
  .object({
    id: z.string().max(64).optional(),
    dashboard_id: Id.optional(),
    artifact_id: Id.optional().meta({ description: 'An image or clip, shown over the whole board.' }),
    url: z.url().max(2_000).optional().meta({
      description:
        'Refused: screens load nothing from other servers, see docs/adr/0020. Use a `qr` widget to show an address.',
    }),
    params: z
      .strictObject({
        fit: z.enum(['contain', 'cover']).optional().meta({ description: 'How a picture fills the board.' }),
        title: z
          .string()
          .trim()
          .min(1)
          .max(80)
          .optional()
          .meta({ description: 'Title; default: the name of the file.' }),
      })
      .optional()
      .meta({ description: 'Only for an item with `artifact_id`.' }),
    duration_s: z
      .number()
      .int()
      .min(5)
      .max(3_600)
      .optional()
      .meta({ description: 'Default: the duration of the playlist.', unit: 's' }),
    enabled: z.boolean().default(true),
    when: PlaylistWhen.optional().meta({ description: 'Absent: always.' }),
  })
  .refine(
    (item) => [item.dashboard_id, item.artifact_id, item.url].filter((one) => one !== undefined).length === 1,
    'an item needs exactly one of dashboard_id, artifact_id and url',
  )
  .refine(
    ({ params, artifact_id }) => params === undefined || artifact_id !== undefined,
    'params are allowed only with artifact_id',
  )
  .meta({ id: 'PlaylistItem' });

/** Name of a group of screens. */
export const DisplayGroup = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,39}$/, 'lower-case letters, digits, - and _')
  .meta({ description: 'Name of a group of screens, such as `workshop`.' });
export const PlaylistData = z.object({
  name: z.string().trim().min(1).max(120),
  items: z.array(PlaylistItem).max(50),
  default_duration_s: z.number().int().min(5).max(3_600).meta({ unit: 's' }),
  transition: z.enum(['none', 'fade']),
  shuffle: z.boolean().meta({ description: 'A new order every hour, the same on all screens.' }),
  takeover: z.object({ enabled: z.boolean(), min_severity: z.enum(SEVERITY) }).meta({
    description: 'An alert of at least this severity takes over the screen until it is acknowledged or cleared.',
  }),
  display_group_ids: z.array(DisplayGroup).max(50).meta({
    description: 'Groups of screens that show this playlist. Each group has one playlist.',
  }),
});
export type PlaylistData = z.infer<typeof PlaylistData>;
/** Defaults of a playlist. */
export const PLAYLIST_DEFAULTS: Pick<PlaylistData, 'transition' | 'shuffle' | 'takeover' | 'display_group_ids'> = {
  transition: 'fade',
  shuffle: false,
  takeover: { enabled: false, min_severity: 'critical' },
  display_group_ids: [],
};
const Playlist = z
  .object({
    object: z.literal('playlist'),
    ...base,
    ...shownFields(PlaylistData.shape),
    published_revision: published,
    link_status: link,
    context: Context,
  })
  .meta({ id: 'Playlist', description: 'Rotation of dashboards for an office TV.' });
export type Playlist = z.infer<typeof Playlist>;
const playlistCreateInput = {
  name: PlaylistData.shape.name,
  items: PlaylistData.shape.items.default([]),
  default_duration_s: PlaylistData.shape.default_duration_s.default(30),
  transition: PlaylistData.shape.transition.default(PLAYLIST_DEFAULTS.transition),
  shuffle: PlaylistData.shape.shuffle.default(PLAYLIST_DEFAULTS.shuffle),
  takeover: PlaylistData.shape.takeover.default(PLAYLIST_DEFAULTS.takeover),
  display_group_ids: PlaylistData.shape.display_group_ids.default([]),
  context: MediaInput.optional(),
};
const playlistUpdateInput = {
  name: PlaylistData.shape.name.optional(),
  items: PlaylistData.shape.items.optional(),
  default_duration_s: PlaylistData.shape.default_duration_s.optional(),
  transition: PlaylistData.shape.transition.optional(),
  shuffle: PlaylistData.shape.shuffle.optional(),
  takeover: PlaylistData.shape.takeover.optional(),
  display_group_ids: PlaylistData.shape.display_group_ids.optional(),
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
    errors: ['not_found', 'already_exists'],
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
    errors: ['not_found', 'already_exists', 'revision_mismatch'],
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
