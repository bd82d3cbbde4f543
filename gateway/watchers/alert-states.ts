import type { AlertCode, AlertSignal } from '#contract/work/alert.ts';
import { CALM, type Standing } from '#domain/work/alerts.ts';
import type { Rule } from './alert-targets.ts';
import type { Home } from './alert-writes.ts';

/** The state of one rule on one target. */
export interface RuleState {
  standing: Standing;
  /** The version of the rule that was judged last. */
  rule: Rule | undefined;
  /** The signal on which the open alert was raised. */
  signal: AlertSignal | undefined;
  /** The trouble code of the open alert; null when it has none. */
  code: AlertCode | null;
  /** The open alert on a trouble code that explains this rule, so that the rule raises none. */
  joined: string | null;
  /** The device that reported the value of the open alert. */
  device: string | null;
  /** Until then the end of the alert waits, because its budget was exceeded. */
  unpaid_ms: number;
}

interface TargetStates {
  readonly home: Home;
  readonly rules: Map<string, RuleState>;
}

/** The states of all rules on all targets. A rule that is neither open nor about to open on a target has no entry. */
export class AlertStates {
  private readonly targets = new Map<string, TargetStates>();
  private readonly open = new Map<string, number>();

  get targetIds(): Iterable<string> {
    return this.targets.keys();
  }

  get(target_id: string): TargetStates | undefined {
    return this.targets.get(target_id);
  }

  /** The targets of a project that have an entry. */
  *targetsOf(project_id: string): Generator<string> {
    for (const { home } of this.targets.values()) if (home.project_id === project_id) yield home.id;
  }

  /** Number of open alerts per project. */
  get openByProject(): ReadonlyMap<string, number> {
    return this.open;
  }

  addOpen(project_id: string, difference: number): void {
    this.open.set(project_id, (this.open.get(project_id) ?? 0) + difference);
  }

  has(target_id: string, rule_id: string): boolean {
    return this.targets.get(target_id)?.rules.has(rule_id) === true;
  }

  /** The state of a rule on a target; created when there is none. */
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

  /** Deletes the state of a rule that is neither open nor about to open. */
  deleteIfCalm(target_id: string, rule_id: string): void {
    const standing = this.targets.get(target_id)?.rules.get(rule_id)?.standing;
    if (standing?.open === null && standing.since_ms === null) this.delete(target_id, rule_id);
  }
}
