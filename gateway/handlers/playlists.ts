/** Playlists: dashboards in rotation. */
import type { PlaylistData } from '#contract/board.ts';
import type { HandlerContext } from '#contract/context.ts';
import { OperationError } from '#contract/errors.ts';
import type { Output, Parsed } from '#contract/operations.ts';
import { type ShiftPattern, TWO_SHIFTS } from '#contract/project.ts';
import type { Stored } from '#contract/view.ts';
import { publishedRevisions, stageShareEnd } from './display-shares.ts';
import {
  applyFields,
  checkRevision,
  contextOf,
  mediaFrom,
  requireRecord,
  requireRecords,
  type WithMedia,
  wireBase,
} from './documents.ts';
import { stageEvent } from './events.ts';
import type { Handlers } from './handler.ts';
import { stageItems } from './items.ts';
import { listPage } from './lists.ts';

type Items = Parsed<'playlists_create'>['items'];

type Playlist = Output<'playlists_get'>;
type Data = PlaylistData & WithMedia;

async function toPlaylists(context: HandlerContext, found: readonly Stored<Data>[]): Promise<Playlist[]> {
  const published = await publishedRevisions(context, 'playlist', found);
  return found.map((document) => {
    const { media, ...fields } = document.data;
    return {
      object: 'playlist',
      ...wireBase(document),
      ...fields,
      published_revision: published.get(document.id) ?? null,
      context: contextOf({ ...(media && { media }) }),
    };
  });
}

async function toPlaylist(context: HandlerContext, document: Stored<Data>): Promise<Playlist> {
  const [playlist] = await toPlaylists(context, [document]);
  if (playlist === undefined) throw new Error(`playlist ${document.id} was lost between two steps`);
  return playlist;
}

/** Throws for an item that waits for a shift which the project does not have. */
async function checkShifts(context: HandlerContext, items: Items): Promise<void> {
  const wanted = items.flatMap(({ when }) => when?.shift ?? []);
  if (wanted.length === 0) return;
  const project = await context.node.get<{ shift_pattern?: ShiftPattern }>('records', context.view.project_id);
  const names = (project?.data.shift_pattern ?? TWO_SHIFTS).map(({ name }) => name);
  const missing = wanted.find((name) => !names.includes(name));
  if (missing !== undefined)
    throw new OperationError('parameter_invalid', `The project has no shift ${missing}; it has ${names.join(', ')}.`, {
      param: 'items',
      details: [{ allowed: names }],
    });
}

/** Items with an id each; throws when two share one, or when one shows what the project does not have. */
async function checkItems(context: HandlerContext, items: Items): Promise<Items> {
  const placed = items.map((item) => ({ ...item, id: item.id ?? context.newId('item') }));
  if (new Set(placed.map(({ id }) => id)).size < placed.length)
    throw new OperationError('parameter_invalid', 'Two items of a playlist cannot share an id.', { param: 'items' });
  const shown = placed.map(({ dashboard_id }) => dashboard_id);
  await requireRecords(context.view, 'dashboard', shown, 'items');
  await checkShifts(context, items);
  return placed;
}

export const playlistHandlers = {
  async playlists_create({ context: given, ...input }, context) {
    const media = await mediaFrom(context.view, given);
    const data: Data = { ...input, items: await checkItems(context, input.items), ...media };
    const id = context.newId('playlist');
    const document = context.view.stage({ collection: 'records', id, object: 'playlist', data, expected: 0 });
    stageEvent(context, context.view, 'playlist', id, 'created', { name: data.name });
    return toPlaylist(context, document);
  },

  async playlists_list(input, context) {
    return listPage<Data, Playlist>(
      context,
      context.view,
      'records',
      input,
      { object: 'playlist', text: ({ data }) => [data.name] },
      (documents) => toPlaylists(context, documents),
    );
  },

  async playlists_get({ id }, context) {
    return toPlaylist(context, await requireRecord<Data>(context.view, 'playlist', id));
  },

  async playlists_update({ id, context: shown, ...given }, context) {
    const current = await requireRecord<Data>(context.view, 'playlist', id);
    checkRevision(context, current);
    const media = await mediaFrom(context.view, shown);
    const items = given.items === undefined ? undefined : await checkItems(context, given.items);
    const { data, fields } = applyFields(current.data, { ...given, items, ...media } as Partial<Data>);
    if (fields.length === 0) return toPlaylist(context, current);
    const { revision: expected } = current;
    const document = context.view.stage({ collection: 'records', id, object: 'playlist', data, current, expected });
    stageEvent(context, context.view, 'playlist', id, 'updated', { fields });
    if (fields.includes('items')) stageItems(context, 'playlist', id, current.data.items, data.items);
    return toPlaylist(context, document);
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
