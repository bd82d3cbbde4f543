/**
 * The `status_board` widget: one tile per machine. The status that people set, the live status and the reasons to look after the machine
 * are separate fields.
 */

import { isCurrent, machineFreshnessAt, USUAL_MACHINE_INTERVAL_S } from '#contract/base/freshness.ts';
import { isSignal, type SignalName } from '#contract/base/signals.ts';
import type { EquipmentLive, EquipmentStatus } from '#contract/fleet/equipment.ts';
import type { MachineTile } from '#contract/site/live.ts';
import type { PlacedWidget } from '#contract/site/widget.ts';
import { attentionOf, type OpenItems } from './attention.ts';
import { drawSignal, type Judged, ownBound, wholeSecond } from './values.ts';

/** The data of a machine on a board, except its live values. */
export interface BoardMachine {
  readonly id: string;
  readonly unit_number: string;
  readonly name: string;
  readonly kind: string | null;
  readonly location_id: string | null;
  /** Ids of the machine's location and of all locations that contain this location. */
  readonly within?: readonly string[];
  readonly status: EquipmentStatus;
  /** Expected seconds between two messages of the machine's slowest device; null if no device has an expected interval. */
  readonly interval_s: number | null;
  /** Time at which the machine was created. */
  readonly created_ms?: number;
}

/** The signals that a tile shows if its widget names no signals. */
export const DEFAULT_SIGNALS: readonly SignalName[] = ['engine.fuel_rate', 'engine.hours'];

/**
 * Returns the time of the last live data of a machine. If the machine has never sent live data, returns the time of its newest value from a
 * recording, or null if it has no value.
 */
export function lastHeard(live: EquipmentLive | undefined): number | null {
  if (live === undefined) return null;
  if (live.last_live_data_at !== null) return Date.parse(live.last_live_data_at);
  const times = Object.values(live.values).map((value) => Date.parse(value.observed_at));
  return times.length === 0 ? null : Math.max(...times);
}

/**
 * Returns the freshness of a machine (fresh, ageing, stale or none). It depends on the age of the newest data of the machine, whatever its
 * signal.
 */
function machineFreshness(
  machine: BoardMachine,
  live: EquipmentLive | undefined,
  now_ms: number,
  { max_age_s }: Judged,
) {
  return machineFreshnessAt(lastHeard(live), machineInterval(machine, live), now_ms, max_age_s);
}

/** Returns the expected seconds between live data of a machine. */
function machineInterval({ interval_s }: BoardMachine, live: EquipmentLive | undefined): number {
  return live?.expected_interval_s ?? interval_s ?? USUAL_MACHINE_INTERVAL_S;
}

/** Returns true while the freshness of the machine is `fresh` or `ageing`. */
export function reports(
  machine: BoardMachine,
  live: EquipmentLive | undefined,
  now_ms: number,
  judged: Judged = {},
): boolean {
  return isCurrent(machineFreshness(machine, live, now_ms, judged));
}

/** Composes the tile of one machine. `open` are its open alerts and tickets. */
export function composeTile(
  machine: BoardMachine,
  live: EquipmentLive | undefined,
  open: OpenItems,
  now_ms: number,
  widget: Pick<PlacedWidget, 'query' | 'thresholds' | 'max_age_s'>,
): MachineTile {
  const age = machineFreshness(machine, live, now_ms, widget);
  const heard = lastHeard(live);
  const silent = age === 'none' || age === 'never';
  const live_status = live === undefined || silent ? 'unknown' : live.live_status;
  const signal = tileSignal(widget, live);
  const judged = {
    status: machine.status,
    live_status,
    live_since_ms:
      live_status === 'unknown' || live?.live_status_since == null ? null : Date.parse(live.live_status_since),
    freshness: age,
    last_data_ms: heard === null ? null : wholeSecond(heard),
    interval_s: machineInterval(machine, live),
    conflict:
      (machine.status === 'down' || machine.status === 'maintenance') && live_status === 'running' && isCurrent(age),
    stop_lamp: (live?.dtc_counts?.red_stop ?? 0) > 0,
  };
  return {
    id: machine.id,
    unit_number: machine.unit_number,
    name: machine.name,
    ...judged,
    dtc_active: live?.dtc_counts?.active ?? null,
    reasons: attentionOf(judged, open, live, now_ms),
    primary: signal === undefined ? null : drawSignal(signal, live?.values[signal], now_ms, widget),
    ...ownBound(widget),
  };
}

/** Returns the first of the widget's signals for which the machine has a value. */
function tileSignal(widget: Pick<PlacedWidget, 'query'>, live: EquipmentLive | undefined): SignalName | undefined {
  const { signal, signals } = widget.query;
  const asked = [signal, ...(signals ?? [])].filter((name) => name !== undefined).filter(isSignal);
  return (asked.length > 0 ? asked : DEFAULT_SIGNALS).find((name) => live?.values[name] !== undefined);
}
