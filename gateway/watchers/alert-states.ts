import type { AlertCode, AlertSignal } from '#contract/work/alert.ts';
import { CALM, type Standing } from '#domain/work/alerts.ts';
import type { Rule } from './alert-targets.ts';
import type { Home } from './alert-writes.ts';

/** The state of one alert rule on one target, which is a machine or a device without a machine. */
export interface RuleState {
  standing: Standing;
  /** The rule as it was when the watcher judged it last. If it differs from the stored rule, a person has changed the rule. */
  rule: Rule | undefined;
  /** The signal with which the rule raised its last alert; undefined if there was no alert. */
  signal: AlertSignal | undefined;
  /** The trouble code of the open alert; null if the alert is not about a trouble code. */
  code: AlertCode | null;
  /**
   * Id of the open alert that this rule has joined; null if it has joined no alert. A rule joins an alert whose trouble code explains what
   * the rule found; it then raises no alert of its own.
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

interface TargetStates {
  readonly home: Home;
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
  obtain({ id, project_id, object }: Home, rule_id: string): RuleState {
    const target = this.targets.get(id) ?? { home: { id, project_id, object }, rules: new Map<string, RuleState>() };
    this.targets.set(id, target);
    const state = target.rules.get(rule_id) ?? {
      standing: CALM,
      rule: undefined,
      signal: undefined,
      code: null,
      joined: null,
      device: null,
      unpaid_ms: 0,
    };
    target.rules.set(rule_id, state);
    return state;
  }

  delete(target_id: string, rule_id: string): void {
    const rules = this.targets.get(target_id)?.rules;
    rules?.delete(rule_id);
    if (rules?.size === 0) this.targets.delete(target_id);
  }

  /** Deletes the state of a rule on a target if the rule has no open alert there and is about to raise none. */
  deleteIfCalm(target_id: string, rule_id: string): void {
    const standing = this.targets.get(target_id)?.rules.get(rule_id)?.standing;
    if (standing?.open === null && standing.since_ms === null) this.delete(target_id, rule_id);
  }
}
