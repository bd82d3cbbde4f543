/**
 * One composed view of a playlist or dashboard, shared by all who look at it.
 *
 *   records changed -> reload ----\
 *   ingest tick     -> recompose --+-> diff -> delta, or a snapshot when the frame changed
 *   each second     -> ages -------+
 *   each bucket     -> history ---/
 *
 * Invariant: whoever applied every event since its snapshot has `boards` exactly.
 */
import type { DashboardData, PlacedWidget, PlaylistData, PlaylistWhen } from '#contract/board.ts';
import type { LiveReader } from '#contract/context.ts';
import type { DeviceData } from '#contract/device.ts';
import type { ShareKind } from '#contract/display.ts';
import type { EquipmentData, EquipmentLive } from '#contract/equipment.ts';
import type { EventData } from '#contract/event.ts';
import type { BoardView, Feed, FeedListener, LivePatch, LiveSnapshot } from '#contract/live.ts';
import { type ShiftPattern, TWO_SHIFTS } from '#contract/project.ts';
import type { ShiftReportData } from '#contract/shift-report.ts';
import type { SignalName } from '#contract/signals.ts';
import type { Stored, View } from '#contract/view.ts';
import {
  type BoardInput,
  boardSignals,
  type Changed,
  composeBoard,
  recomposeBoard,
  selectMachines,
} from '#domain/board.ts';
import { diffBoard, same } from '#domain/board-diff.ts';
import type { BoardMachine } from '#domain/board-tiles.ts';
import { trendMachines, trendSignals, trendStep, trendWindow } from '#domain/board-trend.ts';
import { isDue } from '#domain/schedule.ts';
import { machineBoard, reportBoard } from '#domain/share-boards.ts';
import type { Store } from '#store/open-store.ts';
import { createTrendHistory, type History } from './feed-history.ts';
import type { ProjectData } from './projects.ts';

export interface FeedServices {
  readonly store: Store;
  readonly live: LiveReader;
  readonly history: History;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
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
  /** Resolves when nothing is under way any more. */
  settled(): Promise<void>;
}

/** What a feed shows, read from records. */
interface Frame {
  readonly project: LiveSnapshot['project'];
  readonly title: string;
  readonly boards: readonly (Pick<BoardInput, 'id' | 'dashboard' | 'duration_s'> & { readonly when?: PlaylistWhen })[];
  readonly shifts: ShiftPattern;
  readonly machines: readonly BoardMachine[];
}

