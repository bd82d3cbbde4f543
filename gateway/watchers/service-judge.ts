/** Judges alert rules on services: finds the plans of a machine whose service is due, and the open alerts that end. */

import type { LiveReader } from '#contract/context.ts';
import type { EquipmentLive, LiveValue } from '#contract/fleet/equipment.ts';
import type { AlertServiceFound, ServiceCondition } from '#contract/work/alert-conditions.ts';
import { LATE_MS, type Measured, muting } from '#domain/work/alerts.ts';
import { judgeService, SERVICE_METERS, type ServiceFacts } from '#domain/work/service-alerts.ts';
import { type AlertStates, type Move, partsOfKey, type RuleState, serviceKey } from './alert-states.ts';
import type { Rule, Target } from './alert-targets.ts';
import type { ServicePlan, ServicePlans } from './service-plans.ts';
import type { Wheel } from './wheel.ts';

/** A plan with a date is judged again after this many milliseconds, because a day begins without a new value. */
const DATE_MS = 60_000;

interface ServiceJudgeOptions {
  readonly live: LiveReader;
  readonly plans: ServicePlans;
  readonly states: AlertStates;
  readonly wheel: Wheel;
  /** Returns false while the gateway does not trust its clock. Dates are then unknown. */
  readonly agesKnown: () => boolean;
}

type Meters = EquipmentLive['values'] | undefined;

const hasDate = ({ data }: ServicePlan) =>
  data.every_days !== null || data.every_months !== null || data.due_on !== null;

const isLate = (value: LiveValue | undefined) =>
  value !== undefined && Date.parse(value.received_at) - Date.parse(value.observed_at) > LATE_MS;

export class ServiceJudge {
  private readonly options: ServiceJudgeOptions;

  constructor(options: ServiceJudgeOptions) {
    this.options = options;
  }

  /** Judges a rule on services for all plans of a target, and appends the alerts to raise and to clear to `moves`. */
  judge(target: Target, rule: Rule & { readonly service: ServiceCondition }, now: number, moves: Move[]): void {
    if (target.object !== 'equipment') return;
    const { live, plans, wheel } = this.options;
    const { plan_id } = rule.service;
    const own = plans.of(target).filter(({ id }) => plan_id === null || id === plan_id);
    this.clearOthers(target, rule, new Set(own.map(({ id }) => id)), moves);
    if (own.length === 0) return;
    const values = live.equipment(target.id, Object.values(SERVICE_METERS))?.values;
    const { muted, change_ms } = muting(rule.mute, target.id, now);
    if (change_ms !== null) wheel.add(target.id, rule.id, change_ms - now);
    if (own.some(hasDate)) wheel.add(target.id, rule.id, DATE_MS);
    for (const plan of own) this.judgePlan(target, rule, plan, { values, now, muted }, moves);
  }

  private judgePlan(
    target: Target,
    rule: Rule & { readonly service: ServiceCondition },
    plan: ServicePlan,
    { values, now, muted }: { readonly values: Meters; readonly now: number; readonly muted: boolean },
    moves: Move[],
  ): void {
    const { states } = this.options;
    const key = serviceKey(rule.id, plan.id);
    const known = states.get(target.id)?.rules.get(key);
    const open = known?.standing.open ?? null;
    const facts = this.factsOf(target, plan, values, now);
    const { found, late, ...verdict } = judgeService(
      rule.service,
      facts,
      open === null ? null : (known?.service ?? null),
    );
    const isConfirmed = open?.late === true && found !== null && !late;
    const clear = verdict.clear ?? (isConfirmed && !muted ? 'superseded' : null);
    const raises = found !== null && !muted && (open === null || clear !== null);
    if (!raises && clear === null) {
      if (open === null) states.delete(target.id, key);
      return;
    }
    const measured = found === null ? null : measuredOf(found, values, now);
    if (raises && found !== null && measured !== null && open === null && !late) {
      const same = this.sameService(target, key, found, moves);
      // An alert changes at most once in a tick (one pass of the watcher), so the rule joins it in the next tick.
      if (same === 'pending') this.options.wheel.add(target.id, rule.id, 1);
      else if (same !== undefined) {
        const state = states.obtain(target, key);
        if (state.joined !== same)
          moves.push({ home: target, state, clear: null, raise: null, join: { alert_id: same, rule, measured } });
      }
      if (same !== undefined) return;
    }
    const state = states.obtain(target, key);
    const raise =
      raises && measured !== null ? { verdict: { condition: 'service' as const, late, measured }, rule } : null;
    moves.push({ home: target, state, clear, raise });
  }

