/** The editor of a board: tiles on the grid of a TV, their settings, steps to undo, and a preview from a distance. */
import { useState } from 'preact/hooks';
import { UNKNOWN_VALUE } from '#contract/base/shown.ts';
import type { PlacedWidget } from '#contract/site/widget.ts';
import { t } from '#ui/languages/texts.ts';
import { Problem } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { usePolled } from '#ui/office/base/use.ts';
import {
  type Board,
  change,
  type Draft,
  dismiss,
  isChanged,
  metNow,
  redo,
  takeTheirs,
  undo,
} from '#ui/office/screens/drafts/board-draft.ts';
import { addTile, MOST_TILES, placeTile } from '#ui/office/screens/drafts/layout.ts';
import { FarPreview } from '#ui/office/screens/previews/far-preview.tsx';
import { Preview, Refusal } from '#ui/office/screens/previews/preview.tsx';
import { type BoardStream, useBoardStream, usePictures } from '#ui/office/screens/previews/use-board-stream.ts';
import { BoardCanvas, drawnView, tileSentence } from './board-canvas.tsx';
import { useFocus, useNarrow, useSaid, useScreenLanguage, useUndoKeys } from './editor-hooks.tsx';
import { MetNote } from './met-note.tsx';
import { LeftOut, SaveBoardAs } from './save-as.tsx';
import { type IsGone, kindOf, newTile, problemOf, TILE_KINDS, type TileType, tileName } from './tile-kinds.ts';
import { AddPanel, SidePanel } from './tile-panel.tsx';
import { goneIn, useCodeLists, useOffers } from './tile-query.ts';
import { dropDraft, keptDraft, useBoardDraft } from './use-board-draft.ts';
import { type Dashboard, savedText } from './uses.ts';

/** Returns the stream of the draft. The places of tiles are no part of its key, because the page itself puts the tiles there. */
function useDraftStream(session: Session, { name, theme, widgets }: Board, isGone: IsGone, isShown: boolean) {
  const sound = widgets.filter((one) => problemOf(one, isGone) === null);
  const key = !isShown ? null : JSON.stringify([theme, sound.map(({ position: _, title: __, ...tile }) => tile)]);
  return useBoardStream(session, { draft: { name: name.trim() || '-', theme, widgets: [...sound] } }, key);
}

/** Says what a change of the places did to the other tiles. */
function movedText(before: readonly PlacedWidget[], after: readonly PlacedWidget[], id: string): string {
  const places = new Map(before.map((one) => [one.id, JSON.stringify(one.position)]));
  const others = after.filter((one) => one.id !== id && places.get(one.id) !== JSON.stringify(one.position));
  const own = after.find((one) => one.id === id);
  const said = own === undefined ? '' : tileSentence(own);
  return others.length === 0
    ? said
    : `${said}. ${t('Also moved: {names}.', { names: others.map(tileName).join(', ') })}`;
}

/** The draft with what a person does to it: steps, and tiles that are added, placed and removed. */
function useEditing(session: Session, stored: Dashboard) {
  const { draft, change: update, ...saving } = useBoardDraft(session, stored);
  const [selected, setSelected] = useState<string | null>(null);
  const [panel, setPanel] = useState<'tile' | 'add'>('tile');
  const { said, say } = useSaid();
  const offers = useOffers(session);
  const focus = useFocus();
  const focusTile = (id: string | undefined) => focus(id === undefined ? ADD_TILE : tileSelector(id));
  const board = draft.now;
  const codes = useCodeLists(
    session,
    board.widgets.some(({ type }) => type === 'qr'),
    stored.revision,
  );
  const set = (next: Board, group?: string) => update((one) => change(one, next, group ?? null));
  const step = (to: (one: Draft) => Draft, text: string) => {
    update(to);
    say(text);
  };
  const back = () => step(undo, draft.past.length === 0 ? t('There is nothing to undo.') : t('Undone.'));
  const again = () => step(redo, draft.future.length === 0 ? t('There is nothing to do again.') : t('Done again.'));
  useUndoKeys((isRedo) => (isRedo ? again() : back()));
  const select = (id: string) => {
    setSelected(id);
    setPanel('tile');
  };
  const place = (tiles: readonly PlacedWidget[] | undefined, id: string) => {
    if (tiles === undefined) return say(t('There is no room.'));
    say(movedText(board.widgets, tiles, id));
    set({ ...board, widgets: tiles });
  };
  return {
    ...{ draft, update, ...saving, board, selected, panel, offers, codes, said, say, set, back, again, select, place },
    drop: () => step((one) => change(one, one.base.board), t('Your changes were dropped. "Undo" takes them back.')),
    /** Goes to the settings of a tile. */
    open(id: string) {
      select(id);
      focus(FIRST_FIELD);
    },
    backToTile: () => focusTile(selected ?? undefined),
    deselect() {
      setSelected(null);
      focus(FIRST_FIELD);
    },
    add(type: TileType) {
      const { size, least } = TILE_KINDS[type];
      const id = freeId(board.widgets, type);
      const made = newTile(type, id, offers?.cameras[0]?.id, `${location.origin}/`);
      const tiles = addTile(board.widgets, (position) => ({ ...made, position }), size, least);
      place(tiles, id);
      select(id);
      focusTile(id);
    },
    openAdd() {
      setPanel('add');
      focus(FIRST_KIND);
    },
    closeAdd() {
      setPanel('tile');
      focus(ADD_TILE);
    },
    remove(id: string) {
      const at = board.widgets.findIndex((one) => one.id === id);
      const removed = board.widgets[at];
      if (removed === undefined) return;
      const widgets = board.widgets.toSpliced(at, 1);
      const next = widgets[Math.min(at, widgets.length - 1)]?.id;
      say(t('{name} was removed.', { name: tileName(removed) }));
      set({ ...board, widgets });
      setSelected(next ?? null);
      focusTile(next);
    },
  };
}

