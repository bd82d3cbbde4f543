/** Tiles and values for tests of the TV. */
import type { BoardView, DrawnValue, MachineTile, WidgetData } from '#contract/site/live.ts';
import type { Reason } from '#contract/site/trouble.ts';

export const NOW = Date.UTC(2026, 4, 4, 12, 0, 0);

/** A fresh fuel rate of 41.2 L/h. */
export function value(more: Partial<DrawnValue> = {}): DrawnValue {
  return {
    label: 'Fuel rate',
    text: '41.2',
    unit: 'L/h',
    value: 41.2,
    freshness: 'fresh',
    as_of_ms: NOW - 1_000,
    level: 'normal',
    kind: 'gauge',
    interval_s: 1,
    ...more,
  };
}

/** A running, fresh haul truck. */
export function machine(more: Partial<MachineTile> = {}): MachineTile {
  return {
    id: 'eq_1',
    unit_number: 'HT-01',
    name: 'HT-01',
    status: 'in_use',
    live_status: 'running',
    live_since_ms: NOW - 360_000,
    freshness: 'fresh',
    last_data_ms: NOW - 1_000,
    conflict: false,
    dtc_active: 0,
    stop_lamp: false,
    primary: value(),
    reasons: [],
    ...more,
  };
}

/** A reason: a critical alert of coolant at 110 degrees, five minutes old. */
export function reason(more: Partial<Reason> = {}): Reason {
  return {
    grade: 'act',
    points: 70,
    cause: 'alert',
    says: { code: 'value_over', params: { label: 'Coolant', value: '110', unit: '°C' } },
    since_ms: NOW - 300_000,
    ...more,
  };
}

/** A board with one widget over the whole grid. */
export function board(data: WidgetData, more: Partial<BoardView> = {}): BoardView {
  return {
    id: 'b1',
    name: 'Fleet now',
    theme: 'tv-dark',
    duration_s: 20,
    subtitle: '',
    widgets: [{ id: 'w1', type: data.type, title: '', position: { x: 0, y: 0, w: 12, h: 6 }, data }],
    ...more,
  };
}
