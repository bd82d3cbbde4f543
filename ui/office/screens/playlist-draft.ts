/** The items of a playlist while a person edits them. The functions have no side effects. */
import type { PlaylistData } from '#contract/site/board.ts';

export type PlaylistFields = Pick<
  PlaylistData,
  'name' | 'items' | 'default_duration_s' | 'transition' | 'shuffle' | 'takeover' | 'display_group_ids'
>;
export type PlaylistItem = PlaylistData['items'][number];

/** Largest number of items of a playlist. */
export const MOST_ITEMS = 50;
export const LEAST_SECONDS = 5;
export const MOST_SECONDS = 3_600;

/** Moves an item to another place. A place outside the list is the first or the last place. */
export function moveItem(items: readonly PlaylistItem[], from: number, to: number): PlaylistItem[] {
  const item = items[from];
  if (item === undefined) return [...items];
  return items.toSpliced(from, 1).toSpliced(Math.max(0, Math.min(items.length - 1, to)), 0, item);
}

/** Returns the seconds that all items together take, without those that are switched off. */
export const roundSeconds = ({ items, default_duration_s }: PlaylistFields): number =>
  items.reduce((sum, { enabled, duration_s }) => sum + (enabled ? (duration_s ?? default_duration_s) : 0), 0);

/** Returns the place that a dragged item gets, from the middles of the rows and the place of the pointer, all measured from the top. */
export function placeAt(middles: readonly number[], y: number): number {
  const place = middles.findIndex((middle) => y < middle);
  return place < 0 ? middles.length - 1 : place;
}
