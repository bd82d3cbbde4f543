/**
 * Raises and clears alerts when the values of machines and devices change.
 *
 *   ingest.watch: machines and devices with new values -+
 *   store: changed rules and machines ------------------+-> once a second: judge their rules -> one commit: event and alert
 *   timer wheel: rules that are due --------------------+
 *
 * A rule has at most one open alert on a machine, also after a restart. The alert and its event in the log are written in one commit. A
 * tick judges only the machines and devices (the targets) that changed or are due. Each cleared alert uses some of the storage budget of
 * its device (how much the device may store a day). While the budget is used up, the alert stays open.
 */

import type { Spending } from '#contract/base/budget.ts';
import { messageOf, say } from '#contract/base/told.ts';
import type { LiveReader } from '#contract/context.ts';
import type { Health } from '#contract/site/node.ts';
import type { AlertData } from '#contract/work/alert.ts';
import type { WatchedReader } from '#domain/watch/machine-watch.ts';
import { CALM } from '#domain/work/alerts.ts';
import type { Store } from '#store/open-store.ts';
import { AlertJudge, withinCapacity } from './alert-judge.ts';
import { AlertStates, type Move, serviceKey } from './alert-states.ts';
import { type AlertTargets, followTargets } from './alert-targets.ts';
import { createAlertWrites, type Home, type Written } from './alert-writes.ts';
import { ensureBuiltInRules } from './built-in-rules.ts';
import { persist } from './persist.ts';
import { readAll } from './read-all.ts';
import { followServicePlans, type ServicePlans } from './service-plans.ts';
import { createWheel, type Wheel } from './wheel.ts';

/** The running watcher of alerts. */
export interface Alerts extends AsyncDisposable {
  /** Evaluates now the rules of all machines and devices that have changed or are due. The watcher also does this itself, once a second. */
  tick(): Promise<void>;
  problems(): Health['problems'];
}

export interface AlertOptions {
  readonly store: Pick<Store, 'node' | 'view' | 'find' | 'changes' | 'commit'>;
  readonly live: LiveReader;
  /** The values of machines that the rules watch. */
  readonly watched: WatchedReader;
  /** Calls the listener with the machines and devices that have new values; returns the unsubscribe function. */
  readonly watch: (
    listener: (changed: { equipment: ReadonlySet<string>; devices: ReadonlySet<string> }) => void,
  ) => () => void;
  /** Returns the time in milliseconds since 1970. */
  readonly clock: () => number;
  /** Returns false while the gateway does not trust its clock. Default: true. */
  readonly agesKnown?: () => boolean;
  /** Returns the milliseconds of a clock that never decreases. Default: `performance.now`. */
  readonly monotonic?: () => number;
  readonly random: (bytes: number) => Uint8Array;
  /** The storage budgets of devices. */
  readonly budgets: Pick<Spending, 'spend' | 'saved'>;
  readonly log: (level: 'info' | 'warn' | 'error', message: string, data?: object) => void;
  /** Milliseconds between ticks. Default: 1,000. If it is null, there is no timer, and only a call of `tick` judges rules. */
  readonly tickMs?: number | null;
  /** The largest number of open alerts of one project. Default: 1,000. */
  readonly maxOpen?: number;
}

const TICK_MS = 1_000;
/**
 * The largest number of open alerts of one project. When this number is reached, the gateway raises no more alerts in the project, and `GET
 * /api/v1/health` reports `alerts_full`.
 */
const MAX_OPEN = 1_000;
/** After this many milliseconds a tick pauses and lets other work of the event loop run. */
const SLICE_MS = 10;
/** The largest number of changes of alerts in one commit. */
const BATCH = 100;
/**
 * Milliseconds between two log lines about failed writes. The number is also the time after which a rule is judged again if it could not
 * raise its alert because of `maxOpen`.
 */
const REPEAT_MS = 60_000;

const ACTIVE = { 'data.state': 'active' };

/** The machines and devices that rules watch, and the maintenance plans. */
interface Known {
  readonly targets: AlertTargets;
  readonly plans: ServicePlans;
}

