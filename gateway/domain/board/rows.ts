/** The `machine_list` widget (rows with numbers) and the `bar` widget (one bar per machine). */

import { isSignal, type SignalName, signalRow } from '#contract/base/signals.ts';
import type { EquipmentLive } from '#contract/fleet/equipment.ts';
import type { BarRow, BarTile, ListRow, ListTile } from '#contract/site/live.ts';
import { compareBars, compareTiles } from '#contract/site/live-apply.ts';
import type { PlacedWidget } from '#contract/site/widget.ts';
import { range } from './kpi.ts';
import { type BoardMachine, composeTile, DEFAULT_SIGNALS, type Standing } from './tiles.ts';
import { trendSignals } from './trend.ts';
import { drawSignal, ownBound } from './values.ts';

/** Returns the signals of a `machine_list` widget, one for each column. */
function listSignals(widget: Pick<PlacedWidget, 'query'>): readonly SignalName[] {
  const asked = trendSignals(widget);
  return (asked.length > 0 ? asked : DEFAULT_SIGNALS).slice(0, 4);
}

/** Returns one row of a `machine_list`. */
export function composeRow(
  machine: BoardMachine,
  live: EquipmentLive | undefined,
  standing: Standing,
  now_ms: number,
  widget: PlacedWidget,
): ListRow {
  // Thresholds apply to the first column only.
  const values = listSignals(widget).map((signal, i) =>
    drawSignal(signal, live?.values[signal], now_ms, i === 0 ? widget : ownBound(widget)),
  );
  return { ...composeTile(machine, live, standing, now_ms, widget), values };
}

/** Composes a `machine_list` widget from its rows. */
export function composeList(widget: PlacedWidget, rows: readonly ListRow[]): ListTile {
  const columns = listSignals(widget).map((signal) => ({
    label: signalRow(signal).label,
    unit: signalRow(signal).unit,
  }));
  return { columns, rows: rows.toSorted(compareTiles) };
}

function barSignal({ query: { signal } }: Pick<PlacedWidget, 'query'>): SignalName {
  return signal !== undefined && isSignal(signal) ? signal : 'engine.fuel_rate';
}

/** Returns one bar of a `bar` widget. */
export function composeBarRow(
  machine: BoardMachine,
  live: EquipmentLive | undefined,
  now_ms: number,
  widget: PlacedWidget,
): BarRow {
  const signal = barSignal(widget);
  const { id, unit_number } = machine;
  return { id, unit_number, value: drawSignal(signal, live?.values[signal], now_ms, widget) };
}

/** Rounds a value up to 1, 2 or 5 times a power of ten, for example 34 to 50. Returns 1 if the value is not positive. */
function roundUp(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 5, 10].find((one) => one * power >= value * (1 - 1e-9)) ?? 10;
  return Number((step * power).toPrecision(12));
}

/** Composes a `bar` widget from its rows. If the widget has a lower threshold, low values come first. */
export function composeBars(widget: PlacedWidget, rows: readonly BarRow[]): BarTile {
  const row = signalRow(barSignal(widget));
  const { thresholds, params } = widget;
  const lowMatters = thresholds.length > 0 && thresholds.every(({ below }) => below);
  const order = params.order === 'asc' || params.order === 'desc' ? params.order : lowMatters ? 'asc' : 'desc';
  const known = rows.flatMap(({ value }) => (value.value === null ? [] : [value.value]));
  // A meter has no maximum. Scale its bars to the largest value.
  const most = row.kind === 'meter' ? roundUp(Math.max(0, ...known)) : row.max;
  return {
    label: row.label,
    unit: row.unit,
    ...range(widget, { min: row.min, max: most }),
    order,
    note: rows.length === 0 ? 'no machines yet' : `${known.length} of ${rows.length} known`,
    thresholds,
    rows: rows.toSorted(compareBars(order)),
  };
}
