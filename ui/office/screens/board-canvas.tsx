/**
 * The board in the editor: the picture of a TV, and over each tile a box that a person moves and resizes. The boxes are buttons, so that
 * the keyboard reaches them, and a screen reader says where each tile is.
 */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { LiveSnapshot } from '#contract/site/live.ts';
import type { PlacedWidget, Widget } from '#contract/site/widget.ts';
import type { ScreenLanguage } from '#ui/languages/site-language.ts';
import { t } from '#ui/languages/texts.ts';
import { type Board, same } from '#ui/office/screens/drafts/board-draft.ts';
import { moveBy, type Place, placeTile, resizeBy } from '#ui/office/screens/drafts/layout.ts';
import { PreviewWall } from '#ui/office/screens/previews/preview-wall.tsx';
import type { BoardStream } from '#ui/office/screens/previews/use-board-stream.ts';
import { cellStep, pagesOf, widgetSize } from '#ui/tiles/grid.ts';
import type { Pictures } from '#ui/tiles/tile-props.ts';
import { BOARD_AT, geometry } from '#ui/tv/geometry.ts';
import { useDrag } from './editor-hooks.tsx';
import { tileName } from './tile-kinds.ts';

type Tiles = readonly PlacedWidget[];

/** Says where a tile is and how large it is. */
export const tileSentence = ({ position: { x, y, w, h }, ...tile }: PlacedWidget): string =>
  t('{name}, column {x}, row {y}, {w} wide, {h} high', { name: tileName(tile), x: x + 1, y: y + 1, w, h });

/** Returns what decides the content of a tile, without its title and place, which the page itself draws. */
const settingsOf = ({ title: _, position: __, ...settings }: Widget) => settings;

/**
 * Returns the content of the stream with the tiles at the places of the draft; null until the first answer. A new tile, and a tile with
 * changed settings, has no content until the gateway has composed it: an old number must not stand under new settings.
 */
export function drawnView(
  { view, composed }: Pick<BoardStream, 'view' | 'composed'>,
  { name, theme }: Board,
  tiles: Tiles,
): LiveSnapshot | null {
  if (view === null) return null;
  const contents = new Map(view.boards.flatMap(({ widgets }) => widgets).map((one) => [one.id, one]));
  const widgets = tiles.flatMap((tile) => {
    const { id, title, position } = tile;
    const found = contents.get(id);
    const asked = composed.find((one) => one.id === id);
    const isOld = asked === undefined || !same(settingsOf(asked), settingsOf(tile));
    return found === undefined || isOld ? [] : [{ ...found, title, position }];
  });
  return {
    ...view,
    title: name,
    boards: view.boards.slice(0, 1).map((one) => ({ ...one, id: 'draft', name, theme, widgets })),
  };
}

