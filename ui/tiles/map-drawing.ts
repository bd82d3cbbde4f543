/** How a map lies on a tile: scale, the bar that tells it, and where names stand so that none covers another. Pure. */
import type { MapTile } from '#contract/live.ts';

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

/**
 * Where names stand, the first wish first: right, left, above, below its spot or at its corners; null where every place is taken. No name covers
 * another, one of the `taken` boxes, or the edge.
 */
export function placeNames(
  wishes: readonly Wish[],
  taken: readonly Box[],
  area: { readonly w: number; readonly h: number },
  radius: number,
): readonly (Box | null)[] {
  const used = [
    ...taken,
    ...wishes.map(({ x, y }) => ({ x: x - radius, y: y - radius, w: 2 * radius, h: 2 * radius })),
  ];
  return wishes.map(({ x, y, w, h }) => {
    const places = [
      { x: x + radius, y: y - h / 2 },
      { x: x - radius - w, y: y - h / 2 },
      { x: x - w / 2, y: y - radius - h },
      { x: x - w / 2, y: y + radius },
      { x: x + radius / 2, y: y - radius - h },
      { x: x + radius / 2, y: y + radius },
      { x: x - radius / 2 - w, y: y - radius - h },
      { x: x - radius / 2 - w, y: y + radius },
    ];
    for (const place of places) {
      const box = { ...place, w, h };
      if (box.x < 0 || box.y < 0 || box.x + w > area.w || box.y + h > area.h) continue;
      if (used.some((other) => touches(box, other))) continue;
      used.push(box);
      return box;
    }
    return null;
  });
}
