/**
 * The `map` widget: machines and geofences on a plane, in metres east and north of an origin. The equirectangular projection has an
 * error of 0.1 % at 20 km, which is small enough for a site. No map tiles are fetched, because a site may have no internet.
 */

import { expectedInterval, freshness, isCurrent, staleLimit, valueFreshnessAt } from '#contract/base/freshness.ts';
import { type SignalName, signalRow } from '#contract/base/signals.ts';
import type { EquipmentLive, LiveValue } from '#contract/fleet/equipment.ts';
import type { MachineTile, MapMachine, MapPlace, MapTile } from '#contract/site/live.ts';
import { compareNamed, compareTiles } from '#contract/site/live-apply.ts';
import type { PlacedWidget } from '#contract/site/widget.ts';
import { wholeSecond } from '#domain/base/number-text.ts';
import type { BoardPlace } from './facts.ts';
import { type BoardMachine, composeTile, type Standing } from './tiles.ts';
import { type Judged, ownBound } from './values.ts';

/** The signals that a map uses. */
export const MAP_SIGNALS: readonly SignalName[] = ['position.latitude', 'position.longitude', 'position.heading'];

/** Metres in one degree of latitude, for the mean radius of the Earth (IUGG 1980). */
const DEGREE_M = 111_195;
/** Smallest width and height of a map in metres, so that a single machine has some ground around it. */
const LEAST_M = 200;
/** If the map has no geofences, it leaves out a machine that is more than this many metres away from the centre of the machines. */
const FAR_M = 20_000;
/** Largest number of polygon corners on one map. Locations with further corners are left out. */
const MOST_CORNERS = 4_000;

interface Degrees {
  readonly lat: number;
  readonly lon: number;
}
type Extent = MapTile['extent'];
export interface Fix extends Degrees {
  readonly as_of_ms: number;
  /** Seconds in which the next position is expected. */
  readonly expected_interval_s: number;
  /** Age in seconds from which the position is stale. Absent if it follows from the interval. */
  readonly stale_after_s?: number;
}

/** Returns the last known position of a machine; undefined if latitude or longitude is missing or out of range. */
export function fixOf(live: EquipmentLive | undefined): Fix | undefined {
  const lat = live?.values['position.latitude'];
  const lon = live?.values['position.longitude'];
  if (lat === undefined || lon === undefined) return undefined;
  if (Math.abs(lat.value) > 90 || Math.abs(lon.value) > 180) return undefined;
  // A GNSS receiver that does not know its position sends 0, 0, which is a point in the Gulf of Guinea. Ignore it.
  if (lat.value === 0 && lon.value === 0) return undefined;
  const as_of_ms = Math.min(Date.parse(lat.observed_at), Date.parse(lon.observed_at));
  // Both coordinates come from one message. If a person set the interval of one of them only, the longer limit counts.
  const interval = (of: 'latitude' | 'longitude', value: LiveValue) => expectedInterval(`position.${of}`, value);
  const limit = (of: 'latitude' | 'longitude', value: LiveValue) => staleLimit(`position.${of}`, value);
  const isSet = lat.stale_after_s !== undefined || lon.stale_after_s !== undefined;
  return {
    lat: lat.value,
    lon: lon.value,
    as_of_ms,
    expected_interval_s: Math.max(interval('latitude', lat), interval('longitude', lon)),
    ...(isSet ? { stale_after_s: Math.max(limit('latitude', lat), limit('longitude', lon)) } : {}),
  };
}

/** Returns the rings (closed lines) of a location's geofence as positions. */
function ringsOf({ geofence }: BoardPlace): readonly (readonly Degrees[])[] {
  if (geofence === null) return [];
  const rings = geofence.type === 'Polygon' ? geofence.coordinates : geofence.coordinates.flat();
  return rings.map((ring) => ring.map(([lon, lat]) => ({ lon, lat })));
}

/** Returns the location `root` and all locations inside it; all locations if `root` is undefined. */
function branch(places: readonly BoardPlace[], root: string | undefined): readonly BoardPlace[] {
  if (root === undefined) return places;
  const inside = new Set([root]);
  for (let grown = true; grown; ) {
    const found = places.filter(({ id, parent_id }) => parent_id !== null && inside.has(parent_id) && !inside.has(id));
    for (const { id } of found) inside.add(id);
    grown = found.length > 0;
  }
  return places.filter(({ id }) => inside.has(id));
}

