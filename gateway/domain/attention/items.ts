/**
 * Finds the reasons for which a machine needs people: in its alerts, its repair tickets, the status that people set, its stop lamp, its low
 * tanks, and its time without data. The base points of a reason decide its grade.
 *
 *   grade  act   somebody must act now      base 50 and more
 *          look  somebody should look soon  base 25 to 49
 *          note  good to know               base below 25
 *
 * A threshold that is set in a widget is no reason, because it concerns only one number on one board.
 */

import { formatNumber } from '#contract/base/format-number.ts';
import { isCurrent, valueFreshnessAt } from '#contract/base/freshness.ts';
import { isSignal, type SignalName, signalRow } from '#contract/base/signals.ts';
import type { Dtc, EquipmentLive } from '#contract/fleet/equipment.ts';
import { failureMode } from '#contract/fleet/failure-modes.ts';
import { plainName } from '#contract/fleet/fault-words.ts';
import { isTank } from '#contract/work/alert.ts';
import type { Cause, Sentence } from '#contract/work/attention.ts';
import { isOpenTicket } from '#contract/work/repair-ticket.ts';
import { serviceWords } from '#contract/work/service-words.ts';
import { compareGravity, factKey, isFromDm1, lampName } from './alert-words.ts';
import type { Judged } from './judged.ts';
import { LOW_PCT, type LowTank } from './low-tanks.ts';
import type { BoardAlert, BoardTicket, OpenItems } from './open-items.ts';

/** The points that a reason gets for its cause. */
const BASE = {
  safety: 70,
  critical: 60,
  stop_lamp: 60,
  down: 50,
  breakdown: 50,
  warning: 35,
  urgent_repair: 35,
  service_running: 30,
  silent: 25,
  level: 25,
  info: 12,
  repair: 12,
  service: 12,
  gap: 12,
} as const;
/** From these base points on, a reason counts although nobody expects the machine to work now. */
export const ALWAYS_COUNTS = BASE.down;

/** Who is on a reason. `since_ms` is the time at which somebody took it, null if unknown. */
export interface Owner {
  /** Empty if somebody is on it and the gateway does not know the name. */
  readonly name: string;
}

/** The value of a reason that has passed a limit. */
export interface Passed {
  readonly signal: SignalName;
  readonly limit: number;
  /** True if low values are bad. */
  readonly below: boolean;
}

/** A reason before it gets its points. */
export interface Item {
  readonly cause: Cause;
  readonly base: number;
  readonly says: Sentence;
  readonly since_ms: number | null;
  readonly owner: Owner | null;
  /** True if a person has acknowledged it. */
  readonly seen: boolean;
  readonly passed: Passed | null;
}

/** What people have written about a machine. */
export interface Claimed {
  /** Time at which the status was set; null if unknown. */
  readonly status_since_ms: number | null;
  /** The person who took the machine, and when; null if nobody has. */
  readonly taken: { readonly by: string; readonly at_ms: number } | null;
  /** Names of mechanics, by id. */
  readonly mechanics: ReadonlyMap<string, string>;
}

const say = (code: Sentence['code'], params: Sentence['params'] = {}): Sentence => ({ code, params });

/** Returns all reasons of a machine, in no particular order. */
export function itemsOf(
  judged: Judged,
  open: OpenItems,
  live: EquipmentLive | undefined,
  { claimed, low, now_ms }: { readonly claimed: Claimed; readonly low: readonly LowTank[]; readonly now_ms: number },
): Item[] {
  const found = [
    ...ticketItems(judged, open.tickets, claimed),
    ...alertItems(judged, open.alerts, live, now_ms),
    ...levelItems(low, open.alerts, live),
    ...stateItems(judged, open.tickets, claimed),
  ];
  const { taken } = claimed;
  // The person who took the machine is on every reason that was open at that time, and not on later ones.
  return taken === null
    ? found
    : found.map((item) => ((item.since_ms ?? 0) <= taken.at_ms ? { ...item, owner: { name: taken.by } } : item));
}

function ownerOf({ status, assigned_mechanic_ids }: BoardTicket, { mechanics }: Claimed): Owner | null {
  const [first] = assigned_mechanic_ids;
  if (first !== undefined) return { name: mechanics.get(first) ?? '' };
  return status === 'in_progress' ? { name: '' } : null;
}

