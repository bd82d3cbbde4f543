/**
 * Applies a value to the observation (the newest values of the device), to the facts (the values of its machine), and to the samples of its
 * history. `applyValue` returns one of three outcomes:
 *
 *   value -> device.latest
 *         -> machine.facts -> moved: a sample
 *                          -> held (implausible): recorded in `withheld`, so that a restart does not make a sample of it
 *                          -> late: older than the present value; a sample, if the same source provides that value
 */

import { NONE } from '#domain/base/none.ts';
import { isDated, observedTime } from '#domain/base/times.ts';
import type { Evidence } from '#domain/machine/evidence.ts';
import type { Reading } from '#domain/machine/facts.ts';
import { OUTCOME, readingOf, unitOf } from '#domain/machine/latest-known.ts';
import { applyValue } from '#domain/machine/machine.ts';
import type { SourceValue } from '#domain/machine/source-value.ts';
import { senderOf } from './latest-values.ts';
import type { MessageContext } from './message-context.ts';

/** Applies a value, and sets `sent.unit` to the control unit that has claimed the source address. */
export function takeValue(context: MessageContext, sent: SourceValue): void {
  const { device, machine, arrival, position } = context;
  const { evidence, value, t_us, bus } = sent;
  const { index, key } = evidence;
  const observed_us = observedTime(t_us, arrival.received_us);
  context.values++;
  if (observed_us > context.newest_us) context.newest_us = observed_us;
  const dated = !sent.undated && isDated(t_us, arrival.received_us);
  const unit = unitAt(context, sent);
  sent.unit = unit;
  const sender = key === NONE ? NONE : senderOf(key, bus, unit);
  const moved = device.latest.note(sender, sent, observed_us, dated, position);
  if (machine === undefined) {
    if (!moved) context.late++;
    return;
  }
  const outcome = applyValue(machine.facts, arrival, sent);
  if (outcome === OUTCOME.moved) sample(context, sent, observed_us);
  else if (outcome === OUTCOME.held) machine.samples.withhold(index, observed_us, value);
  else if (outcome === OUTCOME.late) {
    context.late++;
    const holder = holderOf(context, evidence, bus);
    if (holder !== undefined && unitOf(holder) === unit) sample(context, sent, observed_us);
  }
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
  const observed_us = observedTime(t_us, arrival.received_us);
  if (!machine.samples.isWithheld(evidence.index, observed_us, value)) sample(context, sent, observed_us);
}

/** Returns the control unit at this source address; NONE for values without an address. */
function unitAt({ device }: MessageContext, { bus, sa }: SourceValue): number {
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

function sample({ machine, arrival, position, shared }: MessageContext, sent: SourceValue, observed_us: number): void {
  if (machine === undefined || position < machine.samples.from) return;
  machine.samples.add(arrival, sent, observed_us, position, shared.mono);
}
