/** The editor of a board: tiles on the grid of a TV, their settings, steps to undo, and a preview from a distance. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { PlacedWidget } from '#contract/site/widget.ts';
import { type ScreenLanguage, screenLanguage } from '#ui/languages/site-language.ts';
import { t } from '#ui/languages/texts.ts';
import { Problem } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { usePolled } from '#ui/office/base/use.ts';
import { BoardCanvas, drawnView, tileSentence } from './board-canvas.tsx';
import { type Board, change, type Draft, isChanged, redo, takeTheirs, undo } from './board-draft.ts';
import { FarPreview } from './far-preview.tsx';
import { addTile, MOST_TILES, placeTile } from './layout.ts';
import { MetNote } from './met-note.tsx';
import { Preview } from './preview.tsx';
import { SaveAs } from './save-as.tsx';
import { kindOf, newTile, problemOf, TILE_KINDS, type TileType, tileName } from './tile-kinds.ts';
import { AddPanel, SidePanel } from './tile-panel.tsx';
import { useOffers } from './tile-query.ts';
import { useBoardDraft } from './use-board-draft.ts';
import { useBoardStream, usePictures } from './use-board-stream.ts';
import { useNarrow } from './use-narrow.ts';
import type { Dashboard } from './uses.ts';

/** Returns the language of the screens of the site; undefined until it is loaded. */
function useScreenLanguage({ project }: Session): ScreenLanguage | undefined {
  const [spoken, setSpoken] = useState<ScreenLanguage>();
  useEffect(() => {
    let gone = false;
    void screenLanguage(project.language, project.units === 'us').then(
      (found) => !gone && setSpoken(found),
      // Without the texts the preview has the language of the office.
      () => undefined,
    );
    return () => {
      gone = true;
    };
  }, [project.language, project.units]);
  return spoken;
}

/** Calls `act` for Ctrl+Z, Ctrl+Shift+Z and Ctrl+Y, but not in a field, where they change the typed text. */
function useUndoKeys(act: (isRedo: boolean) => void): void {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const key = event.key.toLowerCase();
      if (!(event.ctrlKey || event.metaKey) || (key !== 'z' && key !== 'y')) return;
      if (event.target instanceof HTMLElement && event.target.matches('input:not([type="checkbox"]), textarea')) return;
      event.preventDefault();
      latest.current(event.shiftKey || key === 'y');
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}