/** True if a person reported that the machine cannot work, and nobody has lowered the priority of the ticket since. */
const isBreakdown = ({ stopped_at, priority }: BoardTicket) => stopped_at !== undefined && priority === 'critical';

function ticketItems(judged: Judged, tickets: readonly BoardTicket[], claimed: Claimed): Item[] {
  return tickets.flatMap((ticket): Item[] => {
    const { status, title, safety_critical, priority, stopped_at } = ticket;
    if (!isOpenTicket(status)) return [];
    const rest = {
      since_ms: Date.parse(ticket.flagged_at),
      owner: ownerOf(ticket, claimed),
      seen: false,
      passed: null,
    };
    if (safety_critical) return [{ cause: 'safety', base: BASE.safety, says: say('report', { title }), ...rest }];
    if (isBreakdown(ticket)) {
      const since_ms = Date.parse(stopped_at ?? ticket.flagged_at);
      // A machine in maintenance is expected to stand still, so there its breakdown is less grave. It stays in trouble.
      const base = judged.status === 'maintenance' ? BASE.urgent_repair : BASE.breakdown;
      return [{ cause: 'repair', base, says: say('breakdown', { title }), ...rest, since_ms }];
    }
    if (priority === 'medium' || priority === 'low') return [];
    // A priority of a newer version may be the gravest.
    const base = priority === 'high' ? BASE.repair : BASE.urgent_repair;
    return [{ cause: 'repair', base, says: say('repair', { title }), ...rest }];
  });
}