/** The board and the panel beside it. */
function Desk(props: { session: Session; editing: Editing; stream: BoardStream; isFar: boolean }) {
  const { session, editing, stream, isFar } = props;
  const { board, selected, panel, offers, codes, place, remove } = editing;
  const spoken = useScreenLanguage(session);
  const pictures = usePictures(session);
  const farView = drawnView(stream, board, board.widgets);
  return (
    <div class="board-desk">
      <div>
        <BoardCanvas
          board={board}
          stream={stream}
          spoken={spoken}
          pictures={pictures}
          selected={selected}
          onSelect={editing.select}
          onOpen={editing.open}
          onTiles={place}
          onRemove={remove}
        />
        <p class="aside" id="board-keys">
          {t(
            'Drag a tile to move it, and its lower right corner to resize it. With the keyboard: Tab selects a tile, the arrow keys move it, Shift and the arrow keys resize it, Enter goes to its settings and Escape back to it, Delete removes it. Ctrl+Z undoes.',
          )}
        </p>
        {isFar && farView !== null && <FarPreview view={farView} at={stream.at} pictures={pictures} spoken={spoken} />}
      </div>
      {panel === 'add' ? (
        <AddPanel hasCamera={(offers?.cameras.length ?? 0) > 0} onAdd={editing.add} onClose={editing.closeAdd} />
      ) : (
        <SidePanel
          session={session}
          board={board}
          tile={board.widgets.find(({ id }) => id === selected)}
          offers={offers}
          codes={codes}
          onBoard={editing.set}
          onPlace={(position, id) => place(placeTile(board.widgets, id, position), id)}
          onRemove={remove}
          onBack={editing.backToTile}
          onClose={editing.deselect}
        />
      )}
    </div>
  );
}

/** On a narrow page the draft stays, but the board and the panel are not there. */
function Editor(props: { session: Session; stored: Dashboard; isGone: boolean }) {
  const { session, stored } = props;
  const editing = useEditing(session, stored);
  const { draft, busy, problem, update, board, panel, say } = editing;
  const [isFar, setFar] = useState(false);
  const isNarrow = useNarrow();
  const isGone = goneIn(editing.codes);
  const stream = useDraftStream(session, board, isGone, !isNarrow);
  const refused = board.name.trim() === '' ? t('A board needs a name.') : firstProblem(board.widgets, isGone);
  const changed = isChanged(draft);
  return (
    <>
      {isNarrow && (
        <p class="waiting">
          <b>{t('The editor needs a larger screen')}.</b>{' '}
          {t('Open this page on a tablet or a computer. On this screen you see the board as a TV shows it.')}
        </p>
      )}
      {(!isNarrow || changed) && (
        <Bar
          draft={draft}
          busy={busy}
          refused={refused}
          isNarrow={isNarrow}
          isAdding={panel === 'add'}
          isFar={isFar}
          onAdd={panel === 'add' ? editing.closeAdd : editing.openAdd}
          onFar={() => setFar(!isFar)}
          onUndo={editing.back}
          onRedo={editing.again}
          onDiscard={editing.drop}
          onSave={() =>
            editing.save((isSaved) => say(isSaved ? savedText(session) : t('Another person saved this board.')))
          }
        />
      )}
      <Problem text={problem} />
      <Refusal refusal={stream.refusal} isReplaced={stream.isReplaced} />
      <MetNote
        draft={draft}
        onTakeTheirs={(name) => update((one) => takeTheirs(one, name))}
        onDismiss={() => update(dismiss)}
      />
      {changed && (metNow(draft) !== null || problem !== null || props.isGone) && (
        <SaveBoardAs session={session} id={stored.id} content={{ ...board, audience: stored.audience }} />
      )}
      <p class="edit-said" role="status">
        {editing.said}
      </p>
      {isNarrow ? (
        <Preview session={session} kind="dashboard" id={stored.id} />
      ) : (
        <Desk session={session} editing={editing} stream={stream} isFar={isFar} />
      )}
    </>
  );
}

