/**
 * Applies a value to the observation (the newest values of the device), to the facts (the values of its machine), and to the samples of its
 * history. `applyValue` returns one of three outcomes:
 *
 *   value -> device.latest
 *         -> machine.facts -> moved: a sample
 *                                   -> machine.watch: what alert rules watch
 *                          -> held (implausible): recorded in `withheld`, so that a restart does not make a sample of it
 *                          -> late: older than the present value; a sample, if the same source provides that value
 */

import { NONE } from '#domain/base/none.ts';
import { isDated, observedTime } from '#domain/base/times.ts';
import { stateCode } from '#domain/history/states.ts';
import type { ValueState } from '#domain/j1939/signals.ts';
import type { Evidence } from '#domain/machine/evidence.ts';
import type { Reading } from '#domain/machine/facts.ts';
import { OUTCOME, readingOf, unitOf } from '#domain/machine/latest-known.ts';
import { applyValue } from '#domain/machine/machine.ts';
import type { SourceValue } from '#domain/machine/source-value.ts';
import { senderOf } from './latest-values.ts';
import type { MachineState } from './machine-state.ts';
import type { MessageContext } from './message-context.ts';

/** Applies a value. Sets `sent.unit` to the control unit that has claimed the source address, and `sent.observed_us`. */
export function takeValue(context: MessageContext, sent: SourceValue): void {
  const { device, machine, arrival, position } = context;
  const { evidence, value, t_us, bus } = sent;
  const { index, key } = evidence;
  sent.observed_us = observedTime(t_us, arrival.received_us);
  context.values++;
  if (sent.observed_us > context.newest_us) context.newest_us = sent.observed_us;
  const dated = !sent.undated && isDated(t_us, arrival.received_us);
  const unit = unitAt(context, sent);
  sent.unit = unit;
  const sender = key === NONE ? NONE : senderOf(key, bus, unit);
  const moved = device.latest.note(sender, sent, dated, position);
  if (machine === undefined) {
    if (!moved) context.late++;
    return;
  }
  const outcome = applyValue(machine.facts, arrival, sent);
  if (machine.watch.hasLostUnit(machine.facts)) watchCodes(context, machine, sent.observed_us, sent.frame);
  if (outcome === OUTCOME.moved) {
    sample(context, sent);
    if (machine.watch.wants(index)) watchValue(machine, evidence);
  } else if (outcome === OUTCOME.held) machine.samples.withhold(index, sent.observed_us, value);
  else if (outcome === OUTCOME.late) {
    context.late++;
    const holder = holderOf(context, evidence, bus);
    if (holder !== undefined && unitOf(holder) === unit) sample(context, sent);
  }
}

/**
 * Adds a state that a control unit reported instead of a value ("not available" or "error") to the history of the machine. It counts only
 * if its source provides the signal, or if the signal has no value yet. Several control units may report one signal, and those that do not
 * measure it report "not available" all the time.
 */
export function takeState(
  context: MessageContext,
  source: Pick<SourceValue, 'evidence' | 'bus' | 'sa' | 't_us'>,
  state: ValueState,
): void {
  const { machine, arrival, position } = context;
  if (machine === undefined || position < machine.samples.from) return;
  const { evidence, bus } = source;
  if (readingOf(machine.facts, evidence.signal) !== undefined) {
    const holder = holderOf(context, evidence, bus);
    if (holder === undefined || unitOf(holder) !== unitAt(context, source)) return;
  }
  const code = stateCode(state);
  if (code < 0) return;
  machine.samples.addState(context, source, code, observedTime(source.t_us, arrival.received_us));
}

/**
 * Adds a sample from a message that is read again after a restart, if the message gave a sample the first time. It does not change the
 * values of the machine.
 */
export function sampleAgain(context: MessageContext, sent: SourceValue): void {
  const { device, machine, arrival } = context;
  const { evidence, value, t_us, bus, sa } = sent;
  const holder = holderOf(context, evidence, bus);
  if (machine === undefined || holder === undefined) return;
  const unit = unitOf(holder);
  // The table of source addresses comes from the snapshot (the stored state), which is newer than the message. So the table may have
  // another control unit at this address now. Accept also a control unit that had this address before.
  if (unit !== unitAt(context, sent) && !device.addresses.hasBeen(unit, bus, sa)) return;
  sent.observed_us = observedTime(t_us, arrival.received_us);
  if (!machine.samples.isWithheld(evidence.index, sent.observed_us, value)) sample(context, sent);
}

/** Adds the value that the signal has now to the values that alert rules watch. */
function watchValue({ watch, facts }: MachineState, { signal, index }: Evidence): void {
  const reading = readingOf(facts, signal);
  if (reading === undefined) return;
  // Rules on a meter use the total of the machine, as screens do.
  const total = facts.meters?.[signal]?.total;
  watch.add(index, total === undefined ? reading : { ...reading, value: total });
}

/** Adds the lamps and trouble codes that are active now, after a frame of the message, to the values that alert rules watch. */
export function watchCodes(
  { arrival }: MessageContext,
  { watch, facts }: MachineState,
  observed_us: number,
  frame: number,
): void {
  const { device, received_us, ref } = arrival;
  watch.addCodes(facts, { observed_us, received_us, device, ref, frame });
}

/** Returns the control unit at this source address; NONE for values without an address. */
function unitAt({ device }: MessageContext, { bus, sa }: Pick<SourceValue, 'bus' | 'sa'>): number {
  return sa === NONE ? NONE : device.addresses.unitOf(bus, sa);
}

/**
 * Returns the reading that gave the machine its present value of the signal, if this reading comes from the same device, parameter and bus
 * as the new value. Otherwise it returns undefined.
 */
function holderOf({ machine, arrival }: MessageContext, { signal, spn }: Evidence, bus: number): Reading | undefined {
  const holder = machine === undefined ? undefined : readingOf(machine.facts, signal);
  return holder?.spn === spn && holder.bus === bus && holder.device === arrival.device ? holder : undefined;
}

function sample(context: MessageContext, sent: SourceValue): void {
  const { machine, position } = context;
  if (machine === undefined || position < machine.samples.from) return;
  machine.samples.add(context, sent);
}
