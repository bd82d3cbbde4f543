/** Saves a draft as a new board or playlist, for a person whose board or playlist another person changed or deleted meanwhile. */
import { useRef } from 'preact/hooks';
import { t } from '#ui/languages/texts.ts';
import { readAll } from '#ui/office/base/lists.ts';
import { Problem } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { setTabState, useTabState } from '#ui/office/base/tab-state.ts';
import { useSend } from '#ui/office/base/use.ts';
import type { PlaylistFields } from '#ui/office/screens/drafts/playlist-draft.ts';
import { type BoardContent, freeName, type MadePlaylist, makeBoard, makePlaylist } from './make-again.ts';

/** The texts that the page of a new board or playlist shows, by its id. */
const leftOutOf = (id: string) => `left out of ${id}`;

/** Says of a new board or playlist what it does not have of the draft from which it was made. */
export function LeftOut({ id }: { id: string }) {
  const [texts, set] = useTabState<readonly string[]>(leftOutOf(id));
  if (texts === null) return null;
  return (
    <div class="waiting" role="status">
      {texts.map((text) => (
        <p key={text}>{text}</p>
      ))}
      <button type="button" onClick={() => set(null)}>
        {t('Hide this note')}
      </button>
    </div>
  );
}

/** Says that tiles of a new board are not saved, because the objects of their codes were deleted. */
export const leftTilesText = (names: readonly string[]): string =>
  t(
    'These tiles are not saved yet, because what their codes open was deleted. Select in the editor what they open, and save: {names}.',
    {
      names: names.join(', '),
    },
  );

/** Says what a new playlist does not have of the one from which it was made. */
export const leftItemsTexts = ({ items, groups }: MadePlaylist): string[] =>
  [
    items > 0 &&
      t(
        '{n} item is not in this playlist, because its board or picture was deleted.|{n} items are not in this playlist, because their boards or pictures were deleted.',
        { n: items },
      ),
    groups.length > 0 &&
      t('These groups of screens are not in this playlist, because another playlist has them: {names}.', {
        names: groups.join(', '),
      }),
  ].filter((text) => text !== false);

const copyName = (name: string, others: readonly string[]): string => freeName(t('{name}, copy', { name }), others);

function SaveAs(props: {
  label: string;
  act(): Promise<{ readonly page: string; readonly id: string; readonly left: readonly string[] }>;
}) {
  const { busy, problem, send } = useSend();
  return (
    <div class="buttons">
      <button
        type="button"
        disabled={busy}
        onClick={() =>
          send(async () => {
            const { page, id, left } = await props.act();
            if (left.length > 0) setTabState(leftOutOf(id), left);
            location.hash = `screens/${page}/${id}`;
          })
        }
      >
        {props.label}
      </button>
      <Problem text={problem} />
    </div>
  );
}

/** `id` is that of the board to which the draft belonged. */
export function SaveBoardAs(props: { session: Session; id: string; content: BoardContent; onSaved?(): void }) {
  const { session, id, content } = props;
  const made = useRef<string | undefined>(undefined);
  const act = async () => {
    const { items } = await readAll(session, 'dashboards_list', {}, AbortSignal.timeout(15_000));
    const names = items.filter((one) => one.id !== made.current).map((one) => one.name);
    const before = made.current === undefined ? undefined : { id: made.current, isStale: true };
    const board = await makeBoard(session, { ...content, name: copyName(content.name, names) }, id, before, (one) => {
      made.current = one;
    });
    props.onSaved?.();
    return { page: 'boards', id: board.id, left: board.left.length === 0 ? [] : [leftTilesText(board.left)] };
  };
  return <SaveAs label={t('Save mine as a new board')} act={act} />;
}

export function SavePlaylistAs(props: { session: Session; fields: PlaylistFields; onSaved(): void }) {
  const act = async () => {
    const made = await makePlaylist(props.session, props.fields, copyName);
    props.onSaved();
    return { page: 'playlists', id: made.id, left: leftItemsTexts(made) };
  };
  return <SaveAs label={t('Save mine as a new playlist')} act={act} />;
}
