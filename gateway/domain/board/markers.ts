/**
 * Merges notification markers: for each notification id, the time at which a person read or cleared the notification. If both sets have a
 * time for an id, the merge keeps the later time. So the result is the same in whatever order, and however often, sets are merged.
 * `read_before` means that all notifications up to that time are read, so the merge removes each `read` marker that is not later than it.
 */
import { MAX_MARKERS, type Notifications } from '#contract/site/preference.ts';

type Markers = Notifications['read'];

function mergeMarkers(a: Markers, b: Markers, after: string): Markers {
  const merged = new Map(Object.entries(a));
  for (const [id, at] of Object.entries(b)) if (at > (merged.get(id) ?? '')) merged.set(id, at);
  const kept = [...merged].filter(([, at]) => at > after);
  // Sort by time, then by id, so that every gateway drops the same markers when there are too many.
  kept.sort(([idA, atA], [idB, atB]) => (atA === atB ? (idA < idB ? -1 : 1) : atA > atB ? -1 : 1));
  return Object.fromEntries(kept.slice(0, MAX_MARKERS).sort(([idA], [idB]) => (idA < idB ? -1 : 1)));
}

/** The markers of a project in which nobody has read or cleared a notification. */
export const NO_MARKERS: Notifications = { read: {}, cleared: {}, read_before: null };

/** Merges two sets of markers. Times are ISO 8601 in UTC with milliseconds, so they can be compared as strings. */
export function mergeNotifications(a: Notifications, b: Notifications): Notifications {
  const before = (a.read_before ?? '') > (b.read_before ?? '') ? a.read_before : b.read_before;
  return {
    read: mergeMarkers(a.read, b.read, before ?? ''),
    cleared: mergeMarkers(a.cleared, b.cleared, ''),
    read_before: before,
  };
}