/** Converts a difference of longitudes to the range from -180 to 180 degrees. */
const turn = (degrees: number) => ((((degrees + 180) % 360) + 360) % 360) - 180;

type Project = (at: Degrees) => readonly [x: number, y: number];

function projection(origin: Degrees): Project {
  const east = DEGREE_M * Math.cos((origin.lat * Math.PI) / 180);
  return ({ lat, lon }) => [Math.round(turn(lon - origin.lon) * east), Math.round((lat - origin.lat) * DEGREE_M)];
}

const middle = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/**
 * Returns the origin of the plane: the rounded centre of the geofences, or of the machines if there are no geofences. Because it is
 * rounded, the origin stays the same while machines move.
 */
function originOf(corners: readonly Degrees[], fixes: readonly Degrees[]): Degrees {
  const points = corners.length > 0 ? corners : fixes;
  const [first] = points;
  if (first === undefined) return { lat: 0, lon: 0 };
  const coarse = (degrees: number) => Math.round(degrees * 100) / 100;
  return {
    lat: coarse(middle(points.map(({ lat }) => lat))),
    lon: turn(coarse(first.lon + middle(points.map(({ lon }) => turn(lon - first.lon))))),
  };
}

function around(points: readonly (readonly [x: number, y: number])[]): Extent | undefined {
  if (points.length === 0) return undefined;
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  // Do not call Math.min with all values as arguments. A map has thousands of corners, and the number of arguments is limited.
  const least = (values: readonly number[]) => values.reduce((a, b) => Math.min(a, b));
  const most = (values: readonly number[]) => values.reduce((a, b) => Math.max(a, b));
  return { left: least(xs), right: most(xs), bottom: least(ys), top: most(ys) };
}

/** Enlarges the extent to multiples of about a tenth of its size, so that the map does not move each time a machine moves. */
function settled({ left, right, bottom, top }: Extent): Extent {
  const span = Math.max(right - left, top - bottom, LEAST_M);
  const power = 10 ** Math.floor(Math.log10(span));
  const step = power * (span < 3 * power ? 0.2 : 0.5);
  const out = (from: number, to: number): readonly [number, number] => {
    const missing = Math.max(0, LEAST_M - (to - from)) / 2;
    return [Math.floor((from - missing - step / 4) / step) * step, Math.ceil((to + missing + step / 4) / step) * step];
  };
  const [west, east] = out(left, right);
  const [south, north] = out(bottom, top);
  return { left: west, right: east, bottom: south, top: north };
}

const inside = ({ left, right, bottom, top }: Extent, [x, y]: readonly [number, number], margin = 0) =>
  x >= left - margin && x <= right + margin && y >= bottom - margin && y <= top + margin;

/** A map without its machines. `at` has the position of each machine on the map, by machine id. */
export interface MapFrame extends Omit<MapTile, 'machines'> {
  readonly at: ReadonlyMap<string, readonly [x: number, y: number]>;
}

/**
 * Returns the frame of a `map` widget (the map without its machines). The map shows the geofences of the selected location, and the
 * machines near them. If there are no geofences, it shows the machines at most `FAR_M` away from the centre of all machines.
 */
