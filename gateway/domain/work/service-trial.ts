/**
 * Runs an alert rule on services over the recorded meters and services of one machine, with the same code that evaluates live values
 * (`service-alerts.ts`). It finds when the rule would have raised alerts about one plan, and when they would have been cleared.
 */
import type { AlertServiceFound, ServiceCondition } from '#contract/work/alert-conditions.ts';
import type { MaintenancePlanData, MaintenanceReason } from '#contract/work/maintenance.ts';
import { judgePlan, type LastService } from './maintenance.ts';
import { judgeService, type ServiceFacts } from './service-alerts.ts';

/** An alert that the rule would have raised. */
export interface ServiceTrialAlert {
  readonly raised_ms: number;
  /** Null if it was still raised at the end of the range. */
  cleared_ms: number | null;
  readonly found: AlertServiceFound;
}

/** The result of a trial of one plan on one machine. */
interface ServiceTrialResult {
  readonly alerts: readonly ServiceTrialAlert[];
  /** If no limit of the plan was known at any time, why; otherwise null. */
  readonly unknown: MaintenanceReason | null;
}

/** A recorded service, with the time at which it was done. */
export interface RecordedService extends LastService {
  readonly at_ms: number;
}

/** The meters of a machine at one time of the trial. */
export type TrialMeters = Pick<ServiceFacts, 'hours' | 'km' | 'origins'>;

const ON_TIME = { hours: false, km: false } as const;

export class ServiceTrial {
  private readonly rule: ServiceCondition;
  private readonly plan: Pick<ServiceFacts, 'plan_id' | 'plan'>;
  private readonly services: readonly RecordedService[];
  private readonly dateAt: (ms: number) => string;
  private readonly alerts: ServiceTrialAlert[] = [];
  private open: ServiceTrialAlert | undefined;
  private done = 0;
  private known = false;
  private reason: MaintenanceReason | null = null;

  /** `services` are the services of the plan on the machine, the earliest first. `dateAt` returns the local date of a time. */
  constructor(
    rule: ServiceCondition,
    plan: { readonly id: string; readonly data: MaintenancePlanData },
    services: readonly RecordedService[],
    dateAt: (ms: number) => string,
  ) {
    this.rule = rule;
    this.plan = { plan_id: plan.id, plan: plan.data };
    this.services = services;
    this.dateAt = dateAt;
  }

  /** Evaluates the rule at a time, with the meters at that time. The times of successive calls must not decrease. */
  at(t_ms: number, meters: TrialMeters): void {
    while (this.done < this.services.length && (this.services[this.done] as RecordedService).at_ms <= t_ms) this.done++;
    const facts: ServiceFacts = {
      ...this.plan,
      ...meters,
      services: this.done,
      service: this.services[this.done - 1] ?? null,
      today: this.dateAt(t_ms),
      late: ON_TIME,
    };
    if (!this.known) this.learn(facts);
    const { clear, found } = judgeService(this.rule, facts, this.open?.found ?? null);
    if (clear !== null && this.open !== undefined) {
      this.open.cleared_ms = t_ms;
      this.open = undefined;
    }
    if (found === null || this.open !== undefined) return;
    this.open = { raised_ms: t_ms, cleared_ms: null, found };
    this.alerts.push(this.open);
  }

  result(): ServiceTrialResult {
    return { alerts: this.alerts, unknown: this.known ? null : this.reason };
  }

  private learn(facts: ServiceFacts): void {
    const { limits } = judgePlan(facts.plan, facts);
    this.known = limits.length === 0 || limits.some(({ left }) => left !== null);
    this.reason = limits.find(({ reason }) => reason !== null)?.reason ?? null;
  }
}
