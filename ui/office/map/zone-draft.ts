/** The corners of a zone while a person draws it: add, move, insert and remove a corner, and undo. The functions have no side effects. */

import type { Geofence } from '#contract/fleet/location.ts';
import { t } from '#ui/languages/texts.ts';

/** A point in degrees. */
export type Corner = readonly [longitude: number, latitude: number];

/** The outline that a person draws. `past` has the earlier outlines, the latest last. */
export interface ZoneDraft {
  readonly corners: readonly Corner[];
  readonly past: readonly (readonly Corner[])[];
}

/** The largest number of steps that a person can undo. */
export const MOST_UNDO = 50;
/** The largest number of corners that a person can draw. */
export const MOST_CORNERS = 200;
/** Degrees are rounded to seven decimals, which is about a centimetre. */
const round = (degrees: number): number => Math.round(degrees * 1e7) / 1e7;

export const EMPTY: ZoneDraft = { corners: [], past: [] };

function changed({ corners, past }: ZoneDraft, next: readonly Corner[]): ZoneDraft {
  return { corners: next, past: [...past, corners].slice(-MOST_UNDO) };
}

export const at = (longitude: number, latitude: number): Corner => [round(longitude), round(latitude)];

/** Adds a corner at the end of the outline. At the largest number of corners the draft stays as it is. */
export function addCorner(draft: ZoneDraft, corner: Corner): ZoneDraft {
  return draft.corners.length >= MOST_CORNERS ? draft : changed(draft, [...draft.corners, corner]);
}

export function moveCorner(draft: ZoneDraft, index: number, corner: Corner): ZoneDraft {
  return changed(draft, draft.corners.with(index, corner));
}

export function removeCorner(draft: ZoneDraft, index: number): ZoneDraft {
  return changed(draft, draft.corners.toSpliced(index, 1));
}

/** Inserts a corner in the middle of the line from this corner to the next one. */
export function splitLine(draft: ZoneDraft, index: number): ZoneDraft {
  const { corners } = draft;
  const from = corners[index];
  const to = corners[(index + 1) % corners.length];
  if (from === undefined || to === undefined || corners.length >= MOST_CORNERS) return draft;
  return changed(draft, corners.toSpliced(index + 1, 0, at((from[0] + to[0]) / 2, (from[1] + to[1]) / 2)));
}

/** Returns the draft before its last change. A drag of a corner is one change. */
export function undo(draft: ZoneDraft): ZoneDraft {
  const before = draft.past.at(-1);
  return before === undefined ? draft : { corners: before, past: draft.past.slice(0, -1) };
}

/** Replaces the corners without a step to undo, for the moves in the middle of a drag. */
export function dragCorner(draft: ZoneDraft, index: number, corner: Corner): ZoneDraft {
  return { ...draft, corners: draft.corners.with(index, corner) };
}

/** Starts a change of several moves: the present outline becomes the step to undo. */
export function beginDrag(draft: ZoneDraft): ZoneDraft {
  return changed(draft, draft.corners);
}

const turnOf = ([ax, ay]: Corner, [bx, by]: Corner, [cx, cy]: Corner): number =>
  Math.sign((bx - ax) * (cy - ay) - (by - ay) * (cx - ax));

/** Returns true if two lines of the outline cross each other. */
export function crossesItself(corners: readonly Corner[]): boolean {
  const lines = corners.map((from, i) => [from, corners[(i + 1) % corners.length] as Corner] as const);
  return lines.some(([a, b], i) =>
    lines.some(([c, d], j) => {
      const isNext = j <= i + 1 || (i === 0 && j === lines.length - 1);
      return !isNext && turnOf(a, b, c) !== turnOf(a, b, d) && turnOf(c, d, a) !== turnOf(c, d, b);
    }),
  );
}

/** Returns why an outline cannot be saved, or null. */
export function problemOf(corners: readonly Corner[]): string | null {
  if (corners.length < 3) return t('A zone needs at least three corners.');
  if (crossesItself(corners)) return t('Two lines of the zone cross each other. Move a corner.');
  return null;
}

/** Returns the outline of a geofence that a person can edit; undefined for a geofence with several parts or with holes. */
export function cornersOf(geofence: Geofence | null): readonly Corner[] | undefined {
  if (geofence === null) return [];
  const [ring, ...more] = geofence.type === 'Polygon' ? geofence.coordinates : [];
  if (ring === undefined || more.length > 0) return undefined;
  return ring.slice(0, -1).map(([longitude, latitude]): Corner => [longitude, latitude]);
}

/** Returns the geofence of an outline. The ring of GeoJSON ends at its first corner. */
export function geofenceOf(corners: readonly Corner[]): Geofence {
  const ring = [...corners, corners[0] as Corner].map(([lon, lat]): [number, number] => [lon, lat]);
  return { type: 'Polygon', coordinates: [ring] };
}
