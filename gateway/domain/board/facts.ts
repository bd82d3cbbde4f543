/** What boards show besides machines and their live facts: places, tickets, alerts, pictures, the shift. Read by the feed, composed here. */

import type { LocationData } from '#contract/fleet/location.ts';
import type { QrTile, ShiftMinutes } from '#contract/site/live.ts';
import type { AlertData } from '#contract/work/alert.ts';
import type { RepairTicketData } from '#contract/work/repair-ticket.ts';
import type { ShiftsAround } from '#domain/work/current-shift.ts';

/** A location, with its fence where it has one. */
export interface BoardPlace extends Pick<LocationData, 'name' | 'kind' | 'parent_id' | 'geofence'> {
  readonly id: string;
}

export interface BoardTicket extends RepairTicketData {
  readonly id: string;
}

export interface BoardAlert extends AlertData {
  readonly id: string;
}

export interface BoardDevice {
  readonly name: string;
  /** Seconds between what it sends, as promised; null when it promised nothing. */
  readonly interval_s: number | null;
}

/** The newest picture of a device. */
export interface BoardPicture {
  readonly artifact_id: string;
  /** When it was taken, else when it came; milliseconds since 1970. */
  readonly taken_ms: number;
}

/** A shift, and what machines did in it so far. */
export interface BoardShift extends ShiftsAround {
  readonly computed_ms: number;
  /** By equipment id; a machine that is not here was not counted. */
  readonly minutes: ReadonlyMap<string, ShiftMinutes>;
}

/** Each part is there when a widget of the screen asks for it. */
export interface BoardFacts {
  readonly places: readonly BoardPlace[];
  readonly tickets: readonly BoardTicket[];
  readonly alerts: readonly BoardAlert[];
  readonly devices: ReadonlyMap<string, BoardDevice>;
  readonly frames: ReadonlyMap<string, BoardPicture>;
  /** By widget id within a board's id: `board\nwidget`. */
  readonly codes: ReadonlyMap<string, QrTile>;
  readonly shift: BoardShift | null;
}

/** A site of which nothing was read. */
export const NO_FACTS: BoardFacts = {
  places: [],
  tickets: [],
  alerts: [],
  devices: new Map(),
  frames: new Map(),
  codes: new Map(),
  shift: null,
};
