/** The page of screens: boards, playlists, links for TVs, and pairing by code. The editors of boards and playlists are pages below it. */

import { useState } from 'preact/hooks';
import { said, t } from '#ui/languages/texts.ts';
import { lazyPage } from '#ui/office/base/lazy-page.tsx';
import { readAll } from '#ui/office/base/lists.ts';
import { Empty, LoopbackHint, Problem, TruncationNote } from '#ui/office/base/parts.tsx';
import { may, type Session } from '#ui/office/base/session.ts';
import { kept, useTabState } from '#ui/office/base/tab-state.ts';
import { usePolled, useSend } from '#ui/office/base/use.ts';
import { DisplayList } from '#ui/office/screens/paired/display-list.tsx';
import { BoardSketch } from './board-sketch.tsx';
import { type Deleted, freeName, idOfDeleted, type MadeAgain, makeAgain, withBoard } from './make-again.ts';
import { PairForm } from './pair-form.tsx';
import { leftItemsTexts, leftTilesText } from './save-as.tsx';
import { boardActions, playlistActions } from './screen-acts.ts';
import { ScreenRow } from './screen-row.tsx';
import { listsText, noUseText, readBoards, type Screens as Shown, screenUses } from './uses.ts';

const BoardEditor = lazyPage(() => import('./board-editor.tsx').then((one) => one.BoardEditor));
const PlaylistEditor = lazyPage(() => import('./playlist-editor.tsx').then((one) => one.PlaylistEditor));
const NewBoard = lazyPage(() => import('./new-board.tsx').then((one) => one.NewBoard));

/** Milliseconds between two reads of the paired screens. */
const DISPLAYS_MS = 10_000;
/** The tab offers to make the last deleted boards and playlists again. */
const MOST_DELETED = 5;

/** Says that a board or playlist was deleted, and offers to make it again. */
function DeletedNote(props: {
  session: Session;
  deleted: Deleted;
  /** The board was made, but it may not have all its places yet. */
  onMade(next: Deleted): void;
  onDone(done: MadeAgain): void;
  onHide(): void;
}) {
  const { session, deleted } = props;
  const { busy, problem, send } = useSend();
  const [refused, setRefused] = useState<string | null>(null);
  const make = () =>
    send(async () => {
      setRefused(null);
      const done = await makeAgain(session, deleted, props.onMade);
      setRefused(done.problem);
      props.onDone(done);
    });
  return (
    <div class="arrived row" role="status">
      <span>
        {t('{name} was deleted. Made again, it has the same content and its places in playlists, but a new link.', {
          name: deleted.name,
        })}
      </span>
      <div class="buttons">
        <button type="button" disabled={busy} onClick={make}>
          {t('Make it again')} <span class="hidden">{deleted.name}</span>
        </button>
        <button type="button" disabled={busy} onClick={props.onHide}>
          {t('Hide this note')} <span class="hidden">{deleted.name}</span>
        </button>
      </div>
      <Problem text={problem} />
      {refused !== null && (
        <p class="problem" role="alert">
          {t('The board is there again, but it is not in these playlists yet.')} {refused}
        </p>
      )}
    </div>
  );
}

function Lists(props: { session: Session; screens: Shown; onChanged(): void; onDeleted(deleted: Deleted): void }) {
  const { session, screens, onChanged, onDeleted } = props;
  const { boards, playlists } = screens;
  const now = session.now();
  return (
    <div class="screen-lists">
      <h2>{t('Playlists')}</h2>
      {playlists.length === 0 && (
        <Empty title={t('No playlists')}>{t('A playlist shows boards one after the other on a screen.')}</Empty>
      )}
      <ul class="rows">
        {playlists.map((one) => (
          <ScreenRow
            key={one.id}
            session={session}
            one={{ kind: 'playlist', id: one.id, name: one.name }}
            href={`#screens/playlists/${one.id}`}
            details={[
              t('{n} board, {seconds} s each|{n} boards, {seconds} s each', {
                n: one.items.length,
                seconds: one.default_duration_s,
              }),
              screenUses(one, screens, now)[0] ?? noUseText(session),
            ]}
            actions={playlistActions(session, one, screens, onChanged, onDeleted)}
            onChanged={onChanged}
          />
        ))}
      </ul>
      <h2>{t('Boards')}</h2>
      {boards.length === 0 && (
        <Empty title={t('No boards')}>
          {said('A board is one picture for a TV, made of tiles: machines in trouble, a map, a number. {link}', {
            link: <a href="#screens/new">{t('Make the first board')}</a>,
          })}
        </Empty>
      )}
      <ul class="rows">
        {boards.map((one) => {
          const uses = [...listsText(one.id, playlists), ...screenUses(one, screens, now)];
          return (
            <ScreenRow
              key={one.id}
              session={session}
              one={{ kind: 'dashboard', id: one.id, name: one.name }}
              href={`#screens/boards/${one.id}`}
              sketch={<BoardSketch places={one.widgets.map(({ position }) => position)} />}
              details={[
                ...(one.description === '' ? [] : [one.description]),
                [
                  t('{n} tile|{n} tiles', { n: one.widgets.length }),
                  ...(uses.length === 0 ? [noUseText(session)] : uses),
                ].join(' · '),
              ]}
              actions={boardActions(session, one, screens, onChanged, onDeleted)}
              onChanged={onChanged}
            />
          );
        })}
      </ul>
    </div>
  );
}

