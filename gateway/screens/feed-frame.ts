/**
 * Reads the frame of a feed (the object that sends the content of one playlist, board, machine or report to pages). The frame is the part
 * of the content that comes from records: the boards in their order, and the machines, devices and locations that the boards show. It does
 * not contain live values.
 */

import type { Stored, View } from '#contract/base/view.ts';
import type { ShareKind } from '#contract/base/widget-kinds.ts';
import type { DeviceData } from '#contract/fleet/device.ts';
import type { EquipmentData } from '#contract/fleet/equipment.ts';
import type { LocationData } from '#contract/fleet/location.ts';
import { type DashboardData, PLAYLIST_DEFAULTS, type PlaylistData, type PlaylistWhen } from '#contract/site/board.ts';
import type { DraftBoard, LiveSnapshot } from '#contract/site/live.ts';
import type { ProjectData } from '#contract/site/project.ts';
import { type ShiftPattern, TWO_SHIFTS } from '#contract/site/project.ts';
import type { PlacedWidget } from '#contract/site/widget.ts';
import type { ArtifactData } from '#contract/work/artifact.ts';
import { isShown } from '#contract/work/media.ts';
import type { ShiftReportData } from '#contract/work/shift-report.ts';
import type { BoardFrame, BoardInput } from '#domain/board/board.ts';
import type { BoardFacts } from '#domain/board/facts.ts';
import { seatOrder } from '#domain/board/seats.ts';
import { machineBoard, reportBoard } from '#domain/board/share-boards.ts';
import type { BoardMachine } from '#domain/board/tiles.ts';
import { newestEvents } from '#handlers/base/newest-events.ts';
import type { Store } from '#store/open-store.ts';

/** The object that a feed shows. */
export interface FeedObject {
  readonly project_id: string;
  readonly kind: ShareKind;
  readonly object_id: string;
  /** The board that the feed shows instead of a stored object. */
  readonly draft?: DraftBoard;
  /** True if the viewer may not read display links, so that the feed draws no code of a link. */
  readonly hidesLinks?: boolean;
}

export interface Frame {
  readonly project: LiveSnapshot['project'];
  readonly title: string;
  readonly boards: readonly (Pick<BoardInput, 'id' | 'dashboard' | 'duration_s'> & { readonly when?: PlaylistWhen })[];
  readonly shifts: ShiftPattern;
  readonly machines: readonly BoardMachine[];
  /** Retired machines whose place in the strip of a status board stays empty. */
  readonly retired: readonly BoardMachine[];
  readonly places: BoardFacts['places'];
  readonly devices: BoardFacts['devices'];
  /** How the playlist changes its boards; absent if the feed shows no playlist. */
  readonly order?: Pick<PlaylistData, 'transition' | 'shuffle' | 'takeover'>;
}
export type FrameBoard = Frame['boards'][number];

/** A feed reads at most this many machines, devices and locations. If there are more, it leaves out the newest ones. */
const MOST_MACHINES = 1_000;
/** The feed reads at most this many levels of the tree of locations above the location of a machine. */
const MOST_LEVELS = 16;
/** How long a board that is not part of a playlist is shown before the next step, in seconds. */
export const ALONE_S = 3_600;
/** At most this many amendments (corrections) are applied to a shared shift report; the newest amendments are used. */
const MOST_AMENDMENTS = 1_000;
const natural = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** Reads the frame of a playlist, board, machine, shift report or draft of a board; undefined if the project has no such object. */
export async function readFrame(
  store: Store,
  view: View,
  { kind, object_id, project_id, draft }: FeedObject,
): Promise<Frame | undefined> {
  const [project, stored] = await Promise.all([
    store.node.get<ProjectData>('records', project_id),
    draft === undefined ? view.get('records', object_id) : undefined,
  ]);
  const object = draft === undefined ? stored : { id: object_id, object: 'dashboard', data: { ...draft } };
  if (project?.object !== 'project' || object?.object !== kind) return undefined;
  const { name, timezone, simulated, language, units, shift_pattern: shifts = TWO_SHIFTS } = project.data;
  const { machines, retired, devices, locations } = await readSite(view);
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
  return {
    project: { name, timezone, simulated, language, units },
    shifts,
    machines,
    retired,
    devices,
    places,
    ...shown,
  };
}

/** What the frame needs of the object that it shows. */
type Shareable = Pick<Stored, 'id' | 'object' | 'data'>;
type Shown = Pick<Frame, 'title' | 'boards'> & Partial<Pick<Frame, 'machines' | 'order'>>;

