/**
 * The data of boards besides machines: locations, tickets, alerts, pictures and the shift. `gateway/screens` reads this data from the
 * store; this folder makes widgets from it.
 */

import type { LocationData } from '#contract/fleet/location.ts';
import type { QrTile } from '#contract/site/live.ts';
import type { SiteDays } from '#contract/work/day.ts';
import type { ShiftUse } from '#contract/work/shift-report.ts';
import type { BoardAlert, BoardTicket } from '#domain/attention/open-items.ts';
import type { ShiftsAround } from '#domain/work/current-shift.ts';

/** A location, and its geofence if the location has one. */
export interface BoardPlace extends Pick<LocationData, 'name' | 'kind' | 'parent_id' | 'geofence'> {
  readonly id: string;
}

export interface BoardDevice {
  readonly name: string;
  /** Expected seconds between two messages of the device; null if nobody configured an interval. */
  readonly interval_s: number | null;
}

/** The newest picture of a device. */
export interface BoardPicture {
  readonly artifact_id: string;
  /** Time of the picture, or of its arrival if the picture has no time; milliseconds since 1970. */
  readonly taken_ms: number;
}

/** The current shift, and the time that machines have spent in it so far. */
export interface BoardShift extends ShiftsAround {
  /** Share of the known time in which machines should work, in percent; null or absent: none. */
  readonly target_percent?: number | null;
  readonly computed_ms: number;
  /** How each machine has spent the shift so far, by equipment id. A machine without an entry was not counted. */
  readonly used: ReadonlyMap<string, ShiftUse>;
}

/** The data for the widgets of a screen. The gateway reads a field from the store only if a widget of the screen needs that field. */
export interface BoardFacts {
  readonly places: readonly BoardPlace[];
  readonly tickets: readonly BoardTicket[];
  readonly alerts: readonly BoardAlert[];
  readonly devices: ReadonlyMap<string, BoardDevice>;
  readonly frames: ReadonlyMap<string, BoardPicture>;
  /** QR codes. The key is the board id, a line feed and the widget id. */
  readonly codes: ReadonlyMap<string, QrTile>;
  readonly shift: BoardShift | null;
  readonly days: SiteDays | null;
}

/** The data of a board without locations, tickets, alerts, pictures and shift. */
export const NO_FACTS: BoardFacts = {
  places: [],
  tickets: [],
  alerts: [],
  devices: new Map(),
  frames: new Map(),
  codes: new Map(),
  shift: null,
  days: null,
};
