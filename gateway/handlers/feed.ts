/**
 * One composed view of a playlist or dashboard, shared by all who look at it.
 *
 *   records changed -> reload ----\
 *   others changed  -> facts -----+
 *   ingest tick     -> recompose --+-> diff -> delta, or a snapshot when the frame changed
 *   each second     -> ages -------+
 *   each bucket     -> history ---/
 *
 * Invariant: whoever applied every event since its snapshot has `boards` exactly.
 */
import type { ArtifactData } from '#contract/artifact.ts';
import {
  type DashboardData,
  PLAYLIST_DEFAULTS,
  type PlacedWidget,
  type PlaylistData,
  type PlaylistWhen,
} from '#contract/board.ts';
import type { DeviceData } from '#contract/device.ts';
import type { EquipmentData, EquipmentLive } from '#contract/equipment.ts';
import type { EventData } from '#contract/event.ts';
import type { BoardView, Feed, FeedListener, LivePatch, LiveSnapshot } from '#contract/live.ts';
import type { LocationData } from '#contract/location.ts';
import { isShown } from '#contract/media.ts';
import { type ShiftPattern, TWO_SHIFTS } from '#contract/project.ts';
import type { ShareKind } from '#contract/share-kinds.ts';
import type { ShiftReportData } from '#contract/shift-report.ts';
import type { SignalName } from '#contract/signals.ts';
import type { Change, Stored, View } from '#contract/view.ts';
import {
  type BoardFrame,
  type BoardInput,
  boardSignals,
  type Changed,
  composeBoard,
  recomposeBoard,
  selectMachines,
} from '#domain/board.ts';
import { diffBoard, same } from '#domain/board-diff.ts';
import type { BoardAlert, BoardFacts } from '#domain/board-facts.ts';
import type { BoardMachine } from '#domain/board-tiles.ts';
import { trendMachines, trendSignals, trendStep, trendWindow } from '#domain/board-trend.ts';
import { takeoverAlert } from '#domain/board-work.ts';
import { isDue } from '#domain/schedule.ts';
import { alarmBoard, machineBoard, reportBoard } from '#domain/share-boards.ts';
import { shuffled } from '#domain/shuffle.ts';
import type { Store } from '#store/open-store.ts';
import { createFactsReader, type FactServices, type Wanted } from './feed-facts.ts';
import { createTrendHistory, type History } from './feed-history.ts';
import type { ProjectData } from './projects.ts';

export interface FeedServices extends FactServices {
  readonly store: Store;
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

/** What a feed shows, read from records. */
interface Frame {
  readonly project: LiveSnapshot['project'];
  readonly title: string;
  readonly boards: readonly (Pick<BoardInput, 'id' | 'dashboard' | 'duration_s'> & { readonly when?: PlaylistWhen })[];
  readonly shifts: ShiftPattern;
  readonly machines: readonly BoardMachine[];
  readonly places: BoardFacts['places'];
  readonly devices: BoardFacts['devices'];
  /** Of a playlist. */
  readonly order?: Pick<PlaylistData, 'transition' | 'shuffle' | 'takeover'>;
}
type FrameBoard = Frame['boards'][number];

/** Machines, devices and locations that a feed reads at most; those made last are left out. */
const MOST_MACHINES = 1_000;
/** Steps from a location up to what it is part of. */
const MOST_LEVELS = 16;
/** How long an order of a shuffled playlist lasts. */
const SHUFFLE_MS = 3_600_000;
const DASHBOARD_DURATION_S = 3_600;
/** Amendments that are laid over a shared report, the oldest first. */
const MOST_AMENDMENTS = 200;
const natural = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

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
    signals = [...new Set([...frame.boards, ...shown].flatMap(({ dashboard }) => boardSignals(dashboard)))];
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
  return { id: `takeover~${alert.id}`, dashboard: { ...board, theme }, duration_s: DASHBOARD_DURATION_S };
}

/** What the boards ask for besides machines. */
function wantedFacts({ boards, machines, shifts, project, order }: Frame): Wanted {
  return {
    widgets: boards.flatMap(({ id, dashboard }) => dashboard.widgets.map((widget) => ({ board: id, widget }))),
    takeover: order?.takeover.enabled === true,
    machines,
    shifts,
    timezone: project.timezone,
  };
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
  const { machines, devices, locations } = await readSite(view);
  const shown = await SHOWN[kind](view, object, machines);
  const map = shown.boards.some(({ dashboard }) => dashboard.widgets.some(({ type }) => type === 'map'));
  const places = map
    ? locations
        .filter(({ data }) => data.active)
        .map(({ id, data }) => ({
          id,
          name: data.name,
          kind: data.kind,
          parent_id: data.parent_id,
          geofence: data.geofence,
        }))
    : [];
  return { project: { name, timezone, simulated }, shifts, machines, devices, places, ...shown };
}

