/**
 * Types of the live stream of a screen: a snapshot (all boards), then deltas (messages with changes). The gateway formats all values; a
 * screen only draws them.
 */

import type { Freshness } from '#contract/base/freshness.ts';
import type { Shown } from '#contract/base/shown.ts';
import type { SignalKind } from '#contract/base/signals.ts';
import type { Stored } from '#contract/base/view.ts';
import type { ShareKind } from '#contract/base/widget-kinds.ts';
import type { LiveStatus } from '#contract/fleet/equipment.ts';
import type { ShownStatus } from '#contract/fleet/shown-status.ts';
import type { Severity } from '#contract/work/alert.ts';
import type { ArtifactData } from '#contract/work/artifact.ts';
import type { SiteDay, SiteDays } from '#contract/work/day.ts';
import type { TicketStatus } from '#contract/work/repair-ticket.ts';
import type { ShiftTile } from '#contract/work/shift-report.ts';
import type { DashboardData } from './board.ts';
import type { ProjectFeed } from './project-live.ts';
import type { Calm, Reason, TileAttention } from './trouble.ts';
import type { PlacedWidget } from './widget.ts';

/** Freshness of a value. The other fields let a screen compute the freshness itself while it has no connection to the gateway. */
export interface Aged {
  readonly freshness: Freshness;
  /** Time at which the value was observed, in milliseconds since 1970; null if there is no value. */
  readonly as_of_ms: number | null;
  /** Kind and interval of the signal. Default: a gauge with an interval of one second. */
  readonly kind?: SignalKind;
  readonly interval_s?: number;
  /** Age in seconds from which the value is stale, if the widget sets `max_age_s` or a person set the interval of the signal. */
  readonly max_age_s?: number;
}

/** One formatted number with its age. */
export interface DrawnValue extends Aged {
  readonly label: string;
  /** Formatted number such as "41.2", with thin spaces between thousands; null if there is no value. */
  readonly text: string | null;
  readonly unit: string;
  /** The number that `text` shows. Screens use it for the length of bars. */
  readonly value: number | null;
  readonly level: 'normal' | 'warning' | 'critical';
}

/** One machine on a board, with the status set by people, the live status, and its reasons for attention. */
export interface MachineTile {
  readonly id: string;
  readonly unit_number: string;
  readonly name: string;
  readonly status: ShownStatus;
  readonly live_status: LiveStatus;
  readonly live_since_ms: number | null;
  readonly freshness: Freshness;
  readonly last_data_ms: number | null;
  /** Expected seconds between live data of the machine, whatever its signals. */
  readonly interval_s?: number;
  /** True if a person has set the machine to down or maintenance, but telemetry shows it running. */
  readonly conflict: boolean;
  readonly dtc_active: number | null;
  readonly stop_lamp: boolean;
  readonly primary: DrawnValue | null;
  /** Reasons for attention, the most urgent first. The first reason decides how screens draw the machine. */
  readonly reasons: readonly Reason[];
  /** Absent if the machine needs nobody. */
  readonly attention?: TileAttention;
  /** Place in the strip of a status board, from 0. A number without a machine is the place of a machine that was retired. */
  readonly seat?: number;
  /** Maximum age of values, if the widget sets `max_age_s`. */
  readonly max_age_s?: number;
}

/** A row of a list widget: one machine and its values. */
export interface ListRow extends MachineTile {
  /** Values of the machine, one for each column of the list. */
  readonly values: readonly DrawnValue[];
}
export interface ListTile {
  readonly columns: readonly { readonly label: string; readonly unit: string }[];
  /** Rows sorted by urgency, as the tiles of a status board. */
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
  /** Bars sorted by value. Machines without a value are last. */
  readonly rows: readonly BarRow[];
}