const ARROWS: Readonly<Record<string, readonly [dx: number, dy: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

interface Drag {
  readonly id: string;
  readonly pointer: number;
  readonly isResize: boolean;
  readonly startX: number;
  readonly startY: number;
  /** The place of the tile when the drag began. */
  readonly from: Place;
  /** The last place under the pointer for which there was room. */
  readonly to: Place;
}

interface Props {
  readonly board: Board;
  readonly stream: BoardStream;
  readonly spoken: ScreenLanguage | undefined;
  readonly pictures: Pictures;
  readonly selected: string | null;
  onSelect(id: string): void;
  /** A person pressed Enter on a tile, to change its settings. */
  onOpen(id: string): void;
  /** Undefined: there is no room for the change. */
  onTiles(tiles: Tiles | undefined, id: string): void;
  onRemove(id: string): void;
}

export function BoardCanvas(props: Props) {
  const { board, stream, selected, onTiles } = props;
  const [width, setWidth] = useState(0);
  const [drag, setDrag] = useState<Drag | null>(null);
  const [page, setPage] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const fit = () => setWidth(box.current?.clientWidth ?? 0);
    fit();
    const watch = new ResizeObserver(fit);
    if (box.current !== null) watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  const { u, board: size } = geometry(width, (width * 9) / 16, 1);
  const step = cellStep(size);
  // Another person may change or remove tiles during the drag, so the drag keeps only the place of its tile.
  const isMoved = drag !== null && !same(drag.to, drag.from) && board.widgets.some(({ id }) => id === drag.id);
  const moved = isMoved ? placeTile(board.widgets, drag.id, drag.to) : undefined;
  const tiles = moved ?? board.widgets;
  const view = drawnView(stream, board, tiles);
  const pages = view?.boards[0] === undefined ? 1 : pagesOf(view.boards[0], size);

  const follow = (event: PointerEvent) => {
    if (drag === null) return;
    const dx = Math.round((event.clientX - drag.startX) / (step.w * u));
    const dy = Math.round((event.clientY - drag.startY) / (step.h * u));
    const { x, y, w, h } = drag.from;
    const position = drag.isResize
      ? { x, y, w: within(w + dx, 1, 12 - x), h: within(h + dy, 1, 6 - y) }
      : { x: within(x + dx, 0, 12 - w), y: within(y + dy, 0, 6 - h), w, h };
    if (placeTile(board.widgets, drag.id, position) !== undefined) setDrag({ ...drag, to: position });
  };
  const drop = (isCancelled: boolean) => {
    if (drag === null) return;
    setDrag(null);
    if (isMoved && !isCancelled) onTiles(moved, drag.id);
  };
  useDrag(drag?.pointer ?? null, follow, drop);
  const press = (event: KeyboardEvent, id: string) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape' && drag !== null) return setDrag(null);
    if (event.key === 'Enter') {
      event.preventDefault();
      return props.onOpen(id);
    }
    if (event.key === 'Delete' || event.key === 'Backspace') {
      event.preventDefault();
      return props.onRemove(id);
    }
    const arrow = ARROWS[event.key];
    if (arrow === undefined) return;
    event.preventDefault();
    onTiles((event.shiftKey ? resizeBy : moveBy)(board.widgets, id, ...arrow), id);
  };
  return (
    <div class="board-edit">
      <div class="preview-box board-canvas" ref={box} style={{ height: `${(width * 9) / 16}px` }}>
        {view !== null && width > 0 && (
          <div inert>
            <PreviewWall
              view={view}
              shown={{ board: 'draft', page: Math.min(page, pages - 1) }}
              step={{ index: Math.min(page, pages - 1), of: pages }}
              at={stream.at}
              width={width}
              pictures={props.pictures}
              spoken={props.spoken}
            />
          </div>
        )}
        <div role="application" aria-label={t('Tiles of the board')} aria-describedby="board-keys">
          {tiles.map((tile) => (
            <TileBox
              key={tile.id}
              tile={tile}
              isSelected={tile.id === selected}
              isEmpty={view?.boards[0]?.widgets.every(({ id }) => id !== tile.id) !== false}
              style={{
                left: `${(BOARD_AT.x + tile.position.x * step.w) * u}px`,
                top: `${(BOARD_AT.y + tile.position.y * step.h) * u}px`,
                width: `${widgetSize(tile.position, size).w * u}px`,
                height: `${widgetSize(tile.position, size).h * u}px`,
              }}
              onSelect={() => props.onSelect(tile.id)}
              onKeyDown={(event) => press(event, tile.id)}
              onGrab={(event, isResize) =>
                setDrag({
                  id: tile.id,
                  pointer: event.pointerId,
                  isResize,
                  startX: event.clientX,
                  startY: event.clientY,
                  from: tile.position,
                  to: tile.position,
                })
              }
            />
          ))}
        </div>
      </div>
      {pages > 1 && (
        <div class="buttons">
          {Array.from({ length: pages }, (_, i) => (
            <button key={i} type="button" aria-pressed={i === page} onClick={() => setPage(i)}>
              {t('Page {page} of {all}', { page: i + 1, all: pages })}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

const within = (value: number, least: number, most: number) => Math.max(least, Math.min(most, value));

function TileBox(props: {
  tile: PlacedWidget;
  isSelected: boolean;
  /** True until the gateway has composed the tile. */
  isEmpty: boolean;
  style: Readonly<Record<string, string>>;
  onSelect(): void;
  onKeyDown(event: KeyboardEvent): void;
  onGrab(event: PointerEvent, isResize: boolean): void;
}) {
  const { tile } = props;
  const grab = (event: PointerEvent & { readonly currentTarget: HTMLElement }, isResize: boolean) => {
    if (event.button !== 0) return;
    event.stopPropagation();
    // The box gets the events until the person lets go, also outside the board.
    event.currentTarget.setPointerCapture(event.pointerId);
    props.onSelect();
    props.onGrab(event, isResize);
  };
  return (
    <button
      type="button"
      class="tile-box"
      data-tile={tile.id}
      aria-pressed={props.isSelected}
      aria-label={tileSentence(tile)}
      style={props.style}
      onClick={props.onSelect}
      onFocus={props.onSelect}
      onKeyDown={props.onKeyDown}
      onPointerDown={(event) => grab(event, false)}
    >
      {props.isEmpty && <span class="tile-wait">{tileName(tile)}</span>}
      <span class="tile-grip" aria-hidden="true" onPointerDown={(event) => grab(event, true)} />
    </button>
  );
}
