/** What the settings of a tile share: the tile, the objects that a person can select, and how a setting is changed. */
import type { PlacedWidget } from '#contract/site/widget.ts';
import { type Item, useList } from '#ui/office/base/lists.ts';
import type { Session } from '#ui/office/base/session.ts';

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

export interface SettingsProps {
  readonly session: Session;
  readonly tile: PlacedWidget;
  readonly offers: Offers;
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