/** A location on a map. Each ring is x, y, x, y, and so on, in metres east (x) and north (y) of the origin of the map. */
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
  /** Course of the machine in degrees clockwise from north; null if there is no current value. */
  readonly heading: number | null;
  /** Age of the position. The position may be older than the other values of the machine. */
  readonly fix: Aged;
}
export interface MapTile {
  /** The area that the map must show, in metres from its origin. */
  readonly extent: { readonly left: number; readonly bottom: number; readonly right: number; readonly top: number };
  readonly places: readonly MapPlace[];
  /** Machines on the map, sorted by unit number. */
  readonly machines: readonly MapMachine[];
  /** Note about missing machines, such as "2 without position"; null if none is missing. */
  readonly note: string | null;
  /**
   * Present if the tile lists the machines in trouble beside the map. It has those that are not on the map, the most urgent first, and the
   * number of those that are left out.
   */
  readonly trouble?: { readonly unplaced: readonly MachineTile[]; readonly more: number };
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
  /** Number of mechanics that the ticket is assigned to. */
  readonly assigned: number;
}
export interface TicketColumn {
  /** `unknown`: only a newer version knows the status. */
  readonly status: Shown<TicketStatus>;
  readonly label: string;
  readonly count: number;
  /** Tickets of the column, the most severe first, then the oldest; no more than fit on a screen. */
  readonly cards: readonly TicketCard[];
}

/** The alerts on a board that share a row. `joins`: their number if there are several. `acknowledged`: null until all of them are. */
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
  readonly joins?: number;
}
export interface AlertTile {
  /** Unacknowledged alerts first, then by severity, then the newest. Alerts that have the same cause share one row. */
  readonly rows: readonly AlertRow[];
  /** Number of rows, also of those that are not in `rows`. */
  readonly row_count: number;
  /** Number of alerts, as the office counts them. */
  readonly total: number;
  readonly unacknowledged: number;
}

export interface CameraTile {
  readonly device: string;
  /** Id of the newest picture of the device; null if the device has never sent a picture. */
  readonly artifact_id: string | null;
  readonly age: Aged;
}

export interface MediaTile {
  readonly artifact_id: string;
  readonly content_type: string;
  readonly fit: 'contain' | 'cover';
}

/** A QR code: the number of modules (squares) per side, including the empty border, and the dark modules as an SVG path. */
export interface QrCode {
  readonly size: number;
  readonly path: string;
}
/** What the gateway writes below a code, or in its place. Pages show these texts in their language. */
export const QR_CAPTIONS = {
  phone: 'Scan to see it on a phone',
  nothing: 'Nothing to show',
  hidden: 'You may not read this link. Screens show its code.',
  closed: 'Its link is not open. Open it on the office page.',
} as const;
export interface QrTile {
  readonly code: QrCode | null;
  /** Text below the code. If there is no code, the text gives the reason. */
  readonly caption: string;
  /** True if the caption is one of the gateway and not of a person. */
  readonly is_made?: true;
}

export interface KpiTile {
  readonly value: DrawnValue;
  /** A note such as "9 of 12 machines reporting". It shows that the value covers only some of the machines. */
  readonly note: string | null;
  /** The machine that has this value, if the value is a minimum, a maximum, or the value of a single machine. */
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
  /** The machine from which the last point comes, if the line shows the minimum or maximum of several machines. */
  readonly of?: string;
  /** Times of the points in seconds since 1970, ascending. */
  readonly t: readonly number[];
  /** Values of the points. Null: the line has a gap here, and screens do not connect the points around it. */
  readonly v: readonly (number | null)[];
}
export interface TrendTile {
  readonly window_s: number;
  /** Length of the time over which each point is the mean, in seconds; absent from gateways of older versions. */
  readonly step_s?: number;
  readonly lines: readonly TrendLine[];
}

/** The data that a screen draws in a widget. */
export type WidgetData =
  /** `calm` is present if no machine of the site is in trouble. */
  | { readonly type: 'status_board'; readonly machines: readonly MachineTile[]; readonly calm?: Calm }
  | { readonly type: 'machine_list'; readonly list: ListTile }
  | { readonly type: 'kpi'; readonly kpi: KpiTile }
  | { readonly type: 'bar'; readonly bar: BarTile }
  | { readonly type: 'timeseries'; readonly trend: TrendTile }
  | { readonly type: 'map'; readonly map: MapTile }
  | { readonly type: 'ticket_board'; readonly columns: readonly TicketColumn[] }
  | { readonly type: 'alert_feed'; readonly alerts: AlertTile }
  | { readonly type: 'shift_progress'; readonly shift: ShiftTile }
  /** Null: the gateway makes the summary at this moment. */
  | { readonly type: 'day'; readonly which: keyof SiteDays; readonly day: SiteDay | null }
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
  /** Severity of the alert, if this board shows an alert that replaces the playlist. */
  readonly alarm?: Severity;
  readonly widgets: readonly (Pick<PlacedWidget, 'id' | 'title' | 'position'> & {
    readonly type: WidgetData['type'];
    readonly data: WidgetData;
  })[];
}

