/**
 * Judges alert rules, which means: evaluates the rules of a machine or device (the "target") with its newest values, and returns the alerts
 * to raise and to clear.
 */
import type { Spender, Spending } from '#contract/base/budget.ts';
import type { LiveReader } from '#contract/context.ts';
import type { AlertCode } from '#contract/work/alert.ts';
import type { WatchedReader } from '#domain/watch/machine-watch.ts';
import { explains } from '#domain/work/alert-causes.ts';
import { CALM, judgeAll, type Measured, muting, stillHasCondition, type Verdict } from '#domain/work/alerts.ts';
import { type Measures, measuresOf } from './alert-measures.ts';
import { type AlertStates, type Move, partsOfKey, type RuleState } from './alert-states.ts';
import type { AlertTargets, Rule, Target } from './alert-targets.ts';
import type { Home } from './alert-writes.ts';
import { ServiceJudge } from './service-judge.ts';
import type { ServicePlans } from './service-plans.ts';
import type { Wheel } from './wheel.ts';

/**
 * A storage budget (how much a device may store a day) pays this many bytes for each alert, and for each rule that joined an alert. This is
 * the size of two log entries and of the alert document in the database.
 */
const ROUND_BYTES = 6_000;
/** If the storage budget of a device cannot pay for clearing an alert, the gateway tries again after at most this many milliseconds. */
const UNPAID_MS = 60_000;

/** The arguments for judging the rules of one target in one tick of the watcher. */
interface Round {
  readonly target: Target;
  readonly measures: Measures;
  readonly now: number;
  readonly moves: Move[];
  /** The index in `moves` (the list of alerts to raise and to clear) of the first entry of this target. */
  readonly first: number;
}

/** A rule, the value that it watches, and the result of judging this value. */
interface Judged {
  readonly rule: Rule;
  readonly state: RuleState;
  readonly measured: Measured;
  readonly verdict: Verdict;
  readonly muted: boolean;
}

interface JudgeOptions {
  readonly live: LiveReader;
  readonly watched: WatchedReader;
  readonly targets: AlertTargets;
  readonly states: AlertStates;
  readonly wheel: Wheel;
  readonly plans: ServicePlans;
  /** Returns false while the gateway does not trust its clock. */
  readonly agesKnown: () => boolean;
  readonly budgets: Pick<Spending, 'spend'>;
  /** Time at which the gateway started to receive, in milliseconds since 1970. Silence of a device counts only from this time. */
  readonly listening_ms: number;
}

export class AlertJudge {
  private readonly options: JudgeOptions;
  private readonly services: ServiceJudge;
  /** The targets with a rule that joins an alert in the next tick. Until then they keep their values. */
  private readonly joining = new Set<string>();

  constructor(options: JudgeOptions) {
    this.options = options;
    this.services = new ServiceJudge(options);
  }

  /** Judges the rules of a target, or only the rules with an id in `due`, and appends the alerts to raise and to clear to `moves`. */
  judgeTarget(id: string, due: ReadonlySet<string> | null, now: number, moves: Move[]): void {
    const { targets, live, watched } = this.options;
    // New values concern all rules. `settle` forgets the values, so all rules must be judged with them before.
    const only = watched.isWaiting(id) ? null : due;
    const target = targets.get(id);
    const rules = target === undefined ? [] : targets.rulesOf(target);
    const first = moves.length;
    this.joining.delete(id);
    if (only === null) this.clearUnwatched(id, target, rules, moves);
    if (target === undefined) return;
    const round: Round = { target, measures: measuresOf(live, watched, target), now, moves, first };
    for (const rule of rules) {
      if (only !== null && !only.has(rule.id)) continue;
      const { service } = rule;
      if (service == null) this.judgeRule(round, rule);
      else this.services.judge(target, { ...rule, service }, now, moves);
    }
    if (only === null && moves.length === first) this.settle(id);
  }

  /** Forgets the values of a target, because the alerts that they raise are stored. */
  settle(id: string): void {
    if (!this.joining.has(id)) this.options.watched.settle(id);
  }

