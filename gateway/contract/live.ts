/** What a screen is sent: a full snapshot, then deltas. Values come formatted and judged; a screen draws, it does not know. */
import type { PlacedWidget } from './board.ts';
import type { ShareKind } from './display.ts';
import type { EquipmentStatus, LiveStatus } from './equipment.ts';
import type { Freshness, SignalKind } from './signals.ts';

/** One formatted number with its age. */
export interface DrawnValue {
  readonly label: string;
  /** "41.2", thin-space thousands; null when there is nothing to show. */
  readonly text: string | null;
  readonly unit: string;
  /** The number behind the text, for bars. */
  readonly value: number | null;
  readonly freshness: Freshness;
  /** Milliseconds since 1970 when the machine reported it. */
  readonly as_of_ms: number | null;
  readonly level: 'normal' | 'warning' | 'critical';
  /** How it ages on a screen that lost the gateway; a gauge expected each second when absent. */
  readonly kind?: SignalKind;
  readonly interval_s?: number;
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
}

export interface KpiTile {
  readonly value: DrawnValue;
  /** "9 of 12 machines reporting", so that a sum over some is not read as a sum over all. */
  readonly note: string | null;
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
  /** Seconds since 1970, ascending. */
  readonly t: readonly number[];
  /** Null is a gap and stays one. */
  readonly v: readonly (number | null)[];
}
export interface TrendTile {
  readonly window_s: number;
  readonly lines: readonly TrendLine[];
}

/** A widget's content: machines keyed by id, one number, lines, or text. */
export type WidgetData =
  | { readonly type: 'status_board'; readonly machines: readonly MachineTile[] }
  | { readonly type: 'kpi'; readonly kpi: KpiTile }
  | { readonly type: 'timeseries'; readonly trend: TrendTile }
  | { readonly type: 'text'; readonly text: string };

export interface BoardView {
  readonly id: string;
  readonly name: string;
  readonly theme: string;
  readonly duration_s: number;
  readonly subtitle: string;
  readonly widgets: readonly (Pick<PlacedWidget, 'id' | 'type' | 'title' | 'position'> & {
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
  readonly boards: readonly BoardView[];
}

/** One piece that changed: a whole widget, one machine of a board, or new points of one trend line. */
export type LivePatch =
  | { readonly board: string; readonly widget: string; readonly data: WidgetData }
  | { readonly board: string; readonly widget: string; readonly machine: MachineTile }
  | {
      readonly board: string;
      readonly widget: string;
      readonly line: string;
      readonly freshness: Freshness;
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
}
