/**
 * Decides whether a machine is inside a geofence. GNSS positions have errors of several metres, so a machine near the fence would seem to
 * cross it again and again. Therefore only positions that are clearly inside or clearly outside count, and three of them in a row are
 * needed to change the state:
 *
 *   outside by 15 m or more | no evidence | inside by 15 m or more (in a small fence: by half of its depth or more)
 */

import type { Geofence } from '#contract/fleet/location.ts';
import { LATE_US } from './late.ts';

/** Least distance from the fence at which a position counts, in metres. */
const MARGIN_M = 15;
/** Number of positions in a row that change the state, and the least time between two of them, in microseconds. */
const FIXES = 3;
const BETWEEN_US = 1_000_000;
/** Metres in one degree of latitude, for the mean radius of the Earth (IUGG 1980). */
const DEGREE_M = 111_195;
/** The depth of a fence is measured on a grid with this number of points in each direction. */
const GRID = 24;

/** The state of a machine in a geofence, as the number that alert rules compare. */
export const FENCE_STATE = {
  /** The machine is outside, and was inside before. */
  left: -1,
  /** The machine is outside, and has not been inside since a rule began to watch the geofence. */
  outside: 0,
  inside: 1,
} as const;

/** A geofence on a plane, in metres east and north of its first corner. */
export interface FenceShape {
  /** A hash of the geofence, which shows whether somebody changed the geofence. */
  readonly print: string;
  readonly origin: readonly [longitude: number, latitude: number];
  readonly metres: readonly [east: number, north: number];
  readonly rings: readonly (readonly (readonly [x: number, y: number])[])[];
  readonly box: readonly [west: number, south: number, east: number, north: number];
  /** Distance from the fence at which a position counts as inside. */
  readonly inner_m: number;
}

type Corner = readonly [x: number, y: number];

/** Converts a geofence. The equirectangular projection has an error of 0.1 % at 20 km. */
export function fenceShape(geofence: Geofence): FenceShape {
  const all = geofence.type === 'Polygon' ? geofence.coordinates : geofence.coordinates.flat();
  const [longitude = 0, latitude = 0] = all[0]?.[0] ?? [];
  const metres = [DEGREE_M * Math.cos((latitude * Math.PI) / 180), DEGREE_M] as const;
  const rings = all.map((ring) =>
    ring.map(([lon, lat]): Corner => [(lon - longitude) * metres[0], (lat - latitude) * metres[1]]),
  );
  const xs = rings.flat().map(([x]) => x);
  const ys = rings.flat().map(([, y]) => y);
  const box = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)] as const;
  const inner_m = Math.min(MARGIN_M, depthOf(rings, box) / 2);
  return { print: hash(JSON.stringify(all)), origin: [longitude, latitude], metres, rings, box, inner_m };
}

/** Returns the largest distance of a point inside from the fence, measured on a grid. */
function depthOf(rings: FenceShape['rings'], [west, south, east, north]: FenceShape['box']): number {
  let depth = 0;
  for (let i = 1; i < GRID; i++)
    for (let j = 1; j < GRID; j++) {
      const x = west + ((east - west) * i) / GRID;
      const y = south + ((north - south) * j) / GRID;
      depth = Math.max(depth, -distance(rings, x, y));
    }
  return depth;
}

/** Returns the distance of a point from the fence; negative if the point is inside. Holes in a polygon count as outside. */
function distance(rings: FenceShape['rings'], x: number, y: number): number {
  let inside = false;
  let least = Number.POSITIVE_INFINITY;
  for (const ring of rings)
    for (let i = 1; i < ring.length; i++) {
      const [x1, y1] = ring[i - 1] as Corner;
      const [x2, y2] = ring[i] as Corner;
      if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) inside = !inside;
      const length2 = (x2 - x1) ** 2 + (y2 - y1) ** 2;
      const along = length2 === 0 ? 0 : ((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / length2;
      const t = Math.min(1, Math.max(0, along));
      least = Math.min(least, (x - x1 - t * (x2 - x1)) ** 2 + (y - y1 - t * (y2 - y1)) ** 2);
    }
  return inside ? -Math.sqrt(least) : Math.sqrt(least);
}

/** Returns what a position shows: `inside`, `outside`, or null if the position is too near to the fence. */
export function fenceEvidence(
  { origin, metres, rings, box, inner_m }: FenceShape,
  latitude: number,
  longitude: number,
): 'inside' | 'outside' | null {
  const x = (longitude - origin[0]) * metres[0];
  const y = (latitude - origin[1]) * metres[1];
  const [west, south, east, north] = box;
  const isFar = x < west - MARGIN_M || x > east + MARGIN_M || y < south - MARGIN_M || y > north + MARGIN_M;
  if (isFar) return 'outside';
  const metresOut = distance(rings, x, y);
  if (metresOut >= MARGIN_M) return 'outside';
  return metresOut <= -inner_m ? 'inside' : null;
}

/** FNV-1a, 32 bits. */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return `${text.length} ${value >>> 0}`;
}

/** The state of one machine in one geofence, in its stored form. */
export interface FenceSnapshot {
  readonly print: string;
  readonly state: 'inside' | 'outside' | null;
  readonly was_inside: boolean;
}

export class Fence {
  readonly shape: FenceShape;
  private state: FenceSnapshot['state'] = null;
  private wasInside = false;
  private candidate: FenceSnapshot['state'] = null;
  private count = 0;
  private counted_us = 0;

  constructor(shape: FenceShape) {
    this.shape = shape;
  }

  /** Adds a position. Returns the `FENCE_STATE`; null while the state is unknown. Unknown is not the same as outside. */
  add(latitude: number, longitude: number, observed_us: number): number | null {
    const evidence = fenceEvidence(this.shape, latitude, longitude);
    const pause_us = observed_us - this.counted_us;
    if (evidence === null || evidence === this.state) this.count = 0;
    else if (evidence !== this.candidate || this.count === 0 || pause_us > LATE_US || pause_us < 0) {
      this.candidate = evidence;
      this.count = 1;
      this.counted_us = observed_us;
    } else if (pause_us >= BETWEEN_US) {
      this.count++;
      this.counted_us = observed_us;
    }
    if (this.count >= FIXES) {
      this.state = evidence;
      this.count = 0;
      if (evidence === 'inside') this.wasInside = true;
    }
    if (this.state === null) return null;
    if (this.state === 'inside') return FENCE_STATE.inside;
    return this.wasInside ? FENCE_STATE.left : FENCE_STATE.outside;
  }

  snapshot(): FenceSnapshot {
    return { print: this.shape.print, state: this.state, was_inside: this.wasInside };
  }

  /** Restores the state, if the geofence is still the same. */
  restore({ print, state, was_inside }: FenceSnapshot): void {
    if (print !== this.shape.print) return;
    this.state = state;
    this.wasInside = was_inside;
  }
}
