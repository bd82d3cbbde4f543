/** The sizes of widgets, and the number of pages of a board. The functions have no side effects. */
import type { BoardView } from '#contract/site/live.ts';
import type { Size } from '#ui/text/measure.ts';
import { isWhole, seated, troubledOf, wallLayout } from './wall-layout.ts';

/** Space between tiles, in u (1 u is a hundredth of the screen height). */
const GAP = 1.6;

/** Returns the distance between two columns and between two rows, in u. */
export function cellStep(board: Size): Size {
  return { w: (board.w + GAP) / 12, h: (board.h + GAP) / 6 };
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

/** Heights of a shift tile, in u: its parts around the rows, a line below them, and the smallest row, whose name is the smallest text. */
const SHIFT_PARTS = 18.6;
const SHIFT_LINE = 5;
const SHIFT_ROW = 3.9;

/** Divides the rows of a shift tile into pages, and returns the height of a row and the number of lines of text below the rows. */
export function shiftPages({ w, h }: Size, count: number) {
  const lines = w > 66 ? 2 : 4;
  const room = h - SHIFT_PARTS - lines * SHIFT_LINE;
  const most = Math.max(0, Math.floor(room / SHIFT_ROW));
  const pages = Math.ceil(count / (most || count)) || 1;
  const each = most && Math.ceil(count / pages);
  return { lines, pages, each, row: Math.min(9, room / each) };
}

/** True if a board has a status board with a part above the strip, which also says that the board is not live. */
export function hasWhole({ widgets }: BoardView, size: Size): boolean {
  return widgets.some(({ data, position }) => data.type === 'status_board' && isWhole(widgetSize(position, size)));
}

/** Returns the number of pages of a board. This is the number of pages of its longest status board, list or shift. */
export function pagesOf(board: BoardView, size: Size): number {
  let pages = 1;
  for (const { data, position, title } of board.widgets) {
    const area = widgetSize(position, size);
    if (data.type === 'status_board')
      pages = Math.max(pages, wallLayout(seated(data.machines), troubledOf(data.machines).length, area).pages);
    if (data.type === 'machine_list')
      pages = Math.max(pages, Math.ceil(data.list.rows.length / rowsOf(area, title !== '')));
    if (data.type === 'shift_progress' && data.shift.now !== null)
      pages = Math.max(pages, shiftPages(area, data.shift.rows.length).pages);
  }
  return pages;
}
