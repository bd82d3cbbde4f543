/**
 * The `status_board` widget: one tile per machine. The status that people set, the live status and the reasons to look after the machine
 * are separate fields.
 */

import { isSignal, type SignalName } from '#contract/base/signals.ts';
import type { EquipmentLive } from '#contract/fleet/equipment.ts';
import type { MachineTile } from '#contract/site/live.ts';
import type { PlacedWidget } from '#contract/site/widget.ts';
import { judge } from '#domain/attention/judged.ts';
import type { AttentionMachine } from '#domain/attention/score.ts';
import { drawSignal, ownBound } from './values.ts';

/** The data of a machine on a board, except its live values. */
export interface BoardMachine extends AttentionMachine {
  readonly name: string;
  readonly kind: string | null;
  readonly location_id: string | null;
  /** Ids of the machine's location and of all locations that contain this location. */
  readonly within?: readonly string[];
  /** Place of the machine in the order of `seatOrder`. */
  readonly order?: number;
  /** Time at which the machine was created. */
  readonly created_ms?: number;
}

/** The signals that a tile shows if its widget names no signals. */
export const DEFAULT_SIGNALS: readonly SignalName[] = ['engine.fuel_rate', 'engine.hours'];

/** The part of a tile that the ranking of the site decides. */
export type Standing = Pick<MachineTile, 'reasons' | 'attention'>;

/** A machine that is not in the ranking. */
export const UNRANKED: Standing = { reasons: [] };

/** Composes the tile of one machine. `standing` is its part of the ranking of the site. */
export function composeTile(
  machine: BoardMachine,
  live: EquipmentLive | undefined,
  standing: Standing,
  now_ms: number,
  widget: Pick<PlacedWidget, 'query' | 'thresholds' | 'max_age_s'>,
): MachineTile {
  const { parked: _, ...judged } = judge(machine, live, now_ms, widget.max_age_s);
  const signal = tileSignal(widget, live);
  return {
    id: machine.id,
    unit_number: machine.unit_number,
    name: machine.name,
    ...judged,
    dtc_active: live?.dtc_counts?.active ?? null,
    ...standing,
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
