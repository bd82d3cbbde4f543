/** The widgets for repair tickets, alerts and the current shift. */

import type { Shown } from '#contract/base/shown.ts';
import type { EquipmentLive } from '#contract/fleet/equipment.ts';
import type { AlertRow, AlertTile, TicketCard, TicketColumn } from '#contract/site/live.ts';
import { compareNamed, compareUrgency } from '#contract/site/live-apply.ts';
import type { PlacedWidget } from '#contract/site/widget.ts';
import { SEVERITY, type Severity } from '#contract/work/alert.ts';
import { TICKET_STATUS, type TicketStatus } from '#contract/work/repair-ticket.ts';
import { SHIFT_PARTS, type ShiftRow, type ShiftTile, type UnknownTime } from '#contract/work/shift-report.ts';
import { compareGravity, detailOf, factKey } from '#domain/attention/alert-words.ts';
import { lastHeard } from '#domain/attention/judged.ts';
import type { BoardAlert, BoardTicket } from '#domain/attention/open-items.ts';
import { addTime, NO_TIME } from '#domain/work/shift-tally.ts';
import type { BoardFacts, BoardShift } from './facts.ts';
import type { BoardMachine, Standing } from './tiles.ts';

const COLUMNS = [
  ['flagged', 'Flagged'],
  ['in_progress', 'In progress'],
  ['on_hold', 'On hold'],
  ['unknown', 'Unknown status'],
  ['fixed', 'Fixed'],
] as const satisfies readonly (readonly [Shown<TicketStatus>, string])[];
const PRIORITIES: readonly TicketCard['priority'][] = ['low', 'medium', 'high', 'critical'];
/** Largest number of cards in a column and of rows in a feed. A screen cannot show so many cards or rows. */
const MOST_CARDS = 12;
const MOST_ALERTS = 24;
const MOST_ROWS = 60;

type Machines = readonly BoardMachine[];

const isNarrow = ({ query }: Pick<PlacedWidget, 'query'>) =>
  query.equipment_id !== undefined || query.kind !== undefined || query.location_id !== undefined;

const instant = (time: string | null) => (time === null ? null : Date.parse(time));

/** The status of a ticket as screens show it. */
const shownOf = (status: TicketStatus): Shown<TicketStatus> => (TICKET_STATUS.includes(status) ? status : 'unknown');

/**
 * Returns the open tickets of these machines, grouped by status. Tickets whose status only a newer version knows have a column of their own,
 * which is there only while it has tickets.
 */
export function composeTickets(machines: Machines, tickets: readonly BoardTicket[]): TicketColumn[] {
  const units = new Map(machines.map(({ id, unit_number }) => [id, unit_number]));
  const grave = (a: TicketCard, b: TicketCard) =>
    Number(b.safety_critical) - Number(a.safety_critical) ||
    PRIORITIES.indexOf(b.priority) - PRIORITIES.indexOf(a.priority) ||
    a.since_ms - b.since_ms ||
    (a.id < b.id ? -1 : 1);
  const columns = COLUMNS.map(([status, label]) => {
    const cards = tickets.flatMap((ticket): TicketCard[] => {
      const unit_number = units.get(ticket.equipment_id);
      if (shownOf(ticket.status) !== status || unit_number === undefined) return [];
      const { id, number, title, priority, safety_critical, hold_reason, due_at, assigned_mechanic_ids } = ticket;
      return [
        {
          id,
          number,
          title,
          unit_number,
          priority,
          safety_critical,
          since_ms: Date.parse(ticket.flagged_at),
          due_ms: instant(due_at),
          hold_reason,
          assigned: assigned_mechanic_ids.length,
        },
      ];
    });
    return { status, label, count: cards.length, cards: cards.sort(grave).slice(0, MOST_CARDS) };
  });
  return columns.filter(({ status, count }) => status !== 'unknown' || count > 0);
}

const rank = (severity: Severity) => SEVERITY.indexOf(severity);

/**
 * Returns the active alerts of the selected machines. Alerts without a machine appear only if the feed has no filter. Alerts with the same
 * cause are shown in one row.
 */
