/** Geometry of a map tile: scale, scale bar, and placement of marks and names without overlap. */
import type { MapTile } from '#contract/site/live.ts';

/** The conversion from metres to pixels; x grows to the right, y down. */
export interface Fitted {
  readonly scale: number;
  readonly left: number;
  readonly top: number;
}

/** Fits an extent into a box of pixels, centred and without distortion. */
export function fitMap({ left, right, bottom, top }: MapTile['extent'], width: number, height: number): Fitted {
  const scale = Math.min(width / Math.max(1, right - left), height / Math.max(1, top - bottom));
  return {
    scale,
    left: (width - (right - left) * scale) / 2 - left * scale,
    top: (height - (top - bottom) * scale) / 2 + top * scale,
  };
}

/** Returns the longest round distance of at most `most`. A round distance is 1, 2 or 5 times a power of ten. */
function roundLength(most: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, most)));
  return ([5, 2, 1].find((one) => one * power <= most) ?? 1) * power;
}

/** Units of a scale bar, the largest first, with their length in metres. */
const LENGTHS = {
  metric: { km: 1_000, m: 1 },
  us: { mi: 1_609.344, ft: 0.3048 },
} as const;

/** A scale bar: its length in metres, and in words: "200 m", "2 km", "500 ft". */
export interface ScaleBar {
  readonly metres: number;
  readonly text: string;
}

/** Returns the longest scale bar of at most `most` metres that has a round length in the units of the page. */
export function scaleBar(most: number, { us }: { readonly us: boolean }): ScaleBar {
  const lengths = Object.entries(us ? LENGTHS.us : LENGTHS.metric);
  const [unit, metres] = lengths.find(([, one]) => one <= most) ?? lengths[1] ?? ['m', 1];
  const length = roundLength(most / metres);
  return { metres: length * metres, text: `${length} ${unit}` };
}

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

/** Returns true when two boxes overlap. */
export function overlaps(a: Box, b: Box): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

/** Returns the square around a point, from `radius` to its left to `radius` to its right. */
export function boxAround({ x, y }: { readonly x: number; readonly y: number }, radius: number): Box {
  return { x: x - radius, y: y - radius, w: 2 * radius, h: 2 * radius };
}