/** Evaluates the alert rules of marked machines and devices once a second, and stores the alerts. */
class AlertTicks {
  /**
   * The machines and devices whose rules the next tick evaluates, by their id. The value is the set of ids of the rules to evaluate; null
   * means all rules.
   */
  private marked = new Map<string, Set<string> | null>();
  private readonly options: AlertOptions;
  private readonly states: AlertStates;
  private readonly wheel: Wheel;
  private readonly judge: AlertJudge;
  private readonly planWrites: ReturnType<typeof createAlertWrites>;
  /** Number of alerts that the last tick did not raise, because their project had `maxOpen` open alerts. */
  private refused = 0;
  private loggedAt = Number.NEGATIVE_INFINITY;
  private running: Promise<void> | undefined;

  constructor(options: AlertOptions, known: Known, states: AlertStates, listening_ms: number) {
    const { live, watched, budgets, store, random, agesKnown = () => true } = options;
    this.options = options;
    this.states = states;
    this.wheel = createWheel(options.monotonic ?? (() => performance.now()));
    const { wheel } = this;
    this.judge = new AlertJudge({ live, watched, ...known, states, wheel, agesKnown, budgets, listening_ms });
    this.planWrites = createAlertWrites(store, random);
  }

  /** Marks a target: the next tick judges all its rules. */
  mark(id: string): void {
    this.marked.set(id, null);
  }

