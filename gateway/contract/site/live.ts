/** What a screen is sent: a full snapshot, then deltas. Values come formatted and judged; a screen draws, it does not know. */

import type { ShareKind } from '#contract/base/share-kinds.ts';
import type { Freshness, SignalKind } from '#contract/base/signals.ts';
import type { Stored } from '#contract/base/view.ts';
import type { EquipmentStatus, LiveStatus } from '#contract/fleet/equipment.ts';
import type { Severity } from '#contract/work/alert.ts';
import type { ArtifactData } from '#contract/work/artifact.ts';
import type { TicketStatus } from '#contract/work/repair-ticket.ts';
import type { ShiftPart } from '#contract/work/shift-report.ts';
import type { PlacedWidget } from './board.ts';
import type { ProjectFeed } from './project-live.ts';

/** How far something can be believed, and how it goes on ageing on a screen that lost the gateway. */
export interface Aged {
  readonly freshness: Freshness;
  /** Milliseconds since 1970 when it was true. */
  readonly as_of_ms: number | null;
  /** A gauge expected each second when absent. */
  readonly kind?: SignalKind;
  readonly interval_s?: number;
  /** The widget's own bound, where it has one. */
  readonly max_age_s?: number;
}

/** One formatted number with its age. */
export interface DrawnValue extends Aged {
  readonly label: string;
  /** "41.2", thin-space thousands; null when there is nothing to show. */
  readonly text: string | null;
  readonly unit: string;
  /** The number behind the text, for bars. */
  readonly value: number | null;
  readonly level: 'normal' | 'warning' | 'critical';
}

/** How soon people should act: now, soon, or when there is time. */
export type Grade = 'act' | 'look' | 'note';

/** Why a machine needs people. */
export interface Reason {
  readonly grade: Grade;
  /** More points come first within a grade. */
  readonly points: number;
  readonly cause: 'safety' | 'alert' | 'stop_lamp' | 'down' | 'conflict' | 'repair' | 'silent';
  /** What a screen writes, the longest first: a tile draws the first that fits. */
  readonly texts: readonly string[];
  /** Milliseconds since 1970; null when nobody knows since when. */
  readonly since_ms: number | null;
}

/** One machine on a status board: three owners, three drawings. */
export interface MachineTile {
  readonly id: string;
  readonly unit_number: string;
  readonly name: string;
  readonly status: EquipmentStatus;
  readonly live_status: LiveStatus;
  readonly live_since_ms: number | null;
  readonly freshness: Freshness;
  readonly last_data_ms: number | null;
  /** People say down or in service, the machine runs. */
  readonly conflict: boolean;
  readonly dtc_active: number | null;
  readonly stop_lamp: boolean;
  readonly primary: DrawnValue | null;
  /** The gravest first; the first decides how the machine looks on every screen. Empty when it needs nobody. */
  readonly reasons: readonly Reason[];
  /** The widget's own bound on ages, where it has one. */
  readonly max_age_s?: number;
}

/** A machine as a row, with its numbers. */
export interface ListRow extends MachineTile {
  /** One for each column. */
  readonly values: readonly DrawnValue[];
}
export interface ListTile {
  readonly columns: readonly { readonly label: string; readonly unit: string }[];
  /** What needs people first, as on a status board. */
  readonly rows: readonly ListRow[];
}

/** One machine of a bar chart. */
export interface BarRow {
  readonly id: string;
  readonly unit_number: string;
  readonly value: DrawnValue;
}
export interface BarTile {
  readonly label: string;
  readonly unit: string;
  readonly min: number;
  readonly max: number;
  readonly order: 'asc' | 'desc';
  readonly note: string;
  readonly thresholds: KpiTile['thresholds'];
  /** Sorted by value; machines without one come last. */
  readonly rows: readonly BarRow[];
}

/** A location on a map; rings as x, y, x, y in metres east and north of the map's origin. */
export interface MapPlace {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly rings: readonly (readonly number[])[];
}
/** A machine on a map. */
export interface MapMachine extends MachineTile {
  readonly x: number;
  readonly y: number;
  /** Degrees clockwise from north; null when it is not known now. */
  readonly heading: number | null;
  /** How old its place is, which may be older than its other news. */
  readonly fix: Aged;
}
export interface MapTile {
  /** What is drawn at least, in metres from the origin. */
  readonly extent: { readonly left: number; readonly bottom: number; readonly right: number; readonly top: number };
  readonly places: readonly MapPlace[];
  /** By unit number. */
  readonly machines: readonly MapMachine[];
  /** Who is missing: "2 without position"; null when nobody is. */
  readonly note: string | null;
}

