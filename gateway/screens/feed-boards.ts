/** Which boards a feed shows at a moment, and which facts and trends they need. */
import { isSignal, type SignalName } from '#contract/base/signals.ts';
import { PLAYLIST_DEFAULTS } from '#contract/site/board.ts';
import { boardSignals, selectMachines } from '#domain/board/board.ts';
import type { BoardAlert } from '#domain/board/facts.ts';
import { isDue } from '#domain/board/schedule.ts';
import { alarmBoard } from '#domain/board/share-boards.ts';
import { shuffled } from '#domain/board/shuffle.ts';
import type { BoardMachine } from '#domain/board/tiles.ts';
import { trendMachines, trendSignals, trendStep, trendWindow } from '#domain/board/trend.ts';
import { takeoverAlert } from '#domain/board/work.ts';
import type { Wanted } from './feed-facts.ts';
import { ALONE_S, type Frame, type FrameBoard } from './feed-frame.ts';

/** The order of a shuffled playlist changes after so many milliseconds. */
const SHUFFLE_MS = 3_600_000;

/** A frame with its maps as arrays, because comparing maps ignores their entries. */
export function comparable(frame: Frame): unknown {
  return { ...frame, devices: [...frame.devices] };
}

/** The part of a frame outside its boards. When it changes, pages need a new snapshot instead of patches. */
export function outside({ project, title, order }: Frame): unknown {
  return { project, title, transition: order?.transition };
}

/** The alert that takes over the screen; null when none does. */
export function takeoverOf({ order }: Frame, alerts: readonly BoardAlert[]): BoardAlert | null {
  const { takeover } = order ?? PLAYLIST_DEFAULTS;
  return takeover.enabled ? (takeoverAlert(alerts, takeover.min_severity) ?? null) : null;
}

/** The boards that are due now. A shuffled playlist has another order every hour. */
export function dueBoards({ boards, project, shifts, order }: Frame, now_ms: number, id: string): Frame['boards'] {
  const due = boards.filter(({ when }) => when === undefined || isDue(when, now_ms, project.timezone, shifts));
  return order?.shuffle === true ? shuffled(due, `${id} ${Math.floor(now_ms / SHUFFLE_MS)}`) : due;
}

/** The board of an alert that takes over the screen, in the theme of the playlist's first board. */
export function takeoverBoard({ boards, machines, order }: Frame, alert: BoardAlert): FrameBoard {
  const { min_severity } = (order ?? PLAYLIST_DEFAULTS).takeover;
  const unit = machines.find(({ id }) => id === alert.machine_id)?.unit_number ?? null;
  const board = alarmBoard(alert, unit, min_severity);
  const theme = boards[0]?.dashboard.theme ?? board.theme;
  return { id: `takeover~${alert.id}`, dashboard: { ...board, theme }, duration_s: ALONE_S };
}

/** The facts that the boards need besides machines. */
export function wantedFacts({ boards, machines, order }: Frame): Wanted {
  return {
    widgets: boards.flatMap(({ id, dashboard }) => dashboard.widgets.map((widget) => ({ board: id, widget }))),
    takeover: order?.takeover.enabled === true,
    machines,
  };
}

/** The signals that the boards show, and those on which open alerts were raised. */
export function wantedSignals(boards: readonly FrameBoard[], alerts: readonly BoardAlert[]): SignalName[] {
  const alerted = alerts.map(({ signal_name }) => signal_name).filter(isSignal);
  return [...new Set([...alerted, ...boards.flatMap(({ dashboard }) => boardSignals(dashboard))])];
}

/** The histories that the trends of these boards need. */
export function wantedTrends(boards: readonly FrameBoard[], all: readonly BoardMachine[]) {
  return boards.flatMap(({ dashboard }) =>
    dashboard.widgets
      .filter(({ type }) => type === 'timeseries')
      .flatMap((widget) => {
        const window_s = trendWindow(widget);
        const machines = trendMachines(widget, selectMachines(widget.query, all));
        return machines.flatMap(({ id }) =>
          trendSignals(widget).map((signal: SignalName) => ({
            equipment_id: id,
            signal,
            step_s: trendStep(window_s),
            window_s,
          })),
        );
      }),
  );
}
