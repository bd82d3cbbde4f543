/**
 * Judges alert rules on services: whether a rule raises an alert about a maintenance plan of a machine, and whether its open alert ends.
 *
 * An alert is about one occurrence of a service. It ends when somebody records the service, when the plan or the rule changes so that it is
 * no longer reached, or when a person sets the meter to a lower number. A meter that falls in any other way, or becomes unknown, ends no
 * alert, so that the same occurrence never raises a second one.
 */

import type { LiveValue } from '#contract/fleet/equipment.ts';
import type { AlertData } from '#contract/work/alert.ts';
import type { AlertServiceFound, ServiceCondition } from '#contract/work/alert-conditions.ts';
import { MAINTENANCE_STATE, type MaintenanceLimit, type MaintenancePlanData } from '#contract/work/maintenance.ts';
import { isDue, judgePlan, type PlanFacts } from './maintenance.ts';

/** The meter signals by the unit of a limit. */
export const SERVICE_METERS = { hours: 'engine.hours', km: 'vehicle.odometer' } as const;

/** What decides whether a rule on services raises an alert about one plan on one machine. */
export interface ServiceFacts extends PlanFacts {
  readonly plan_id: string;
  readonly plan: MaintenancePlanData;
  /** Number of services that were recorded. */
  readonly services: number;
  /** The origin of each meter; null if the machine has no such meter, or if its origin is not known. */
  readonly origins: Readonly<Record<'hours' | 'km', LiveValue['meter'] | null>>;
  /** True for a meter whose newest value was already old when it arrived. */
  readonly late: Readonly<Record<'hours' | 'km', boolean>>;
}

/** The result of judging a rule on services. */
export interface ServiceVerdict {
  /** Why the open alert ends; null if it stays open, or if there is none. */
  readonly clear: NonNullable<AlertData['cleared_because']> | null;
  /** The limit that the rule found reached; null if none is. */
  readonly found: AlertServiceFound | null;
  /** True if the only limits that are reached come from meters whose value was late. */
  readonly late: boolean;
}

const FROM = {
  due_soon: (state: MaintenanceLimit['state']) => state === 'due_soon' || isDue(state),
  due: isDue,
  overdue: (state: MaintenanceLimit['state']) => state === 'overdue',
} as const;

const LEFT = { hours: 'hours_left', km: 'km_left', date: 'days_left' } as const;

/** True if the limit is as near as the rule asks. A limit that is unknown is never near. */
function isReached(rule: ServiceCondition, { by, state, left }: MaintenanceLimit): boolean {
  if (left === null || state === 'unknown') return false;
  const lead = rule[LEFT[by]];
  return FROM[rule.from](state) || (lead !== null && left <= lead);
}

const rank = (state: MaintenanceLimit['state']) => MAINTENANCE_STATE.indexOf(state);

const isLateLimit = ({ late }: ServiceFacts, { by }: MaintenanceLimit) => by !== 'date' && late[by];

function foundIn(facts: ServiceFacts, limit: MaintenanceLimit): AlertServiceFound {
  const { by, state, now, due_at, due_on, left } = limit;
  const origin = by === 'date' ? null : facts.origins[by];
  return {
    plan_id: facts.plan_id,
    plan_name: facts.plan.name,
    services: facts.services,
    state,
    by,
    meter: by === 'date' ? null : SERVICE_METERS[by],
    basis: origin?.basis ?? null,
    segment: origin?.segment ?? null,
    needs_review: origin?.needs_review != null,
    now,
    due_at,
    due_on,
    left: left ?? 0,
  };
}

/** Judges a rule on services for one plan on one machine. `open` is what the open alert found; null if no alert is open. */
export function judgeService(
  rule: ServiceCondition,
  facts: ServiceFacts,
  open: AlertServiceFound | null,
): ServiceVerdict {
  const { limits } = judgePlan(facts.plan, facts);
  // A limit that is reached by a value in time decides before one that is reached by a late value, and then the most serious one.
  const [first] = limits
    .filter((limit) => isReached(rule, limit))
    .sort((a, b) => Number(isLateLimit(facts, a)) - Number(isLateLimit(facts, b)) || rank(b.state) - rank(a.state));
  const found = first === undefined ? null : foundIn(facts, first);
  const late = first !== undefined && isLateLimit(facts, first);
  if (open === null) return { clear: null, found, late };
  if (facts.services > open.services) return { clear: 'service_done', found, late };
  return { clear: found === null ? endOf(facts, limits, open) : null, found, late };
}

/** Returns why an alert ends whose occurrence is no longer reached; null if it stays open. */
function endOf(
  facts: ServiceFacts,
  limits: readonly MaintenanceLimit[],
  open: AlertServiceFound,
): ServiceVerdict['clear'] {
  const { by } = open;
  const limit = limits.find((one) => one.by === by && (by !== 'date' || one.due_on === open.due_on));
  if (limit === undefined) return 'plan_changed';
  if (limit.left === null) return null;
  if (limit.due_at !== open.due_at) return 'plan_changed';
  // The limit is the same and at least as near as before. So the margin of the plan has changed, or the rule.
  if (limit.left <= open.left) return rank(limit.state) < rank(open.state) ? 'plan_changed' : 'rule_changed';
  const origin = by === 'date' ? null : facts.origins[by];
  const isCorrected = origin?.opened_because === 'reconciled' && origin.segment !== open.segment;
  return isCorrected ? 'meter_corrected' : null;
}
