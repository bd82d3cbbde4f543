/** Types of the live stream of a screen: a full snapshot, then deltas. The gateway formats all values; a screen only draws them. */

import type { ShareKind } from '#contract/base/share-kinds.ts';
import type { Freshness, SignalKind } from '#contract/base/signals.ts';
import type { Stored } from '#contract/base/view.ts';
import type { EquipmentStatus, LiveStatus } from '#contract/fleet/equipment.ts';
import type { Severity } from '#contract/work/alert.ts';
import type { ArtifactData } from '#contract/work/artifact.ts';
import type { TicketStatus } from '#contract/work/repair-ticket.ts';
import type { ShiftPart } from '#contract/work/shift-report.ts';
import type { ProjectFeed } from './project-live.ts';
import type { PlacedWidget } from './widget.ts';

/** Freshness of a value, with the data that a screen needs to age the value by itself after it has lost the gateway. */
export interface Aged {
  readonly freshness: Freshness;
  /** Time of the value, in milliseconds since 1970. */
  readonly as_of_ms: number | null;
  /** Default: a gauge with an interval of one second. */
  readonly kind?: SignalKind;
  readonly interval_s?: number;
  /** The widget's own age limit, if it has one. */
  readonly max_age_s?: number;
}

/** One formatted number with its age. */
export interface DrawnValue extends Aged {
  readonly label: string;
  /** Formatted number such as "41.2", with thin spaces between thousands; null if there is no value. */
  readonly text: string | null;
  readonly unit: string;
  /** The number behind the text, for bars. */
  readonly value: number | null;
  readonly level: 'normal' | 'warning' | 'critical';
}

/** Urgency for people. act: now. look: soon. note: when there is time. */
export type Grade = 'act' | 'look' | 'note';

/** A reason for people to attend to a machine. */
export interface Reason {
  readonly grade: Grade;
  /** More points come first within a grade. */
  readonly points: number;
  readonly cause: 'safety' | 'alert' | 'stop_lamp' | 'down' | 'conflict' | 'repair' | 'silent';
  /** Texts for the screen, the longest first. A tile draws the first one that fits. */
  readonly texts: readonly string[];
  /** Start in milliseconds since 1970; null if unknown. */
  readonly since_ms: number | null;
}

/** One machine on a board, with the status set by people, the live status, and its reasons for attention. */
export interface MachineTile {
  readonly id: string;
  readonly unit_number: string;
  readonly name: string;
  readonly status: EquipmentStatus;
  readonly live_status: LiveStatus;
  readonly live_since_ms: number | null;
  readonly freshness: Freshness;
  readonly last_data_ms: number | null;
  /** True if people have set the machine to down or maintenance and it is running. */
  readonly conflict: boolean;
  readonly dtc_active: number | null;
  readonly stop_lamp: boolean;
  readonly primary: DrawnValue | null;
  /** Reasons for attention, the most urgent first. The first one decides how every screen draws the machine. */
  readonly reasons: readonly Reason[];
  /** The widget's own age limit, if it has one. */
  readonly max_age_s?: number;
}

/** A machine as a row, with its numbers. */
export interface ListRow extends MachineTile {
  /** One for each column. */
  readonly values: readonly DrawnValue[];
}
export interface ListTile {
  readonly columns: readonly { readonly label: string; readonly unit: string }[];
  /** Rows in the order of urgency, as on a status board. */
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
  /** Degrees clockwise from north; null if there is no current value. */
  readonly heading: number | null;
  /** Age of its position, which may be older than its other values. */
  readonly fix: Aged;
}
export interface MapTile {
  /** The area that must be visible, in metres from the origin. */
  readonly extent: { readonly left: number; readonly bottom: number; readonly right: number; readonly top: number };
  readonly places: readonly MapPlace[];
  /** By unit number. */
  readonly machines: readonly MapMachine[];
  /** Note about missing machines, such as "2 without position"; null if none is missing. */
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
  /** The most severe first, then the oldest; at most as many as fit on a screen. */
  readonly cards: readonly TicketCard[];
}