type Editing = ReturnType<typeof useEditing>;

const ADD_TILE = '.add-tile';
const FIRST_KIND = '.tile-kinds button:enabled';
const FIRST_FIELD = '.tile-panel :is(select, input, textarea)';
const tileSelector = (id: string): string => `[data-tile="${CSS.escape(id)}"]`;

/** Returns an id that no tile of the board has. */
function freeId(tiles: readonly PlacedWidget[], type: string): string {
  const bytes = crypto.getRandomValues(new Uint8Array(6));
  const id = `${type}-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
  return tiles.some((one) => one.id === id) ? freeId(tiles, type) : id;
}

function firstProblem(tiles: readonly PlacedWidget[], isGone: IsGone): string | null {
  if (tiles.length > MOST_TILES) return t('A board has at most {n} tiles. Remove some.', { n: MOST_TILES });
  for (const tile of tiles) {
    const problem = problemOf(tile, isGone);
    if (problem !== null) return `${tileName(tile)}: ${problem}`;
  }
  return null;
}

function Bar(props: {
  draft: Draft;
  busy: boolean;
  refused: string | null;
  isNarrow: boolean;
  isAdding: boolean;
  isFar: boolean;
  onAdd(): void;
  onFar(): void;
  onUndo(): void;
  onRedo(): void;
  onDiscard(): void;
  onSave(): void;
}) {
  const { draft, refused } = props;
  const changed = isChanged(draft);
  return (
    <div class="head board-bar">
      <div class="buttons">
        {!props.isNarrow && (
          <button type="button" class="add-tile" aria-expanded={props.isAdding} onClick={props.onAdd}>
            {t('Add a tile')}
          </button>
        )}
        <button type="button" disabled={draft.past.length === 0} onClick={props.onUndo} aria-keyshortcuts="Control+Z">
          {t('Undo')}
        </button>
        <button
          type="button"
          disabled={draft.future.length === 0}
          onClick={props.onRedo}
          aria-keyshortcuts="Control+Shift+Z"
        >
          {t('Redo')}
        </button>
        {!props.isNarrow && (
          <button type="button" aria-pressed={props.isFar} onClick={props.onFar}>
            {t('From a distance')}
          </button>
        )}
      </div>
      <div class="buttons">
        <span class="aside save-state">
          {refused ?? (changed ? t('Not saved yet. Screens show the board as it was.') : t('All changes are saved'))}
        </span>
        {changed && (
          <button type="button" disabled={props.busy} onClick={props.onDiscard}>
            {t('Drop my changes')}
          </button>
        )}
        <button
          type="button"
          class="primary"
          disabled={!changed || props.busy || refused !== null}
          onClick={props.onSave}
        >
          {t('Save')}
        </button>
      </div>
    </div>
  );
}

/** Returns true if the board has a value of a newer version, which this version would lose when it saves the board. */
function isNewer({ theme, audience, widgets }: Dashboard): boolean {
  const choices = widgets.flatMap(({ type, query, thresholds }) => [
    type,
    ...Object.values(query).flat(),
    ...thresholds.map(({ level }) => level),
  ]);
  return (
    widgets.some(({ type }) => kindOf(type).settings.length === 0) ||
    [theme, audience, ...choices].includes(UNKNOWN_VALUE)
  );
}

/** The board is not there any more, but the tab has changes of it. */
function Lost({ session, id }: { session: Session; id: string }) {
  const left = keptDraft(id);
  if (left === null) return null;
  return (
    <>
      <p class="waiting">{t('This tab has changes of this board that are not saved.')}</p>
      <SaveBoardAs
        session={session}
        id={id}
        content={{ ...left.now, audience: left.audience }}
        onSaved={() => dropDraft(id)}
      />
    </>
  );
}

export function BoardEditor({ session, id }: { session: Session; id: string }) {
  const board = usePolled(() => session.client.call('dashboards_get', { id }), 15_000, [session, id], ['dashboard']);
  return (
    <>
      <p>
        <a href="#screens">{t('Screens')}</a>
      </p>
      <h1>{board.data?.name ?? t('Board')}</h1>
      <Problem text={board.problem} />
      <LeftOut id={id} />
      {board.data === null && board.problem !== null && <Lost session={session} id={id} />}
      {board.data !== null &&
        (isNewer(board.data) ? (
          <p class="waiting">
            <b>{t('A newer version wrote this board')}.</b>{' '}
            {t('This version would lose a part of it. Update this gateway to edit the board.')}
          </p>
        ) : (
          <Editor key={id} session={session} stored={board.data} isGone={board.problem !== null} />
        ))}
    </>
  );
}