  private judgeRule(round: Round, rule: Rule): void {
    const { states, wheel, listening_ms } = this.options;
    const { target, now, moves } = round;
    const { id } = target;
    const known = states.get(id)?.rules.get(rule.id);
    const values = round.measures.measure(
      rule,
      known === undefined || known.standing.open === null ? null : known.code,
    );
    const newest = values.at(-1);
    if (newest === undefined && !states.has(id, rule.id)) return;
    const state = states.obtain(target, rule.id);
    if (!stillFits(state, rule)) {
      moves.push({ home: target, state, clear: 'rule_changed', raise: null });
      return;
    }
    const { muted, change_ms } = muting(rule.mute, target.object === 'equipment' ? id : null, now);
    const until_ms = this.silenceExplainedUntil(newest, now);
    const mute = muted ? 'all' : until_ms === null ? null : 'silence';
    const verdict = judgeAll(rule, state.standing, values, now, mute, listening_ms);
    state.standing = { ...verdict.standing, open: state.standing.open };
    for (const at_ms of [verdict.wake_ms, change_ms, until_ms])
      if (at_ms !== null && at_ms !== Number.POSITIVE_INFINITY) wheel.add(id, rule.id, at_ms - now);
    const measured = verdict.raise?.measured ?? newest;
    if (measured !== undefined && this.explained(round, { rule, state, measured, verdict, muted })) return;
    const raise = verdict.raise === null ? null : { verdict: verdict.raise, rule };
    // Charge the device only when a new value clears the alert. Charge nothing when the alert is cleared for another reason, for example
    // because another alert replaces it.
    const isCharged = raise === null && (verdict.clear === 'back' || verdict.clear === 'data');
    const payer = isCharged ? payerOf(target, state) : null;
    if (payer !== null && !this.charge(payer, state, now, 1 + this.joinedTo(id, state)))
      wheel.add(id, rule.id, Math.max(1, state.unpaid_ms - now));
    else if (verdict.clear !== null || raise !== null)
      moves.push({ home: target, state, clear: verdict.clear, raise, ...(payer && { payer: payer.id }) });
    else states.deleteIfCalm(id, rule.id);
  }

  /**
   * Handles a rule if an alert on a trouble code explains what the rule found (see `alert-causes.ts`). The rule joins that alert and raises
   * no alert of its own; if it has an open alert, that alert is cleared. Returns false if no alert explains the rule.
   */
  private explained(round: Round, { rule, state, measured, verdict, muted }: Judged): boolean {
    const { target, moves } = round;
    const { raise, clear } = verdict;
    const { open, since_ms } = state.standing;
    const raises = raise !== null && !raise.late && raise.condition !== 'no_data';
    const holds = open?.condition === 'threshold' && !open.late && !muted && clear === null && since_ms !== null;
    if (!raises && !holds) return false;
    const own = moves.slice(round.first);
    const cause = this.causeOf(round, rule, measured, own);
    if (cause === undefined) return false;
    const isPending = own.some((move) => move.state === cause || move.join?.alert_id === cause.standing.open?.alert_id);
    // An alert changes at most once in a tick (one pass of the watcher). The next tick judges the rule again, with the alert that this tick
    // stores.
    if (cause.standing.open === null || isPending) {
      this.options.wheel.add(target.id, rule.id, 1);
      this.joining.add(target.id);
    } else {
      const { alert_id } = cause.standing.open;
      const cleared = raises ? clear : 'joined';
      if (state.joined !== alert_id)
        moves.push({ home: target, state, clear: cleared, raise: null, join: { alert_id, rule, measured } });
      else if (cleared !== null) moves.push({ home: target, state, clear: cleared, raise: null });
    }
    return true;
  }

  /**
   * Finds an alert that explains what the given rule found, and returns the state of the rule that raised that alert. It prefers the alert
   * that has been open longest, and otherwise uses an alert that is raised in this tick.
   */
  private causeOf(
    { target, measures: { facts } }: Round,
    rule: Rule,
    measured: Measured,
    own: readonly Move[],
  ): RuleState | undefined {
    if (facts === undefined) return undefined;
    const fits = (code: AlertCode | null | undefined) => code != null && explains(code, rule.signal, measured, facts);
    let earliest: RuleState | undefined;
    for (const [rule_id, state] of this.options.states.get(target.id)?.rules ?? []) {
      const { open } = state.standing;
      if (rule_id === rule.id || open?.condition !== 'code' || open.late || !fits(state.code)) continue;
      if (open.raised_ms < (earliest?.standing.open?.raised_ms ?? Number.POSITIVE_INFINITY)) earliest = state;
    }
    if (earliest !== undefined) return earliest;
    return own.find(({ raise }) => raise !== null && !raise.verdict.late && fits(raise.verdict.measured.code))?.state;
  }

