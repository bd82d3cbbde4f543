/** Places, tickets and alerts for tests of boards. */
import type { ShiftMinutes } from '#contract/live.ts';
import type { BoardAlert, BoardPlace, BoardTicket } from '#domain/board-facts.ts';

const NOW = '2026-11-21T14:07:00.000Z';

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
    flagged_at: '2026-11-21T13:07:00.000Z',
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
    raised_at: NOW,
    cleared_at: null,
    cleared_because: null,
    observed_at: NOW,
    late: false,
    actions: [],
    ...more,
  };
}