export function composeMapFrame(
  widget: Pick<PlacedWidget, 'query'>,
  machines: readonly BoardMachine[],
  places: readonly BoardPlace[],
  fixOf: (id: string) => Fix | undefined,
): MapFrame {
  let corners = 0;
  const fenced = branch(places, widget.query.location_id).flatMap((place) => {
    const rings = ringsOf(place);
    corners += rings.reduce((sum, ring) => sum + ring.length, 0);
    return rings.length === 0 || corners > MOST_CORNERS ? [] : [{ place, rings }];
  });
  const fixes = machines.flatMap(({ id }) => {
    const fix = fixOf(id);
    return fix === undefined ? [] : [{ id, fix }];
  });
  const origin = originOf(
    fenced.flatMap(({ rings }) => rings.flat()),
    fixes.map(({ fix }) => fix),
  );
  const project = projection(origin);
  const drawn = fenced.map(({ place: { id, name, kind }, rings }): { place: MapPlace; box: Extent | undefined } => {
    const lines = rings.map((ring) => ring.map(project));
    return { place: { id, name, kind, rings: lines.map((line) => line.flat()) }, box: around(lines.flat()) };
  });
  const site = around(
    drawn.flatMap(({ box }) =>
      box === undefined ? [] : [[box.left, box.bottom] as const, [box.right, box.top] as const],
    ),
  );
  const spots = fixes.map(({ id, fix }) => [id, project(fix)] as const);
  const reach = site === undefined ? FAR_M : Math.max(site.right - site.left, site.top - site.bottom, 500);
  const core = site ?? { left: 0, right: 0, bottom: 0, top: 0 };
  const near = spots.filter(([, spot]) => inside(core, spot, reach));
  const shown = around([
    ...near.map(([, spot]) => spot),
    ...(site === undefined ? [] : [[site.left, site.bottom] as const, [site.right, site.top] as const]),
  ]);
  const lost = machines.length - fixes.length;
  const away = spots.length - near.length;
  const notes = [...(lost > 0 ? [`${lost} without position`] : []), ...(away > 0 ? [`${away} off the map`] : [])];
  return {
    extent: settled(shown ?? { left: 0, right: 0, bottom: 0, top: 0 }),
    places: drawn.map(({ place }) => place),
    note: notes.length === 0 ? null : notes.join(' · '),
    at: new Map(near),
  };
}

/** Returns one machine of a map. */
export function composeMapMachine(
  machine: BoardMachine,
  live: EquipmentLive | undefined,
  standing: Standing,
  now_ms: number,
  widget: PlacedWidget,
  [x, y]: readonly [x: number, y: number],
): MapMachine {
  return {
    ...composeTile(machine, live, standing, now_ms, widget),
    x,
    y,
    heading: headingOf(live, now_ms),
    fix: fixAge(fixOf(live), now_ms, widget),
  };
}

function headingOf(live: EquipmentLive | undefined, now_ms: number): number | null {
  const heading = live?.values['position.heading'];
  if (heading === undefined || heading.value < 0 || heading.value > 360) return null;
  return isCurrent(valueFreshnessAt('position.heading', heading, now_ms)) ? Math.round(heading.value) % 360 : null;
}

function fixAge(fix: Fix | undefined, now_ms: number, { max_age_s = fix?.stale_after_s }: Judged): MapMachine['fix'] {
  const { kind } = signalRow('position.latitude');
  const interval_s = expectedInterval('position.latitude', fix);
  const age = fix === undefined ? null : (now_ms - fix.as_of_ms) / 1000;
  return {
    freshness: freshness(kind, interval_s, age, max_age_s),
    as_of_ms: fix === undefined ? null : wholeSecond(fix.as_of_ms),
    kind,
    interval_s,
    ...ownBound({ max_age_s }),
  };
}

/** A map of at least this size has room for a list of the machines in trouble. */
const LISTS = { w: 8, h: 5 };
/** The kinds of widgets that list machines in trouble or their alerts. */
const LISTERS: readonly PlacedWidget['type'][] = ['status_board', 'machine_list', 'alert_feed'];
/** Largest number of machines without a place on the map in the list. */
const MOST_UNPLACED = 24;

/** True if a map lists the machines in trouble: it is large, and no other widget of its board lists them. */
export function listsTrouble({ position }: PlacedWidget, widgets: readonly PlacedWidget[]): boolean {
  return position.w >= LISTS.w && position.h >= LISTS.h && !widgets.some(({ type }) => LISTERS.includes(type));
}

/** Composes a `map` widget from its frame and its machines. `unplaced`, if given, are the machines in trouble that are not on the map. */
export function composeMap(
  { extent, places, note }: MapFrame,
  machines: readonly MapMachine[],
  unplaced?: readonly MachineTile[],
): MapTile {
  const trouble = unplaced && {
    trouble: {
      unplaced: unplaced.toSorted(compareTiles).slice(0, MOST_UNPLACED),
      more: Math.max(0, unplaced.length - MOST_UNPLACED),
    },
  };
  return { extent, places, note, machines: machines.toSorted(compareNamed), ...trouble };
}
