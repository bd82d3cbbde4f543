/**
 * Computes how urgently a machine needs people: from its alerts, its repair tickets, the status that people set, and its time without data.
 * Every screen draws a machine by the first reason that this module returns, so that the machine looks the same on all screens.
 *
 *   grade  act   somebody must act now      points 50 and more
 *          look  somebody should look soon  points 25 to 49
 *          note  good to know               points below 25
 *
 * A threshold that is set in a widget does not change the urgency of a machine, because it concerns only one number on one board.
 */

import { isCurrent, valueFreshnessAt } from '#contract/base/freshness.ts';
import { isSignal } from '#contract/base/signals.ts';
import type { EquipmentLive } from '#contract/fleet/equipment.ts';
import type { Grade, MachineTile, Reason } from '#contract/site/live.ts';
import { compareReasons } from '#contract/site/live-apply.ts';
import { isOpenTicket } from '#contract/work/repair-ticket.ts';
import { codeWords, compareGravity, factKey, isFromDm1, lampName, measuredWords } from './alert-words.ts';
import type { BoardAlert, BoardFacts, BoardTicket } from './facts.ts';

/**
 * The points that a reason gets for its cause. These points decide the grade. `RUNS_ON` and `SOMEBODY_ON_IT` below do not change the grade,
 * but only the order of the reasons that have the same grade.
 */
const BASE = {
  safety: 70,
  critical: 60,
  stop_lamp: 60,
  down: 50,
  warning: 35,
  urgent_repair: 35,
  service_running: 30,
  silent: 25,
  info: 12,
  repair: 12,
  gap: 12,
} as const;
/** Points that are added to a reason while the machine still runs although it should be stopped. */
const RUNS_ON = 10;
/** Points that are subtracted from a reason once a person has acknowledged the alert or works on the repair. */
const SOMEBODY_ON_IT = 8;
/** Largest number of reasons on one tile. */
const MOST_REASONS = 4;

/** The open alerts and tickets of one machine. */
export interface OpenItems {
  readonly alerts: readonly BoardAlert[];
  readonly tickets: readonly BoardTicket[];
}
const NOTHING_OPEN: OpenItems = { alerts: [], tickets: [] };

/** The fields of a machine's tile from which the urgency is computed, besides its open alerts and tickets. */
export type Judged = Pick<
  MachineTile,
  'status' | 'live_status' | 'live_since_ms' | 'freshness' | 'last_data_ms' | 'conflict' | 'stop_lamp'
>;

interface Found {
  readonly cause: Reason['cause'];
  readonly base: number;
  readonly texts: readonly string[];
  readonly since_ms: number | null;
  /** True if a person has acknowledged the alert or works on the ticket. */
  readonly taken?: boolean;
}

const gradeOf = (base: number): Grade => (base >= 50 ? 'act' : base >= 25 ? 'look' : 'note');

/** Returns all reasons for people to attend to this machine, the most urgent first. */
export function attentionOf(
  judged: Judged,
  open: OpenItems,
  live: EquipmentLive | undefined,
  now_ms: number,
): Reason[] {
  const believed = isCurrent(judged.freshness);
  const running = judged.live_status === 'running' && believed;
  return [...ticketReasons(open.tickets), ...alertReasons(judged, open.alerts, live, now_ms), ...stateReasons(judged)]
    .map(({ cause, base, texts, since_ms, taken = false }): Reason => {
      const points = base + (base >= BASE.down && running ? RUNS_ON : 0) - (taken ? SOMEBODY_ON_IT : 0);
      return { grade: gradeOf(base), points, cause, texts, since_ms };
    })
    .sort(compareReasons)
    .slice(0, MOST_REASONS);
}

function ticketReasons(tickets: readonly BoardTicket[]): Found[] {
  return tickets.flatMap((ticket): Found[] => {
    const { status, title, safety_critical, priority } = ticket;
    if (!isOpenTicket(status)) return [];
    const since_ms = Date.parse(ticket.flagged_at);
    const taken = status === 'in_progress';
    if (safety_critical)
      return [
        { cause: 'safety', base: BASE.safety, texts: [`Safety: ${title}`, 'Safety repair', 'Safety'], since_ms, taken },
      ];
    if (priority !== 'critical' && priority !== 'high') return [];
    const base = priority === 'critical' ? BASE.urgent_repair : BASE.repair;
    return [{ cause: 'repair', base, texts: [`Repair: ${title}`, 'Urgent repair', 'Repair'], since_ms, taken }];
  });
}