/** The offers of the tab to make deleted boards and playlists again. Each change begins with what the tab has at that time. */
function useDeleted({ project }: Session) {
  const name = `deleted screens ${project.id}`;
  const [deleted, set] = useTabState<readonly Deleted[]>(name);
  const write = (to: (now: readonly Deleted[]) => readonly Deleted[]) => {
    const next = to(kept<readonly Deleted[]>(name) ?? []);
    set(next.length === 0 ? null : next);
  };
  return {
    deleted: deleted ?? [],
    add: (one: Deleted) => write((now) => [...now, one].slice(-MOST_DELETED)),
    /** Replaces the offer of an object; null removes it. */
    replace: (id: string, next: Deleted | null) =>
      write((now) => now.flatMap((one) => (idOfDeleted(one) !== id ? [one] : (next ?? [])))),
    /** A board was made again as another one. */
    moved: (id: string, made: string) => write((now) => withBoard(now, id, made)),
  };
}

function Home({ session, code }: { session: Session; code: string }) {
  const boards = usePolled((signal) => readBoards(session, signal), 15_000, [session], ['playlist', 'dashboard']);
  // The live stream says nothing of paired screens, so the page reads them often. It reads boards and links only after a change.
  const paired = usePolled((signal) => readAll(session, 'displays_list', { order: 'asc' }, signal), DISPLAYS_MS, [
    session,
  ]);
  const reload = () => {
    boards.reload();
    paired.reload();
  };
  const { deleted, add, replace, moved } = useDeleted(session);
  const [missing, setMissing] = useState<readonly string[]>([]);
  const [left, setLeft] = useState<readonly string[]>([]);
  const [lacks, setLacks] = useState<readonly string[]>([]);
  const screens: Shown | null =
    boards.data === null || paired.data === null ? null : { ...boards.data, displays: paired.data.items };
  const { busy, problem, send } = useSend();
  const makePlaylist = () =>
    send(async () => {
      const names = screens?.playlists.map(({ name }) => name) ?? [];
      const made = await session.client.call('playlists_create', { name: freeName(t('New playlist'), names) });
      location.hash = `screens/playlists/${made.id}`;
    });
  const all = [
    ...(screens?.playlists ?? []).map(({ id, name }) => ({ kind: 'playlist' as const, id, name })),
    ...(screens?.boards ?? []).map(({ id, name }) => ({ kind: 'dashboard' as const, id, name })),
  ];
  return (
    <>
      <div class="head">
        <h1>{t('Screens')}</h1>
        <div class="buttons">
          {may(session, 'dashboards_create') && (
            <a class="button" href="#screens/new">
              {t('New board')}
            </a>
          )}
          {may(session, 'playlists_create') && screens !== null && (
            <button type="button" disabled={busy} onClick={makePlaylist}>
              {t('New playlist')}
            </button>
          )}
        </div>
      </div>
      <LoopbackHint />
      <Problem text={problem ?? boards.problem ?? paired.problem} />
      {deleted.map((one) => (
        <DeletedNote
          key={idOfDeleted(one)}
          session={session}
          deleted={one}
          onMade={(next) => replace(idOfDeleted(one), next)}
          onDone={(done) => {
            setMissing((before) => [...new Set([...before, ...done.missing])]);
            setLeft((before) => [...before, ...(done.board?.left ?? [])]);
            const texts = done.playlist === undefined ? [] : leftItemsTexts(done.playlist);
            setLacks((before) => [...before, ...texts.map((text) => `${one.name}: ${text}`)]);
            replace(idOfDeleted(one), done.rest);
            if (done.board !== undefined) moved(idOfDeleted(one), done.board.id);
            reload();
          }}
          onHide={() => replace(idOfDeleted(one), null)}
        />
      ))}
      {left.length > 0 && (
        <p class="waiting" role="status">
          {leftTilesText(left)}
        </p>
      )}
      {lacks.map((text) => (
        <p key={text} class="waiting" role="status">
          {text}
        </p>
      ))}
      {missing.length > 0 && (
        <p class="waiting" role="status">
          {t('These playlists are not there any more, so the board is not in them: {names}.', {
            names: missing.join(', '),
          })}
        </p>
      )}
      <TruncationNote shown={all.length} more={screens?.more === true} what={t('playlists and boards')} />
      {screens !== null && (
        <>
          <DisplayList
            session={session}
            displays={screens.displays}
            more={paired.data?.more === true}
            all={all}
            onChanged={reload}
          >
            {may(session, 'display_pairings_approve') && (
              <PairForm session={session} shown={all} code={code} onPaired={reload} />
            )}
          </DisplayList>
          <Lists session={session} screens={screens} onChanged={reload} onDeleted={add} />
        </>
      )}
    </>
  );
}

/** `at` is the part of the address behind `#screens/`: `new`, or the editor of a board or playlist. */
export function Screens({ session, code, at }: { session: Session; code: string; at: string }) {
  if (at.startsWith('boards/')) return <BoardEditor key={at} session={session} id={at.slice('boards/'.length)} />;
  if (at.startsWith('playlists/'))
    return <PlaylistEditor key={at} session={session} id={at.slice('playlists/'.length)} />;
  if (at === 'new') return <NewBoard session={session} />;
  return <Home session={session} code={code} />;
}