  /**
   * Returns the id of the open alert that another rule has raised for the same service, the longest open one. Returns `pending` if another
   * rule raises such an alert in this tick, or if that alert changes in this tick.
   */
  private sameService(
    target: Target,
    key: string,
    { plan_id, services }: AlertServiceFound,
    moves: readonly Move[],
  ): string | 'pending' | undefined {
    const isSame = (one: AlertServiceFound | null | undefined) => one?.plan_id === plan_id && one.services === services;
    const own = moves.filter(({ home }) => home.id === target.id);
    if (own.some(({ raise }) => raise !== null && !raise.verdict.late && isSame(raise.verdict.measured.service)))
      return 'pending';
    let earliest: RuleState | undefined;
    for (const [other, state] of this.options.states.get(target.id)?.rules ?? []) {
      const { open } = state.standing;
      if (other === key || open === null || open.late || !isSame(state.service)) continue;
      if (open.raised_ms < (earliest?.standing.open?.raised_ms ?? Number.POSITIVE_INFINITY)) earliest = state;
    }
    if (own.some(({ state, clear }) => state === earliest && clear !== null)) return 'pending';
    return earliest?.standing.open?.alert_id;
  }

  private factsOf(target: Target, { id, data }: ServicePlan, values: Meters, now: number): ServiceFacts {
    const { plans, agesKnown } = this.options;
    const meter = (by: keyof typeof SERVICE_METERS) => {
      const found = values?.[SERVICE_METERS[by]];
      return found === undefined ? null : { value: found.value, observed_at: found.observed_at, per_day: null };
    };
    const origin = (by: keyof typeof SERVICE_METERS) => values?.[SERVICE_METERS[by]]?.meter ?? null;
    const { services, service } = plans.done(id, target);
    return {
      plan_id: id,
      plan: data,
      services,
      service,
      hours: meter('hours'),
      km: meter('km'),
      today: agesKnown() ? plans.dateAt(target.project_id, now) : null,
      origins: { hours: origin('hours'), km: origin('km') },
      late: { hours: isLate(values?.[SERVICE_METERS.hours]), km: isLate(values?.[SERVICE_METERS.km]) },
    };
  }

  /** Clears the open alerts of a rule on plans that no longer apply to the machine, or that the rule no longer watches. */
  private clearOthers(target: Target, rule: Rule, judged: ReadonlySet<string>, moves: Move[]): void {
    const { states, plans } = this.options;
    for (const [key, state] of [...(states.get(target.id)?.rules ?? [])]) {
      const { rule_id, plan_id } = partsOfKey(key);
      if (rule_id !== rule.id || plan_id === undefined || judged.has(plan_id)) continue;
      const plan = plans.get(target.project_id, plan_id);
      const isWatched = rule.service?.plan_id == null || rule.service.plan_id === plan_id;
      const clear = !isWatched ? 'rule_changed' : plan?.data.enabled === true ? 'machine_changed' : 'plan_changed';
      if (state.standing.open === null) states.delete(target.id, key);
      else moves.push({ home: target, state, clear, raise: null });
    }
  }
}

/** Returns what a rule on services found as a measured value: the meter, or the date of today. */
function measuredOf(service: AlertServiceFound, values: Meters, now: number): Measured {
  const value = service.meter === null ? undefined : values?.[service.meter];
  if (value === undefined) return { value: service.left, observed_ms: now, received_ms: now, device_id: null, service };
  const { observed_at, received_at, device_id, ref } = value;
  const times = { observed_ms: Date.parse(observed_at), received_ms: Date.parse(received_at) };
  return { value: value.value, ...times, device_id, ref, service };
}
