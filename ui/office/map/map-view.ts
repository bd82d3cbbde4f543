/** The plane of the map: degrees to pixels and back, the view that shows everything, and distances. The functions have no side effects. */
import { t } from '#ui/languages/texts.ts';
import type { Corner } from './zone-draft.ts';

/** Metres in one degree of latitude, for the mean radius of the Earth (IUGG 1980). */
const DEGREE_M = 111_195;
/** The largest and the smallest number of metres that one pixel can show. */
const METRES = { most: 200, least: 0.05 } as const;
/** A view without any point shows this many metres per pixel. */
const EMPTY_M = 2;
/** The share of the picture that stays free around everything. */
const MARGIN = 0.12;

/** What the map shows: the point in its middle, and metres per pixel. The size is in pixels. */
export interface View {
  readonly middle: Corner;
  readonly metres: number;
  readonly width: number;
  readonly height: number;
}

type Pixel = readonly [x: number, y: number];

const east = (latitude: number) => DEGREE_M * Math.cos((latitude * Math.PI) / 180);

export function toPixel({ middle, metres, width, height }: View, [lon, lat]: Corner): Pixel {
  return [
    width / 2 + ((lon - middle[0]) * east(middle[1])) / metres,
    height / 2 - ((lat - middle[1]) * DEGREE_M) / metres,
  ];
}

export function toCorner({ middle, metres, width, height }: View, [x, y]: Pixel): Corner {
  return [middle[0] + ((x - width / 2) * metres) / east(middle[1]), middle[1] - ((y - height / 2) * metres) / DEGREE_M];
}

/** Returns the view that shows all points. */
export function fitView(points: readonly Corner[], width: number, height: number): View {
  if (points.length === 0) return { middle: [0, 0], metres: EMPTY_M, width, height };
  const range = (values: readonly number[]): [number, number] =>
    values.reduce<[number, number]>(
      ([a, b], n) => [Math.min(a, n), Math.max(b, n)],
      [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
    );
  const [west, right] = range(points.map(([lon]) => lon));
  const [south, north] = range(points.map(([, lat]) => lat));
  const middle: Corner = [(west + right) / 2, (south + north) / 2];
  const across = ((right - west) * east(middle[1])) / (width * (1 - 2 * MARGIN));
  const down = ((north - south) * DEGREE_M) / (height * (1 - 2 * MARGIN));
  return { middle, metres: Math.min(METRES.most, Math.max(0.2, across, down)), width, height };
}

/** Enlarges (`factor` over 1) or reduces the view. The point at `around` keeps its place. */
export function zoom(view: View, factor: number, around: Pixel = [view.width / 2, view.height / 2]): View {
  const metres = Math.min(METRES.most, Math.max(METRES.least, view.metres / factor));
  const fixed = toCorner(view, around);
  const moved = toCorner({ ...view, metres }, around);
  return {
    ...view,
    metres,
    middle: [view.middle[0] + fixed[0] - moved[0], view.middle[1] + fixed[1] - moved[1]],
  };
}

/** Moves the view by pixels: the ground moves with the pointer. */
export function pan(view: View, [x, y]: Pixel): View {
  return { ...view, middle: toCorner(view, [view.width / 2 - x, view.height / 2 - y]) };
}

/** Returns how many metres a corner lies east and north of another one, in words. */
export function offsetWords([lon, lat]: Corner, [fromLon, fromLat]: Corner): string {
  const across = Math.round((lon - fromLon) * east(fromLat));
  const up = Math.round((lat - fromLat) * DEGREE_M);
  const size = { across: Math.abs(across), up: Math.abs(up) };
  if (up < 0) return across < 0 ? t('{across} m west, {up} m south', size) : t('{across} m east, {up} m south', size);
  return across < 0 ? t('{across} m west, {up} m north', size) : t('{across} m east, {up} m north', size);
}

/** Returns the area of an outline in square metres. */
export function areaOf(corners: readonly Corner[]): number {
  const scale = east(corners[0]?.[1] ?? 0) * DEGREE_M;
  const double = corners.reduce((sum, [x, y], i) => {
    const [nx, ny] = corners[(i + 1) % corners.length] as Corner;
    return sum + x * ny - nx * y;
  }, 0);
  return (Math.abs(double) / 2) * scale;
}

/** Formats an area: "4 200 m²" or "1.3 km²". */
export function areaText(square_metres: number): string {
  if (square_metres >= 1e6) return `${(square_metres / 1e6).toFixed(1)} km²`;
  return `${Math.round(square_metres)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ' ')} m²`;
}

/** Returns true if a point is inside an outline. */
export function isInside(corners: readonly Corner[], [x, y]: Corner): boolean {
  return corners.reduce((inside, [x1, y1], i) => {
    const [x2, y2] = corners[(i + 1) % corners.length] as Corner;
    const isCrossed = y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1;
    return isCrossed ? !inside : inside;
  }, false);
}
