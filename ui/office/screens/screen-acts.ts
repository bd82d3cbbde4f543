/** What a person does with boards and playlists on the page of screens. */
import type { Input } from '#contract/operations.ts';
import { t } from '#ui/languages/texts.ts';
import { may, type Session } from '#ui/office/base/session.ts';
import type { RowActions } from './screen-row.tsx';
import { boardUses, type Dashboard, linkText, type Playlist, playlistsWith, type Screens } from './uses.ts';

/** Returns a name of at most 120 characters that no other object has: "Pit", "Pit 2", "Pit 3". */
export function freeName(wanted: string, names: readonly string[]): string {
  for (let n = 1; ; n++) {
    const name = n === 1 ? wanted.slice(0, 120) : `${wanted.slice(0, 110)} ${n}`;
    if (!names.includes(name)) return name;
  }
}

/** A deleted board or playlist, and how a person makes it again. */
export interface Deleted {
  readonly name: string;
  again(): Promise<void>;
}

type Content<T extends Dashboard | Playlist> = Omit<T, 'object' | 'id'>;

const boardInput = ({ name, description, audience, theme, widgets }: Content<Dashboard>) =>
  ({ name, description, audience, theme, widgets }) as Input<'dashboards_create'>;

/** `display_group_ids` is left out, because a group of screens has one playlist. */
const playlistInput = ({ name, items, default_duration_s, transition, shuffle, takeover }: Content<Playlist>) =>
  ({ name, items, default_duration_s, transition, shuffle, takeover }) as Input<'playlists_create'>;

/** Makes a deleted board again, with a new id, and puts it back into the playlists that showed it. */
async function boardAgain({ client }: Session, board: Dashboard, shownBy: readonly Playlist[]): Promise<void> {
  const made = await client.call('dashboards_create', boardInput(board));
  for (const { id, items: before } of shownBy) {
    const { items: now, revision } = await client.call('playlists_get', { id });
    const items: Playlist['items'][number][] = [...now];
    for (const [i, item] of before.entries())
      if (item.dashboard_id === board.id)
        items.splice(Math.min(i, items.length), 0, { ...item, dashboard_id: made.id });
    await client.call('playlists_update', { id, items } as Input<'playlists_update'>, { if_match: revision });
  }
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
  const uses = boardUses(id, screens, session.now());
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
      warning:
        uses.length === 0
          ? t('No playlist and no link shows this board.')
          : t('{uses}. The board leaves the playlists, and screens that show only this board go dark.', {
              uses: uses.join('. '),
            }),
      async delete() {
        const shownBy = playlistsWith(screens.playlists, id);
        await client.call('dashboards_delete', { id }, { if_match: revision });
        onDeleted({ name: board.name, again: () => boardAgain(session, board, shownBy) });
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
  const shownOn = linkText(screens.links.get(id), session.now());
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
      warning:
        shownOn === null
          ? t('No link shows this playlist. Its boards stay.')
          : t('{uses}. The screens that show this playlist go dark. Its boards stay.', { uses: shownOn }),
      async delete() {
        await client.call('playlists_delete', { id }, { if_match: revision });
        const input = { ...playlistInput(playlist), display_group_ids: playlist.display_group_ids };
        const again = async () => void (await client.call('playlists_create', input as Input<'playlists_create'>));
        onDeleted({ name: playlist.name, again });
        onChanged();
      },
    }),
  };
}
