/** What a person does with boards and playlists on the page of screens. */
import { ClientError } from '#contract/client.ts';
import type { Input } from '#contract/operations.ts';
import { t } from '#ui/languages/texts.ts';
import { may, type Session } from '#ui/office/base/session.ts';
import type { RowActions } from './screen-row.tsx';
import {
  type Dashboard,
  linkText,
  listsText,
  type Playlist,
  playlistsWith,
  readLink,
  type Screens,
  type ShownKind,
} from './uses.ts';

/** Returns a name of at most 120 characters that no other object has: "Pit", "Pit 2", "Pit 3". */
export function freeName(wanted: string, names: readonly string[]): string {
  for (let n = 1; ; n++) {
    const name = n === 1 ? wanted.slice(0, 120) : `${wanted.slice(0, 110)} ${n}`;
    if (!names.includes(name)) return name;
  }
}

/** A deleted board or playlist. The tab keeps it, so that a person can make it again. */
export type Deleted = { readonly name: string } & (
  | {
      readonly board: Dashboard;
      /** The playlists that showed the board. */
      readonly shownBy: readonly Playlist[];
      /** The id of the new board, if it was made, but did not get all its places. */
      readonly made?: string;
    }
  | { readonly playlist: Playlist }
);

type Content<T extends Dashboard | Playlist> = Omit<T, 'object' | 'id'>;

/** The pictures that an object names; absent if it names none. */
const mediaOf = ({ context }: Pick<Dashboard, 'context'>) =>
  context.media.length === 0 ? {} : { context: { media: context.media } };

const boardInput = (one: Content<Dashboard>) => {
  const { name, description, audience, theme, widgets } = one;
  return { name, description, audience, theme, widgets, ...mediaOf(one) } as Input<'dashboards_create'>;
};

/** `display_group_ids` is left out, because a group of screens has one playlist. */
const playlistInput = (one: Content<Playlist>) => {
  const { name, items, default_duration_s, transition, shuffle, takeover } = one;
  return {
    name,
    items,
    default_duration_s,
    transition,
    shuffle,
    takeover,
    ...mediaOf(one),
  } as Input<'playlists_create'>;
};

const isNotFound = (error: unknown) => error instanceof ClientError && error.code === 'not_found';

/** Puts a board that was made again into a playlist that showed it. Returns false if the playlist is not there any more. */
async function placeAgain({ client }: Session, { id, items: before }: Playlist, old: string, made: string) {
  try {
    const { items: now, revision } = await client.call('playlists_get', { id });
    if (now.some(({ dashboard_id }) => dashboard_id === made)) return true;
    const items: Playlist['items'][number][] = [...now];
    for (const [i, item] of before.entries())
      if (item.dashboard_id === old) items.splice(Math.min(i, items.length), 0, { ...item, dashboard_id: made });
    await client.call('playlists_update', { id, items } as Input<'playlists_update'>, { if_match: revision });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/**
 * Makes a deleted board or playlist again, with a new id, and puts a board back into the playlists that showed it. Returns the names of the
 * playlists that are not there any more. `onMade` gets the deleted board with the id of the new one, so that a second call, after an error,
 * does not make a second board.
 */
export async function makeAgain(
  session: Session,
  deleted: Deleted,
  onMade: (next: Deleted) => void,
): Promise<string[]> {
  if ('playlist' in deleted) {
    const { playlist } = deleted;
    const input = { ...playlistInput(playlist), display_group_ids: playlist.display_group_ids };
    await session.client.call('playlists_create', input as Input<'playlists_create'>);
    return [];
  }
  const { board, shownBy } = deleted;
  const made = deleted.made ?? (await session.client.call('dashboards_create', boardInput(board))).id;
  onMade({ ...deleted, made });
  const missing: string[] = [];
  for (const one of shownBy) if (!(await placeAgain(session, one, board.id, made))) missing.push(one.name);
  return missing;
}

/** Says that the page cannot know the screens of a site at head office; empty at the site. */
const unknownScreens = ({ role }: Session): string[] =>
  role === 'cloud' ? [t('Head office does not know the links of the site, so screens there may show it')] : [];

/** Reads the link of an object before its deletion, also a paused one. */
async function linkNow(session: Session, kind: ShownKind, id: string, isPublished: boolean): Promise<string[]> {
  if (!may(session, 'display_shares')) return isPublished ? [t('A link for screens')] : [];
  const link = await readLink(session, kind, id);
  return link === null ? [] : [linkText(link, session.now()) ?? []].flat();
}

export function boardActions(
  session: Session,
  board: Dashboard,
  screens: Screens,
  onChanged: () => void,
  onDeleted: (deleted: Deleted) => void,
): RowActions {
  const { client } = session;
  const { id, revision } = board;
  return {
    ...(may(session, 'dashboards_update') && {
      async rename(name) {
        await client.call('dashboards_update', { id, name }, { if_match: revision });
        onChanged();
      },
    }),
    ...(may(session, 'dashboards_create') && {
      async copy() {
        const name = freeName(
          t('{name}, copy', { name: board.name }),
          screens.boards.map((one) => one.name),
        );
        await client.call('dashboards_create', { ...boardInput(board), name });
        onChanged();
      },
    }),
    ...(may(session, 'dashboards_delete') && {
      async warning() {
        const lists = listsText(id, screens.playlists);
        const link = await linkNow(session, 'dashboard', id, board.published_revision !== null);
        const uses = [...lists, ...link, ...unknownScreens(session)];
        return uses.length === 0
          ? t('No playlist and no link shows this board.')
          : t('{uses}. The board leaves the playlists, and screens that show only this board go dark.', {
              uses: uses.join('. '),
            });
      },
      async delete() {
        const shownBy = playlistsWith(screens.playlists, id);
        await client.call('dashboards_delete', { id }, { if_match: revision });
        onDeleted({ name: board.name, board, shownBy });
        onChanged();
      },
    }),
  };
}

export function playlistActions(
  session: Session,
  playlist: Playlist,
  screens: Screens,
  onChanged: () => void,
  onDeleted: (deleted: Deleted) => void,
): RowActions {
  const { client } = session;
  const { id, revision } = playlist;
  return {
    ...(may(session, 'playlists_update') && {
      async rename(name) {
        await client.call('playlists_update', { id, name }, { if_match: revision });
        onChanged();
      },
    }),
    ...(may(session, 'playlists_create') && {
      async copy() {
        const name = freeName(
          t('{name}, copy', { name: playlist.name }),
          screens.playlists.map((one) => one.name),
        );
        await client.call('playlists_create', { ...playlistInput(playlist), name });
        onChanged();
      },
    }),
    ...(may(session, 'playlists_delete') && {
      async warning() {
        const link = await linkNow(session, 'playlist', id, playlist.published_revision !== null);
        const uses = [...link, ...unknownScreens(session)];
        return uses.length === 0
          ? t('No link shows this playlist. Its boards stay.')
          : t('{uses}. The screens that show this playlist go dark. Its boards stay.', { uses: uses.join('. ') });
      },
      async delete() {
        await client.call('playlists_delete', { id }, { if_match: revision });
        onDeleted({ name: playlist.name, playlist });
        onChanged();
      },
    }),
  };
}