/** Returns the stream of the draft. The places of tiles are no part of its key, because the page itself puts the tiles there. */
function useDraftStream(session: Session, { name, theme, widgets }: Board) {
  const sound = widgets.filter((one) => problemOf(one) === null);
  const key = JSON.stringify([theme, sound.map(({ position: _, title: __, ...tile }) => tile)]);
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

const SAVED = 'Saved. TVs show the change within a few seconds.';

function Editor({ session, stored }: { session: Session; stored: Dashboard }) {
  const { draft, busy, problem, change: update, save } = useBoardDraft(session, stored);
  const [selected, setSelected] = useState<string | null>(null);
  const [panel, setPanel] = useState<'tile' | 'add'>('tile');
  const [isFar, setFar] = useState(false);
  const [said, setSaid] = useState('');
  const offers = useOffers(session);
  const focus = useFocus();
  const focusTile = (id: string | undefined) => focus(id === undefined ? ADD_TILE : tileSelector(id));
  const spoken = useScreenLanguage(session);
  const pictures = usePictures(session);
  const stream = useDraftStream(session, draft.now);
  const board = draft.now;
  const farView = drawnView(stream, board, board.widgets);
  const tile = board.widgets.find(({ id }) => id === selected);
  const refused = board.name.trim() === '' ? t('A board needs a name.') : firstProblem(board.widgets);
  const set = (next: Board, group?: string) => update((one) => change(one, next, group ?? null));
  const step = (to: (one: Draft) => Draft, text: string) => {
    update(to);
    setSaid(text);
  };
  const back = () => step(undo, t('Undone.'));
  const again = () => step(redo, t('Done again.'));
  useUndoKeys((isRedo) => (isRedo ? again() : back()));
  const place = (tiles: readonly PlacedWidget[] | undefined, id: string) => {
    if (tiles === undefined) return setSaid(t('There is no room.'));
    setSaid(movedText(board.widgets, tiles, id));
    set({ ...board, widgets: tiles });
  };
  const add = (type: TileType) => {
    const { size, least } = TILE_KINDS[type];
    const id = freeId(board.widgets, type);
    const made = newTile(type, id, offers?.cameras[0]?.id, `${location.origin}/`);
    const tiles = addTile(board.widgets, (position) => ({ ...made, position }), size, least);
    place(tiles, id);
    setSelected(id);
    setPanel('tile');
    focusTile(id);
  };
  const closeAdd = () => {
    setPanel('tile');
    focus(ADD_TILE);
  };
  const remove = (id: string) => {
    const at = board.widgets.findIndex((one) => one.id === id);
    const removed = board.widgets[at];
    if (removed === undefined) return;
    const widgets = board.widgets.toSpliced(at, 1);
    const next = widgets[Math.min(at, widgets.length - 1)]?.id;
    setSaid(t('{name} was removed.', { name: tileName(removed) }));
    set({ ...board, widgets });
    setSelected(next ?? null);
    focusTile(next);
  };
  return (
    <>
      <Bar
        draft={draft}
        busy={busy}
        refused={refused}
        isAdding={panel === 'add'}
        isFar={isFar}
        onAdd={() => {
          setPanel(panel === 'add' ? 'tile' : 'add');
          if (panel !== 'add') focus(FIRST_KIND);
        }}
        onFar={() => setFar(!isFar)}
        onUndo={back}
        onRedo={again}
        onDiscard={() =>
          step((one) => change(one, one.base.board), t('Your changes were dropped. "Undo" takes them back.'))
        }
        onSave={() => save((isSaved) => setSaid(isSaved ? t(SAVED) : t('Another person saved this board.')))}
      />
      <Problem text={problem ?? stream.refusal} />
      {isChanged(draft) && (
        <MetNote
          draft={draft}
          onTakeTheirs={(name) => update((one) => takeTheirs(one, name))}
          onDismiss={() => update((one) => ({ ...one, met: null }))}
        />
      )}
      {(draft.met !== null || problem !== null) && <SaveAs session={session} board={board} />}
      <p class="edit-said" role="status">
        {said}
      </p>
      <div class="board-desk">
        <div>
          <BoardCanvas
            board={board}
            stream={stream}
            spoken={spoken}
            pictures={pictures}
            selected={selected}
            onSelect={(id) => {
              setSelected(id);
              setPanel('tile');
            }}
            onOpen={(id) => {
              setSelected(id);
              setPanel('tile');
              focus(FIRST_FIELD);
            }}
            onTiles={place}
            onRemove={remove}
          />
          <p class="aside" id="board-keys">
            {t(
              'Drag a tile to move it, and its lower right corner to resize it. With the keyboard: Tab selects a tile, the arrow keys move it, Shift and the arrow keys resize it, Enter goes to its settings and Escape back to it, Delete removes it. Ctrl+Z undoes.',
            )}
          </p>
          {isFar && farView !== null && (
            <FarPreview view={farView} at={stream.at} pictures={pictures} spoken={spoken} />
          )}
        </div>
        {panel === 'add' ? (
          <AddPanel hasCamera={(offers?.cameras.length ?? 0) > 0} onAdd={add} onClose={closeAdd} />
        ) : (
          <SidePanel
            session={session}
            board={board}
            tile={tile}
            offers={offers}
            onBoard={set}
            onPlace={(position, id) => place(placeTile(board.widgets, id, position), id)}
            onRemove={remove}
            onBack={() => focusTile(selected ?? undefined)}
            onClose={() => {
              setSelected(null);
              focus(FIRST_FIELD);
            }}
          />
        )}
      </div>
    </>
  );
}

const ADD_TILE = '.add-tile';
const FIRST_KIND = '.tile-kinds button:enabled';
const FIRST_FIELD = '.tile-panel :is(select, input, textarea)';
const tileSelector = (id: string): string => `[data-tile="${id}"]`;

/** Returns a function that gives the focus to the first part with a selector, when the page has been drawn again. */
function useFocus(): (selector: string) => void {
  const wanted = useRef<string | null>(null);
  const [, draw] = useState(0);
  useLayoutEffect(() => {
    if (wanted.current === null) return;
    document.querySelector<HTMLElement>(wanted.current)?.focus();
    wanted.current = null;
  });
  return (selector) => {
    wanted.current = selector;
    draw((n) => n + 1);
  };
}

/** Returns an id that no tile of the board has. */
function freeId(tiles: readonly PlacedWidget[], type: string): string {
  const bytes = crypto.getRandomValues(new Uint8Array(6));
  const id = `${type}-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
  return tiles.some((one) => one.id === id) ? freeId(tiles, type) : id;
}

function firstProblem(tiles: readonly PlacedWidget[]): string | null {
  if (tiles.length > MOST_TILES) return t('A board has at most {n} tiles. Remove some.', { n: MOST_TILES });
  for (const tile of tiles) {
    const problem = problemOf(tile);
    if (problem !== null) return `${tileName(tile)}: ${problem}`;
  }
  return null;
}

function Bar(props: {
  draft: Draft;
  busy: boolean;
  refused: string | null;
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
        <button type="button" class="add-tile" aria-expanded={props.isAdding} onClick={props.onAdd}>
          {t('Add a tile')}
        </button>
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
        <button type="button" aria-pressed={props.isFar} onClick={props.onFar}>
          {t('From a distance')}
        </button>
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

/** Returns true if a newer version wrote a tile that this version would lose. */
const isNewer = ({ widgets }: Dashboard) => widgets.some(({ type }) => kindOf(type).settings.length === 0);

export function BoardEditor({ session, id }: { session: Session; id: string }) {
  const board = usePolled(() => session.client.call('dashboards_get', { id }), 15_000, [session, id], ['dashboard']);
  const isNarrow = useNarrow();
  return (
    <>
      <p>
        <a href="#screens">{t('Screens')}</a>
      </p>
      <h1>{board.data?.name ?? t('Board')}</h1>
      <Problem text={board.problem} />
      {board.data !== null && isNarrow && (
        <>
          <p class="waiting">
            <b>{t('The editor needs a larger screen')}.</b>{' '}
            {t('Open this page on a tablet or a computer. On this screen you see the board as a TV shows it.')}
          </p>
          <Preview session={session} kind="dashboard" id={id} />
        </>
      )}
      {board.data !== null && !isNarrow && isNewer(board.data) && (
        <p class="waiting">
          <b>{t('A newer version wrote this board')}.</b>{' '}
          {t('This version would lose a part of it. Update this gateway to edit the board.')}
        </p>
      )}
      {board.data !== null && !isNarrow && !isNewer(board.data) && (
        <Editor key={id} session={session} stored={board.data} />
      )}
    </>
  );
}
