/**
 * Live status from fresh evidence, on frame time (D-37).
 *
 *   engine speed, load, ground speed -> running | idle | off, each a timer of how long it has held without contradiction
 *   a timer at 10 s -> that status; evidence older than 5 minutes -> unknown
 */

import type { SignalName } from '#contract/base/signals.ts';
import type { LiveStatus } from '#contract/fleet/equipment.ts';
import { notBeyond } from '#domain/base/times.ts';
import type { FactEvent } from './fact-events.ts';
import type { Facts, LiveState } from './facts.ts';
import { readingOf, staleAfterUs } from './latest-known.ts';

/** Thresholds of the live status; per machine where somebody knows better. */
export interface LiveRules {
  /** Engine speed at low idle, rpm. */
  readonly idle_rpm: number;
  /** This much above idle is work, rpm. */
  readonly above_idle_rpm: number;
  /** Above this the machine travels, km/h. */
  readonly speed_kmh: number;
  /** Above this the engine works, %. */
  readonly load_pct: number;
  /** Seconds that evidence must hold. */
  readonly hold_s: number;
  /** Seconds after which silence is unknown and data is not fresh. */
  readonly stale_s: number;
}

/** D-37. Low idle of industrial diesels lies at 600 to 850 rpm; 800 keeps a high idle of 900 out of `running`. */
export const LIVE_RULES: LiveRules = {
  idle_rpm: 800,
  above_idle_rpm: 150,
  speed_kmh: 1,
  load_pct: 25,
  hold_s: 10,
  stale_s: 300,
};

/** Signals that say something about the engine or the wheels. */
const EVIDENCE: ReadonlySet<SignalName> = new Set<SignalName>(['engine.speed', 'engine.load', 'vehicle.speed']);

/** True when data of this observation is fresh at its receipt. */
export function isFresh(observed_us: number, received_us: number, rules: LiveRules): boolean {
  return received_us - observed_us <= rules.stale_s * 1_000_000;
}

/** Takes note of fresh data; a signal that is evidence has the status judged again, null is data of another kind. */
export function applyFresh(
  facts: Facts,
  signal: SignalName | null,
  observed_us: number,
  rules: LiveRules,
  events: FactEvent[],
): void {
  const { live } = facts;
  if (observed_us > live.last_us) live.last_us = observed_us;
  if (signal === null || !EVIDENCE.has(signal)) return;
  const at = Math.max(live.evidence_us, observed_us);
  silence(live, at, rules, events);
  live.evidence_us = at;
  judge(facts, at, rules, events);
}

/** Lets silence speak: `unknown` once evidence is older than the stale window; true when the status changed. */
export function applySilence(facts: Facts, now_us: number, rules: LiveRules, events: FactEvent[]): boolean {
  // What is from beyond now is of a clock that was set back since: silence begins now.
  setLiveBack(facts.live, now_us);
  return silence(facts.live, now_us, rules, events);
}

/** The clock says now: nothing of the live status is from beyond. */
export function setLiveBack(live: LiveState, now_us: number): void {
  if (live.since_us !== null) live.since_us = notBeyond(live.since_us, now_us);
  for (const key of TIMES) live[key] = notBeyond(live[key], now_us);
}

const TIMES = ['last_us', 'evidence_us', 'running_us', 'idle_us', 'turning_us', 'off_us'] as const;

function silence(live: LiveState, now_us: number, rules: LiveRules, events: FactEvent[]): boolean {
  const until = live.evidence_us + rules.stale_s * 1_000_000;
  if (now_us <= until) return false;
  live.running_us = 0;
  live.idle_us = 0;
  live.turning_us = 0;
  live.off_us = 0;
  if (live.status === 'unknown') return false;
  enter(live, 'unknown', until, events);
  return true;
}

/** The value of a signal while it is evidence beside data of `at`. */
function evidenceOf(facts: Facts, signal: SignalName, at: number): number | undefined {
  const reading = readingOf(facts, signal);
  return reading !== undefined && at - reading.observed_us <= staleAfterUs(signal) ? reading.value : undefined;
}

function judge(facts: Facts, at: number, rules: LiveRules, events: FactEvent[]): void {
  const { live } = facts;
  const rpm = evidenceOf(facts, 'engine.speed', at);
  const speed = evidenceOf(facts, 'vehicle.speed', at);
  const load = evidenceOf(facts, 'engine.load', at);

  const stopped = rpm === 0;
  const turning = rpm !== undefined && rpm > 0;
  // Some engines report a load before they turn: it counts only where the engine is not known to stand.
  const running =
    (rpm !== undefined && rpm >= rules.idle_rpm + rules.above_idle_rpm) ||
    (speed !== undefined && speed > rules.speed_kmh) ||
    (load !== undefined && load > rules.load_pct && !stopped);

  live.running_us = running ? live.running_us || at : 0;
  live.idle_us = turning && !running ? live.idle_us || at : 0;
  live.off_us = stopped && !running ? live.off_us || at : 0;
  live.turning_us = turning ? live.turning_us || at : 0;

  const held = (since: number) => since !== 0 && at - since >= rules.hold_s * 1_000_000;
  if (held(live.running_us)) enter(live, 'running', live.running_us, events);
  else if (held(live.off_us)) enter(live, 'off', live.off_us, events);
  else if (held(live.idle_us)) enter(live, 'idle', live.idle_us, events);
  else if (live.idle_us !== 0 && held(live.turning_us) && (live.status === 'unknown' || live.status === 'off'))
    enter(live, 'idle', live.turning_us, events);
}

function enter(live: LiveState, status: LiveStatus, since_us: number, events: FactEvent[]): void {
  if (live.status === status) return;
  const from = live.status;
  // Evidence may begin before the status that it ends did: statuses follow each other.
  live.since_us = Math.max(since_us, live.since_us ?? 0);
  live.status = status;
  events.push({ type: 'live_status_changed', occurred_us: live.since_us, data: { from, to: status } });
}
