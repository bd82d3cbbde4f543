import type { AlertCode, AlertSignal } from '#contract/work/alert.ts';
import type { AlertServiceFound } from '#contract/work/alert-conditions.ts';
import { CALM, type Standing } from '#domain/work/alerts.ts';
import type { Rule } from './alert-targets.ts';
import type { Home, Step } from './alert-writes.ts';

/** The state of one alert rule on one target, which is a machine or a device without a machine. */
export interface RuleState {
  standing: Standing;
  /** The rule as it was when the watcher judged it last. If it differs from the stored rule, a person has changed the rule. */
  rule: Rule | undefined;
  /** The signal with which the rule raised its last alert; undefined if there was no alert. */
  signal: AlertSignal | undefined;
  /** The trouble code of the open alert; null if the alert is not about a trouble code. */
  code: AlertCode | null;
  /** The service of the open alert; null if the alert is not about a service. */
  service: AlertServiceFound | null;
  /**
   * Id of the open alert that this rule has joined; null if it has joined no alert. A rule joins an alert whose trouble code explains what
   * the rule found, or that is about the same due service; it then raises no alert of its own.
   */
  joined: string | null;
  /** The device that reported the value of the open alert. */
  device: string | null;
  /**
   * The alert is not cleared before this time (milliseconds since 1970), because the storage budget of its device could not pay for
   * clearing it; 0 if the budget could pay.
   */
  unpaid_ms: number;
}

/** An alert to raise or clear, with the state of the rule that raises or clears the alert. */
export interface Move extends Omit<Step, 'open'> {
  readonly state: RuleState;
  /** The machine or device whose storage budget has paid for this change. */
  readonly payer?: string;
}

/** Returns the name of the state of a rule on services for one plan. A rule on services has one state for each plan of a machine. */
export function serviceKey(rule_id: string, plan_id: string): string {
  return `${rule_id} ${plan_id}`;
}

/** Returns the rule of a state by the name of the state, and its plan if the rule is on services. */
export function partsOfKey(key: string): { readonly rule_id: string; readonly plan_id: string | undefined } {
  const [rule_id = '', plan_id] = key.split(' ');
  return { rule_id, plan_id };
}

interface TargetStates {
  readonly home: Home;
  /** The states by the id of the rule, or by `serviceKey` for a rule on services. */
  readonly rules: Map<string, RuleState>;
}

/**
 * The states of all alert rules on all targets. A rule has no entry for a target if it has no open alert on the target and is not about to
 * raise one.
 */
export class AlertStates {
  private readonly targets = new Map<string, TargetStates>();
  private readonly open = new Map<string, number>();

  get targetIds(): Iterable<string> {
    return this.targets.keys();
  }

  get(target_id: string): TargetStates | undefined {
    return this.targets.get(target_id);
  }

  /** Yields the ids of the targets of a project for which the state of at least one rule is stored. */
  *targetsOf(project_id: string): Generator<string> {
    for (const { home } of this.targets.values()) if (home.project_id === project_id) yield home.id;
  }

  /** Number of open alerts of each project, by project id. */
  get openByProject(): ReadonlyMap<string, number> {
    return this.open;
  }

  addOpen(project_id: string, difference: number): void {
    this.open.set(project_id, (this.open.get(project_id) ?? 0) + difference);
  }

  has(target_id: string, rule_id: string): boolean {
    return this.targets.get(target_id)?.rules.has(rule_id) === true;
  }

  /** Returns the state of a rule on a target; creates the state if there is none. */
  obtain({ id, project_id, object }: Home, key: string): RuleState {
    const target = this.targets.get(id) ?? { home: { id, project_id, object }, rules: new Map<string, RuleState>() };
    this.targets.set(id, target);
    const state = target.rules.get(key) ?? {
      standing: CALM,
      rule: undefined,
      signal: undefined,
      code: null,
      service: null,
      joined: null,
      device: null,
      unpaid_ms: 0,
    };
    target.rules.set(key, state);
    return state;
  }

  delete(target_id: string, key: string): void {
    const rules = this.targets.get(target_id)?.rules;
    rules?.delete(key);
    if (rules?.size === 0) this.targets.delete(target_id);
  }

  /** Deletes the state of a rule on a target if the rule has no open alert there and is about to raise none. */
  deleteIfCalm(target_id: string, rule_id: string): void {
    const standing = this.targets.get(target_id)?.rules.get(rule_id)?.standing;
    if (standing?.open === null && standing.since_ms === null) this.delete(target_id, rule_id);
  }
}
