/**
 * Chooses how a status board arranges its machine tiles: full tiles if they fit, otherwise compact tiles, otherwise several pages. It never
 * makes the text smaller. The functions have no side effects.
 */
import type { BoardView } from '#contract/site/live.ts';
import type { Size } from './measure.ts';

/** Space between tiles, in u (1 u is a hundredth of the screen height). */
const GAP = 1.6;
/**
 * The smallest size of a full tile (with all lines of text) and of a compact tile (with fewer lines), in u. A tile of this size just has
 * space for its lines of text and for a mark beside the word "Running".
 */
const FULL: Size = { w: 24, h: 21 };
const COMPACT: Size = { w: 23.6, h: 13.6 };
const FULL_MOST = 15;
const COMPACT_MOST = 24;

export interface Grid {
  readonly kind: 'full' | 'compact';
  readonly columns: number;
  readonly rows: number;
  readonly pages: number;
}

function counts(area: Size, tile: Size): { columns: number; rows: number } {
  return {
    columns: Math.max(1, Math.floor((area.w + GAP) / (tile.w + GAP))),
    rows: Math.max(1, Math.floor((area.h + GAP) / (tile.h + GAP))),
  };
}

/**
 * Chooses the number of columns and rows for n tiles. It prefers a grid with few empty cells, and tiles that are slightly wider than high.
 */
function arrange(n: number, most: { columns: number; rows: number }, limit: number, area: Size) {
  let best = { columns: most.columns, rows: most.rows, score: Number.POSITIVE_INFINITY };
  for (let columns = 1; columns <= most.columns; columns += 1) {
    const rows = Math.ceil(n / columns);
    if (rows > most.rows || columns * rows > Math.max(limit, n)) continue;
    const shape = area.w / columns / (area.h / rows);
    const score = (columns * rows - n) * 0.25 + Math.abs(Math.log(shape / 1.2));
    if (score < best.score) best = { columns, rows, score };
  }
  return best;
}

/** The largest tile, in u. */
const MOST: Size = { w: 64, h: 40 };
/** The largest factor by which the text of a tile is enlarged when there is space. */
const MOST_LARGER = 1.7;

/** Returns the size of the tiles of a grid in u, and the factor by which their text is enlarged. */
export function tileFor(grid: Grid, area: Size): { readonly size: Size; readonly larger: number } {
  const least = grid.kind === 'full' ? FULL : COMPACT;
  const w = (area.w - (grid.columns - 1) * GAP) / grid.columns;
  const h = (area.h - (grid.rows - 1) * GAP) / grid.rows;
  const larger = Math.max(1, Math.min(MOST_LARGER, w / (least.w + 0.4), h / (least.h + 1)));
  // Limit the size, so that the tiles of a few machines do not fill the screen.
  return { size: { w: Math.min(w, MOST.w), h: Math.min(h, MOST.h) }, larger };
}

/** Chooses the grid for n machines in an area. */
export function gridFor(n: number, area: Size): Grid {
  for (const [kind, tile, most] of [
    ['full', FULL, FULL_MOST],
    ['compact', COMPACT, COMPACT_MOST],
  ] as const) {
    const room = counts(area, tile);
    const capacity = Math.min(most, room.columns * room.rows);
    if (n <= capacity) return { kind, ...pick(arrange(n, room, most, area)), pages: 1 };
    if (kind === 'compact') {
      const pages = Math.ceil(n / capacity);
      const each = Math.ceil(n / pages);
      return { kind, ...pick(arrange(each, room, most, area)), pages };
    }
  }
  throw new Error('unreachable');
}

function pick({ columns, rows }: { columns: number; rows: number }) {
  return { columns: Math.max(1, columns), rows: Math.max(1, rows) };
}

/** Returns the size of a widget in u. A board has 12 by 6 cells, and the position of the widget says how many cells the widget covers. */
export function widgetSize(position: { readonly w: number; readonly h: number }, board: Size): Size {
  const cell = { w: (board.w - 11 * GAP) / 12, h: (board.h - 5 * GAP) / 6 };
  return {
    w: position.w * cell.w + (position.w - 1) * GAP,
    h: position.h * cell.h + (position.h - 1) * GAP,
  };
}

/** The height of a row of a list, and of the part above the rows, in u. */
const ROW = 5.6;
const ABOVE = 8.6;

/** Returns the number of list rows that fit an area. */
export function rowsOf(area: Size, titled: boolean): number {
  return Math.max(1, Math.floor((area.h - ABOVE - (titled ? 5.4 : 0)) / ROW));
}

/** Returns the number of pages of a board. This is the number of pages of its longest status board or list. */
export function pagesOf(board: BoardView, size: Size): number {
  let pages = 1;
  for (const { data, position, title } of board.widgets) {
    const area = widgetSize(position, size);
    if (data.type === 'status_board') pages = Math.max(pages, gridFor(data.machines.length, area).pages);
    if (data.type === 'machine_list')
      pages = Math.max(pages, Math.ceil(data.list.rows.length / rowsOf(area, title !== '')));
  }
  return pages;
}