/** Functions that return the boards of an object, by the kind of the object. */
const SHOWN: Readonly<
  Record<ShareKind, (view: View, object: Shareable, machines: readonly BoardMachine[]) => Promise<Shown> | Shown>
> = {
  async playlist(view, object) {
    const data = { ...PLAYLIST_DEFAULTS, ...(object as unknown as Stored<PlaylistData>).data };
    const { transition, shuffle, takeover } = data;
    return { title: data.name, boards: await playlistBoards(view, data), order: { transition, shuffle, takeover } };
  },
  dashboard(_view, object) {
    const dashboard = object as unknown as Pick<Stored<DashboardData>, 'data'>;
    return { title: dashboard.data.name, boards: [frameBoard(dashboard, object.id, ALONE_S)] };
  },
  equipment(_view, { id, data }, machines) {
    const { unit_number, name } = data as unknown as EquipmentData;
    const title = name === unit_number ? name : `${unit_number} ${name}`;
    const dashboard = machineBoard(id, title);
    return {
      title,
      boards: [{ id, dashboard, duration_s: ALONE_S }],
      machines: machines.filter((machine) => machine.id === id),
    };
  },
  async shift_report(view, { id, data }, machines) {
    const report = data as unknown as ShiftReportData;
    const { changes, count } = await amendedFields(view, id);
    const location = await view.get<{ name: string }>('records', report.location_id);
    const names = new Map(machines.map(({ id, unit_number }) => [id, unit_number]));
    const nameOf = (machine: string) => names.get(machine) ?? machine;
    const dashboard = reportBoard({ ...report, ...changes }, count, nameOf);
    const title = location === undefined ? dashboard.name : `${location.data.name}, ${dashboard.name}`;
    return { title, boards: [{ id, dashboard, duration_s: ALONE_S }], machines: [] };
  },
};

/** Returns the newest amended value of each field of a shift report, and the number of amendments that were read. */
async function amendedFields(view: View, id: string): Promise<{ changes: Partial<ShiftReportData>; count: number }> {
  let changes: Partial<ShiftReportData> = {};
  let count = 0;
  for await (const { data } of newestEvents(view, id, 'amended')) {
    changes = { ...(data.data.changes as Partial<ShiftReportData>), ...changes };
    count++;
    if (count === MOST_AMENDMENTS) break;
  }
  return { changes, count };
}

function frameBoard({ data }: { readonly data: DraftBoard }, id: string, duration_s: number): Frame['boards'][number] {
  const widgets = data.widgets.map((widget, i): PlacedWidget => ({ ...widget, id: widget.id ?? `widget-${i}` }));
  return { id, dashboard: { name: data.name, theme: data.theme, widgets }, duration_s };
}

/** Returns the boards in the order of the playlist. A board that is in the playlist twice gets two different ids. */
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

/** Returns a board that shows one picture or clip; undefined for a type of file that screens cannot show. */
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

/**
 * Reads the machines in the order of unit numbers, each with its location and the locations above it. Also reads the devices and all
 * locations.
 */
export async function readSite(view: View) {
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
  const order = new Map(
    seatOrder(
      machines.map(({ id, created_at, data: { unit_number, status, status_since } }) => ({
        id,
        unit_number,
        created_ms: Date.parse(created_at),
        retired_ms: status !== 'decommissioned' ? null : status_since == null ? 0 : Date.parse(status_since),
      })),
      natural.compare,
    ).map((id, i) => [id, i]),
  );
  const all = machines
    .map(({ id, created_at, data }): BoardMachine => {
      const { unit_number, name, kind, location_id, status, status_since, taken } = data;
      const interval_s = intervals.get(id) ?? null;
      return {
        id,
        unit_number,
        name,
        kind,
        location_id,
        within: above(location_id),
        status,
        status_since_ms: status_since == null ? null : Date.parse(status_since),
        taken: taken == null ? null : { by: taken.by, at_ms: Date.parse(taken.at) },
        interval_s,
        created_ms: Date.parse(created_at),
        order: order.get(id) ?? 0,
      };
    })
    .sort((a, b) => natural.compare(a.unit_number, b.unit_number) || (a.id < b.id ? -1 : 1));
  return {
    locations,
    devices: new Map(devices.map(({ id, data }) => [id, { name: data.name, interval_s: data.expected_interval_s }])),
    machines: all.filter(({ status }) => status !== 'decommissioned'),
    retired: all.filter(({ id, status }) => status === 'decommissioned' && order.has(id)),
  };
}
