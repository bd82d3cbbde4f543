/** Machines, places, tickets and alerts for tests of boards, and boards over them. */

import type { SignalName } from '#contract/base/signals.ts';
import type { EquipmentLive, LiveValue } from '#contract/fleet/equipment.ts';
import type { PlacedWidget } from '#contract/site/widget.ts';
import type { ShiftMinutes } from '#contract/work/shift-report.ts';
import type { BoardAlert, BoardTicket } from '#domain/attention/open-items.ts';
import type { BoardInput } from '#domain/board/board.ts';
import { type BoardPlace, NO_FACTS } from '#domain/board/facts.ts';
import type { BoardMachine } from '#domain/board/tiles.ts';
import { standings } from '#test/domain/attention/standings.ts';

/** The present of these tests. */
export const NOW = Date.parse('2026-11-21T14:07:00.000Z');
export const ago = (s: number, now = NOW): string => new Date(now - s * 1000).toISOString();

export function machine(id: string, more: Partial<BoardMachine> = {}): BoardMachine {
  return {
    id,
    unit_number: id.toUpperCase(),
    name: id,
    kind: null,
    location_id: null,
    status: 'in_use',
    interval_s: null,
    ...more,
  };
}

/** A number that a machine reported so long ago. */
export function value(number: number, age_s: number, now = NOW): LiveValue {
  const at = ago(age_s, now);
  return {
    value: number,
    observed_at: at,
    received_at: at,
    device_id: 'dev_1',
    run_id: null,
    ref: null,
    bus: 0,
    source_address: 0,
    pgn: null,
    spn: null,
    raw: null,
  };
}

/** A machine that has run for ten minutes and reports these numbers. */
export function reports(values: { readonly [N in SignalName]?: number }, age_s = 1): EquipmentLive {
  return {
    live_status: 'running',
    live_status_since: ago(600),
    last_live_data_at: ago(age_s),
    values: Object.fromEntries(Object.entries(values).map(([name, number]) => [name, value(number, age_s)])),
    dtcs: null,
    dtc_counts: null,
  };
}

/** A board of these widgets, over a site without machines. */
export function boardInput(widgets: readonly PlacedWidget[], more: Partial<BoardInput> = {}): BoardInput {
  const { machines = [], live = () => undefined, facts = NO_FACTS, now_ms = NOW } = more;
  return {
    standing: standings(machines, live, facts, now_ms),
    id: 'b',
    dashboard: { name: '', theme: 'tv-dark', widgets },
    duration_s: 20,
    machines: [],
    live: () => undefined,
    series: () => undefined,
    facts: NO_FACTS,
    now_ms: NOW,
    ...more,
  };
}

export const NO_MINUTES: ShiftMinutes = { working: 0, idle: 0, off: 0, down: 0, standby: 0, unknown: 0, service: 0 };

/** A place whose fence is a square of a hundredth of a degree, `n` hundredths north of the equator and east of Greenwich. */
export function square(id: string, n: number, parent_id: string | null = null): BoardPlace {
  const [west, south] = [n / 100, n / 100];
  const corners: [number, number][] = [
    [west, south],
    [west + 0.01, south],
    [west + 0.01, south + 0.01],
    [west, south + 0.01],
    [west, south],
  ];
  return { id, name: id, kind: 'pit', parent_id, geofence: { type: 'Polygon', coordinates: [corners] } };
}

/** A ticket that was flagged an hour ago. */
export function ticket(id: string, more: Partial<BoardTicket> = {}): BoardTicket {
  return {
    id,
    number: `${id}-A`,
    title: 'Brake leaks',
    description: '',
    equipment_id: 'm0',
    location_id: null,
    status: 'flagged',
    priority: 'medium',
    safety_critical: false,
    type: 'corrective',
    failure: { component: null, spn: null, fmi: null, cause: null, remedy: null },
    source: { kind: 'manual', ref: null },
    reported_by: null,
    assigned_mechanic_ids: [],
    meter_at_flag: null,
    flagged_at: ago(3_600),
    due_at: null,
    started_at: null,
    fixed_at: null,
    closed_at: null,
    labor: [],
    parts: [],
    downtime_minutes: null,
    hold_reason: null,
    signature: null,
    related_to: null,
    labels: {},
    ...more,
  };
}

/** The fields of an alert on the trouble code of the engine oil pressure. */
export const OIL_CODE: Partial<BoardAlert> = {
  rule_name: 'Oil pressure',
  signal_name: 'dtc.active',
  condition: 'code',
  value: 1,
  threshold: null,
  unit: '1',
  code: { spn: 100, fmi: 1, meaning: null, source_address: 0, bus: 0, device_id: 'dev_1', since: ago(0) },
};

/** An active alert of coolant at 109 degrees. */
export function alert(id: string, more: Partial<BoardAlert> = {}): BoardAlert {
  return {
    id,
    rule_id: 'rul_1',
    rule_name: 'Coolant hot',
    severity: 'warning',
    signal_name: 'engine.coolant_temperature',
    machine_id: 'm0',
    device_id: null,
    condition: 'threshold',
    value: 109,
    threshold: 107,
    unit: '°C',
    state: 'active',
    acknowledged_at: null,
    acknowledged_by: null,
    raised_at: ago(0),
    cleared_at: null,
    cleared_because: null,
    observed_at: ago(0),
    late: false,
    actions: [],
    ...more,
  };
}