/** A repair ticket on a board. */
export interface TicketCard {
  readonly id: string;
  readonly number: string;
  readonly title: string;
  readonly unit_number: string;
  readonly priority: 'low' | 'medium' | 'high' | 'critical';
  readonly safety_critical: boolean;
  readonly since_ms: number;
  readonly due_ms: number | null;
  readonly hold_reason: string | null;
  /** Mechanics that it is assigned to. */
  readonly assigned: number;
}
export interface TicketColumn {
  readonly status: TicketStatus;
  readonly label: string;
  readonly count: number;
  /** The gravest first, then the oldest; as many as a wall has room for at most. */
  readonly cards: readonly TicketCard[];
}

/** An alert on a board. */
export interface AlertRow {
  readonly id: string;
  readonly severity: Severity;
  readonly rule_name: string;
  /** What crossed: "Coolant 109 °C"; for missing data how long it was away. */
  readonly detail: string;
  /** Null where no machine could be paired. */
  readonly equipment_id: string | null;
  /** Machine, else device; null when neither could be named. */
  readonly unit_number: string | null;
  /** False: no machine could be paired. */
  readonly paired: boolean;
  readonly raised_ms: number;
  readonly acknowledged: { readonly at_ms: number; readonly by: string } | null;
  readonly late: boolean;
}
export interface AlertTile {
  /** Not acknowledged before acknowledged; of each the gravest first, then the newest. Alerts of one fact are one row. */
  readonly rows: readonly AlertRow[];
  readonly total: number;
  readonly unacknowledged: number;
}

/** Minutes of the parts of shift time. */
export type ShiftMinutes = Readonly<Record<ShiftPart, number>>;
export interface UnknownTime {
  /** entered: only during the shift; silent: heard before, and no more; never: not heard yet. */
  readonly why: 'entered' | 'silent' | 'never';
  /** So many machines; the name of one. */
  readonly count: number;
  readonly unit_number: string;
  /** When the last of them was entered, or heard. */
  readonly at_ms: number | null;
}

export interface ShiftTile {
  /** Null between shifts. */
  readonly now: { readonly name: string; readonly from_ms: number; readonly to_ms: number } | null;
  /** The next one. */
  readonly next: { readonly name: string; readonly from_ms: number } | null;
  /** Up to when minutes are counted. */
  readonly computed_ms: number;
  readonly total: ShiftMinutes;
  /** By unit number. */
  readonly rows: readonly { readonly id: string; readonly unit_number: string; readonly minutes: ShiftMinutes }[];
  /** Machines that are counted nowhere. */
  readonly more: number;
  /** Why nothing is known of most of the time of machines. */
  readonly unknown: readonly UnknownTime[];
}

export interface CameraTile {
  readonly device: string;
  /** Null when the device never sent a picture. */
  readonly artifact_id: string | null;
  readonly age: Aged;
}

export interface MediaTile {
  readonly artifact_id: string;
  readonly content_type: string;
  readonly fit: 'contain' | 'cover';
}

/** A code as it is drawn: `size` modules a side with the quiet zone, dark ones as an SVG path. */
export interface QrCode {
  readonly size: number;
  readonly path: string;
}
export interface QrTile {
  readonly code: QrCode | null;
  /** What stands under it; instead of a code why there is none. */
  readonly caption: string;
}

export interface KpiTile {
  readonly value: DrawnValue;
  /** "9 of 12 machines reporting", so that a sum over some is not read as a sum over all. */
  readonly note: string | null;
  /** The machine that the number is of, where it is of one: the least, the most, or the only one. */
  readonly of?: { readonly id: string; readonly unit_number: string };
  readonly min: number;
  readonly max: number;
  readonly thresholds: readonly {
    readonly at: number;
    readonly level: 'warning' | 'critical';
    readonly below: boolean;
  }[];
}

export interface TrendLine {
  readonly key: string;
  readonly label: string;
  readonly unit: string;
  readonly freshness: Freshness;
  /** The machine that the last point is of, where the line is the least or the most of several. */
  readonly of?: string;
  /** Seconds since 1970, ascending. */
  readonly t: readonly number[];
  /** Null is a gap and stays one. */
  readonly v: readonly (number | null)[];
}
export interface TrendTile {
  readonly window_s: number;
  readonly lines: readonly TrendLine[];
}

