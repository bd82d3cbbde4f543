/** What a person does with boards and playlists on the page of screens. */
import { t } from '#ui/languages/texts.ts';
import { may, type Session } from '#ui/office/base/session.ts';
import { displaysText } from '#ui/office/screens/paired/displays.ts';
import type { ShownKind } from '#ui/office/screens/previews/shown.ts';
import { boardInput, type Deleted, freeName, playlistInput } from './make-again.ts';
import type { RowActions } from './screen-row.tsx';
import {
  codesText,
  type Dashboard,
  linkText,
  listsText,
  noUseText,
  type Playlist,
  plainLink,
  playlistsWith,
  readLink,
  type Screens,
} from './uses.ts';

/** A read before a deletion without an answer after this time, in milliseconds, has failed. */
const READ_MS = 15_000;

/** Says that the page cannot know the screens of a site at head office; empty at the site. */
const unknownScreens = ({ role }: Session): string[] => (role === 'cloud' ? [noUseText({ role })] : []);

/** Reads the link of an object before its deletion, also a paused one. */
async function linkNow(session: Session, kind: ShownKind, one: Dashboard | Playlist): Promise<string[]> {
  const { id, link_status } = one;
  if (!may(session, 'display_shares')) return link_status === null ? [] : [plainLink(link_status === 'paused')];
  const link = await readLink(session, kind, id, AbortSignal.timeout(READ_MS));
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
        const lists = [...listsText(id, screens.playlists), ...displaysText(id, screens.displays)];
        const link = await linkNow(session, 'dashboard', board);
        const codes = codesText('dashboard', id, screens.boards);
        const uses = [...lists, ...link, ...codes, ...unknownScreens(session)];
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
        const link = [...displaysText(id, screens.displays), ...(await linkNow(session, 'playlist', playlist))];
        const codes = codesText('playlist', id, screens.boards);
        const uses = [...link, ...codes, ...unknownScreens(session)];
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