function alertReasons(
  judged: Judged,
  alerts: readonly BoardAlert[],
  live: EquipmentLive | undefined,
  now_ms: number,
): Found[] {
  const facts = new Map<string, BoardAlert[]>();
  for (const alert of alerts) {
    // Skip a late alert: its value was already old when it arrived.
    if (alert.state !== 'active' || alert.late) continue;
    const key = factKey(alert);
    facts.set(key, [...(facts.get(key) ?? []), alert]);
  }
  const found = [...facts.values()].map((same): Found => {
    const [first] = same.toSorted(compareGravity) as [BoardAlert, ...BoardAlert[]];
    return {
      cause: 'alert',
      base: BASE[first.severity],
      texts: alertTexts(first, live, now_ms),
      since_ms: Math.min(...same.map(({ raised_at }) => Date.parse(raised_at))),
      taken: first.acknowledged_at !== null,
    };
  });
  // If the stop lamp is on and no alert names it, the lamp itself is a reason. The alert may be missing because its rule is disabled, muted
  // or still waiting.
  const tellsLamp = ({ signal_name, also = [] }: BoardAlert) =>
    signal_name === 'dtc.red_stop' || also.some((one) => one.signal_name === 'dtc.red_stop');
  const told = alerts.some((alert) => tellsLamp(alert) && alert.state === 'active' && !alert.late);
  if (judged.stop_lamp && !told)
    found.push({
      cause: 'stop_lamp',
      base: BASE.stop_lamp,
      texts: ['Stop lamp on', 'Stop lamp', 'Stop'],
      since_ms: null,
    });
  return found;
}

function alertTexts(alert: BoardAlert, live: EquipmentLive | undefined, now_ms: number): string[] {
  const { signal_name, condition, rule_name, code } = alert;
  if (condition === 'no_data') return ['No data'];
  if (code !== undefined) return [codeWords(code), `SPN ${code.spn} FMI ${code.fmi}`, 'Code'];
  if (isFromDm1(alert)) {
    const lamp = lampName(alert);
    return [`${lamp} on`, lamp, lamp.split(' ')[0] ?? lamp];
  }
  // Show the newest value if the signal has one, otherwise the value that raised the alert.
  const value = isSignal(signal_name) ? live?.values[signal_name] : undefined;
  const known = isSignal(signal_name) && isCurrent(valueFreshnessAt(signal_name, value, now_ms));
  const { label, text } = measuredWords(alert, known ? value : undefined);
  return text === '' ? [rule_name, label] : [`${label} ${text}`, text, label];
}

function stateReasons({ status, live_since_ms, freshness, last_data_ms, conflict }: Judged): Found[] {
  const down = status === 'down';
  const found: Found[] = [];
  if (conflict)
    found.push({
      cause: 'conflict',
      base: down ? BASE.down : BASE.service_running,
      texts: [
        ...(down
          ? ['Reported down, but running now', 'Down, but running']
          : ['Being serviced, but running now', 'Serviced, but running']),
      ],
      since_ms: live_since_ms,
    });
  // The status `down` is always a reason by itself, because without live data there is no contradiction to report.
  if (down) found.push({ cause: 'down', base: BASE.down, texts: ['Down'], since_ms: null });
  // A machine in maintenance or decommissioned is expected to be silent.
  if (status === 'maintenance' || status === 'decommissioned') return found;
  const silent = { cause: 'silent', texts: ['No data'], since_ms: last_data_ms } as const;
  if (freshness === 'none') found.push({ ...silent, base: BASE.silent });
  if (freshness === 'stale') found.push({ ...silent, base: BASE.gap });
  return found;
}

const known = new WeakMap<readonly BoardAlert[], WeakMap<readonly BoardTicket[], ReadonlyMap<string, OpenItems>>>();

/** Returns a function that finds the open alerts and tickets of a machine. The index behind it is built once for the same two lists. */
export function openItemsOf({ alerts, tickets }: Pick<BoardFacts, 'alerts' | 'tickets'>): (id: string) => OpenItems {
  const byTickets = known.get(alerts) ?? new WeakMap<readonly BoardTicket[], ReadonlyMap<string, OpenItems>>();
  known.set(alerts, byTickets);
  let index = byTickets.get(tickets);
  if (index === undefined) {
    const made = new Map<string, { alerts: BoardAlert[]; tickets: BoardTicket[] }>();
    const at = (id: string) => {
      const items = made.get(id) ?? { alerts: [], tickets: [] };
      made.set(id, items);
      return items;
    };
    for (const alert of alerts) if (alert.machine_id !== null) at(alert.machine_id).alerts.push(alert);
    for (const ticket of tickets) at(ticket.equipment_id).tickets.push(ticket);
    index = made;
    byTickets.set(tickets, index);
  }
  const items = index;
  return (id) => items.get(id) ?? NOTHING_OPEN;
}
