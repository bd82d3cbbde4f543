/**
 * Applies values and trouble codes of every source to the facts of a machine (the object with its latest values and codes). Adds the events
 * that these values and codes cause to a list.
 */

import { USUAL_MACHINE_INTERVAL_S } from '#contract/base/freshness.ts';
import { SIGNAL_NAMES, type SignalName } from '#contract/base/signals.ts';
import type { EquipmentLive, LiveValue } from '#contract/fleet/equipment.ts';
import { NONE } from '#domain/base/none.ts';
import { isDated, isoTime, notBeyond, observedTime, STEP_US } from '#domain/base/times.ts';
import type { FaultMessage } from '#domain/j1939/faults.ts';
import { setCountBack } from './engine-count.ts';
import { isGnss } from './evidence.ts';
import { learnedInterval, machineInterval, NO_INTERVALS, setExpected } from './expected-times.ts';
import type { FactEvent } from './fact-events.ts';
import type { Facts, Reading } from './facts.ts';
import { applyFaultMessage, applyPreviousMessage, dtcCountsOf, dtcsOf, hearBus, setFaultsBack } from './fault-table.ts';
import { applyReading, OUTCOME, type Outcome, readingOf, type SampleOrigin, unitOf } from './latest-known.ts';
import { applyFresh, applySilence, isFresh, LIVE_RULES, type LiveRules, setLiveBack } from './live-status.ts';
import { countSpeed } from './meter-people.ts';
import { liveValue, meterValue } from './meter-view.ts';
import { setMetersBack } from './meters.ts';
import type { SourceValue } from './source-value.ts';

/** The common properties of all samples of one message. Events that the samples cause are pushed to `events`. */
export interface Arrival extends SampleOrigin {
  /** Rules of the live status; LIVE_RULES if absent. */
  readonly rules?: LiveRules;
}

/** Applies a value to the facts. A value that is not a finite number changes nothing. */
export function applyValue(facts: Facts, arrival: Arrival, sent: SourceValue): Outcome {
  if (!Number.isFinite(sent.value)) return OUTCOME.late;
  const { t_us, bus } = sent;
  const { received_us } = arrival;
  sent.observed_us = observedTime(t_us, received_us);
  const dated = !sent.undated && isDated(t_us, received_us);
  const outcome = applyReading(facts, arrival, sent, dated);
  const { signal, spn } = sent.evidence;
  if (signal === 'engine.speed') noteSpeed(facts, arrival, sent, outcome);
  if (bus !== NONE && facts.faults.buses.length > 0)
    hearBus(facts, arrival.device, bus, sent.observed_us, arrival.events);
  noteFresh(facts, arrival, isGnss(spn) ? null : signal, sent.observed_us);
  return outcome;
}

/** Counts engine hours from the values of the source that provides the engine speed, also from late values of this source. */
function noteSpeed(facts: Facts, arrival: Arrival, sent: SourceValue, outcome: Outcome): void {
  if (outcome !== OUTCOME.moved) {
    const holder = readingOf(facts, 'engine.speed');
    const { bus, unit, evidence } = sent;
    if (outcome !== OUTCOME.late || holder?.device !== arrival.device || holder.spn !== evidence.spn) return;
    if (holder.bus !== bus || unitOf(holder) !== unit) return;
  }
  countSpeed(facts, arrival, sent);
}

/** Applies a DM1. Returns false if the DM1 is older than the current DM1 and so changed nothing. */
export function applyFaults(
  facts: Facts,
  arrival: Arrival,
  message: FaultMessage,
  undated = false,
  unit = message.sa,
): boolean {
  const observed_us = observedTime(message.t_us, arrival.received_us);
  const dated = !undated && isDated(message.t_us, arrival.received_us);
  noteFresh(facts, arrival, null, observed_us);
  return applyFaultMessage(facts, arrival.device, message, observed_us, dated, arrival.events, unit);
}

/** Applies a DM2, which lists previously active trouble codes. */
export function applyPrevious(facts: Facts, arrival: Arrival, message: FaultMessage, unit = message.sa): void {
  applyPreviousMessage(facts, arrival.device, message, unit, observedTime(message.t_us, arrival.received_us));
}

