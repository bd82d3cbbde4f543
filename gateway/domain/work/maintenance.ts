/**
 * Judges maintenance plans: whether a service of a machine is due, by engine hours, by distance or by date, and when it is expected to be.
 * Dates are local dates of the site, as `YYYY-MM-DD`.
 */
import type {
  MaintenanceLimit,
  MaintenancePlanData,
  MaintenanceReason,
  MaintenanceState,
} from '#contract/work/maintenance.ts';

/** A meter of a machine now. */
export interface MeterNow {
  readonly value: number;
  readonly observed_at: string;
  /** Growth per day in the last days; null if it is not known. */
  readonly per_day: number | null;
}

/** The last service of a machine by a plan. */
export interface LastService {
  readonly done_at: string;
  /** Local date of `done_at`. */
  readonly done_on: string;
  readonly hours: number | null;
  readonly km: number | null;
}

/** The facts that decide whether a service of a plan is due. */
export interface PlanFacts {
  readonly service: LastService | null;
  readonly hours: MeterNow | null;
  readonly km: MeterNow | null;
  /** The local date; null while the clock of the gateway is not trusted. */
  readonly today: string | null;
}

/** The state of a plan on one machine. */
export interface PlanJudgement {
  readonly state: MaintenanceState;
  /** Why the state is unknown; otherwise null. */
  readonly reason: MaintenanceReason | null;
  /** The limit that is reached first; null if no limit is known. */
  readonly due_by: MaintenanceLimit['by'] | null;
  /** The expected date on which the service becomes due; null if it is due already, or if it is not known. */
  readonly expected_on: string | null;
  readonly limits: readonly MaintenanceLimit[];
}

const DAY_MS = 86_400_000;
/** A plan with a fixed date is due soon this many days before the date. */
const SOON_DAYS = 14;
/** The gateway shows no expected date that is further away than this, because today's use says nothing about that time. */
const FURTHEST_DAYS = 3_650;

const dayOf = (date: string): number => Math.round(Date.parse(date) / DAY_MS);
const dateOf = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);
const rounded = (value: number): number => Math.round(value * 10) / 10;

/** Returns the date this many months later; the last day of the month if that month is shorter. */
export function addMonths(date: string, months: number): string {
  const at = new Date(date);
  const day = at.getUTCDate();
  at.setUTCDate(1);
  at.setUTCMonth(at.getUTCMonth() + months);
  const last = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 0)).getUTCDate();
  at.setUTCDate(Math.min(day, last));
  return at.toISOString().slice(0, 10);
}

/** Returns the state at this distance from the limit. `left` and the margins have the same unit. */
function stateAt(left: number, soon: number, grace: number): MaintenanceState {
  if (left > soon) return 'ok';
  if (left > 0) return 'due_soon';
  return left > -grace ? 'due' : 'overdue';
}

function unknown(by: MaintenanceLimit['by'], reason: MaintenanceReason, now: MeterNow | null): MaintenanceLimit {
  return {
    by,
    state: 'unknown',
    reason,
    due_at: null,
    due_on: null,
    now: now?.value ?? null,
    observed_at: now?.observed_at ?? null,
    left: null,
    per_day: now?.per_day ?? null,
    expected_on: null,
  };
}

function meterLimit(by: 'hours' | 'km', every: number, margin: number, facts: PlanFacts): MaintenanceLimit {
  const now = facts[by];
  if (now === null) return unknown(by, by === 'hours' ? 'no_hour_meter' : 'no_odometer', null);
  if (facts.service === null) return unknown(by, 'no_service', now);
  const start = facts.service[by];
  if (start === null) return unknown(by, 'no_reading_at_service', now);
  // A reading that a person took from the instrument may be a little ahead of the value from the control unit.
  if (now.value < start - margin) return unknown(by, 'meter_below_service', now);
  const due_at = start + every;
  const left = due_at - now.value;
  const { per_day, value, observed_at } = now;
  const days = per_day === null || per_day <= 0 || left <= 0 ? null : Math.ceil(left / per_day);
  const expected_on =
    days === null || days > FURTHEST_DAYS || facts.today === null ? null : dateOf(dayOf(facts.today) + days);
  return {
    by,
    state: stateAt(left, margin, margin),
    reason: null,
    due_at: rounded(due_at),
    due_on: null,
    now: value,
    observed_at,
    left: rounded(left),
    per_day,
    expected_on,
  };
}

