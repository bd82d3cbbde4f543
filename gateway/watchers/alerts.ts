/**
 * The watch: raises and clears alerts as machines report.
 *
 *   ingest.watch ── machines that moved ─┐
 *   records ─────── rules, machines ─────┼─▶ once a second: their rules, judged ─▶ ONE commit: event in the log, alert
 *   time ────────── what was due ────────┘
 *
 * Invariants: a rule has at most one open alert on a machine, across restarts; an alert and the fact in the log that moved it
 * land together; a tick costs what changed, not what there is; an alert that comes and goes costs its device budget, and stays raised
 * without it.
 */

import type { Spender, Spending } from '#contract/base/budget.ts';
import type { LiveReader } from '#contract/context.ts';
import type { Health } from '#contract/site/node.ts';
import type { AlertData, AlertSignal } from '#contract/work/alert.ts';
import { CALM, judge, type Measured, muting, type Open, type Standing } from '#domain/work/alerts.ts';
import type { Store } from '#store/open-store.ts';
import { measurer } from './alert-measures.ts';
import { type AlertTargets, followTargets, type Rule, type Target } from './alert-targets.ts';
import { createAlertWrites, type Home, type Step } from './alert-writes.ts';
import { ensureBuiltInRules } from './built-in-rules.ts';
import { persist } from './persist.ts';
import { readAll } from './read-all.ts';
import { createWheel } from './wheel.ts';

/** The running watch. */
export interface Alerts extends AsyncDisposable {
  /** Judges what has changed and what is due; the part does so itself once a second. */
  tick(): Promise<void>;
  problems(): Health['problems'];
}

/** What it follows, and when. */
export interface AlertOptions {
  readonly store: Pick<Store, 'node' | 'view' | 'find' | 'changes' | 'commit'>;
  readonly live: LiveReader;
  /** Calls back with what moved. */
  readonly watch: (
    listener: (changed: { equipment: ReadonlySet<string>; devices: ReadonlySet<string> }) => void,
  ) => () => void;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Milliseconds that never go back. */
  readonly monotonic?: () => number;
  readonly random: (bytes: number) => Uint8Array;
  /** What devices may have stored. */
  readonly budgets: Pick<Spending, 'spend' | 'saved'>;
  readonly log: (level: 'info' | 'warn' | 'error', message: string, data?: object) => void;
  /** Milliseconds between ticks; a second when absent, none when null. */
  readonly tickMs?: number | null;
  /** Open alerts of a project; 1,000 when absent. */
  readonly maxOpen?: number;
}

const TICK_MS = 1_000;
/** Open alerts of one project; at the bound nothing more is raised until some are cleared, and health says so. */
const MAX_OPEN = 1_000;
/** A tick gives the event loop back after so long. */
const SLICE_MS = 10;
/** Alerts that one commit moves. */
const BATCH = 100;
const COMPLAIN_MS = 60_000;
/** Bytes that an alert takes from one end to the next: two entries in the log, and the alert itself, with envelopes and indexes. */
const ROUND_BYTES = 6_000;
/** An end that was not paid for is tried again after so long. */
const UNPAID_MS = 60_000;

/** Where a rule stands with a target. */
interface Place {
  standing: Standing;
  /** The rule as it was judged last. */
  rule: Rule | undefined;
  /** What the open alert was raised on. */
  signal: AlertSignal | undefined;
  /** The device that told. */
  device: string | null;
  /** The end of the alert was not paid for, and waits until then. */
  unpaid_ms: number;
}

/** A step, and where it is taken. */
interface Move extends Omit<Step, 'open'> {
  readonly place: Place;
  /** Whose budget has paid for it. */
  readonly payer?: string;
}

const ACTIVE = { 'data.state': 'active' };

