import type { ShareKind } from '#contract/base/share-kinds.ts';
import { isSignal, type SignalName } from '#contract/base/signals.ts';
import type { Change } from '#contract/base/view.ts';
import type { LiveReader } from '#contract/context.ts';
import type { EquipmentLive } from '#contract/fleet/equipment.ts';
import { PLAYLIST_DEFAULTS } from '#contract/site/board.ts';
import type { BoardView, Feed, FeedListener, LivePatch, LiveSnapshot } from '#contract/site/live.ts';
import {
  type BoardInput,
  boardSignals,
  type Changed,
  composeBoard,
  recomposeBoard,
  selectMachines,
} from '#domain/board/board.ts';
import { diffBoard, same } from '#domain/board/diff.ts';
import type { BoardAlert, BoardFacts } from '#domain/board/facts.ts';
import { isDue } from '#domain/board/schedule.ts';
import { alarmBoard } from '#domain/board/share-boards.ts';
import { shuffled } from '#domain/board/shuffle.ts';
import type { BoardMachine } from '#domain/board/tiles.ts';
import { trendMachines, trendSignals, trendStep, trendWindow } from '#domain/board/trend.ts';
import { takeoverAlert } from '#domain/board/work.ts';
import type { Store } from '#store/open-store.ts';
import { createFactsReader, type FactServices, type Wanted } from './feed-facts.ts';
import { ALONE_S, type Frame, type FrameBoard, readFrame } from './feed-frame.ts';
import { createTrendHistory, type History } from './feed-history.ts';

export interface FeedServices extends FactServices {
  readonly store: Store;
  readonly live: LiveReader;
  readonly history: History;
  /** Tells pages which version of them is served. */
  readonly build: string;
  /** What walls should know of the gateway's own state; null when all is well, as when absent. */
  readonly notice?: () => string | null;
}

export interface ComposedFeed extends Feed {
  readonly project_id: string;
  /** Since when nobody looks, in milliseconds; null while somebody does. */
  readonly idle_since_ms: number | null;
  /** True once its object was deleted: it shows nothing any more. */
  readonly ended: boolean;
  /** Somebody is about to look. */
  keep(): void;
  /** Facts of these machines changed. */
  touch(equipment: ReadonlySet<string>): void;
  /** A second has passed: values aged, and trends may have closed a bucket. */
  sweep(): void;
  /** Records changed: boards, machines or links may be others now. */
  reload(): void;
  /** A commit changed what boards may show besides machines. */
  note(change: Change): void;
  /** True for a file that its boards show now, or showed just now. */
  shows(artifact_id: string): boolean;
  /** Resolves when nothing is under way any more. */
  settled(): Promise<void>;
}

/** How long an order of a shuffled playlist lasts. */
const SHUFFLE_MS = 3_600_000;

