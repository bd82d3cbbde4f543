/** Dashboards: what stands on a wall. */
import type { DashboardData, PlaylistData, Widget } from '#contract/board.ts';
import type { HandlerContext } from '#contract/context.ts';
import { OperationError } from '#contract/errors.ts';
import type { Output } from '#contract/operations.ts';
import type { Stored } from '#contract/view.ts';
import { stageShareEnd } from './display-shares.ts';
import { applyFields, checkRevision, NO_CONTEXT, requireRecord, requireRecords, wireBase } from './documents.ts';
import { stageEvent } from './events.ts';
import type { Handlers } from './handler.ts';
import { listPage } from './lists.ts';

function toDashboard(document: Stored<DashboardData>): Output<'dashboards_get'> {
  return { object: 'dashboard', ...wireBase(document), ...document.data, context: NO_CONTEXT };
}

/** Widgets with an id each; throws when two share one, or when one asks for what the project does not have. */
async function checkWidgets(context: HandlerContext, widgets: readonly Widget[]): Promise<Widget[]> {
  const placed = widgets.map((widget) => ({ ...widget, id: widget.id ?? context.newId('widget') }));
  const ids = new Set(placed.map(({ id }) => id));
  if (ids.size < placed.length)
    throw new OperationError('parameter_invalid', 'Two widgets of a dashboard cannot share an id.', {
      param: 'widgets',
    });
  const asked = (name: 'equipment_id' | 'location_id') =>
    placed.map(({ query }) => query[name]).filter((id) => id !== undefined);
  await requireRecords(context.view, 'equipment', asked('equipment_id'), 'widgets');
  await requireRecords(context.view, 'location', asked('location_id'), 'widgets');
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
    stageEvent(context, view, 'playlist', current.id, 'item_removed', { dashboard_id });
  }
}

export const dashboardHandlers = {
  async dashboards_create(input, context) {
    const data: DashboardData = { ...input, widgets: await checkWidgets(context, input.widgets) };
    const id = context.newId('dashboard');
    const document = context.view.stage({ collection: 'records', id, object: 'dashboard', data, expected: 0 });
    stageEvent(context, context.view, 'dashboard', id, 'created', { name: data.name });
    return toDashboard(document);
  },

  async dashboards_list(input, context) {
    return listPage<DashboardData, Output<'dashboards_get'>>(
      context,
      context.view,
      'records',
      input,
      { object: 'dashboard' },
      (documents) => documents.map(toDashboard),
    );
  },

  async dashboards_get({ id }, context) {
    return toDashboard(await requireRecord<DashboardData>(context.view, 'dashboard', id));
  },

  async dashboards_update({ id, ...given }, context) {
    const current = await requireRecord<DashboardData>(context.view, 'dashboard', id);
    checkRevision(context, current);
    const widgets = given.widgets === undefined ? undefined : await checkWidgets(context, given.widgets);
    const { data, fields } = applyFields(current.data, { ...given, widgets } as Partial<DashboardData>);
    if (fields.length === 0) return toDashboard(current);
    const { revision: expected } = current;
    const document = context.view.stage({ collection: 'records', id, object: 'dashboard', data, current, expected });
    stageEvent(context, context.view, 'dashboard', id, 'updated', { fields });
    return toDashboard(document);
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
} satisfies Handlers;
