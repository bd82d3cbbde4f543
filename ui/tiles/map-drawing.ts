/** How a map lies on a tile: scale, the bar that tells it, and where names stand so that none covers another. Pure. */
import type { MapTile } from '#contract/site/live.ts';

/** Metres to pixels: x grows to the right, y down. */
export interface Fitted {
  readonly scale: number;
  readonly left: number;
  readonly top: number;
}

/** The extent in a box of this many pixels, in the middle, undistorted. */
export function fitMap({ left, right, bottom, top }: MapTile['extent'], width: number, height: number): Fitted {
  const scale = Math.min(width / Math.max(1, right - left), height / Math.max(1, top - bottom));
  return {
    scale,
    left: (width - (right - left) * scale) / 2 - left * scale,
    top: (height - (top - bottom) * scale) / 2 + top * scale,
  };
}

/** The longest round distance (1, 2 or 5 times a power of ten) that is at most so many metres. */
export function roundMetres(most: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, most)));
  return ([5, 2, 1].find((one) => one * power <= most) ?? 1) * power;
}

/** "200 m", "2 km". */
export function metres(distance: number): string {
  return distance >= 1_000 ? `${distance / 1_000} km` : `${distance} m`;
}

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

function touches(a: Box, b: Box): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

/** A name that wants to stand beside its spot. */
export interface Wish {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

/** Where a name stands; one that is not beside its spot has a line to it. */
export interface Placed extends Box {
  readonly line: boolean;
}

type Point = readonly [x: number, y: number];

/** Directions in which a name is looked a place for, to the right first. */
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
/** Directions of names that have a line, as many around; and how far they stand, in heights of the name. */
const TURNS = 16;
const STEPS = [1, 1.8, 2.8, 4, 5.4, 7, 9, 11.5] as const;

/** Names that one map writes; a wall has no room for more. */
const MOST_NAMES = 120;

/** A name right beside its spot, in this direction. */
function beside({ x, y, w, h }: Wish, [across, down]: Point, radius: number): Box {
  const near = across !== 0 && down !== 0 ? radius / 2 : radius;
  return {
    x: across === 0 ? x - w / 2 : across > 0 ? x + near : x - near - w,
    y: down === 0 ? y - h / 2 : down > 0 ? y + radius : y - radius - h,
    w,
    h,
  };
}

/** A name whose nearest edge is this far from the middle of its spot. */
function away({ x, y, w, h }: Wish, angle: number, far: number): Box {
  const [across, down] = [Math.cos(angle), Math.sin(angle)];
  return { x: x + across * (far + w / 2) - w / 2, y: y + down * (far + h / 2) - h / 2, w, h };
}

/** The point of a box that is nearest to another point. */
export function nearest({ x, y, w, h }: Box, [px, py]: Point): Point {
  return [Math.min(x + w, Math.max(x, px)), Math.min(y + h, Math.max(y, py))];
}

/** True where the straight line between two points runs through the box: Liang and Barsky's clipping. */
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
 * Where names stand, the first wish first: beside its spot, else further away with a line to it; null where every place is taken.
 * No name covers another name, a spot, one of the `taken` boxes, or the edge; no line runs through a name.
 */
export function placeNames(
  wishes: readonly Wish[],
  taken: readonly Box[],
  area: { readonly w: number; readonly h: number },
  radius: number,
): readonly (Placed | null)[] {
  const spots = wishes.map(({ x, y }) => ({ x: x - radius, y: y - radius, w: 2 * radius, h: 2 * radius }));
  const used: Box[] = [...taken, ...spots];
  const names: Box[] = [];
  const lines: (readonly [Point, Point])[] = [];
  const free = (box: Box): boolean =>
    box.x >= 0 &&
    box.y >= 0 &&
    box.x + box.w <= area.w &&
    box.y + box.h <= area.h &&
    !used.some((other) => touches(box, other)) &&
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

/** Places that are tried for a spot: further and further from its own, on a spiral of the golden angle. */
const TRIES = 240;
const GOLDEN = 2.39996;
const STRIDE = 0.35;

/**
 * Where spots are drawn so that none covers another: the first ones stand where they are, a later one takes the nearest free place.
 * `least` is how far apart the middles of two spots are, `edge` how far from the edge. One that finds no place stays where it is.
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