/** Opens the feed of an object; undefined when there is no such object in the project. `onTakeover` is told which alert has the screen. */
export async function openFeed(
  services: FeedServices,
  target: { readonly project_id: string; readonly kind: ShareKind; readonly object_id: string },
  onTakeover: (alert: BoardAlert | null) => void,
): Promise<ComposedFeed | undefined> {
  const { store, live, clock, build } = services;
  const view = store.view(target.project_id);
  const first = await readFrame(store, view, target);
  if (first === undefined) return undefined;
  let frame: Frame = first;
  const reader = createFactsReader(view, services, wantedFacts(frame));
  await reader.refresh();
  const trends = createTrendHistory(services.history, []);
  const listeners = new Set<FeedListener>();
  let idle_since_ms: number | null = clock();
  let work = Promise.resolve();
  let reloads = 0;
  let refreshing = false;
  let reading = false;
  let ended = false;
  let alarm: BoardAlert | null = null;
  let shown: readonly FrameBoard[] = [];
  let signals: readonly SignalName[] = [];
  choose();
  let minute = minuteOf(clock());
  let boards = compose();
  let notice = services.notice?.() ?? null;

  /** What is shown at this moment: the boards that are due, or the alert that takes the screen; true when that changed. */
  function choose(): boolean {
    const { takeover } = frame.order ?? PLAYLIST_DEFAULTS;
    alarm = takeover.enabled ? (takeoverAlert(reader.facts.alerts, takeover.min_severity) ?? null) : null;
    onTakeover(alarm);
    const next = alarm === null ? dueBoards(frame, clock(), target.object_id) : [takeoverBoard(frame, alarm)];
    const changed = !same(next, shown);
    shown = next;
    // A machine with an alert says what the value of the alert is now.
    const alerted = reader.facts.alerts.map(({ signal_name }) => signal_name).filter(isSignal);
    signals = [
      ...new Set([...alerted, ...[...frame.boards, ...shown].flatMap(({ dashboard }) => boardSignals(dashboard))]),
    ];
    trends.want(wantedTrends(alarm === null ? frame.boards : [...frame.boards, ...shown], frame.machines));
    return changed;
  }

  function inputs(): BoardInput[] {
    const { machines, places, devices } = frame;
    const now_ms = clock();
    const facts: BoardFacts = { ...reader.facts, places, devices };
    const seen = new Map<string, EquipmentLive | undefined>();
    const lookup = (id: string) => {
      let known = seen.get(id);
      if (known === undefined) {
        known = live.equipment(id, signals);
        seen.set(id, known);
      }
      return known;
    };
    return shown.map(({ id, dashboard, duration_s }) => {
      return { id, dashboard, duration_s, machines, live: lookup, series: trends.series, facts, now_ms };
    });
  }

  function compose(): readonly BoardView[] {
    return inputs().map(composeBoard);
  }

  function emit(event: Parameters<FeedListener>[0]): void {
    for (const listener of [...listeners]) listener(event);
  }

  function snapshot(): LiveSnapshot {
    const { project, title, order } = frame;
    return {
      build,
      server_ms: clock(),
      project,
      title,
      ...(notice === null ? {} : { notice }),
      ...(order?.transition === 'none' ? { transition: order.transition } : {}),
      boards,
    };
  }

  /** Shows the next boards: as patches where they lead there, else as a snapshot. */
  function show(next: readonly BoardView[], framed = false): void {
    const patches: LivePatch[] = [];
    let patchable = !framed && next.length === boards.length;
    for (const [i, board] of next.entries()) {
      const before = boards[i];
      const changes = patchable && before !== undefined ? diffBoard(before, board) : undefined;
      if (changes === undefined) patchable = false;
      else patches.push(...changes);
    }
    boards = next;
    if (!patchable) emit({ name: 'snapshot', data: snapshot() });
    else if (patches.length > 0) emit({ name: 'delta', data: { server_ms: clock(), patches } });
  }

  function recompose(changed: Changed): void {
    show(
      inputs().map((input, i) => {
        const before = boards[i];
        return before === undefined ? composeBoard(input) : recomposeBoard(before, input, changed);
      }),
    );
  }

  /** Looks once a minute which items are due; true when that changed. */
  function turnSchedule(): boolean {
    if (minute === minuteOf(clock())) return false;
    minute = minuteOf(clock());
    return choose();
  }

  /** Runs one after the other, so that an older read never overwrites a newer one. */
  function enqueue(step: () => Promise<void>): void {
    work = work.then(step);
  }

  async function refreshTrends(): Promise<void> {
    if (await trends.refresh(clock())) recompose({ machines: new Set(), trends: true, facts: false });
    refreshing = false;
  }

  function startRefresh(): void {
    if (refreshing) return;
    refreshing = true;
    enqueue(refreshTrends);
  }

  async function readFacts(): Promise<void> {
    const read = await reader.refresh();
    reading = false;
    if (!read) return;
    // An alert may have come or gone.
    if (choose()) {
      show(compose(), true);
      startRefresh();
    } else recompose({ machines: new Set(), trends: false, facts: true });
  }

  function startReading(): void {
    if (reading || !reader.due()) return;
    reading = true;
    enqueue(readFacts);
  }

  async function readAgain(): Promise<void> {
    // Many changes that arrived while one read was under way need one more read, not one each.
    if (--reloads > 0) return;
    const next = await readFrame(store, view, target);
    if (next === undefined) {
      ended = true;
      emit({ name: 'gone', data: { reason: 'deleted' } });
      return;
    }
    const changed = !same(comparable(next), comparable(frame));
    const framed = changed && !same(outside(next), outside(frame));
    frame = next;
    if (changed) {
      reader.want(wantedFacts(frame));
      await reader.refresh();
    }
    choose();
    if (changed) show(compose(), framed);
    startRefresh();
  }

  startRefresh();
  return {
    project_id: target.project_id,
    get idle_since_ms() {
      return idle_since_ms;
    },
    get ended() {
      return ended;
    },
    keep() {
      if (idle_since_ms !== null) idle_since_ms = clock();
    },
    snapshot() {
      if (listeners.size === 0) {
        turnSchedule();
        boards = compose();
        notice = services.notice?.() ?? null;
      }
      return snapshot();
    },
    subscribe(listener) {
      const own: FeedListener = (event) => listener(event);
      listeners.add(own);
      idle_since_ms = null;
      return () => {
        if (listeners.delete(own) && listeners.size === 0) idle_since_ms = clock();
      };
    },
    touch(equipment) {
      if (listeners.size > 0) recompose({ machines: equipment, trends: false, facts: false });
    },
    sweep() {
      startReading();
      if (listeners.size === 0) return;
      const before = notice;
      notice = services.notice?.() ?? null;
      if (notice !== before) emit({ name: 'snapshot', data: snapshot() });
      if (turnSchedule()) show(compose(), true);
      else recompose({ machines: new Set(frame.machines.map(({ id }) => id)), trends: false, facts: false });
      if (trends.due(clock())) startRefresh();
    },
    reload() {
      reloads++;
      enqueue(readAgain);
    },
    note: (change) => reader.note(change),
    shows: (artifact_id) =>
      reader.shows(artifact_id) || frame.boards.some(({ dashboard }) => dashboard.media?.artifact_id === artifact_id),
    settled: () => work,
  };
}

