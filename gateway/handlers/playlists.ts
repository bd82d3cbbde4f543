/** Playlists: dashboards in rotation. */
import type { PlaylistData } from '#contract/board.ts';
import type { HandlerContext } from '#contract/context.ts';
import { OperationError } from '#contract/errors.ts';
import type { Output, Parsed } from '#contract/operations.ts';
import type { Stored } from '#contract/view.ts';
import { stageShareEnd } from './display-shares.ts';
import { applyFields, checkRevision, NO_CONTEXT, requireRecord, requireRecords, wireBase } from './documents.ts';
import { stageEvent } from './events.ts';
import type { Handlers } from './handler.ts';
import { listPage } from './lists.ts';

type Items = Parsed<'playlists_create'>['items'];

function toPlaylist(document: Stored<PlaylistData>): Output<'playlists_get'> {
  return { object: 'playlist', ...wireBase(document), ...document.data, context: NO_CONTEXT };
}

/** Items with an id each; throws when two share one, or when one shows what the project does not have. */
async function checkItems(context: HandlerContext, items: Items): Promise<Items> {
  const placed = items.map((item) => ({ ...item, id: item.id ?? context.newId('item') }));
  if (new Set(placed.map(({ id }) => id)).size < placed.length)
    throw new OperationError('parameter_invalid', 'Two items of a playlist cannot share an id.', { param: 'items' });
  const shown = placed.map(({ dashboard_id }) => dashboard_id);
  await requireRecords(context.view, 'dashboard', shown, 'items');
  return placed;
}

export const playlistHandlers = {
  async playlists_create(input, context) {
    const data: PlaylistData = { ...input, items: await checkItems(context, input.items) };
    const id = context.newId('playlist');
    const document = context.view.stage({ collection: 'records', id, object: 'playlist', data, expected: 0 });
    stageEvent(context, context.view, 'playlist', id, 'created', { name: data.name });
    return toPlaylist(document);
  },

  async playlists_list(input, context) {
    return listPage<PlaylistData, Output<'playlists_get'>>(
      context,
      context.view,
      'records',
      input,
      { object: 'playlist' },
      (documents) => documents.map(toPlaylist),
    );
  },

  async playlists_get({ id }, context) {
    return toPlaylist(await requireRecord<PlaylistData>(context.view, 'playlist', id));
  },

  async playlists_update({ id, ...given }, context) {
    const current = await requireRecord<PlaylistData>(context.view, 'playlist', id);
    checkRevision(context, current);
    const items = given.items === undefined ? undefined : await checkItems(context, given.items);
    const { data, fields } = applyFields(current.data, { ...given, items } as Partial<PlaylistData>);
    if (fields.length === 0) return toPlaylist(current);
    const { revision: expected } = current;
    const document = context.view.stage({ collection: 'records', id, object: 'playlist', data, current, expected });
    stageEvent(context, context.view, 'playlist', id, 'updated', { fields });
    return toPlaylist(document);
  },

  async playlists_delete({ id }, context) {
    const current = await requireRecord<PlaylistData>(context.view, 'playlist', id);
    checkRevision(context, current);
    const { data, revision: expected } = current;
    context.view.stage({ collection: 'records', id, object: 'playlist', data, current, expected, deleted: true });
    stageEvent(context, context.view, 'playlist', id, 'deleted', { name: data.name });
    await stageShareEnd(context, 'playlist', id);
    return { object: 'playlist', id, deleted: true as const };
  },
} satisfies Handlers;