  /** Returns the number of rules that have joined the open alert of this state. */
  private joinedTo(target_id: string, { standing: { open } }: RuleState): number {
    const states = [...(this.options.states.get(target_id)?.rules.values() ?? [])];
    return open === null ? 0 : states.filter(({ joined }) => joined === open.alert_id).length;
  }

  /**
   * Charges the storage budget of `payer` when an alert is cleared. The charge already includes raising the alert, with its joined rules,
   * again later. Returns false if the budget cannot pay; the alert must then stay open.
   */
  private charge(payer: Spender, state: RuleState, now: number, rules: number): boolean {
    if (now < state.unpaid_ms) return false;
    const over = this.options.budgets.spend(payer, 'facts', rules * ROUND_BYTES, rules * 2, now);
    if (over !== undefined) state.unpaid_ms = now + Math.min(UNPAID_MS, over.retry_after_s * 1000);
    return over === undefined;
  }

  /**
   * A person may explain why a device is silent, and until when. Returns the end of this time in milliseconds since 1970. Returns null if
   * there is no explanation, or if the device has sent data after the explanation.
   */
  private silenceExplainedUntil(measured: Measured | undefined, now: number): number | null {
    const silence = measured?.device_id ? this.options.targets.silenceOf(measured.device_id) : undefined;
    if (measured === undefined || silence === undefined) return null;
    return measured.received_ms <= silence.explained_ms && now < silence.until_ms ? silence.until_ms : null;
  }

  /** Clears the open alerts of rules that no longer watch this target. If such a rule has no open alert, deletes its state. */
  private clearUnwatched(id: string, target: Target | undefined, rules: readonly Rule[], moves: Move[]): void {
    const { states, targets } = this.options;
    const own = states.get(id);
    if (own === undefined) return;
    const watching = new Map(rules.map((rule) => [rule.id, rule]));
    for (const [key, state] of [...own.rules]) {
      const { rule_id, plan_id } = partsOfKey(key);
      const rule = watching.get(rule_id);
      // A rule that now watches services, or no longer does, has another kind of state.
      if (rule !== undefined && (rule.service != null) === (plan_id !== undefined)) continue;
      const clear = target === undefined ? targets.reasonGone(id) : 'rule_changed';
      if (state.standing.open === null) states.delete(id, key);
      else moves.push({ home: own.home, state, clear, raise: null });
    }
  }
}

function payerOf({ object, id, project_id }: Home, { device }: RuleState): Spender {
  return device === null ? { object, id, project_id } : { object: 'device', id: device, project_id };
}

/** Resets the state of a rule that a person has changed. Returns false if the open alert does not fit the changed rule. */
function stillFits(state: RuleState, rule: Rule): boolean {
  const { open } = state.standing;
  if (state.rule !== undefined && state.rule !== rule) state.standing = { ...CALM, open };
  state.rule = rule;
  return open === null || stillHasCondition(rule, open, state.signal, state.code);
}

/**
 * Limits the number of open alerts of each project to `maxOpen`. `refused` has the changes that would raise an alert above this limit;
 * `kept` has all other changes. If a refused change also clears an alert, `kept` has the part that clears it.
 */
export function withinCapacity(
  moves: readonly Move[],
  openByProject: ReadonlyMap<string, number>,
  maxOpen: number,
): { readonly kept: Move[]; readonly refused: Move[] } {
  const kept: Move[] = [];
  const refused: Move[] = [];
  const counts = new Map(openByProject);
  for (const move of moves) {
    const { project_id } = move.home;
    const open = (counts.get(project_id) ?? 0) - (move.state.standing.open !== null && move.clear !== null ? 1 : 0);
    const fits = move.raise === null || open < maxOpen;
    counts.set(project_id, open + (move.raise !== null && fits ? 1 : 0));
    if (fits) kept.push(move);
    else {
      refused.push(move);
      if (move.clear !== null) kept.push({ ...move, raise: null });
    }
  }
  return { kept, refused };
}