/** A name that the map should place beside the mark at x and y, and the size of the name in pixels. */
export interface Wish {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

/** The position of a name. `line` is true if the name is not beside its spot, so that a line connects them. */
export interface Placed extends Box {
  readonly line: boolean;
}

type Point = readonly [x: number, y: number];

/** The directions beside a spot in the order in which they are tried. */
const AROUND: readonly Point[] = [
  [1, 0],
  [-1, 0],
  [0, -1],
  [0, 1],
  [1, -1],
  [1, 1],
  [-1, -1],
  [-1, 1],
];
/**
 * If a name has no space directly beside its spot, the map places it further away and draws a line to the spot. `TURNS` is the number of
 * directions that are tried. The next constant has the distances, as multiples of the height of the name.
 */
const TURNS = 16;
const STEPS = [1, 1.8, 2.8, 4, 5.4, 7, 9, 11.5] as const;

/** Largest number of names that the map places. */
const MOST_NAMES = 120;

/** Returns the box of a name directly beside its spot. */
function beside({ x, y, w, h }: Wish, [across, down]: Point, radius: number): Box {
  const near = across !== 0 && down !== 0 ? radius / 2 : radius;
  return {
    x: across === 0 ? x - w / 2 : across > 0 ? x + near : x - near - w,
    y: down === 0 ? y - h / 2 : down > 0 ? y + radius : y - radius - h,
    w,
    h,
  };
}

/** Returns the box of a name at a distance from its spot. */
function away({ x, y, w, h }: Wish, angle: number, far: number): Box {
  const [across, down] = [Math.cos(angle), Math.sin(angle)];
  return { x: x + across * (far + w / 2) - w / 2, y: y + down * (far + h / 2) - h / 2, w, h };
}

/** Returns the point of a box that is nearest to a given point. */
export function nearest({ x, y, w, h }: Box, [px, py]: Point): Point {
  return [Math.min(x + w, Math.max(x, px)), Math.min(y + h, Math.max(y, py))];
}

/** Returns true if the line between two points crosses the box (Liang-Barsky clipping). */
function crosses([ax, ay]: Point, [bx, by]: Point, { x, y, w, h }: Box): boolean {
  if (Math.max(ax, bx) <= x || Math.min(ax, bx) >= x + w || Math.max(ay, by) <= y || Math.min(ay, by) >= y + h)
    return false;
  const [dx, dy] = [bx - ax, by - ay];
  const [left, right] = dx === 0 ? [0, 1] : [(x - ax) / dx, (x + w - ax) / dx];
  const [top, bottom] = dy === 0 ? [0, 1] : [(y - ay) / dy, (y + h - ay) / dy];
  const from = Math.max(0, Math.min(left, right), Math.min(top, bottom));
  const to = Math.min(1, Math.max(left, right), Math.max(top, bottom));
  return from < to;
}

/**
 * Finds a box for each name, in order: beside its spot, or else further away with a line to the spot; null if no box is free. No name
 * covers another name, a spot, a box of `taken` or the edge, and no line crosses a name.
 */
export function placeNames(
  wishes: readonly Wish[],
  taken: readonly Box[],
  area: { readonly w: number; readonly h: number },
  radius: number,
): readonly (Placed | null)[] {
  const used: Box[] = [...taken, ...wishes.map((wish) => boxAround(wish, radius))];
  const names: Box[] = [];
  const lines: (readonly [Point, Point])[] = [];
  const free = (box: Box): boolean =>
    box.x >= 0 &&
    box.y >= 0 &&
    box.x + box.w <= area.w &&
    box.y + box.h <= area.h &&
    !used.some((other) => overlaps(box, other)) &&
    !lines.some(([a, b]) => crosses(a, b, box));
  const blocked = (from: Point, to: Point) => names.some((name) => crosses(from, to, name));
  return wishes.map((wish, i) => {
    if (i >= MOST_NAMES) return null;
    for (const direction of AROUND) {
      const box = beside(wish, direction, radius);
      if (!free(box)) continue;
      used.push(box);
      names.push(box);
      return { ...box, line: false };
    }
    const spot: Point = [wish.x, wish.y];
    for (const step of STEPS) {
      for (let turn = 0; turn < TURNS; turn += 1) {
        const box = away(wish, (turn * 2 * Math.PI) / TURNS, radius + step * wish.h);
        const end = nearest(box, spot);
        if (!free(box) || blocked(spot, end)) continue;
        used.push(box);
        names.push(box);
        lines.push([spot, end]);
        return { ...box, line: true };
      }
    }
    return null;
  });
}

/** For each spot, this many places are tried. The places are on a spiral around the true position of the spot. */
const TRIES = 240;
const GOLDEN = 2.39996;
const STRIDE = 0.35;

/**
 * Moves spots so that they do not cover each other. A spot keeps its place if the place is free. Otherwise the spot moves to a free place
 * near by; if there is none, it keeps its place. Earlier spots in the list have priority. `least` is the smallest distance between two
 * centres, `edge` the smallest distance to the edge of the area.
 */
export function spreadSpots(
  spots: readonly { readonly x: number; readonly y: number }[],
  least: number,
  edge: number,
  area: { readonly w: number; readonly h: number },
): readonly { readonly x: number; readonly y: number }[] {
  const cells = new Map<string, Point[]>();
  const cell = (n: number) => Math.floor(n / least);
  const taken = (x: number, y: number): boolean => {
    for (let i = -1; i <= 1; i += 1)
      for (let j = -1; j <= 1; j += 1)
        for (const [ox, oy] of cells.get(`${cell(x) + i} ${cell(y) + j}`) ?? [])
          if (Math.hypot(x - ox, y - oy) < least) return true;
    return false;
  };
  return spots.map((home) => {
    let [x, y] = [home.x, home.y];
    for (let k = 0; k < TRIES; k += 1) {
      const far = least * STRIDE * Math.sqrt(k);
      const [tx, ty] = [home.x + far * Math.cos(k * GOLDEN), home.y + far * Math.sin(k * GOLDEN)];
      const inside = tx >= edge && ty >= edge && tx <= area.w - edge && ty <= area.h - edge;
      if ((k > 0 && !inside) || taken(tx, ty)) continue;
      [x, y] = [tx, ty];
      break;
    }
    const key = `${cell(x)} ${cell(y)}`;
    cells.set(key, [...(cells.get(key) ?? []), [x, y]]);
    return { x, y };
  });
}
