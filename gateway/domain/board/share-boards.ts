/** Generated boards: for one machine, for one shift report, and for an alert that takes over the screen. */

import { isSignal, signalRow } from '#contract/base/signals.ts';
import type { PlacedWidget } from '#contract/site/widget.ts';
import type { Severity } from '#contract/work/alert.ts';
import type { ShiftReportData } from '#contract/work/shift-report.ts';
import type { BoardAlert } from '#domain/attention/open-items.ts';
import type { BoardFrame } from './board.ts';

const THEME = 'tv-dark';

function widget(
  id: string,
  type: PlacedWidget['type'],
  title: string,
  [x, y, w, h]: readonly [number, number, number, number],
  more: Partial<PlacedWidget> = {},
): PlacedWidget {
  return { id, type, title, query: {}, thresholds: [], params: {}, position: { x, y, w, h }, ...more };
}

/** Returns the board of one machine. */
export function machineBoard(equipment_id: string, name: string): BoardFrame {
  const of = (signal: string) => ({ query: { equipment_id, signal } });
  return {
    name,
    theme: THEME,
    widgets: [
      widget('machine', 'status_board', '', [0, 0, 6, 3], of('engine.hours')),
      widget('hours', 'kpi', 'Engine hours', [6, 0, 3, 3], of('engine.hours')),
      widget('fuel', 'kpi', 'Fuel', [9, 0, 3, 3], of('fuel.level')),
      widget('load', 'timeseries', 'Engine load', [0, 3, 6, 3], {
        query: { equipment_id, signal: 'engine.load', window_s: 1_800 },
      }),
      widget('rate', 'kpi', 'Fuel rate', [6, 3, 3, 3], of('engine.fuel_rate')),
      widget('coolant', 'kpi', 'Coolant', [9, 3, 3, 3], of('engine.coolant_temperature')),
    ],
  };
}

/** Largest number of characters in a text tile. */
const MOST_TEXT = 2_000;

/** Joins as many complete lines as fit into a tile. If lines do not fit, it adds a line that says how many lines are left out. */
function linesOf(lines: readonly string[], empty: string): string {
  if (lines.length === 0) return empty;
  const kept: string[] = [];
  let room = MOST_TEXT - 40;
  for (const line of lines) {
    room -= line.length + 1;
    if (room < 0) return [...kept, `and ${lines.length - kept.length} more`].join('\n');
    kept.push(line);
  }
  return kept.join('\n');
}

const minutesOf = (stop: { started_at: string; ended_at: string }) =>
  Math.round((Date.parse(stop.ended_at) - Date.parse(stop.started_at)) / 60_000);

/** Returns the board of a shift report with its amendments applied. `nameOf` returns the display name of a machine or location. */
export function reportBoard(report: ShiftReportData, amendments: number, nameOf: (id: string) => string): BoardFrame {
  const { shift, moved, stopped, summary, fuel_l, safety, weather } = report;
  const facts = [
    ...(fuel_l === null ? [] : [`Fuel ${Math.round(fuel_l)} L`]),
    ...(safety === null ? [] : [`Incidents ${safety.incidents}, inspections failed ${safety.inspections_failed}`]),
    ...(weather === null ? [] : [weather]),
    ...(amendments === 0 ? [] : [amendments === 1 ? 'Amended once' : `Amended ${amendments} times`]),
  ];
  const loads = moved.map(({ equipment_id, material, loads, quantity, unit }) =>
    [
      ...(equipment_id === null ? [] : [nameOf(equipment_id)]),
      material,
      ...(loads === null ? [] : [`${loads} loads`]),
      ...(quantity === null ? [] : [`${quantity} ${unit}`]),
    ].join(', '),
  );
  const stops = stopped.map((stop) =>
    [
      nameOf(stop.equipment_id),
      `${minutesOf(stop)} min`,
      stop.reason_code ?? stop.category.replaceAll('_', ' '),
      ...(stop.note === null ? [] : [stop.note]),
    ].join(', '),
  );
  const text = (value: string) => ({ params: { text: value.slice(0, MOST_TEXT) } });
  return {
    name: `${shift.name} ${shift.date}`,
    theme: THEME,
    widgets: [
      widget('summary', 'text', `Shift ${shift.name}, ${shift.date}`, [0, 0, 6, 3], text(summary || 'No summary.')),
      widget('facts', 'text', 'Facts', [6, 0, 6, 3], text(linesOf(facts, 'Nothing recorded.'))),
      widget('moved', 'text', 'Moved', [0, 3, 6, 3], text(linesOf(loads, 'Nothing recorded.'))),
      widget('stopped', 'text', 'Stopped', [6, 3, 6, 3], text(linesOf(stops, 'Nothing recorded.'))),
    ],
  };
}

/**
 * Returns the threshold that raised the alert as a threshold of a widget, so that the board colours the value. Returns an empty list if no
 * threshold raised the alert.
 */
function crossed({ condition, value, threshold, severity }: BoardAlert): PlacedWidget['thresholds'] {
  if (condition !== 'threshold' || value === null || threshold === null || severity === 'info') return [];
  return [{ at: threshold, level: severity, below: value < threshold }];
}

/**
 * Returns the board of an alert that takes over the screen: all alerts of at least this severity, and the values of the alert's machine.
 */
export function alarmBoard(alert: BoardAlert, unit_number: string | null, min_severity: Severity): BoardFrame {
  const { machine_id, signal_name, severity, rule_name } = alert;
  const known = machine_id !== null && unit_number !== null;
  const wide = known ? ([0, 0, 6, 6] as const) : ([0, 0, 12, 6] as const);
  const feed = widget('alerts', 'alert_feed', 'Alerts', wide, { query: { min_severity } });
  const name = known ? `${unit_number}: ${rule_name}` : rule_name;
  if (!known) return { name, theme: THEME, alarm: severity, widgets: [feed] };
  const measured = isSignal(signal_name);
  const query = { equipment_id: machine_id, ...(measured ? { signal: signal_name } : {}) };
  const machine = widget('machine', 'status_board', '', [6, 0, 6, measured ? 3 : 6], {
    query,
    thresholds: crossed(alert),
  });
  const label = measured ? `${signalRow(signal_name).label}, last half hour` : '';
  const trend = widget('trend', 'timeseries', label, [6, 3, 6, 3], { query: { ...query, window_s: 1_800 } });
  return { name, theme: THEME, alarm: severity, widgets: measured ? [feed, machine, trend] : [feed, machine] };
}
