/** Computes which boards a screen shows at a given time, and which data these boards need. */
import { isSignal, type SignalName } from '#contract/base/signals.ts';
import { PLAYLIST_DEFAULTS } from '#contract/site/board.ts';
import type { BoardAlert } from '#domain/attention/open-items.ts';
import { boardSignals, selectMachines } from '#domain/board/board.ts';
import { isDue } from '#domain/board/schedule.ts';
import { alarmBoard } from '#domain/board/share-boards.ts';
import { shuffled } from '#domain/board/shuffle.ts';
import type { BoardMachine } from '#domain/board/tiles.ts';
import { trendMachines, trendSignals, trendStep, trendWindow } from '#domain/board/trend.ts';
import { takeoverAlert } from '#domain/board/work.ts';
import type { Wanted } from './feed-facts.ts';
import { ALONE_S, type Frame, type FrameBoard } from './feed-frame.ts';

/** The order of a shuffled playlist changes after this many milliseconds. */
const SHUFFLE_MS = 3_600_000;

/**
 * Returns a form of a frame (the boards, machines, devices and locations that a screen shows) in which each Map is an array. Two frames are
 * compared in this form, because the comparison function does not look into a Map.
 */
export function comparable(frame: Frame): unknown {
  return { ...frame, devices: [...frame.devices] };
}

/**
 * Returns the part of a frame that does not belong to a single board. When this part changes, the gateway must send a new snapshot (all
 * boards), because patches (changes of single boards) cannot express the change.
 */
export function outside({ project, title, order }: Frame): unknown {
  return { project, title, transition: order?.transition };
}

/** Returns the alert that is shown on the whole screen in place of the boards; null if there is none. */
export function takeoverOf({ order }: Frame, alerts: readonly BoardAlert[]): BoardAlert | null {
  const { takeover } = order ?? PLAYLIST_DEFAULTS;
  return takeover.enabled ? (takeoverAlert(alerts, takeover.min_severity) ?? null) : null;
}

/** Returns the boards that the playlist shows at this time. A shuffled playlist changes its order every hour. */
export function dueBoards({ boards, project, shifts, order }: Frame, now_ms: number, id: string): Frame['boards'] {
  const due = boards.filter(({ when }) => when === undefined || isDue(when, now_ms, project.timezone, shifts));
  return order?.shuffle === true ? shuffled(due, `${id} ${Math.floor(now_ms / SHUFFLE_MS)}`) : due;
}

/** Returns the board that shows an alert on the whole screen. It has the theme of the first board of the playlist. */
export function takeoverBoard({ boards, machines, order }: Frame, alert: BoardAlert): FrameBoard {
  const { min_severity } = (order ?? PLAYLIST_DEFAULTS).takeover;
  const unit = machines.find(({ id }) => id === alert.machine_id)?.unit_number ?? null;
  const board = alarmBoard(alert, unit, min_severity);
  const theme = boards[0]?.dashboard.theme ?? board.theme;
  return { id: `takeover~${alert.id}`, dashboard: { ...board, theme }, duration_s: ALONE_S };
}

/** Returns which facts (tickets, alerts, pictures, QR codes, shift) the boards need besides machines. */
export function wantedFacts({ boards, machines, order }: Frame): Wanted {
  return {
    widgets: boards.flatMap(({ id, dashboard }) => dashboard.widgets.map((widget) => ({ board: id, widget }))),
    takeover: order?.takeover.enabled === true,
    machines,
  };
}

/** Returns the signals that the boards show, and the signals on which open alerts were raised. */
export function wantedSignals(boards: readonly FrameBoard[], alerts: readonly BoardAlert[]): SignalName[] {
  const alerted = alerts.map(({ signal_name }) => signal_name).filter(isSignal);
  return [...new Set([...alerted, ...boards.flatMap(({ dashboard }) => boardSignals(dashboard))])];
}

/** Returns the machines and signals for which the trend charts of these boards show the history. */
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
