/** Divides boards into the parts that an old TV shows one after the other, and says which part it shows at a time. */
import type { BoardView, WidgetData } from '#contract/site/live.ts';
import { troubledOf } from '#ui/tiles/wall-layout.ts';

/** Rows of a table on one page. */
export const ROWS = 8;
/** The shortest and the usual time for which a part is shown, in seconds. People must be able to read it. */
const LEAST_S = 8;
const USUAL_S = 15;
/** Pages of one widget. Further rows are counted on the last page. */
const MOST_PAGES = 20;
/** Seconds after which a TV loads the page again, if the part does not change before. */
const RELOAD_S = 10;
/** Seconds that are an error of floating-point numbers. */
const NOTHING_S = 1e-6;

type Widget = BoardView['widgets'][number];

/** One part: a page of a widget. */
export interface Step {
  readonly board: BoardView;
  readonly widget: Widget;
  readonly page: number;
  readonly pages: number;
}

/** Returns the number of rows of a widget that is drawn as a table; 0 for another one. */
function rowsOf(data: WidgetData): number {
  switch (data.type) {
    case 'status_board':
      return troubledOf(data.machines).length;
    case 'machine_list':
      return data.list.rows.length;
    case 'bar':
      return data.bar.rows.length;
    case 'alert_feed':
      return data.alerts.rows.length;
    case 'shift_progress':
      // The first page has the sum over all machines, and the next ones their ribbons.
      return data.shift.now === null ? 0 : ROWS + data.shift.rows.length;
    case 'ticket_board':
      return data.columns.reduce((sum, { cards }) => sum + cards.length, 0);
    default:
      return 0;
  }
}

function stepsOf(board: BoardView): Step[] {
  return board.widgets.flatMap((widget) => {
    const pages = Math.min(MOST_PAGES, Math.max(1, Math.ceil(rowsOf(widget.data) / ROWS)));
    return Array.from({ length: pages }, (_, page) => ({ board, widget, page, pages }));
  });
}

/** What an old TV shows now. */
export interface Shown {
  /** Null if no board has content. */
  readonly step: Step | null;
  /** Place of the step among all steps, from 1. */
  readonly place: number;
  readonly of: number;
  /** Seconds until the page must be loaded again. */
  readonly reload_s: number;
}

/**
 * Returns the part to show at a time. It depends on the boards and the time only, so all old TVs with one link show the same part, and the
 * gateway keeps nothing for each of them.
 */
export function shownAt(boards: readonly BoardView[], now_ms: number): Shown {
  const timed = boards.map(timesOf).filter(({ steps }) => steps.length > 0);
  const of = timed.reduce((sum, { steps }) => sum + steps.length, 0);
  const whole = timed.reduce((sum, { seconds }) => sum + seconds, 0);
  let left = whole === 0 ? 0 : (now_ms / 1000) % whole;
  let before = 0;
  for (const { steps, seconds, each } of timed) {
    if (left < seconds) {
      const turn = Math.floor(left / each);
      const i = turn % steps.length;
      const rest = of === 1 ? RELOAD_S : (turn + 1) * each - left;
      const reload_s = Math.max(1, Math.ceil(Math.min(RELOAD_S, rest) - NOTHING_S));
      return { step: steps[i] ?? null, place: before + i + 1, of, reload_s };
    }
    left -= seconds;
    before += steps.length;
  }
  return { step: null, place: 0, of: 0, reload_s: RELOAD_S };
}

/** Returns the parts of a board, for how long it is shown, and for how long each part is. The parts take turns until the time is over. */
function timesOf(board: BoardView): { steps: Step[]; seconds: number; each: number } {
  const steps = stepsOf(board);
  const seconds = Math.max(board.duration_s, steps.length * LEAST_S);
  if (steps.length <= 1) return { steps, seconds, each: seconds };
  const rounds = Math.max(1, Math.round(seconds / (steps.length * USUAL_S)));
  return { steps, seconds, each: seconds / (steps.length * rounds) };
}