function alertItems(
  judged: Judged,
  alerts: readonly BoardAlert[],
  live: EquipmentLive | undefined,
  now_ms: number,
): Item[] {
  const facts = new Map<string, BoardAlert[]>();
  for (const alert of alerts) {
    // Skip a late alert: its value was already old when it arrived.
    if (alert.state !== 'active' || alert.late) continue;
    const key = factKey(alert);
    facts.set(key, [...(facts.get(key) ?? []), alert]);
  }
  const found = [...facts.values()].map((same): Item => {
    const [first] = same.toSorted(compareGravity) as [BoardAlert, ...BoardAlert[]];
    return {
      cause: 'alert',
      base: alertBase(first),
      says: alertSentence(first, live, now_ms),
      since_ms: Math.min(...same.map(({ raised_at }) => Date.parse(raised_at))),
      owner: null,
      seen: first.acknowledged_at !== null,
      passed: passedOf(first),
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
      says: lampSentence('dtc.red_stop', live?.dtcs ?? []),
      since_ms: null,
      owner: null,
      seen: false,
      passed: null,
    });
  return found;
}

function alertBase({ severity, condition, signal_name }: BoardAlert): number {
  if (severity === 'critical') return BASE.critical;
  if (condition === 'service') return BASE.service;
  // A low tank is less grave than another warning.
  if (severity === 'warning' && condition === 'threshold' && isTank(signal_name)) return BASE.level;
  return BASE[severity];
}

/** Returns the limit of a value; null for alerts on other things than a limit of a value. */
function passedOf({ condition, signal_name, value, threshold }: BoardAlert): Passed | null {
  if (condition !== 'threshold' || !isSignal(signal_name) || value === null || threshold === null) return null;
  return { signal: signal_name, limit: threshold, below: value < threshold };
}

function codeParams({ spn, fmi }: Pick<Dtc, 'spn' | 'fmi'>): Record<string, string> {
  const [name, how] = [spn === null ? null : plainName(spn), failureMode(fmi)];
  return {
    ...(spn !== null && { spn: String(spn) }),
    fmi: String(fmi),
    ...(name && { name }),
    ...(how && { how }),
  };
}

function lampSentence(signal_name: BoardAlert['signal_name'], dtcs: readonly Dtc[]): Sentence {
  const [code] = dtcs;
  return say('lamp', { lamp: lampName({ signal_name }), ...(code !== undefined && codeParams(code)) });
}

function alertSentence(alert: BoardAlert, live: EquipmentLive | undefined, now_ms: number): Sentence {
  const { signal_name, condition, rule_name, code, change, geofence, service, threshold } = alert;
  if (condition === 'no_data') return say('silent');
  if (code !== undefined) return say('code', codeParams(code));
  if (isFromDm1(alert)) return lampSentence(signal_name, live?.dtcs ?? []);
  if (service !== undefined) return say('service', { text: serviceWords(service) });
  if (geofence !== undefined) return say(geofence.event === 'enter' ? 'fence_in' : 'fence_out');
  if (!isSignal(signal_name)) return say('rule', { rule: rule_name });
  const { label, unit, decimals } = signalRow(signal_name);
  if (change !== undefined) {
    const by = change.to.value - change.from.value;
    const seconds = (Date.parse(change.to.observed_at) - Date.parse(change.from.observed_at)) / 1000;
    const size = formatNumber(Math.abs(by), decimals);
    return say('value_change', { label, [by < 0 ? 'down' : 'up']: size, unit, seconds: String(Math.round(seconds)) });
  }
  // Show the newest value if the signal has one, otherwise the value that raised the alert.
  const newest = live?.values[signal_name];
  const known = isCurrent(valueFreshnessAt(signal_name, newest, now_ms));
  const shown = known && newest !== undefined ? newest.value : alert.value;
  if (shown === null) return say('rule', { rule: rule_name });
  const passed = passedOf(alert);
  const params = {
    signal: signal_name,
    label,
    value: formatNumber(shown, decimals),
    unit,
    ...(threshold !== null && { limit: formatNumber(threshold, decimals) }),
  };
  if (isTank(signal_name) && passed?.below === true) return say('level', params);
  return say(passed?.below === true ? 'value_under' : 'value_over', params);
}

/** A low tank is a reason, unless an alert says so already. */
function levelItems(low: readonly LowTank[], alerts: readonly BoardAlert[], live: EquipmentLive | undefined): Item[] {
  return low.flatMap(({ signal, since_ms }): Item[] => {
    const value = live?.values[signal];
    const told = alerts.some((alert) => alert.state === 'active' && !alert.late && passedOf(alert)?.signal === signal);
    if (value === undefined || told) return [];
    const { label, unit, decimals } = signalRow(signal);
    const limit = formatNumber(LOW_PCT, decimals);
    const says = say('level', { signal, label, value: formatNumber(value.value, decimals), unit, limit });
    const passed = { signal, limit: LOW_PCT, below: true };
    return [{ cause: 'level', base: BASE.level, says, since_ms, owner: null, seen: false, passed }];
  });
}

function stateItems(judged: Judged, tickets: readonly BoardTicket[], { status_since_ms }: Claimed): Item[] {
  const { status, live_since_ms, freshness, last_data_ms, conflict, parked } = judged;
  const down = status === 'down';
  const found: Item[] = [];
  const rest = { owner: null, seen: false, passed: null };
  if (conflict)
    found.push({
      cause: 'conflict',
      base: down ? BASE.down : BASE.service_running,
      says: say(down ? 'down_running' : 'service_moving'),
      since_ms: live_since_ms,
      ...rest,
    });
  // The status `down` is always a reason by itself, because without live data there is no contradiction to report.
  if (down) {
    const [repair] = tickets
      .filter((ticket) => isOpenTicket(ticket.status))
      .toSorted(
        (a, b) => Number(b.safety_critical) - Number(a.safety_critical) || (a.flagged_at < b.flagged_at ? -1 : 1),
      );
    const params = repair === undefined ? {} : { title: repair.title };
    found.push({ cause: 'down', base: BASE.down, says: say('down', params), since_ms: status_since_ms, ...rest });
  }
  // A machine in maintenance or decommissioned is expected to be silent.
  if (status === 'maintenance' || status === 'decommissioned') return found;
  const silent = { cause: 'silent', says: say('silent'), since_ms: last_data_ms, ...rest } as const;
  // A machine that was switched off before it became silent is parked: its logger may have lost its power with the ignition.
  if (freshness === 'none') found.push({ ...silent, base: parked ? BASE.gap : BASE.silent });
  if (freshness === 'stale') found.push({ ...silent, base: BASE.gap });
  return found;
}
