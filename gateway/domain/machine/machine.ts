/** The door to the facts of a machine: values come in alike, whoever told them, and trouble codes; events come out. */

import { SIGNAL_NAMES, type SignalName } from '#contract/base/signals.ts';
import type { EquipmentLive, LiveValue } from '#contract/fleet/equipment.ts';
import { NONE } from '#domain/base/none.ts';
import { isDated, isoTime, notBeyond, observedTime, STEP_US } from '#domain/base/times.ts';
import type { FaultMessage } from '#domain/j1939/faults.ts';
import type { Evidence } from './evidence.ts';
import type { FactEvent } from './fact-events.ts';
import type { Facts, Reading } from './facts.ts';
import { applyFaultMessage, applyPreviousMessage, dtcCountsOf, dtcsOf, hearBus, setFaultsBack } from './fault-table.ts';
import { applyReading, OUTCOME, type Outcome, readingOf, type SampleOrigin } from './latest-known.ts';
import { applyFresh, applySilence, isFresh, LIVE_RULES, type LiveRules, setLiveBack } from './live-status.ts';

/** What all samples of one message have in common; facts worth an event are pushed to `events`. */
export interface Arrival extends SampleOrigin {
  /** LIVE_RULES when absent. */
  readonly rules?: LiveRules;
}

/**
 * Takes a value in the signal's unit; one that is not a finite number is not taken in. Raw number, bus, address and frame are those
 * of `DecodeSink.signal`, NONE (the raw number null) for points. `undated`: its time is not the source's own; `unit`: who speaks,
 * whatever the address.
 */
export function applyValue(
  facts: Facts,
  arrival: Arrival,
  evidence: Evidence,
  raw: number | null,
  value: number,
  t_us: number,
  bus: number,
  sa: number,
  frame: number,
  undated = false,
  unit = sa,
): Outcome {
  if (!Number.isFinite(value)) return OUTCOME.late;
  const { received_us } = arrival;
  const observed_us = observedTime(t_us, received_us);
  const dated = !undated && isDated(t_us, received_us);
  const outcome = applyReading(facts, arrival, evidence, raw, value, observed_us, dated, bus, sa, frame, unit);
  if (bus !== NONE && facts.faults.buses.length > 0) hearBus(facts, arrival.device, bus, observed_us, arrival.events);
  noteFresh(facts, arrival, evidence.signal, observed_us);
  return outcome;
}

/** Takes a DM1; false when it is late and nothing moved. */
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

/** Takes a DM2: what it lists was active before. */
export function applyPrevious(facts: Facts, arrival: Arrival, message: FaultMessage, unit = message.sa): void {
  applyPreviousMessage(facts, arrival.device, message, unit, observedTime(message.t_us, arrival.received_us));
}

/**
 * The receiver's clock says now: what is known from beyond that counts as of now, or nothing would be news until the clock is there
 * again. True when something was; cheap where nothing is.
 */
export function setBack(facts: Facts, now_us: number): boolean {
  if (!(facts.newest_us > now_us + STEP_US)) return false;
  facts.newest_us = now_us;
  for (const state of Object.values(facts.signals)) {
    state.newest_us = notBeyond(state.newest_us, now_us);
    for (const source of state.sources) limitReading(source, now_us);
  }
  setFaultsBack(facts, now_us);
  setLiveBack(facts.live, now_us);
  return true;
}

function limitReading(source: Reading, now_us: number): void {
  source.observed_us = notBeyond(source.observed_us, now_us);
  source.since_us = notBeyond(source.since_us, now_us);
  if (source.dated_us !== undefined) source.dated_us = notBeyond(source.dated_us, now_us);
  if (source.told_us !== undefined) source.told_us = notBeyond(source.told_us, now_us);
  if (source.held !== undefined) source.held.observed_us = notBeyond(source.held.observed_us, now_us);
}

/** Lets time pass: silence beyond the stale window gives `unknown`; true when the live status changed. */
export function tick(facts: Facts, now_us: number, events: FactEvent[], rules: LiveRules = LIVE_RULES): boolean {
  return applySilence(facts, now_us, rules, events);
}

function noteFresh(facts: Facts, arrival: Arrival, signal: SignalName | null, observed_us: number): void {
  const rules = arrival.rules ?? LIVE_RULES;
  if (!(facts.newest_us >= observed_us)) facts.newest_us = observed_us;
  if (isFresh(observed_us, arrival.received_us, rules)) applyFresh(facts, signal, observed_us, rules, arrival.events);
}

const orNull = (number: number) => (number === NONE ? null : number);

function liveValue(reading: Reading): LiveValue {
  const { ref, frame } = reading;
  return {
    value: reading.value,
    observed_at: isoTime(reading.observed_us),
    received_at: isoTime(reading.received_us),
    device_id: reading.device,
    run_id: reading.run_id,
    ref: ref === null || frame === NONE ? ref : `${ref}#${frame}`,
    bus: orNull(reading.bus),
    source_address: orNull(reading.sa),
    pgn: orNull(reading.pgn),
    spn: reading.spn < 0 ? null : reading.spn,
    raw: reading.raw,
    ...(reading.dbc === undefined ? {} : { dbc: reading.dbc }),
  };
}

/** The latest known value of each of these signals that has one, as the wire carries it. */
export function liveValues(facts: Facts, signals: readonly SignalName[] = SIGNAL_NAMES): EquipmentLive['values'] {
  const values: EquipmentLive['values'] = {};
  for (const name of signals) {
    const reading = readingOf(facts, name);
    if (reading) values[name] = liveValue(reading);
  }
  return values;
}

/** Everything that machinery keeps of a machine, as the wire carries it; with `signals`, of a machine heard live only their values. */
export function equipmentLive(facts: Facts, signals?: readonly SignalName[]): EquipmentLive {
  const { live } = facts;
  return {
    live_status: live.status,
    live_status_since: live.since_us === null ? null : isoTime(live.since_us),
    last_live_data_at: live.last_us === 0 ? null : isoTime(live.last_us),
    // Where nothing was live the newest of all values says when it was last heard.
    values: liveValues(facts, live.last_us === 0 ? undefined : signals),
    dtcs: dtcsOf(facts),
    dtc_counts: dtcCountsOf(facts),
  };
}
