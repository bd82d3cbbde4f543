/** The items of a playlist while a person edits them. The functions have no side effects. */
import type { Output } from '#contract/operations.ts';
import type { PlaylistData } from '#contract/site/board.ts';
import { same } from './board-draft.ts';

type Playlist = Output<'playlists_get'>;

export type PlaylistFields = Pick<
  PlaylistData,
  'name' | 'items' | 'default_duration_s' | 'transition' | 'shuffle' | 'takeover' | 'display_group_ids'
>;
export type PlaylistItem = PlaylistData['items'][number];

export const fieldsOf = (one: Playlist): PlaylistFields => ({
  name: one.name,
  items: one.items.map((item, i) => ({ ...item, id: item.id ?? `item-${i}` })) as PlaylistItem[],
  default_duration_s: one.default_duration_s,
  transition: one.transition as PlaylistFields['transition'],
  shuffle: one.shuffle,
  takeover: one.takeover as PlaylistFields['takeover'],
  display_group_ids: [...one.display_group_ids],
});

/** Edits of a playlist that are not saved, and the stored fields on which they are based. */
export interface KeptPlaylist {
  readonly revision: number;
  readonly base: PlaylistFields;
  readonly now: PlaylistFields;
}

/** Returns the fields that differ from the stored ones. A field that only a newer version knows stays as it is. */
export const changedFields = (now: PlaylistFields, stored: PlaylistFields): Partial<PlaylistFields> =>
  Object.fromEntries(Object.entries(now).filter(([name, value]) => !same(value, stored[name as keyof PlaylistFields])));

/** The fields as the gateway stores them. */
export const asStored = (fields: PlaylistFields): PlaylistFields => ({ ...fields, name: fields.name.trim() });

/**
 * Returns true if a newer stored playlist is what this page has, or what it sent without an answer. If the person took back a change of
 * what was sent since, the newer playlist may as well be that of another person.
 */
export function isOwnSave(
  newer: PlaylistFields,
  { base, now }: Pick<KeptPlaylist, 'base' | 'now'>,
  sent: PlaylistFields | null,
): boolean {
  if (same(newer, asStored(now))) return true;
  if (sent === null || !same(newer, asStored(sent))) return false;
  const names = Object.keys(changedFields(sent, base)) as (keyof PlaylistFields)[];
  return names.every((name) => !same(now[name], base[name]));
}

/** What fields in which a person types show, and the revision to which it belongs. */
interface Shown {
  readonly revision: number;
  readonly fields: PlaylistFields;
}

/** Returns true if such fields must be drawn anew, because somebody saved other values than they show. */
export const isOutdated = (shown: Shown, stored: Shown): boolean =>
  shown.revision !== stored.revision && !same(shown.fields, stored.fields);

/** Largest number of items of a playlist. */
export const MOST_ITEMS = 50;
export const LEAST_SECONDS = 5;
export const MOST_SECONDS = 3_600;

/** Stands for the number of a field that is empty or wrong. The gateway would refuse it, so the page does not send it. */
export const NO_NUMBER = null as unknown as number;

/** Returns true if a field of seconds is wrong, or if the field of all items is empty. */
export const hasWrongSeconds = ({ items, default_duration_s }: PlaylistFields): boolean =>
  default_duration_s === NO_NUMBER || items.some(({ duration_s }) => duration_s === NO_NUMBER);

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
