/**
 * Computes the live status of a machine from recent values. It uses the times of the frames, not the clock of the gateway.
 *
 *   engine speed, load, ground speed -> running | idle | off, each with a timer that starts again when a value contradicts the status
 *   a timer reaches 10 s -> the machine has that status; newest engine or ground speed value older than 5 minutes -> unknown
 */

import type { SignalName } from '#contract/base/signals.ts';
import type { LiveStatus } from '#contract/fleet/equipment.ts';
import { notBeyond } from '#domain/base/times.ts';
import { isGnss } from './evidence.ts';
import type { FactEvent } from './fact-events.ts';
import type { Facts, LiveState } from './facts.ts';
import { readingOf, staleAfterUs } from './latest-known.ts';

/** Thresholds from which the live status is computed. */
export interface LiveRules {
  /** Engine speed at low idle, rpm. */
  readonly idle_rpm: number;
  /** If the engine speed is above low idle by at least this many rpm, the machine counts as running, not idle. */
  readonly above_idle_rpm: number;
  /** A machine that is faster than this many km/h counts as running, because it travels. */
  readonly speed_kmh: number;
  /** If the engine load is higher than this many percent, the machine counts as running, not idle. */
  readonly load_pct: number;
  /** Seconds for which the values must fit another status before the status changes. */
  readonly hold_s: number;
  /**
   * After this many seconds without a value of engine or ground speed or engine load, the status becomes `unknown`. Data older than this is
   * not fresh.
   */
  readonly stale_s: number;
}

/**
 * The default rules. Industrial diesel engines idle at 600 to 850 rpm. With these rules, an engine that idles at 900 rpm still does not
 * count as `running`.
 */
export const LIVE_RULES: LiveRules = {
  idle_rpm: 800,
  above_idle_rpm: 150,
  speed_kmh: 1,
  load_pct: 25,
  hold_s: 10,
  stale_s: 300,
};

/** The signals that show whether the engine runs or the machine travels. */
const EVIDENCE: ReadonlySet<SignalName> = new Set<SignalName>(['engine.speed', 'engine.load', 'vehicle.speed']);

/** Returns true if data with this observation time was fresh when it was received. */
export function isFresh(observed_us: number, received_us: number, rules: LiveRules): boolean {
  return received_us - observed_us <= rules.stale_s * 1_000_000;
}

/**
 * Records that fresh data has arrived. If its signal is one of `EVIDENCE`, computes the status again. `signal` is null for data that has no
 * signal.
 */
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

/**
 * Sets the status to `unknown` if the newest evidence (engine speed, engine load or ground speed) is older than `stale_s`. Returns true if
 * the status changed.
 */
export function applySilence(facts: Facts, now_us: number, rules: LiveRules, events: FactEvent[]): boolean {
  // If the time of the evidence is in the future, somebody set the clock back. Restart the silence timer.
  setLiveBack(facts.live, now_us);
  return silence(facts.live, now_us, rules, events);
}

/** Replaces every time of the live status that is later than `now_us` by `now_us`. Call it after somebody set the clock back. */
export function setLiveBack(live: LiveState, now_us: number): void {
  if (live.since_us !== null) live.since_us = notBeyond(live.since_us, now_us);
  for (const key of TIMES) live[key] = notBeyond(live[key], now_us);
}

const TIMES = ['last_us', 'evidence_us', 'running_us', 'idle_us', 'turning_us', 'off_us'] as const;

/**
 * Sets the status to `unknown` if the newest evidence is more than `stale_s` seconds older than `now_us`. Returns true if the status
 * changed.
 */
export function silence(live: LiveState, now_us: number, rules: LiveRules, events: FactEvent[]): boolean {
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

/**
 * Returns the value of a signal if it is recent enough at the time `at` to show whether the machine runs; otherwise undefined. A speed from
 * GNSS is never used, because a machine on a trailer moves with its engine off.
 */
function evidenceOf(facts: Facts, signal: SignalName, at: number): number | undefined {
  const reading = readingOf(facts, signal);
  if (reading === undefined || isGnss(reading.spn)) return undefined;
  return at - reading.observed_us <= staleAfterUs(signal) ? reading.value : undefined;
}

function judge(facts: Facts, at: number, rules: LiveRules, events: FactEvent[]): void {
  const rpm = evidenceOf(facts, 'engine.speed', at);
  const speed = evidenceOf(facts, 'vehicle.speed', at);
  const load = evidenceOf(facts, 'engine.load', at);
  judgeValues(facts.live, at, { rpm, speed, load }, rules, events);
}

/** The values from which the status is computed; undefined if a value is missing or too old. */
export interface EvidenceValues {
  rpm: number | undefined;
  /** Ground speed in km/h. */
  speed: number | undefined;
  /** Engine load in percent. */
  load: number | undefined;
}

/**
 * Moves the timers of the status to the time `at`, at which the machine has these values. Changes the status if a timer has reached
 * `hold_s`.
 */
export function judgeValues(
  live: LiveState,
  at: number,
  { rpm, speed, load }: EvidenceValues,
  rules: LiveRules,
  events: FactEvent[],
): void {
  const stopped = rpm === 0;
  const turning = rpm !== undefined && rpm > 0;
  // Some engines report a load before they turn. Ignore the load while the engine speed is known to be zero.
  const running =
    (rpm !== undefined && rpm >= rules.idle_rpm + rules.above_idle_rpm) ||
    (speed !== undefined && speed > rules.speed_kmh) ||
    (load !== undefined && load > rules.load_pct && !stopped);

  live.running_us = running ? live.running_us || at : 0;
  live.idle_us = turning && !running ? live.idle_us || at : 0;
  live.off_us = stopped && !running ? live.off_us || at : 0;
  live.turning_us = turning ? live.turning_us || at : 0;

  const limit = at - rules.hold_s * 1_000_000;
  if (isHeld(live.running_us, limit)) enter(live, 'running', live.running_us, events);
  else if (isHeld(live.off_us, limit)) enter(live, 'off', live.off_us, events);
  else if (isHeld(live.idle_us, limit)) enter(live, 'idle', live.idle_us, events);
  else if (live.idle_us !== 0 && isHeld(live.turning_us, limit) && (live.status === 'unknown' || live.status === 'off'))
    enter(live, 'idle', live.turning_us, events);
}

/** Returns true if a timer runs and began at this time or before. */
function isHeld(since_us: number, limit_us: number): boolean {
  return since_us !== 0 && since_us <= limit_us;
}

function enter(live: LiveState, status: LiveStatus, since_us: number, events: FactEvent[]): void {
  if (live.status === status) return;
  const from = live.status;
  // The values may have fitted the new status before the old status began. Even so, the new status must not begin earlier than the old one.
  live.since_us = Math.max(since_us, live.since_us ?? 0);
  live.status = status;
  events.push({ type: 'live_status_changed', occurred_us: live.since_us, data: { from, to: status } });
}