function dateLimit(due_on: string, today: string | null, soon: number, grace: number): MaintenanceLimit {
  if (today === null) return { ...unknown('date', 'clock_not_trusted', null), due_on };
  const left = dayOf(due_on) - dayOf(today);
  return {
    by: 'date',
    state: stateAt(left, soon, grace),
    reason: null,
    due_at: null,
    due_on,
    now: null,
    observed_at: null,
    left,
    per_day: null,
    expected_on: left > 0 ? due_on : null,
  };
}

function intervalLimit(plan: MaintenancePlanData, facts: PlanFacts): MaintenanceLimit[] {
  const { every_days, every_months, margin_pct } = plan;
  if (every_days === null && every_months === null) return [];
  if (facts.service === null) return [unknown('date', 'no_service', null)];
  const { done_on } = facts.service;
  const due_on = every_days === null ? addMonths(done_on, every_months ?? 0) : dateOf(dayOf(done_on) + every_days);
  const margin = Math.max(1, Math.round(((dayOf(due_on) - dayOf(done_on)) * margin_pct) / 100));
  return [dateLimit(due_on, facts.today, margin, margin)];
}

/**
 * Returns the limit of a fixed date in a list; the list is empty if there is no such limit. If somebody did a service after a person had
 * set the date, the date is no longer a limit.
 */
function fixedLimit({ due_on, due_set_at }: MaintenancePlanData, facts: PlanFacts): MaintenanceLimit[] {
  if (due_on === null) return [];
  const isDone = facts.service !== null && due_set_at !== null && facts.service.done_at >= due_set_at;
  return isDone ? [] : [dateLimit(due_on, facts.today, SOON_DAYS, 1)];
}

const GRAVITY: Readonly<Record<MaintenanceState, number>> = { unknown: 0, ok: 1, due_soon: 2, due: 3, overdue: 4 };

/**
 * Returns the most serious state, in this order: overdue, due, due soon, unknown, ok. So a plan with an unknown limit is not ok, but if
 * another limit is due, the plan is due.
 */
export function gravest(states: readonly MaintenanceState[]): MaintenanceState {
  const worst = states.reduce<MaintenanceState>((a, b) => (GRAVITY[b] > GRAVITY[a] ? b : a), 'unknown');
  return worst === 'ok' && states.includes('unknown') ? 'unknown' : worst;
}

/** Judges a plan on one machine. The limit that is reached first decides. */
export function judgePlan(plan: MaintenancePlanData, facts: PlanFacts): PlanJudgement {
  const margin = (every: number) => (every * plan.margin_pct) / 100;
  const { every_hours, every_km } = plan;
  const limits = [
    ...(every_hours === null ? [] : [meterLimit('hours', every_hours, margin(every_hours), facts)]),
    ...(every_km === null ? [] : [meterLimit('km', every_km, margin(every_km), facts)]),
    ...intervalLimit(plan, facts),
    ...fixedLimit(plan, facts),
  ];
  // The only limit of the plan was a fixed date, and its service was done.
  if (limits.length === 0) return { state: 'ok', reason: null, due_by: null, expected_on: null, limits };
  const state = gravest(limits.map((limit) => limit.state));
  const known = limits.filter((limit) => limit.state !== 'unknown');
  const first = [...known].sort(
    (a, b) =>
      GRAVITY[b.state] - GRAVITY[a.state] || (a.expected_on ?? LAST_DATE).localeCompare(b.expected_on ?? LAST_DATE),
  )[0];
  return {
    state,
    reason: state === 'unknown' ? (limits.find((limit) => limit.reason !== null)?.reason ?? null) : null,
    due_by: first?.by ?? null,
    expected_on: state === 'due' || state === 'overdue' ? null : (first?.expected_on ?? null),
    limits,
  };
}

/** Sorts after every date. */
const LAST_DATE = '9999-12-31';

/** True for a state in which the service must be done. */
export function isDue(state: MaintenanceState): boolean {
  return state === 'due' || state === 'overdue';
}

/**
 * Returns the name of the present occurrence of a plan on a machine: the service that comes after the last recorded one, or the fixed date.
 * Each occurrence makes at most one ticket.
 */
export function occurrenceOf({ due_on }: MaintenancePlanData, services: number): string {
  return `${services}/${due_on ?? ''}`;
}
