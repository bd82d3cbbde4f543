/**
 * The rules by which tiles share the grid of a board: a tile never covers another one and never leaves the grid. The functions have no side
 * effects.
 */
import type { PlacedWidget } from '#contract/site/widget.ts';

export const COLUMNS = 12;
export const ROWS = 6;
/** Largest number of tiles of a board. */
export const MOST_TILES = 48;

/** The cells that a tile covers, from column and row 0. */
export type Place = PlacedWidget['position'];
export type Size = Pick<Place, 'w' | 'h'>;
export interface Placed {
  readonly id: string;
  readonly position: Place;
}

const SMALLEST: Size = { w: 1, h: 1 };

export function overlaps(a: Place, b: Place): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

export function isInside({ x, y, w, h }: Place): boolean {
  return x >= 0 && y >= 0 && w >= 1 && h >= 1 && x + w <= COLUMNS && y + h <= ROWS;
}

/**
 * Returns the place of this size that covers none of the taken places and is the nearest to `near`, or without `near` the first one, row by
 * row; undefined if there is none.
 */
function freePlace({ w, h }: Size, taken: readonly Place[], near?: Pick<Place, 'x' | 'y'>): Place | undefined {
  let best: Place | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (let y = 0; y + h <= ROWS; y++)
    for (let x = 0; x + w <= COLUMNS; x++) {
      const place = { x, y, w, h };
      const distance = near === undefined ? y * COLUMNS + x : Math.abs(x - near.x) + Math.abs(y - near.y);
      if (distance < least && !taken.some((one) => overlaps(one, place))) {
        best = place;
        least = distance;
      }
    }
  return best;
}

const areaOf = ({ position: { w, h } }: Placed) => w * h;

/**
 * Gives a tile a new place. The tiles that it then would cover go to the nearest free places, the largest first. Returns undefined if the
 * place is outside the grid, or if there is no room for one of these tiles.
 */
export function placeTile<T extends Placed>(
  tiles: readonly T[],
  id: string,
  position: Place,
): readonly T[] | undefined {
  if (!isInside(position)) return undefined;
  const covered = tiles.filter((one) => one.id !== id && overlaps(one.position, position));
  const taken = tiles.filter((one) => one.id !== id && !covered.includes(one)).map((one) => one.position);
  taken.push(position);
  const moved = new Map<string, Place>([[id, position]]);
  for (const one of covered.toSorted((a, b) => areaOf(b) - areaOf(a))) {
    const place = freePlace(one.position, taken, one.position);
    if (place === undefined) return undefined;
    taken.push(place);
    moved.set(one.id, place);
  }
  return tiles.map((one) => ({ ...one, position: moved.get(one.id) ?? one.position }));
}

/**
 * Moves a tile by one cell in a direction. If there is no room there, the tile jumps to the next cell in this direction where there is room:
 * so two tiles of equal size change places. Returns undefined if there is no room at all.
 */
export function moveBy<T extends Placed>(
  tiles: readonly T[],
  id: string,
  dx: number,
  dy: number,
): readonly T[] | undefined {
  const tile = tiles.find((one) => one.id === id);
  if (tile === undefined) return undefined;
  let { x, y, w, h } = tile.position;
  for (;;) {
    x += dx;
    y += dy;
    if (!isInside({ x, y, w, h })) return undefined;
    const next = placeTile(tiles, id, { x, y, w, h });
    if (next !== undefined) return next;
  }
}

/** Makes a tile wider or higher by cells. Its upper left corner stays. Returns undefined if there is no room. */
export function resizeBy<T extends Placed>(
  tiles: readonly T[],
  id: string,
  dw: number,
  dh: number,
): readonly T[] | undefined {
  const tile = tiles.find((one) => one.id === id);
  if (tile === undefined) return undefined;
  const { x, y, w, h } = tile.position;
  return placeTile(tiles, id, { x, y, w: w + dw, h: h + dh });
}

/** Returns the sizes between two sizes, the largest area first. */
function sizesBetween(largest: Size, least: Size): Size[] {
  const sizes: Size[] = [];
  for (let w = largest.w; w >= Math.min(least.w, largest.w); w--)
    for (let h = largest.h; h >= Math.min(least.h, largest.h); h--) sizes.push({ w, h });
  return sizes.sort((a, b) => b.w * b.h - a.w * a.h);
}

/**
 * Adds a tile at the first free place: of this size, or else as large as there is room, down to `least`. If there is no such place, it takes
 * a smaller free place or a part of the largest tile, whichever has more cells. Returns undefined if the board has the largest number of
 * tiles.
 */
export function addTile<T extends Placed>(
  tiles: readonly T[],
  make: (position: Place) => T,
  size: Size,
  least: Size,
): readonly T[] | undefined {
  if (tiles.length >= MOST_TILES) return undefined;
  const taken = tiles.map((one) => one.position);
  const largestOf = (sizes: readonly Size[]): Place | undefined => {
    for (const one of sizes) {
      const place = freePlace(one, taken);
      if (place !== undefined) return place;
    }
    return undefined;
  };
  const useful = largestOf(sizesBetween(size, least));
  if (useful !== undefined) return [...tiles, make(useful)];
  const free = largestOf(sizesBetween(size, SMALLEST));
  const split = splitLargest(tiles, size);
  if (split !== undefined && (free === undefined || split.place.w * split.place.h > free.w * free.h))
    return [...split.tiles, make(split.place)];
  return free === undefined ? undefined : [...tiles, make(free)];
}

/** Takes a part of the largest tile away: its right half, or its lower half, but not more than `size`. */
function splitLargest<T extends Placed>(
  tiles: readonly T[],
  size: Size,
): { readonly tiles: readonly T[]; readonly place: Place } | undefined {
  const largest = tiles.toSorted((a, b) => areaOf(b) - areaOf(a))[0];
  if (largest === undefined || areaOf(largest) < 2) return undefined;
  const { x, y, w, h } = largest.position;
  // A cell is about as high as it is wide, so the longer side has more cells.
  const across = w >= h;
  const part = across
    ? { w: Math.min(size.w, Math.floor(w / 2)), h: Math.min(size.h, h) }
    : { w: Math.min(size.w, w), h: Math.min(size.h, Math.floor(h / 2)) };
  const left = across ? { x, y, w: w - part.w, h } : { x, y, w, h: h - part.h };
  const place = across ? { x: x + left.w, y, ...part } : { x, y: y + left.h, ...part };
  return { tiles: tiles.map((one) => (one === largest ? { ...one, position: left } : one)), place };
}

/**
 * Returns the tiles without overlaps: a tile that covers an earlier one, or that is outside the grid, goes to a free place, and becomes
 * smaller if necessary. No tile is lost: beyond the largest number of tiles, a tile may cover another one.
 */
export function settled<T extends Placed>(tiles: readonly T[]): readonly T[] {
  let done: readonly T[] = [];
  const late: T[] = [];
  for (const tile of tiles) {
    const free = isInside(tile.position) && !done.some((one) => overlaps(one.position, tile.position));
    if (free) done = [...done, tile];
    else late.push(tile);
  }
  for (const tile of late) {
    const make = (position: Place) => ({ ...tile, position });
    const near = freePlace(
      tile.position,
      done.map((one) => one.position),
      tile.position,
    );
    done =
      near !== undefined ? [...done, make(near)] : (addTile(done, make, tile.position, SMALLEST) ?? [...done, tile]);
  }
  const places = new Map(done.map((one) => [one.id, one]));
  return tiles.flatMap(({ id }) => places.get(id) ?? []);
}
