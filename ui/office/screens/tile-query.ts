/** What the settings of a tile share: the tile, the objects that a person can select, and how a setting is changed. */
import { useMemo } from 'preact/hooks';
import type { PlacedWidget } from '#contract/site/widget.ts';
import { type Item, readAll, useList } from '#ui/office/base/lists.ts';
import type { Session } from '#ui/office/base/session.ts';
import { usePolled } from '#ui/office/base/use.ts';
import type { IsGone } from './tile-kinds.ts';

export type Query = PlacedWidget['query'];

/** The objects that a person can select. */
export interface Offers {
  readonly machines: readonly Item<'equipment_list'>[];
  readonly locations: readonly Item<'locations_list'>[];
  readonly cameras: readonly Item<'devices_list'>[];
}

/** Reads the objects that settings of tiles name; null until the gateway has answered. */
export function useOffers(session: Session): Offers | null {
  const machines = useList(session, 'equipment_list');
  const locations = useList(session, 'locations_list');
  const devices = useList(session, 'devices_list');
  if (machines === null || locations === null || devices === null) return null;
  return { machines, locations, cameras: devices.filter(({ kind }) => kind === 'camera') };
}

/** The boards and playlists that codes can open. */
export interface CodeLists {
  readonly playlist: readonly Item<'playlists_list'>[];
  readonly dashboard: readonly Item<'dashboards_list'>[];
  /** True if the gateway has more of them. */
  readonly more: boolean;
  /** True if they may lack what is there, because their last read failed or began before the stored board was read. */
  readonly isOld: boolean;
}

/** Returns true if lists prove nothing about a board. `from` is when their last complete read began, `since` when the board was read. */
export const isOldRead = (from: number, problem: string | null, since: number): boolean =>
  problem !== null || from < since;

/** Reads what codes can open, if the board has a code; null until the gateway has answered. A new revision of the board reads them again. */
export function useCodeLists(session: Session, hasCode: boolean, revision: number): CodeLists | null {
  const since = useMemo(() => performance.now(), [revision]);
  const { data, problem } = usePolled(
    async (signal) => {
      if (!hasCode) return null;
      const from = performance.now();
      const playlists = await readAll(session, 'playlists_list', { order: 'asc' }, signal);
      const boards = await readAll(session, 'dashboards_list', { order: 'asc' }, signal);
      return { from, playlist: playlists.items, dashboard: boards.items, more: playlists.more || boards.more };
    },
    15_000,
    [session, hasCode, revision],
    ['playlist', 'dashboard'],
  );
  return data && { ...data, isOld: isOldRead(data.from, problem, since) };
}

/** Returns what knows that an object of a code was deleted. If the lists are cut, old or not read yet, it knows of none. */
export const goneIn =
  (lists: CodeLists | null): IsGone =>
  ({ kind, object_id }) =>
    lists !== null &&
    !lists.more &&
    !lists.isOld &&
    (kind === 'playlist' || kind === 'dashboard') &&
    lists[kind].every(({ id }) => id !== object_id);

export interface SettingsProps {
  readonly session: Session;
  readonly tile: PlacedWidget;
  readonly offers: Offers;
  readonly codes: CodeLists | null;
  /** Changes the tile. `group` names a field in which a person types, so that the text is one step to undo. */
  onTile(tile: PlacedWidget, group?: string): void;
}

/** Returns the query with a changed field; undefined removes the field. */
export function withQuery(
  tile: PlacedWidget,
  changes: { readonly [K in keyof Query]: Query[K] | undefined },
): PlacedWidget {
  const query = Object.fromEntries(
    Object.entries({ ...tile.query, ...changes }).filter(([, value]) => value !== undefined),
  );
  return { ...tile, query };
}