/** An alert on a board. */
export interface AlertRow {
  readonly id: string;
  readonly severity: Severity;
  readonly rule_name: string;
  /** The value that crossed the threshold, such as "Coolant 109 °C"; for missing data the duration of the silence. */
  readonly detail: string;
  /** Null if the alert has no machine. */
  readonly equipment_id: string | null;
  /** Unit number of the machine, or else the name of the device; null if both are unknown. */
  readonly unit_number: string | null;
  /** False if the alert has no machine. */
  readonly paired: boolean;
  readonly raised_ms: number;
  readonly acknowledged: { readonly at_ms: number; readonly by: string } | null;
  readonly late: boolean;
}
export interface AlertTile {
  /** Unacknowledged alerts first, then by severity, then the newest. Alerts with one cause share a row. */
  readonly rows: readonly AlertRow[];
  readonly total: number;
  readonly unacknowledged: number;
}

/** Minutes of the parts of shift time. */
export type ShiftMinutes = Readonly<Record<ShiftPart, number>>;
export interface UnknownTime {
  /** entered: created during the shift. silent: stopped sending. never: has never sent. */
  readonly why: 'entered' | 'silent' | 'never';
  /** Number of machines; `unit_number` is that of one of them. */
  readonly count: number;
  readonly unit_number: string;
  /** When the last of them was created or last sent. */
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
  /** Number of machines that are not counted because there are too many. */
  readonly more: number;
  /** Reasons why most of the time of machines is unknown. */
  readonly unknown: readonly UnknownTime[];
}

export interface CameraTile {
  readonly device: string;
  /** Null if the device has never sent a picture. */
  readonly artifact_id: string | null;
  readonly age: Aged;
}

export interface MediaTile {
  readonly artifact_id: string;
  readonly content_type: string;
  readonly fit: 'contain' | 'cover';
}

/** A QR code: `size` modules per side including the quiet zone, and the dark modules as an SVG path. */
export interface QrCode {
  readonly size: number;
  readonly path: string;
}
export interface QrTile {
  readonly code: QrCode | null;
  /** Caption; if there is no code, the reason. */
  readonly caption: string;
}

export interface KpiTile {
  readonly value: DrawnValue;
  /** "9 of 12 machines reporting", so that a sum over some is not read as a sum over all. */
  readonly note: string | null;
  /** The machine that the value belongs to, if it belongs to one: a minimum, a maximum, or the only machine. */
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
  /** The machine of the last point, if the line is the minimum or maximum of several machines. */
  readonly of?: string;
  /** Seconds since 1970, ascending. */
  readonly t: readonly number[];
  /** Null marks a gap, which is not bridged. */
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
  /** Severity of the alert that takes over the screen. */
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
  /** Notice of a problem of the gateway that affects boards; absent if there is none. */
  readonly notice?: string;
  /** Transition between boards; default: fade. */
  readonly transition?: 'none';
  readonly boards: readonly BoardView[];
}

/** One change: a whole widget, one item of it, or new points of one trend line. */
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
  /** The complete state; sent on connect and whenever the set of boards changes. */
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

/** The boards that a page requests: by display token, or by project and object. */
export type FeedTarget =
  | { readonly share: string }
  | { readonly project_id: string; readonly kind: ShareKind; readonly object_id: string };

/** One composed view, shared by all clients that show it. */
export interface Feed {
  snapshot(): LiveSnapshot;
  /** Calls the listener with deltas, with `snapshot` if the boards changed, and with `gone` if the link ended. Returns the unsubscribe function. */
  subscribe(listener: FeedListener): () => void;
}
export type FeedListener = (
  event: { [K in 'snapshot' | 'delta' | 'gone']: { readonly name: K; readonly data: LiveEvents[K] } }[
    | 'snapshot'
    | 'delta'
    | 'gone'],
) => void;

/** Opens feeds. */
export interface FeedSource {
  /** Undefined if the target is unknown, revoked or in another project. */
  open(target: FeedTarget): Promise<Feed | undefined>;
  /** The feed of the office page of a project. */
  project(project_id: string): Promise<ProjectFeed>;
  /** The file, if the boards of this link show it; otherwise undefined. */
  media(share: string, artifact_id: string): Promise<Stored<ArtifactData> | undefined>;
}