export interface LiveSnapshot {
  readonly build: string;
  readonly server_ms: number;
  readonly project: {
    readonly name: string;
    readonly timezone: string;
    readonly simulated: boolean;
    /** The language and the units in which a screen shows the boards. An older gateway does not send them. */
    readonly language?: string;
    readonly units?: 'metric' | 'us';
  };
  readonly title: string;
  /** Text about a problem of the gateway that affects boards; absent if there is no problem. */
  readonly notice?: string;
  /** Transition between boards; default: fade. */
  readonly transition?: 'none';
  readonly boards: readonly BoardView[];
}

/** One change of a board: new data of a whole widget, one item of a widget, or new points of one trend line. */
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

/** Names and payloads of the server-sent events that a screen gets. */
export interface LiveEvents {
  /** All boards. The gateway sends it when a screen connects, and when a board is added or removed. */
  snapshot: LiveSnapshot;
  delta: { readonly server_ms: number; readonly patches: readonly LivePatch[] };
  /** Sent every 5 s. A screen that gets no event for 15 s connects again. */
  heartbeat: { readonly server_ms: number; readonly build: string };
  /** The client read too slowly, so the gateway closes the stream. The client connects again and gets a snapshot. */
  resync: { readonly reason: string };
  /** The display link was revoked, paused or replaced. */
  gone: { readonly reason: string };
  /** A person asks which screen this is. The screen shows its name for some seconds. */
  identify: { readonly name: string; readonly seconds: number };
}
export const HEARTBEAT_MS = 5_000;
export const SILENCE_MS = 15_000;
/** A paired screen reports what it shows every `REPORT_MS`. It is live if the gateway heard it within `LIVE_MS`. Both in milliseconds. */
export const REPORT_MS = 30_000;
export const LIVE_MS = 90_000;

/** A board that is not stored. */
export type DraftBoard = Pick<DashboardData, 'name' | 'theme' | 'widgets'>;

/** Who previews a board that is not stored. */
export interface DraftViewer {
  /** The key or session, under which its previews are counted. */
  readonly holder: string;
  /** True if it may read display links. Otherwise the preview draws no code of a link. */
  readonly mayReadLinks: boolean;
}

/** The boards that a page requests: by display token, as a draft, or by project and object. */
export type FeedTarget =
  | { readonly share: string }
  | { readonly project_id: string; readonly draft: DraftBoard; readonly viewer: DraftViewer }
  | { readonly project_id: string; readonly kind: ShareKind; readonly object_id: string };

/** The live data of one display link or dashboard. All clients that show it share one feed. */
export interface Feed {
  snapshot(): LiveSnapshot;
  /**
   * Calls the listener with each delta, with `snapshot` if a board was added or removed, with `gone` if the display link ended, and with
   * `resync` if a paired display shows something else from now on. Returns the function that ends the subscription.
   */
  subscribe(listener: FeedListener): () => void;
}
type FeedEventName = Exclude<keyof LiveEvents, 'heartbeat'>;
export type FeedListener = (
  event: { [K in FeedEventName]: { readonly name: K; readonly data: LiveEvents[K] } }[FeedEventName],
) => void;

/** Opens feeds. */
export interface FeedSource {
  /** Opens the feed of a display link or a board. Undefined if it is unknown, revoked or in another project. */
  open(target: FeedTarget): Promise<Feed | undefined>;
  /** Opens the feed of the office page of a project. */
  project(project_id: string): Promise<ProjectFeed>;
  /** Returns the record of a file if the boards of this display link show the file; otherwise undefined. */
  media(share: string, artifact_id: string): Promise<Stored<ArtifactData> | undefined>;
}
