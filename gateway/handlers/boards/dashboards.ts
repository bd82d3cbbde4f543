/** Dashboards: what stands on a wall. */

import { OperationError } from '#contract/base/errors.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Output } from '#contract/operations.ts';
import type { DashboardData, PlaylistData } from '#contract/site/board.ts';
import { QrParams, type Widget } from '#contract/site/widget.ts';
import {
  applyFields,
  checkRevision,
  contextOf,
  mediaFrom,
  requireRecord,
  requireRecords,
  type WithMedia,
  wireBase,
} from '#handlers/base/documents.ts';
import { stageEvent } from '#handlers/base/events.ts';
import { stageItems } from '#handlers/base/items.ts';
import { listPage } from '#handlers/base/lists.ts';
import { publishedRevisions, stageShareEnd } from './display-shares.ts';

type Dashboard = Output<'dashboards_get'>;
type Data = DashboardData & WithMedia;

async function toDashboards(context: HandlerContext, found: readonly Stored<Data>[]): Promise<Dashboard[]> {
  const published = await publishedRevisions(context, 'dashboard', found);
  return found.map((document) => {
    const { media, ...fields } = document.data;
    return {
      object: 'dashboard',
      ...wireBase(document),
      ...fields,
      layout: { columns: 12, rows: 6 },
      published_revision: published.get(document.id) ?? null,
      context: contextOf({ ...(media && { media }) }),
    };
  });
}

async function toDashboard(context: HandlerContext, document: Stored<Data>): Promise<Dashboard> {
  const [dashboard] = await toDashboards(context, [document]);
  if (dashboard === undefined) throw new Error(`dashboard ${document.id} was lost between two steps`);
  return dashboard;
}

/** Throws when two widgets share a cell of the grid: a screen would draw one over the other. */
function checkOverlaps(widgets: readonly Widget[]): void {
  for (const [i, { position: a }] of widgets.entries()) {
    const before = widgets.findIndex(
      ({ position: b }) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h,
    );
    if (before < i)
      throw new OperationError('parameter_invalid', `Widgets ${before} and ${i} overlap on the grid of 12 by 6.`, {
        param: `widgets[${i}].position`,
      });
  }
}

/** Widgets with an id each; throws when two share one, or when one asks for what the project does not have. */
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

/** Playlists that one call changes at most, so that it stays one commit; screens pass over what the rest still name. */
const MOST_PLAYLISTS = 400;

/** Stages the removal of a dashboard from the playlists that show it. */
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
  async dashboards_create({ context: given, ...input }, context) {
    const media = await mediaFrom(context.view, given);
    const data: Data = { ...input, widgets: await checkWidgets(context, input.widgets), ...media };
    const id = context.newId('dashboard');
    const document = context.view.stage({ collection: 'records', id, object: 'dashboard', data, expected: 0 });
    stageEvent(context, context.view, 'dashboard', id, 'created', { name: data.name });
    return toDashboard(context, document);
  },

  async dashboards_list(input, context) {
    return listPage<Data, Dashboard>(
      context,
      context.view,
      'records',
      input,
      { object: 'dashboard', text: ({ data }) => [data.name, data.description] },
      (documents) => toDashboards(context, documents),
    );
  },

  async dashboards_get({ id }, context) {
    return toDashboard(context, await requireRecord<Data>(context.view, 'dashboard', id));
  },

  async dashboards_update({ id, context: shown, ...given }, context) {
    const current = await requireRecord<Data>(context.view, 'dashboard', id);
    checkRevision(context, current);
    const media = await mediaFrom(context.view, shown);
    const widgets = given.widgets === undefined ? undefined : await checkWidgets(context, given.widgets);
    const { data, fields } = applyFields(current.data, { ...given, widgets, ...media } as Partial<Data>);
    if (fields.length === 0) return toDashboard(context, current);
    const { revision: expected } = current;
    const document = context.view.stage({ collection: 'records', id, object: 'dashboard', data, current, expected });
    stageEvent(context, context.view, 'dashboard', id, 'updated', { fields });
    if (fields.includes('widgets')) stageItems(context, 'dashboard', id, current.data.widgets, data.widgets);
    return toDashboard(context, document);
  },

  async dashboards_delete({ id }, context) {
    const current = await requireRecord<DashboardData>(context.view, 'dashboard', id);
    checkRevision(context, current);
    const { data, revision: expected } = current;
    context.view.stage({ collection: 'records', id, object: 'dashboard', data, current, expected, deleted: true });
    stageEvent(context, context.view, 'dashboard', id, 'deleted', { name: data.name });
    await leavePlaylists(context, id);
    await stageShareEnd(context, 'dashboard', id);
    return { object: 'dashboard', id, deleted: true as const };
  },
});