/** A widget's content. */
export type WidgetData =
  | { readonly type: 'status_board'; readonly machines: readonly MachineTile[] }
  | { readonly type: 'machine_list'; readonly list: ListTile }
  | { readonly type: 'kpi'; readonly kpi: KpiTile }
  | { readonly type: 'bar'; readonly bar: BarTile }
  | { readonly type: 'timeseries'; readonly trend: TrendTile }
  | { readonly type: 'map'; readonly map: MapTile }
  | { readonly type: 'ticket_board'; readonly columns: readonly TicketColumn[] }
  | { readonly type: 'alert_feed'; readonly alerts: AlertTile }
  | { readonly type: 'shift_progress'; readonly shift: ShiftTile }
  | { readonly type: 'camera'; readonly camera: CameraTile }
  | { readonly type: 'media'; readonly media: MediaTile }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'qr'; readonly qr: QrTile };

export interface BoardView {
  readonly id: string;
  readonly name: string;
  readonly theme: string;
  readonly duration_s: number;
  readonly subtitle: string;
  /** An alert took the screen. */
  readonly alarm?: Severity;
  readonly widgets: readonly (Pick<PlacedWidget, 'id' | 'title' | 'position'> & {
    readonly type: WidgetData['type'];
    readonly data: WidgetData;
  })[];
}

export interface LiveSnapshot {
  readonly build: string;
  readonly server_ms: number;
  readonly project: { readonly name: string; readonly timezone: string; readonly simulated: boolean };
  readonly title: string;
  /** What the gateway itself does without, where it shows on boards; absent when all is well. */
  readonly notice?: string;
  /** How one board gives way to the next; a fade when absent. */
  readonly transition?: 'none';
  readonly boards: readonly BoardView[];
}

/** One piece that changed: a whole widget, one machine of it, or new points of one trend line. */
export type LivePatch =
  | { readonly board: string; readonly widget: string; readonly data: WidgetData }
  | { readonly board: string; readonly widget: string; readonly machine: MachineTile }
  | { readonly board: string; readonly widget: string; readonly item: ListRow | BarRow | MapMachine }
  | {
      readonly board: string;
      readonly widget: string;
      readonly line: string;
      readonly freshness: Freshness;
      readonly of?: string;
      readonly t: readonly number[];
      readonly v: readonly (number | null)[];
    };

/** Names and payloads of the events on the stream. */
export interface LiveEvents {
  /** Everything, on connect and whenever boards change. */
  snapshot: LiveSnapshot;
  delta: { readonly server_ms: number; readonly patches: readonly LivePatch[] };
  /** Every 5 s; silence of 15 s means the link is gone. */
  heartbeat: { readonly server_ms: number; readonly build: string };
  /** The client was too slow and was dropped; connect again for a snapshot. */
  resync: { readonly reason: string };
  /** The share was revoked, paused or replaced. */
  gone: { readonly reason: string };
}
export const HEARTBEAT_MS = 5_000;
export const SILENCE_MS = 15_000;

/** What a page looks at: by share token, or by project and object. */
export type FeedTarget =
  | { readonly share: string }
  | { readonly project_id: string; readonly kind: ShareKind; readonly object_id: string };

/** One composed view, shared by all who look at it. */
export interface Feed {
  snapshot(): LiveSnapshot;
  /** Deltas as they come; `snapshot` when boards changed; `gone` when the share ended. Returns the unsubscribe. */
  subscribe(listener: FeedListener): () => void;
}
export type FeedListener = (
  event: { [K in 'snapshot' | 'delta' | 'gone']: { readonly name: K; readonly data: LiveEvents[K] } }[
    | 'snapshot'
    | 'delta'
    | 'gone'],
) => void;

/** Opens feeds; undefined when there is nothing to see (unknown, revoked or foreign). */
export interface FeedSource {
  open(target: FeedTarget): Promise<Feed | undefined>;
  /** The feed of the office page of a project. */
  project(project_id: string): Promise<ProjectFeed>;
  /** A file that the boards of this share show; undefined for every other. */
  media(share: string, artifact_id: string): Promise<Stored<ArtifactData> | undefined>;
}