type Shown = Pick<Frame, 'title' | 'boards'> & Partial<Pick<Frame, 'machines' | 'order'>>;

/** What a link to each kind of object shows. */
const SHOWN: Readonly<
  Record<ShareKind, (view: View, object: Stored, machines: readonly BoardMachine[]) => Promise<Shown> | Shown>
> = {
  async playlist(view, object) {
    const data = { ...PLAYLIST_DEFAULTS, ...(object as unknown as Stored<PlaylistData>).data };
    const { transition, shuffle, takeover } = data;
    return { title: data.name, boards: await playlistBoards(view, data), order: { transition, shuffle, takeover } };
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

/** The boards in the order of the playlist; what is shown twice has an id for each showing. */
async function playlistBoards(
  view: View,
  data: Pick<PlaylistData, 'items' | 'default_duration_s'>,
): Promise<Frame['boards']> {
  const items = data.items.filter(({ enabled }) => enabled);
  const ids = [...new Set(items.flatMap(({ dashboard_id, artifact_id }) => dashboard_id ?? artifact_id ?? []))];
  const found = new Map((await view.getMany('records', ids)).map((object) => [object.id, object]));
  const shown = new Map<string, number>();
  return items.flatMap(({ dashboard_id, artifact_id, params, duration_s = data.default_duration_s, when }) => {
    const object_id = dashboard_id ?? artifact_id ?? '';
    const object = found.get(object_id);
    const nth = (shown.get(object_id) ?? 0) + 1;
    const id = nth === 1 ? object_id : `${object_id}~${nth}`;
    const board =
      object?.object === 'dashboard'
        ? frameBoard(object as unknown as Stored<DashboardData>, id, duration_s)
        : object?.object === 'artifact'
          ? mediaBoard(object as unknown as Stored<ArtifactData>, id, duration_s, params ?? {})
          : undefined;
    if (board === undefined) return [];
    shown.set(object_id, nth);
    return [{ ...board, ...(when && { when }) }];
  });
}

type ItemParams = NonNullable<PlaylistData['items'][number]['params']>;

/** A picture or clip as a board of its own; undefined for a file that no screen shows. */
function mediaBoard(
  { id: artifact_id, data: { content_type, name } }: Stored<ArtifactData>,
  id: string,
  duration_s: number,
  { fit = 'contain', title }: ItemParams,
): FrameBoard | undefined {
  if (!isShown(content_type)) return undefined;
  const media = { artifact_id, content_type, fit };
  const dashboard: BoardFrame = { name: title ?? name ?? 'Picture', theme: 'tv-dark', widgets: [], media };
  return { id, dashboard, duration_s };
}

/** Machines by unit number with what their locations are part of, devices, and all locations. */
async function readSite(view: View) {
  const read = <T>(object: string) => view.find<T>('records', { object, order: 'asc', limit: MOST_MACHINES });
  const [machines, devices, locations] = await Promise.all([
    read<EquipmentData>('equipment'),
    read<DeviceData>('device'),
    read<LocationData>('location'),
  ]);
  const intervals = new Map<string, number>();
  for (const { data } of devices)
    if (data.equipment_id !== null && data.expected_interval_s !== null)
      intervals.set(data.equipment_id, Math.max(intervals.get(data.equipment_id) ?? 0, data.expected_interval_s));
  const parents = new Map(locations.map(({ id, data }) => [id, data.parent_id]));
  const above = (id: string | null): string[] => {
    const path: string[] = [];
    for (let at = id; at !== null && path.length < MOST_LEVELS; at = parents.get(at) ?? null) path.push(at);
    return path;
  };
  return {
    locations,
    devices: new Map(devices.map(({ id, data }) => [id, { name: data.name, interval_s: data.expected_interval_s }])),
    machines: machines
      .filter(({ data }) => data.status !== 'decommissioned')
      .map(({ id, data: { unit_number, name, kind, location_id, status } }): BoardMachine => {
        const interval_s = intervals.get(id) ?? null;
        return { id, unit_number, name, kind, location_id, within: above(location_id), status, interval_s };
      })
      .sort((a, b) => natural.compare(a.unit_number, b.unit_number) || (a.id < b.id ? -1 : 1)),
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