/** A frame without maps, which do not tell their entries. */
function comparable(frame: Frame): unknown {
  return { ...frame, devices: [...frame.devices] };
}

/** What surrounds boards: when it changes, patches do not lead there. */
function outside({ project, title, order }: Frame): unknown {
  return { project, title, transition: order?.transition };
}

const minuteOf = (ms: number) => Math.floor(ms / 60_000);

/** The boards whose time it is; of a shuffled playlist in the order of this hour. */
function dueBoards({ boards, project, shifts, order }: Frame, now_ms: number, id: string): Frame['boards'] {
  const due = boards.filter(({ when }) => when === undefined || isDue(when, now_ms, project.timezone, shifts));
  return order?.shuffle === true ? shuffled(due, `${id} ${Math.floor(now_ms / SHUFFLE_MS)}`) : due;
}

/** The board of an alert that takes the screen, in the theme of the boards that give way. */
function takeoverBoard({ boards, machines, order }: Frame, alert: BoardAlert): FrameBoard {
  const { min_severity } = (order ?? PLAYLIST_DEFAULTS).takeover;
  const unit = machines.find(({ id }) => id === alert.machine_id)?.unit_number ?? null;
  const board = alarmBoard(alert, unit, min_severity);
  const theme = boards[0]?.dashboard.theme ?? board.theme;
  return { id: `takeover~${alert.id}`, dashboard: { ...board, theme }, duration_s: ALONE_S };
}

/** What the boards ask for besides machines. */
function wantedFacts({ boards, machines, order }: Frame): Wanted {
  return {
    widgets: boards.flatMap(({ id, dashboard }) => dashboard.widgets.map((widget) => ({ board: id, widget }))),
    takeover: order?.takeover.enabled === true,
    machines,
  };
}

/** Every history that the trends of these boards need. */
function wantedTrends(boards: readonly FrameBoard[], all: readonly BoardMachine[]) {
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