  /** Runs a tick; if a tick is already running, waits for its end. */
  run(): Promise<void> {
    this.running ??= this.tick().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  settled(): Promise<void> | undefined {
    return this.running;
  }

  problems(): Health['problems'] {
    if (this.refused === 0) return [];
    return [
      {
        code: 'alerts_full',
        ...messageOf(
          say('A project has {most} open alerts; {refused} more were not raised.', {
            most: this.maxOpen,
            refused: this.refused,
          }),
        ),
        since: null,
        given_up: 'new alerts of that project',
        remedy: 'Find the rule that raises so many, and mute or narrow it.',
      },
    ];
  }

  private get maxOpen(): number {
    return this.options.maxOpen ?? MAX_OPEN;
  }

  private async tick(): Promise<void> {
    this.markDue();
    if (this.marked.size === 0) return;
    const kept = this.withinCapacity(await this.judgeMarked());
    const failed = new Set<string>();
    for (let at = 0; at < kept.length; at += BATCH) {
      const batch = kept.slice(at, at + BATCH);
      try {
        await this.write(batch);
      } catch (error) {
        for (const { home } of batch) failed.add(home.id);
        this.logFailure(error);
      }
    }
    for (const { home } of kept) if (!failed.has(home.id)) this.judge.settle(home.id);
    for (const id of failed) this.mark(id);
  }

  private markDue(): void {
    this.wheel.take((target_id, rule_id) => {
      const rules = this.marked.get(target_id);
      if (rules === undefined) this.marked.set(target_id, new Set([rule_id]));
      else rules?.add(rule_id);
    });
  }

  private async judgeMarked(): Promise<Move[]> {
    const { marked } = this;
    this.marked = new Map();
    const now = this.options.clock();
    const moves: Move[] = [];
    let began = performance.now();
    for (const [id, only] of marked) {
      this.judge.judgeTarget(id, only, now, moves);
      if (performance.now() - began < SLICE_MS) continue;
      await new Promise<void>((done) => setImmediate(done));
      began = performance.now();
    }
    return moves;
  }

  private withinCapacity(moves: readonly Move[]): Move[] {
    const { kept, refused } = withinCapacity(moves, this.states.openByProject, this.maxOpen);
    this.refused = refused.length;
    for (const { home, raise } of refused) if (raise !== null) this.wheel.add(home.id, raise.rule.id, REPEAT_MS);
    return kept;
  }

  private async write(moves: readonly Move[]): Promise<void> {
    const { store, clock, budgets } = this.options;
    const now = new Date(clock()).toISOString();
    let results: Written[] = [];
    await persist(store, async () => {
      const planned: Written[] = [];
      for (const move of moves) planned.push(await this.planWrites({ ...move, open: move.state.standing.open }, now));
      results = planned;
      const payers = new Set(moves.flatMap(({ payer }) => payer ?? []));
      return [...planned.flatMap(({ writes }) => writes), ...[...payers].flatMap((id) => budgets.saved(id) ?? [])];
    });
    for (const [i, move] of moves.entries()) this.applyWritten(move, results[i] as Written);
  }

  private applyWritten({ home, state, raise, clear, join }: Move, { open, joined }: Written): void {
    const before = state.standing.open === null ? 0 : 1;
    this.states.addOpen(home.project_id, (open === null ? 0 : 1) - before);
    state.standing = { ...state.standing, open };
    if (raise !== null) {
      state.signal = raise.rule.signal;
      state.code = raise.verdict.measured.code ?? null;
      state.service = raise.verdict.measured.service ?? null;
      state.device = raise.verdict.measured.device_id;
    }
    if (join !== undefined) state.joined = joined ? join.alert_id : null;
    // Judge the target again, because another rule may raise an alert in place of the cleared alert, or join the new alert.
    const isJoinable = raise?.verdict.condition === 'code' || raise?.verdict.condition === 'service';
    if (clear !== null || isJoinable || (join !== undefined && !joined)) this.mark(home.id);
  }

  private logFailure(error: unknown): void {
    if (performance.now() - this.loggedAt < REPEAT_MS) return;
    this.loggedAt = performance.now();
    this.options.log('error', 'alerts could not be stored; they are judged again', { error: String(error) });
  }
}

/** Restores the states of the alerts that were open when the gateway stopped. */
async function readOpenAlerts(store: AlertOptions['store'], states: AlertStates): Promise<void> {
  for (const { id: alert_id, project_id, data } of await readAll<AlertData>(store, 'live', 'alert', ACTIVE)) {
    const { condition, late, raised_at, machine_id, device_id, rule_id, signal_name, code = null, service } = data;
    const home: Home = { id: machine_id ?? device_id ?? '', project_id, object: machine_id ? 'equipment' : 'device' };
    const state = states.obtain(home, service === undefined ? rule_id : serviceKey(rule_id, service.plan_id));
    state.standing = { ...CALM, open: { alert_id, condition, late, raised_ms: Date.parse(raised_at) } };
    state.signal = signal_name;
    state.code = code;
    state.service = service ?? null;
    state.device = device_id;
    states.addOpen(project_id, 1);
  }
}

/** Starts the watcher that raises and clears alerts. */
export async function startAlerts(options: AlertOptions): Promise<Alerts> {
  const { store, log, tickMs = TICK_MS } = options;
  const listening_ms = options.clock();
  const states = new AlertStates();
  let ticks: AlertTicks | undefined;
  let following: AlertTargets | undefined;
  const mark = (id: string | null, project_id: string) => {
    // Ignore changes before `ticks` exists, because all targets are marked below.
    if (id !== null) return ticks?.mark(id);
    for (const target of following?.of(project_id) ?? []) ticks?.mark(target.id);
    for (const target_id of states.targetsOf(project_id)) ticks?.mark(target_id);
  };
  const targets = await followTargets(store, mark);
  following = targets;
  const plans = await followServicePlans(store, mark);
  ticks = new AlertTicks(options, { targets, plans }, states, listening_ms);
  const running = ticks;
  await ensureBuiltInRules(store).catch((error: unknown) => {
    log('error', 'built-in alert rules could not be stored; the next start tries again', { error: String(error) });
  });
  await readOpenAlerts(store, states);
  for (const target of targets.all) running.mark(target.id);
  for (const id of states.targetIds) running.mark(id);

  const unwatch = options.watch(({ equipment, devices }) => {
    for (const id of equipment) running.mark(id);
    for (const id of devices) if (targets.get(id) !== undefined) running.mark(id);
  });
  const timer =
    tickMs === null
      ? undefined
      : setInterval(() => {
          running.run().catch((error: unknown) => log('error', 'judging alerts failed', { error: String(error) }));
        }, tickMs);

  return {
    tick: () => running.run(),
    problems: () => running.problems(),
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      unwatch();
      targets.stop();
      plans.stop();
      await running.settled();
    },
  };
}
