/** Operations on playlists, which rotate dashboards and media on screens. */

import { OperationError } from '#contract/base/errors.ts';
import { say } from '#contract/base/told.ts';
import type { HandlerContext, StagedView } from '#contract/context.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Output, Parsed } from '#contract/operations.ts';
import { PLAYLIST_DEFAULTS, type PlaylistData } from '#contract/site/board.ts';
import { type ShiftPattern, TWO_SHIFTS } from '#contract/site/project.ts';
import type { ArtifactData } from '#contract/work/artifact.ts';
import { isShown } from '#contract/work/media.ts';
import { requireRecords } from '#handlers/base/documents.ts';
import { BoardRecords } from './board-records.ts';
import { stageShareEnd } from './display-shares.ts';
import { stageDisplaysEnd } from './displays.ts';

type Items = Parsed<'playlists_create'>['items'];

const playlists = new BoardRecords<PlaylistData, Output<'playlists_get'>>({
  object: 'playlist',
  parts: ({ items }) => items,
  partsField: 'items',
  texts: ({ name }) => [name],
  toObject: (data, shared) => ({ object: 'playlist', ...shared, ...PLAYLIST_DEFAULTS, ...data }),
});

/** Throws if an item names a shift that the project does not have. */
async function checkShifts(context: HandlerContext, items: Items): Promise<void> {
  const wanted = items.flatMap(({ when }) => when?.shift ?? []);
  if (wanted.length === 0) return;
  const project = await context.node.get<{ shift_pattern?: ShiftPattern }>('records', context.view.project_id);
  const names = (project?.data.shift_pattern ?? TWO_SHIFTS).map(({ name }) => name);
  const missing = wanted.find((name) => !names.includes(name));
  if (missing !== undefined)
    throw new OperationError(
      'parameter_invalid',
      say('The project has no shift {missing}; it has {names}.', { missing, names: names.join(', ') }),
      {
        param: 'items',
        details: [{ allowed: names }],
      },
    );
}

/**
 * Adds ids to the items that have none. Throws if two items have the same id, or if an item shows an object that the project does not have.
 */
async function checkItems(context: HandlerContext, items: Items): Promise<Items> {
  const placed = items.map((item) => ({ ...item, id: item.id ?? context.newId('item') }));
  if (new Set(placed.map(({ id }) => id)).size < placed.length)
    throw new OperationError('parameter_invalid', 'Two items of a playlist cannot share an id.', { param: 'items' });
  if (placed.some(({ url }) => url !== undefined))
    throw new OperationError(
      'parameter_invalid',
      'Screens do not load external addresses. Show a dashboard or an artifact, or show the address in a `qr` widget of a dashboard.',
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

/** Throws if the project does not have an artifact (a stored file) with one of these ids, or if a screen cannot show it. */
async function checkPictures({ view }: HandlerContext, ids: readonly string[]): Promise<void> {
  await requireRecords(view, 'artifact', ids, 'items');
  for (const { id, data } of await view.getMany<ArtifactData>('records', ids))
    if (!isShown(data.content_type))
      throw new OperationError(
        'parameter_invalid',
        say('A screen cannot show {id}: it is {content_type}.', { id, content_type: data.content_type }),
        {
          param: 'items',
        },
      );
}

/** The gateway searches at most this many playlists for a group of screens. */
const MOST_PLAYLISTS = 1_000;

/** Returns the playlists that are assigned to at least one of these groups of screens. */
export async function playlistsOf(view: StagedView, groups: readonly string[]) {
  if (groups.length === 0) return [];
  const all = await view.find<PlaylistData>('records', { object: 'playlist', limit: MOST_PLAYLISTS });
  return all.filter(({ data }) => (data.display_group_ids ?? []).some((group) => groups.includes(group)));
}

/** Throws if one of the groups already has another playlist, because a screen shows only one. */
async function checkGroups({ view }: HandlerContext, groups: readonly string[], own: string | null): Promise<void> {
  if (new Set(groups).size < groups.length)
    throw new OperationError('parameter_invalid', 'The same group of screens is named twice in `display_group_ids`.', {
      param: 'display_group_ids',
    });
  const [taken] = (await playlistsOf(view, groups)).filter(({ id }) => id !== own);
  if (taken !== undefined)
    throw new OperationError(
      'already_exists',
      say('These screens have a playlist already: {name}.', { name: taken.data.name }),
      {
        param: 'display_group_ids',
        details: [{ held_by: taken.id }],
      },
    );
}

export const playlistHandlers = handlerGroup([], {
  playlists_create: ({ context: media, ...input }, context) =>
    playlists.create(context, media, async () => {
      await checkGroups(context, input.display_group_ids, null);
      return { ...input, items: await checkItems(context, input.items) };
    }),

  playlists_list: (input, context) => playlists.list(context, input),

  playlists_get: ({ id }, context) => playlists.get(context, id),

  async playlists_update({ id, context: media, ...given }, context) {
    const current = await playlists.requireCurrent(context, id);
    return playlists.update(context, current, media, async () => {
      const items = given.items === undefined ? undefined : await checkItems(context, given.items);
      await checkGroups(context, given.display_group_ids ?? [], id);
      return { ...given, items } as Partial<PlaylistData>;
    });
  },

  async playlists_delete({ id }, context) {
    playlists.remove(context, await playlists.requireCurrent(context, id));
    await stageShareEnd(context, 'playlist', id);
    await stageDisplaysEnd(context, id);
    return { object: 'playlist', id, deleted: true as const };
  },
});
