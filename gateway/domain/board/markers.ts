/**
 * Notification markers merge like clocks: per id the later time counts, and the whole is the same in whatever order and however
 * often the parts arrive. What `read_before` covers is not kept one by one.
 */
import { MAX_MARKERS, type Notifications } from '#contract/site/preference.ts';

type Markers = Notifications['read'];

function mergeMarkers(a: Markers, b: Markers, after: string): Markers {
  const merged = new Map(Object.entries(a));
  for (const [id, at] of Object.entries(b)) if (at > (merged.get(id) ?? '')) merged.set(id, at);
  const kept = [...merged].filter(([, at]) => at > after);
  // Latest first, then by id, so that whoever merges keeps the same ones.
  kept.sort(([idA, atA], [idB, atB]) => (atA === atB ? (idA < idB ? -1 : 1) : atA > atB ? -1 : 1));
  return Object.fromEntries(kept.slice(0, MAX_MARKERS).sort(([idA], [idB]) => (idA < idB ? -1 : 1)));
}

/** No markers at all. */
export const NO_MARKERS: Notifications = { read: {}, cleared: {}, read_before: null };

/** Both together; times are ISO 8601 in UTC with milliseconds, so that they compare as text. */
export function mergeNotifications(a: Notifications, b: Notifications): Notifications {
  const before = (a.read_before ?? '') > (b.read_before ?? '') ? a.read_before : b.read_before;
  return {
    read: mergeMarkers(a.read, b.read, before ?? ''),
    cleared: mergeMarkers(a.cleared, b.cleared, ''),
    read_before: before,
  };
}