export function composeAlerts(
  widget: Pick<PlacedWidget, 'query'>,
  machines: Machines,
  { alerts, devices }: Pick<BoardFacts, 'alerts' | 'devices'>,
  live: (equipment_id: string) => EquipmentLive | undefined,
): AlertTile {
  const units = new Map(machines.map(({ id, unit_number }) => [id, unit_number]));
  const least = rank(widget.query.min_severity ?? 'info');
  const facts = new Map<string, BoardAlert[]>();
  for (const alert of alerts) {
    if (alert.state !== 'active' || rank(alert.severity) < least) continue;
    const { machine_id } = alert;
    if (machine_id === null ? isNarrow(widget) : !units.has(machine_id)) continue;
    // Give a late alert a separate row. A late alert is about data that was already old when it arrived, so it must not share a row with a
    // current alert.
    const key = `${factKey(alert)}\n${alert.late}`;
    facts.set(key, [...(facts.get(key) ?? []), alert]);
  }
  const rows = [...facts.values()].map((same): AlertRow => {
    const [gravest] = same.toSorted(compareGravity) as [BoardAlert, ...BoardAlert[]];
    const { id, severity, rule_name, machine_id, device_id, late, acknowledged_at, acknowledged_by } = gravest;
    const at_ms = same.every((one) => one.acknowledged_at !== null) ? instant(acknowledged_at) : null;
    const device = device_id === null ? undefined : devices.get(device_id)?.name;
    const unit = machine_id === null ? undefined : units.get(machine_id);
    return {
      id,
      severity,
      rule_name,
      detail: detailOf(gravest, machine_id === null ? null : (live(machine_id)?.dtcs ?? null)),
      equipment_id: machine_id,
      unit_number: unit ?? device ?? null,
      paired: machine_id !== null,
      raised_ms: Math.min(...same.map(({ raised_at }) => Date.parse(raised_at))),
      acknowledged: at_ms === null ? null : { at_ms, by: acknowledged_by ?? '' },
      late,
      ...(same.length > 1 && { joins: same.length }),
    };
  });
  rows.sort(
    (a, b) =>
      Number(a.acknowledged !== null) - Number(b.acknowledged !== null) ||
      rank(b.severity) - rank(a.severity) ||
      b.raised_ms - a.raised_ms ||
      (a.id < b.id ? -1 : 1),
  );
  const shown = [...facts.values()].flat();
  const unacknowledged = shown.filter(({ acknowledged_at }) => instant(acknowledged_at) === null).length;
  return { rows: rows.slice(0, MOST_ALERTS), row_count: rows.length, total: shown.length, unacknowledged };
}

/**
 * Returns the alert that takes over the screen: the newest of the most severe unacknowledged alerts. It ignores late alerts (alerts about
 * data that was already old when it arrived).
 */
export function takeoverAlert(alerts: readonly BoardAlert[], min_severity: Severity): BoardAlert | undefined {
  return alerts
    .filter(
      ({ state, acknowledged_at, late, severity }) =>
        state === 'active' && acknowledged_at === null && !late && rank(severity) >= rank(min_severity),
    )
    .sort(
      (a, b) =>
        rank(b.severity) - rank(a.severity) ||
        Date.parse(b.raised_at) - Date.parse(a.raised_at) ||
        (a.id < b.id ? -1 : 1),
    )[0];
}

/**
 * Composes the tile of the current shift for these machines, the most urgent first. The part of the shift that has not passed yet is not
 * counted.
 */
export function composeShift(
  machines: Machines,
  shift: BoardShift | null,
  live: (id: string) => EquipmentLive | undefined,
  standing: (id: string) => Standing,
): ShiftTile {
  const counted = machines
    .flatMap(({ id, unit_number }): ShiftRow[] => {
      const use = shift?.used.get(id);
      if (use === undefined) return [];
      const { attention, reasons } = standing(id);
      const [first] = attention?.place == null || attention.over !== undefined ? [] : reasons;
      const reason = first && { reason: { cause: first.cause, grade: first.grade } };
      return [{ id, unit_number, ...use, ...reason }];
    })
    .sort((a, b) => compareUrgency(standing(a.id), standing(b.id)) || compareNamed(a, b));
  const total = { ...NO_TIME };
  for (const { minutes } of counted) addTime(total, minutes);
  return {
    now: shift?.now ?? null,
    next: shift?.next ?? null,
    computed_ms: shift?.computed_ms ?? 0,
    total,
    rows: counted.slice(0, MOST_ROWS),
    more: shift?.now == null ? 0 : machines.length - Math.min(counted.length, MOST_ROWS),
    unknown: shift?.now == null ? [] : unknownTimes(machines, shift, shift.now.from_ms, live),
  };
}

/** If a machine sends nothing for longer than this, in milliseconds, the tile gives silence as the reason for its unknown time. */
const SILENT_MS = 600_000;

/**
 * Returns the reasons why the shift time of machines is unknown, the most frequent first. It looks only at machines for which more than
 * half of their shift time is unknown.
 */
function unknownTimes(
  machines: Machines,
  { used, computed_ms }: BoardShift,
  from_ms: number,
  live: (id: string) => EquipmentLive | undefined,
): UnknownTime[] {
  const found = new Map<UnknownTime['why'], UnknownTime>();
  for (const { id, unit_number, created_ms = 0 } of machines) {
    const spent = used.get(id)?.minutes;
    const all = spent === undefined ? 0 : SHIFT_PARTS.reduce((sum, name) => sum + spent[name], 0);
    if (spent === undefined || 2 * spent.unknown <= all) continue;
    const heard_ms = lastHeard(live(id));
    const silent = heard_ms !== null && computed_ms - heard_ms > SILENT_MS;
    const why = heard_ms === null ? 'never' : silent ? 'silent' : created_ms > from_ms ? 'entered' : null;
    if (why === null) continue;
    const before = found.get(why);
    const at = Math.max(before?.at_ms ?? 0, (why === 'entered' ? created_ms : heard_ms) ?? 0);
    found.set(why, {
      why,
      count: (before?.count ?? 0) + 1,
      unit_number: before?.unit_number ?? unit_number,
      at_ms: why === 'never' ? null : at,
    });
  }
  return [...found.values()].sort((a, b) => b.count - a.count);
}
