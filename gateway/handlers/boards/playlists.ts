/** Playlists: dashboards in rotation. */

import { OperationError } from '#contract/base/errors.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext, StagedView } from '#contract/context.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Output, Parsed } from '#contract/operations.ts';
import { PLAYLIST_DEFAULTS, type PlaylistData } from '#contract/site/board.ts';
import { type ShiftPattern, TWO_SHIFTS } from '#contract/site/project.ts';
import type { ArtifactData } from '#contract/work/artifact.ts';
import { isShown } from '#contract/work/media.ts';
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
      ...PLAYLIST_DEFAULTS,
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
  if (placed.some(({ url }) => url !== undefined))
    throw new OperationError(
      'parameter_invalid',
      'A screen loads nothing from elsewhere: show a dashboard or an artifact, or the address as a `qr` widget.',
      { param: 'items' },
    );
  const shown = placed.flatMap(({ dashboard_id }) => dashboard_id ?? []);
  await requireRecords(context.view, 'dashboard', shown, 'items');
  await checkPictures(
    context,
    placed.flatMap(({ artifact_id }) => artifact_id ?? []),
  );
  await checkShifts(context, items);
  return placed;
}

/** Throws for an artifact that the project does not have, or that no screen can show. */
async function checkPictures({ view }: HandlerContext, ids: readonly string[]): Promise<void> {
  await requireRecords(view, 'artifact', ids, 'items');
  for (const { id, data } of await view.getMany<ArtifactData>('records', ids))
    if (!isShown(data.content_type))
      throw new OperationError('parameter_invalid', `A screen cannot show ${id}: it is ${data.content_type}.`, {
        param: 'items',
      });
}

/** Playlists that are looked through for groups of screens. */
const MOST_PLAYLISTS = 1_000;

/** The playlists for any of these groups of screens. */
export async function playlistsOf(view: StagedView, groups: readonly string[]) {
  if (groups.length === 0) return [];
  const all = await view.find<PlaylistData>('records', { object: 'playlist', limit: MOST_PLAYLISTS });
  return all.filter(({ data }) => (data.display_group_ids ?? []).some((group) => groups.includes(group)));
}

/** Throws when one of the groups has another playlist: a screen shows one. */
async function checkGroups({ view }: HandlerContext, groups: readonly string[], own: string | null): Promise<void> {
  if (new Set(groups).size < groups.length)
    throw new OperationError('parameter_invalid', 'A group of screens is named once.', { param: 'display_group_ids' });
  const [taken] = (await playlistsOf(view, groups)).filter(({ id }) => id !== own);
  if (taken !== undefined)
    throw new OperationError('already_exists', `These screens have a playlist already: ${taken.data.name}.`, {
      param: 'display_group_ids',
      details: [{ held_by: taken.id }],
    });
}

export const playlistHandlers = handlerGroup([], {
  async playlists_create({ context: given, ...input }, context) {
    const media = await mediaFrom(context.view, given);
    await checkGroups(context, input.display_group_ids, null);
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
    await checkGroups(context, given.display_group_ids ?? [], id);
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
});