/**
 * Replaces every time in the facts that is later than `now_us` by `now_us`. Call it after somebody set the clock back. Otherwise new data
 * would count as older than the stored data until the clock reaches its former time again. Returns true if a timestamp changed.
 */
export function setBack(facts: Facts, now_us: number): boolean {
  if (!(facts.newest_us > now_us + STEP_US)) return false;
  facts.newest_us = now_us;
  for (const state of Object.values(facts.signals)) {
    state.newest_us = notBeyond(state.newest_us, now_us);
    for (const source of state.sources) limitReading(source, now_us);
  }
  setMetersBack(facts, now_us);
  if (facts.counted !== undefined) setCountBack(facts.counted, Math.ceil(now_us / 1e6));
  setFaultsBack(facts, now_us);
  setLiveBack(facts.live, now_us);
  return true;
}

function limitReading(source: Reading, now_us: number): void {
  source.observed_us = notBeyond(source.observed_us, now_us);
  source.since_us = notBeyond(source.since_us, now_us);
  if (source.dated_us !== undefined) source.dated_us = notBeyond(source.dated_us, now_us);
  if (source.told_us !== undefined) source.told_us = notBeyond(source.told_us, now_us);
  if (source.pace !== undefined) source.pace.from_us = notBeyond(source.pace.from_us, now_us);
  if (source.held !== undefined) source.held.observed_us = notBeyond(source.held.observed_us, now_us);
}

/**
 * Sets the live status to `unknown` if for `stale_s` seconds no value has come that shows whether the machine runs. Returns true if the
 * status changed.
 */
export function tick(facts: Facts, now_us: number, events: FactEvent[], rules: LiveRules = LIVE_RULES): boolean {
  return applySilence(facts, now_us, rules, events);
}

function noteFresh(facts: Facts, arrival: Arrival, signal: SignalName | null, observed_us: number): void {
  const rules = arrival.rules ?? LIVE_RULES;
  if (!(facts.newest_us >= observed_us)) facts.newest_us = observed_us;
  if (isFresh(observed_us, arrival.received_us, rules)) applyFresh(facts, signal, observed_us, rules, arrival.events);
}

function readingValue(facts: Facts, signal: SignalName): LiveValue | undefined {
  const reading = readingOf(facts, signal);
  return reading && liveValue(reading);
}

/**
 * Returns the latest known values of these signals, in the form of the API. Signals without a value are left out. `set` has the intervals
 * that people set for the machine.
 */
export function liveValues(
  facts: Facts,
  signals: readonly SignalName[] = SIGNAL_NAMES,
  set = NO_INTERVALS,
): EquipmentLive['values'] {
  const values: EquipmentLive['values'] = {};
  for (const name of signals) {
    const value = meterValue(facts, name) ?? readingValue(facts, name);
    if (value === undefined) continue;
    setExpected(value, name, learnedInterval(facts, name), set);
    values[name] = value;
  }
  return values;
}

/**
 * Returns the live status, values and trouble codes of a machine, in the form in which the API returns them. If `signals` is given and the
 * machine has sent live data, the result has only the values of these signals. `set` has the intervals that people set for the machine.
 */
export function equipmentLive(facts: Facts, signals?: readonly SignalName[], set = NO_INTERVALS): EquipmentLive {
  const { live } = facts;
  const expected_interval_s = machineInterval(facts, set);
  return {
    live_status: live.status,
    live_status_since: live.since_us === null ? null : isoTime(live.since_us),
    last_live_data_at: live.last_us === 0 ? null : isoTime(live.last_us),
    // For a machine that never sent live data, return all values. The caller then finds from the newest value when the machine last sent
    // data.
    values: liveValues(facts, live.last_us === 0 ? undefined : signals, set),
    dtcs: dtcsOf(facts),
    dtc_counts: dtcCountsOf(facts),
    ...(expected_interval_s === USUAL_MACHINE_INTERVAL_S ? {} : { expected_interval_s }),
  };
}
