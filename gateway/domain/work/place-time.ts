/**
 * Computes where a machine spent a time, from its stored positions and the geofences of the locations. A position near a fence does not move
 * the machine to another location, so that the errors of GNSS do not show as visits.
 */
import type { Geofence } from '#contract/fleet/location.ts';
import { type FenceShape, fenceEvidence, fenceShape } from '#domain/watch/fence.ts';

/** A location with its geofence. */
interface FencedPlace {
  readonly id: string;
  readonly name: string;
  readonly geofence: Geofence | null;
}

/** A position of a machine at a time. */
export interface Place {
  readonly at_ms: number;
  readonly lat: number;
  readonly lon: number;
}

/** A time that a machine spent at one location. `place` is null while the machine was at no location. */
export interface PlaceStretch {
  readonly from_ms: number;
  readonly to_ms: number;
  readonly place: { readonly id: string; readonly name: string } | null;
}

const areaOf = ({ box: [west, south, east, north] }: FenceShape) => (east - west) * (north - south);

/**
 * Divides a time into stretches by location. Where locations overlap, the one with the smallest area counts. Between two positions that are
 * more than `gap_ms` apart, and before the first one, the location is not known, and there is no stretch.
 */
export function placeStretches(
  positions: readonly Place[],
  places: readonly FencedPlace[],
  gap_ms: number,
  to_ms: number,
): PlaceStretch[] {
  const fences = places
    .flatMap(({ id, name, geofence }) => (geofence === null ? [] : [{ id, name, shape: fenceShape(geofence) }]))
    .sort((a, b) => areaOf(a.shape) - areaOf(b.shape));
  if (fences.length === 0) return [];
  const found: PlaceStretch[] = [];
  for (const [i, { at_ms, lat, lon }] of positions.entries()) {
    const last = found.at(-1);
    const before = last !== undefined && last.to_ms >= at_ms ? last : undefined;
    const evidence = fences.map((fence) => ({ fence, says: fenceEvidence(fence.shape, lat, lon) }));
    const near = evidence.find(({ fence, says }) => says === null && fence.id === before?.place?.id);
    const fence = near?.fence ?? evidence.find(({ says }) => says === 'inside')?.fence;
    const until_ms = Math.min(positions[i + 1]?.at_ms ?? to_ms, at_ms + gap_ms, to_ms);
    if (until_ms <= at_ms) continue;
    if (before !== undefined && before.place?.id === fence?.id) found.splice(-1, 1, { ...before, to_ms: until_ms });
    else
      found.push({
        from_ms: at_ms,
        to_ms: until_ms,
        place: fence === undefined ? null : { id: fence.id, name: fence.name },
      });
  }
  return found;
}