/** Machines that a feed draws at most; those with the highest unit numbers are left out. */
const MOST_MACHINES = 1_000;
const DASHBOARD_DURATION_S = 3_600;
/** Amendments that are laid over a shared report, the oldest first. */
const MOST_AMENDMENTS = 200;
const natural = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** Opens the feed of an object; undefined when there is no such object in the project. */
export async function openFeed(
  services: FeedServices,
  target: { readonly project_id: string; readonly kind: ShareKind; readonly object_id: string },
): Promise<ComposedFeed | undefined> {
  const { store, live, clock, build } = services;
  const view = store.view(target.project_id);
  const first = await readFrame(store, view, target);
  if (first === undefined) return undefined;
  let frame: Frame = first;
  let signals = shownSignals(frame);
  const trends = createTrendHistory(services.history, wantedTrends(frame));
  const listeners = new Set<FeedListener>();
  let idle_since_ms: number | null = clock();
  let work = Promise.resolve();
  let reloads = 0;
  let refreshing = false;
  let ended = false;
  let shown = dueBoards(frame, clock());
  let minute = minuteOf(clock());
  let boards = compose();
  let notice = services.notice?.() ?? null;

  function inputs(): BoardInput[] {
    const { machines } = frame;
    const now_ms = clock();
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
      return { id, dashboard, duration_s, machines, live: lookup, series: trends.series, now_ms };
    });
  }

  function compose(): readonly BoardView[] {
    return inputs().map(composeBoard);
  }

  function emit(event: Parameters<FeedListener>[0]): void {
    for (const listener of [...listeners]) listener(event);
  }

  function snapshot(): LiveSnapshot {
    const { project, title } = frame;
    return { build, server_ms: clock(), project, title, ...(notice === null ? {} : { notice }), boards };
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
    const due = dueBoards(frame, clock());
    if (same(due, shown)) return false;
    shown = due;
    return true;
  }

  /** Runs one after the other, so that an older read never overwrites a newer one. */
  function enqueue(step: () => Promise<void>): void {
    work = work.then(step);
  }

  async function refreshTrends(): Promise<void> {
    if (await trends.refresh(clock())) recompose({ machines: new Set(), trends: true });
    refreshing = false;
  }

  function startRefresh(): void {
    if (refreshing) return;
    refreshing = true;
    enqueue(refreshTrends);
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
    const framed = !same({ ...next, machines: [], boards: [] }, { ...frame, machines: [], boards: [] });
    const changed = !same(next, frame);
    frame = next;
    signals = shownSignals(frame);
    trends.want(wantedTrends(frame));
    shown = dueBoards(frame, clock());
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
      if (listeners.size > 0) recompose({ machines: equipment, trends: false });
    },
    sweep() {
      if (listeners.size === 0) return;
      const before = notice;
      notice = services.notice?.() ?? null;
      if (notice !== before) emit({ name: 'snapshot', data: snapshot() });
      if (turnSchedule()) show(compose(), true);
      else recompose({ machines: new Set(frame.machines.map(({ id }) => id)), trends: false });
      if (trends.due(clock())) startRefresh();
    },
    reload() {
      reloads++;
      enqueue(readAgain);
    },
    settled: () => work,
  };
}

const minuteOf = (ms: number) => Math.floor(ms / 60_000);

/** What is shown at this moment. */
function dueBoards({ boards, project, shifts }: Frame, now_ms: number): Frame['boards'] {
  return boards.filter(({ when }) => when === undefined || isDue(when, now_ms, project.timezone, shifts));
}

async function readFrame(
  store: Store,
  view: View,
  { kind, object_id, project_id }: { kind: ShareKind; object_id: string; project_id: string },
): Promise<Frame | undefined> {
  const [project, object] = await Promise.all([
    store.node.get<ProjectData>('records', project_id),
    view.get('records', object_id),
  ]);
  if (project?.object !== 'project' || object?.object !== kind) return undefined;
  const { name, timezone, simulated, shift_pattern: shifts = TWO_SHIFTS } = project.data;
  const machines = await readMachines(view);
  const shown = await SHOWN[kind](view, object, machines);
  return { project: { name, timezone, simulated }, shifts, machines, ...shown };
}

type Shown = Pick<Frame, 'title' | 'boards'> & Partial<Pick<Frame, 'machines'>>;

/** What a link to each kind of object shows. */
const SHOWN: Readonly<
  Record<ShareKind, (view: View, object: Stored, machines: readonly BoardMachine[]) => Promise<Shown> | Shown>
