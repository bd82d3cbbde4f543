/** Operations on dashboards, the boards of widgets that screens show. */

import { OperationError } from '#contract/base/errors.ts';
import { say } from '#contract/base/told.ts';
import type { HandlerContext } from '#contract/context.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Output } from '#contract/operations.ts';
import type { DashboardData, PlaylistData } from '#contract/site/board.ts';
import { QrParams, type Widget } from '#contract/site/widget.ts';
import { requireRecords } from '#handlers/base/documents.ts';
import { stageItems } from '#handlers/base/items.ts';
import { BoardRecords } from './board-records.ts';
import { stageShareEnd } from './display-shares.ts';
import { stageDisplaysEnd } from './displays.ts';

const dashboards = new BoardRecords<DashboardData, Output<'dashboards_get'>>({
  object: 'dashboard',
  parts: ({ widgets }) => widgets,
  partsField: 'widgets',
  texts: ({ name, description }) => [name, description],
  toObject: (data, shared) => ({ object: 'dashboard', ...shared, ...data, layout: { columns: 12, rows: 6 } }),
});

/** Throws if two widgets cover the same cell of the grid, because a screen would draw one over the other. */
function checkOverlaps(widgets: readonly Widget[]): void {
  for (const [i, { position: a }] of widgets.entries()) {
    const before = widgets.findIndex(
      ({ position: b }) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h,
    );
    if (before < i)
      throw new OperationError(
        'parameter_invalid',
        say('Widgets {before} and {i} overlap on the grid of 12 by 6.', { before, i }),
        {
          param: `widgets[${i}].position`,
        },
      );
  }
}

/**
 * Adds ids to the widgets that have none. Throws if two widgets have the same id, or if a widget names an object that the project does not
 * have.
 */
async function checkWidgets(context: HandlerContext, widgets: readonly Widget[]): Promise<Widget[]> {
  const placed = widgets.map((widget) => ({ ...widget, id: widget.id ?? context.newId('widget') }));
  const ids = new Set(placed.map(({ id }) => id));
  if (ids.size < placed.length)
    throw new OperationError('parameter_invalid', 'Two widgets of a dashboard cannot share an id.', {
      param: 'widgets',
    });
  checkOverlaps(placed);
  const asked = (name: 'equipment_id' | 'location_id' | 'device_id') =>
    placed.map(({ query }) => query[name]).filter((id) => id !== undefined);
  await requireRecords(context.view, 'equipment', asked('equipment_id'), 'widgets');
  await requireRecords(context.view, 'location', asked('location_id'), 'widgets');
  await requireRecords(context.view, 'device', asked('device_id'), 'widgets');
  for (const { type, params } of placed) {
    const shown = type === 'qr' ? QrParams.safeParse(params).data : undefined;
    if (shown !== undefined && 'share' in shown)
      await requireRecords(context.view, shown.share.kind, [shown.share.object_id], 'widgets');
  }
  return placed;
}

/**
 * One call removes a deleted dashboard from at most this many playlists, because all changes must fit into one commit. In further playlists
 * screens skip the deleted dashboard.
 */
const MOST_PLAYLISTS = 400;

/** Stages (adds to the commit of this call) the removal of a dashboard from the playlists that show it. */
async function leavePlaylists(context: HandlerContext, dashboard_id: string): Promise<void> {
  const { view } = context;
  const playlists = await view.find<PlaylistData>('records', { object: 'playlist', limit: 1_000 });
  const showing = playlists.filter(({ data }) => data.items.some((item) => item.dashboard_id === dashboard_id));
  for (const current of showing.slice(0, MOST_PLAYLISTS)) {
    const items = current.data.items.filter((item) => item.dashboard_id !== dashboard_id);
    view.stage<PlaylistData>({
      collection: 'records',
      id: current.id,
      object: 'playlist',
      data: { ...current.data, items },
      current,
      expected: current.revision,
    });
    stageItems(context, 'playlist', current.id, current.data.items, items);
  }
}

export const dashboardHandlers = handlerGroup([], {
  dashboards_create: ({ context: media, ...input }, context) =>
    dashboards.create(context, media, async () => ({
      ...input,
      widgets: await checkWidgets(context, input.widgets),
    })),

  dashboards_list: (input, context) => dashboards.list(context, input),

  dashboards_get: ({ id }, context) => dashboards.get(context, id),

  async dashboards_update({ id, context: media, ...given }, context) {
    const current = await dashboards.requireCurrent(context, id);
    return dashboards.update(context, current, media, async () => {
      const widgets = given.widgets === undefined ? undefined : await checkWidgets(context, given.widgets);
      return { ...given, widgets } as Partial<DashboardData>;
    });
  },

  async dashboards_delete({ id }, context) {
    dashboards.remove(context, await dashboards.requireCurrent(context, id));
    await leavePlaylists(context, id);
    await stageShareEnd(context, 'dashboard', id);
    await stageDisplaysEnd(context, id);
    return { object: 'dashboard', id, deleted: true as const };
  },
});