/** Starts the watch over a store and the live facts. */
export async function startAlerts(options: AlertOptions): Promise<Alerts> {
  const { store, live, clock, random, log, budgets, maxOpen = MAX_OPEN } = options;
  const monotonic = options.monotonic ?? (() => performance.now());
  /** Rules to judge per target; null stands for all of them. */
  let dirty = new Map<string, Set<string> | null>();
  const places = new Map<string, { readonly home: Home; readonly rules: Map<string, Place> }>();
  const openIn = new Map<string, number>();
  const wheel = createWheel(monotonic);
  const writesOf = createAlertWrites(store, random);
  const listening_ms = clock();
  /** Raised nowhere because the project was full, since the last tick that had room. */
  let refused = 0;
  let complained = Number.NEGATIVE_INFINITY;

  const mark = (id: string): void => void dirty.set(id, null);
  let following: AlertTargets | undefined;
  const targets = await followTargets(store, (id, project_id) => {
    if (id !== null) return mark(id);
    // While they are being read everything is going to be judged anyway.
    for (const target of following?.of(project_id) ?? []) mark(target.id);
    for (const { home } of places.values()) if (home.project_id === project_id) mark(home.id);
  });
  following = targets;
  await ensureBuiltInRules(store).catch((error: unknown) => {
    log('error', 'built-in alert rules could not be stored; the next start tries again', { error: String(error) });
  });
  for (const { id: alert_id, project_id, data } of await readAll<AlertData>(store, 'live', 'alert', ACTIVE)) {
    const { condition, late, raised_at, machine_id, device_id, rule_id, signal_name } = data;
    const home: Home = { id: machine_id ?? device_id ?? '', project_id, object: machine_id ? 'equipment' : 'device' };
    const place = placeOf(home, rule_id);
    place.standing = { ...CALM, open: { alert_id, condition, late, raised_ms: Date.parse(raised_at) } };
    place.signal = signal_name;
    place.device = device_id;
    openIn.set(project_id, (openIn.get(project_id) ?? 0) + 1);
  }
  for (const target of targets.all) mark(target.id);
  for (const id of places.keys()) mark(id);

  function placeOf({ id, project_id, object }: Home, rule_id: string): Place {
    const own = places.get(id) ?? { home: { id, project_id, object }, rules: new Map<string, Place>() };
    places.set(id, own);
    const place = own.rules.get(rule_id) ?? {
      standing: CALM,
      rule: undefined,
      signal: undefined,
      device: null,
      unpaid_ms: 0,
    };
    own.rules.set(rule_id, place);
    return place;
  }

  /** Of what is calm nothing needs to be kept. */
  function forgetCalm(id: string, rule_id: string): void {
    const own = places.get(id)?.rules;
    const standing = own?.get(rule_id)?.standing;
    if (standing === undefined || standing.open !== null || standing.since_ms !== null) return;
    own?.delete(rule_id);
    if (own?.size === 0) places.delete(id);
  }

  function judgeTarget(id: string, only: ReadonlySet<string> | null, now: number, moves: Move[]): void {
    const target = targets.get(id);
    const rules = target === undefined ? [] : targets.rulesOf(target);
    if (only === null) leaveUnwatched(id, target, rules, moves);
    if (target === undefined) return;
    const measure = measurer(live, target);
    for (const rule of rules) {
      if (only !== null && !only.has(rule.id)) continue;
      const measured = measure(rule.signal);
      if (measured === undefined && places.get(id)?.rules.has(rule.id) !== true) continue;
      const place = placeOf(target, rule.id);
      if (!stillFits(place, rule)) {
        moves.push({ home: target, place, clear: 'rule_changed', raise: null });
        continue;
      }
      const { muted, change_ms } = muting(rule.mute, target.object === 'equipment' ? id : null, now);
      const until_ms = saidUntil(measured, now);
      const mute = muted ? 'all' : until_ms === null ? null : 'silence';
      const verdict = judge(rule, place.standing, measured, now, mute, listening_ms);
      place.standing = { ...verdict.standing, open: place.standing.open };
      for (const at_ms of [verdict.wake_ms, change_ms, until_ms])
        if (at_ms !== null && at_ms !== Number.POSITIVE_INFINITY) wheel.add(id, rule.id, at_ms - now);
      const raise = verdict.raise === null ? null : { verdict: verdict.raise, rule };
      // An end by a value costs its device; an end that people bring about, or that a graver alert follows, does not.
      const payer =
        raise === null && (verdict.clear === 'back' || verdict.clear === 'data') ? payerOf(target, place) : null;
      if (payer !== null && !isPaid(payer, place, now)) wheel.add(id, rule.id, Math.max(1, place.unpaid_ms - now));
      else if (verdict.clear !== null || raise !== null)
        moves.push({ home: target, place, clear: verdict.clear, raise, ...(payer && { payer: payer.id }) });
      else forgetCalm(id, rule.id);
    }
  }

  function payerOf({ object, id, project_id }: Home, { device }: Place): Spender {
    return device === null ? { object, id, project_id } : { object: 'device', id: device, project_id };
  }

  /** Takes the end of an alert, and that it may be raised again, from the budget; false when that has to wait. */
  function isPaid(payer: Spender, place: Place, now: number): boolean {
    if (now < place.unpaid_ms) return false;
    const over = budgets.spend(payer, 'facts', ROUND_BYTES, 2, now);
    if (over !== undefined) place.unpaid_ms = now + Math.min(UNPAID_MS, over.retry_after_s * 1000);
    return over === undefined;
  }

  /** Until when silence is explained: somebody said why the device that told last is silent, and it has not been heard since. */
  function saidUntil(measured: Measured | undefined, now: number): number | null {
    const silence = measured?.device_id ? targets.silenceOf(measured.device_id) : undefined;
    if (measured === undefined || silence === undefined) return null;
    return measured.received_ms <= silence.said_ms && now < silence.until_ms ? silence.until_ms : null;
  }

  /** False when the open alert answers a question that the rule no longer asks; a rule with other numbers is judged anew. */
  function stillFits(place: Place, rule: Rule): boolean {
    const { open } = place.standing;
    if (place.rule !== undefined && place.rule !== rule) place.standing = { ...CALM, open };
    place.rule = rule;
    if (open === null) return true;
    const asked = open.condition === 'no_data' ? rule.no_data_seconds : rule.value;
    return asked !== null && place.signal === rule.signal;
  }

  /** Clears what is open under rules that do not watch this target any more, and forgets the rest. */
  function leaveUnwatched(id: string, target: Target | undefined, rules: readonly Rule[], moves: Move[]): void {
    const own = places.get(id);
    if (own === undefined) return;
    const watching = new Set(rules.map((rule) => rule.id));
    for (const [rule_id, place] of own.rules) {
      if (watching.has(rule_id)) continue;
      const clear = target === undefined ? targets.reasonGone(id) : 'rule_changed';
      if (place.standing.open === null) own.rules.delete(rule_id);
      else moves.push({ home: own.home, place, clear, raise: null });
    }
    if (own.rules.size === 0) places.delete(id);
  }

  /** Moves that there is room for: an open alert more than the bound is not raised, and told in health. */
  function withRoom(moves: readonly Move[]): Move[] {
    const kept: Move[] = [];
    const full = new Map(openIn);
    refused = 0;
    for (const move of moves) {
      const { project_id } = move.home;
      const open = (full.get(project_id) ?? 0) - (move.place.standing.open !== null && move.clear !== null ? 1 : 0);
      const room = move.raise === null || open < maxOpen;
      if (!room && move.raise !== null) {
        refused++;
        wheel.add(move.home.id, move.raise.rule.id, COMPLAIN_MS);
      }
      full.set(project_id, open + (move.raise !== null && room ? 1 : 0));
      if (room) kept.push(move);
      else if (move.clear !== null) kept.push({ ...move, raise: null });
    }
    return kept;
  }

  async function write(moves: readonly Move[]): Promise<void> {
    const now = new Date(clock()).toISOString();
    let opens: (Open | null)[] = [];
    await persist(store, async () => {
      const planned = [];
      for (const move of moves) planned.push(await writesOf({ ...move, open: move.place.standing.open }, now));
      opens = planned.map(({ open }) => open);
      const payers = new Set(moves.flatMap(({ payer }) => payer ?? []));
      return [...planned.flatMap(({ writes }) => writes), ...[...payers].flatMap((id) => budgets.saved(id) ?? [])];
    });
    moves.forEach((move, i) => {
      settle(move, opens[i] ?? null);
    });
  }

  function settle({ home, place, raise, clear }: Move, open: Open | null): void {
    const { project_id } = home;
    const before = place.standing.open === null ? 0 : 1;
    openIn.set(project_id, (openIn.get(project_id) ?? 0) - before + (open === null ? 0 : 1));
    place.standing = { ...place.standing, open };
    if (raise !== null) {
      place.signal = raise.rule.signal;
      place.device = raise.verdict.measured.device_id;
    }
    // What is over under one rule may be open under what it has become.
    if (clear !== null) mark(home.id);
  }

  async function tick(): Promise<void> {
    wheel.take((target_id, rule_id) => {
      const asked = dirty.get(target_id);
      if (asked === undefined) dirty.set(target_id, new Set([rule_id]));
      else asked?.add(rule_id);
    });
    if (dirty.size === 0) return;
    const asked = dirty;
    dirty = new Map();
    const now = clock();
    const moves: Move[] = [];
    let began = performance.now();
    for (const [id, only] of asked) {
      judgeTarget(id, only, now, moves);
      if (performance.now() - began < SLICE_MS) continue;
      await new Promise<void>((done) => setImmediate(done));
      began = performance.now();
    }
    const kept = withRoom(moves);
    for (let at = 0; at < kept.length; at += BATCH) {
      const batch = kept.slice(at, at + BATCH);
      try {
        await write(batch);
      } catch (error) {
        for (const { home } of batch) mark(home.id);
        if (performance.now() - complained < COMPLAIN_MS) continue;
        complained = performance.now();
        log('error', 'alerts could not be stored; they are judged again', { error: String(error) });
      }
    }
  }

  let running: Promise<void> | undefined;
  const once = (): Promise<void> => {
    running ??= tick().finally(() => {
      running = undefined;
    });
    return running;
  };
  const unwatch = options.watch(({ equipment, devices }) => {
    for (const id of equipment) mark(id);
    for (const id of devices) if (targets.get(id) !== undefined) mark(id);
  });
  const { tickMs = TICK_MS } = options;
  const timer =
    tickMs === null
      ? undefined
      : setInterval(() => {
          once().catch((error: unknown) => log('error', 'judging alerts failed', { error: String(error) }));
        }, tickMs);

  return {
    tick: once,
    problems: () =>
      refused === 0
        ? []
        : [
            {
              code: 'alerts_full',
              message: `A project has ${maxOpen} open alerts; ${refused} more were not raised.`,
              since: null,
              given_up: 'new alerts of that project',
              remedy: 'Find the rule that raises so many, and mute or narrow it.',
            },
          ],
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      unwatch();
      targets.stop();
      await running;
    },
  };
}