> = {
  async playlist(view, object) {
    const { data } = object as unknown as Stored<PlaylistData>;
    return { title: data.name, boards: await playlistBoards(view, data) };
  },
  dashboard(_view, object) {
    const dashboard = object as unknown as Stored<DashboardData>;
    return { title: dashboard.data.name, boards: [frameBoard(dashboard, object.id, DASHBOARD_DURATION_S)] };
  },
  equipment(_view, { id, data }, machines) {
    const { unit_number, name } = data as unknown as EquipmentData;
    const title = name === unit_number ? name : `${unit_number} ${name}`;
    const dashboard = machineBoard(id, title);
    return {
      title,
      boards: [{ id, dashboard, duration_s: DASHBOARD_DURATION_S }],
      machines: machines.filter((machine) => machine.id === id),
    };
  },
  async shift_report(view, { id, data }, machines) {
    const report = data as unknown as ShiftReportData;
    const amended = await view.find<EventData>('events', {
      object: 'event',
      where: { 'data.subject.id': id, 'data.type': 'amended' },
      order: 'asc',
      limit: MOST_AMENDMENTS,
    });
    const changes = amended.map((event) => event.data.data.changes as Partial<ShiftReportData>);
    const location = await view.get<{ name: string }>('records', report.location_id);
    const names = new Map(machines.map(({ id, unit_number }) => [id, unit_number]));
    const nameOf = (machine: string) => names.get(machine) ?? machine;
    const dashboard = reportBoard(Object.assign({}, report, ...changes), amended.length, nameOf);
    const title = location === undefined ? dashboard.name : `${location.data.name}, ${dashboard.name}`;
    return { title, boards: [{ id, dashboard, duration_s: DASHBOARD_DURATION_S }], machines: [] };
  },
};

function frameBoard({ data }: Stored<DashboardData>, id: string, duration_s: number): Frame['boards'][number] {
  const widgets = data.widgets.map((widget, i): PlacedWidget => ({ ...widget, id: widget.id ?? `widget-${i}` }));
  return { id, dashboard: { name: data.name, theme: data.theme, widgets }, duration_s };
}

/** The boards in the order of the playlist; a dashboard that is shown twice has an id for each showing. */
async function playlistBoards(view: View, data: PlaylistData): Promise<Frame['boards']> {
  const items = data.items.filter(({ enabled }) => enabled);
  const ids = [...new Set(items.map(({ dashboard_id }) => dashboard_id))];
  const found = new Map((await view.getMany<DashboardData>('records', ids)).map((board) => [board.id, board]));
  const shown = new Map<string, number>();
  return items.flatMap(({ dashboard_id, duration_s, when }) => {
    const dashboard = found.get(dashboard_id);
    if (dashboard?.object !== 'dashboard') return [];
    const nth = (shown.get(dashboard_id) ?? 0) + 1;
    shown.set(dashboard_id, nth);
    const id = nth === 1 ? dashboard_id : `${dashboard_id}~${nth}`;
    return [{ ...frameBoard(dashboard, id, duration_s ?? data.default_duration_s), ...(when && { when }) }];
  });
}

async function readMachines(view: View): Promise<BoardMachine[]> {
  const [machines, devices] = await Promise.all([
    view.find<EquipmentData>('records', { object: 'equipment', order: 'asc', limit: MOST_MACHINES }),
    view.find<DeviceData>('records', { object: 'device', order: 'asc', limit: MOST_MACHINES }),
  ]);
  const intervals = new Map<string, number>();
  for (const { data } of devices)
    if (data.equipment_id !== null && data.expected_interval_s !== null)
      intervals.set(data.equipment_id, Math.max(intervals.get(data.equipment_id) ?? 0, data.expected_interval_s));
  return machines
    .filter(({ data }) => data.status !== 'decommissioned')
    .map(({ id, data: { unit_number, name, kind, location_id, status } }) => {
      return { id, unit_number, name, kind, location_id, status, interval_s: intervals.get(id) ?? null };
    })
    .sort((a, b) => natural.compare(a.unit_number, b.unit_number) || (a.id < b.id ? -1 : 1));
}

/** The signals whose values these boards look at. */
function shownSignals(frame: Frame): readonly SignalName[] {
  return [...new Set(frame.boards.flatMap(({ dashboard }) => boardSignals(dashboard)))];
}

/** Every history that the trends of these boards need. */
function wantedTrends(frame: Frame) {
  return frame.boards.flatMap(({ dashboard }) =>
    dashboard.widgets
      .filter(({ type }) => type === 'timeseries')
      .flatMap((widget) => {
        const window_s = trendWindow(widget);
        const machines = trendMachines(widget, selectMachines(widget.query, frame.machines));
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
