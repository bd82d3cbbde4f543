/**
 * A value of the message at hand: into the device's observation, the facts of its machine, and the samples.
 *
 *   value -> device.latest
 *         -> machine.facts -> moved: a sample
 *                          -> held: withheld, so that it is no sample after a restart either
 *                          -> late: a sample still, where its sender is the one that speaks for the signal
 */

import { NONE } from '#domain/base/none.ts';
import { isDated, observedTime } from '#domain/base/times.ts';
import type { Evidence } from '#domain/machine/evidence.ts';
import type { Reading } from '#domain/machine/facts.ts';
import { OUTCOME, readingOf, unitOf } from '#domain/machine/latest-known.ts';
import { applyValue } from '#domain/machine/machine.ts';
import { senderOf } from './latest-values.ts';
import type { MessageContext } from './message-context.ts';

/** Takes a value in the signal's unit; `bus`, `sa` and `frame` are NONE for points. `undated`: its time is not the source's own. */
export function takeValue(
  context: MessageContext,
  evidence: Evidence,
  raw: number | null,
  value: number,
  t_us: number,
  bus: number,
  sa: number,
  frame: number,
  undated: boolean,
): void {
  const { device, machine, arrival, position } = context;
  const { index, key, rank } = evidence;
  const observed_us = observedTime(t_us, arrival.received_us);
  context.values++;
  if (observed_us > context.newest_us) context.newest_us = observed_us;
  const dated = !undated && isDated(t_us, arrival.received_us);
  const unit = unitAt(context, bus, sa);
  const sender = key === NONE ? NONE : senderOf(key, bus, unit);
  const moved = device.latest.note(index, sender, rank, value, observed_us, dated, position, frame);
  if (machine === undefined) {
    if (!moved) context.late++;
    return;
  }
  const outcome = applyValue(machine.facts, arrival, evidence, raw, value, t_us, bus, sa, frame, undated, unit);
  if (outcome === OUTCOME.moved) sample(context, index, observed_us, value);
  else if (outcome === OUTCOME.held) machine.samples.withhold(index, observed_us, value);
  else if (outcome === OUTCOME.late) {
    context.late++;
    const holder = holderOf(context, evidence, bus);
    if (holder !== undefined && unitOf(holder) === unit) sample(context, index, observed_us, value);
  }
}

/** As `takeValue` for a message that is in the facts already: a sample, where it was one then. */
export function sampleAgain(
  context: MessageContext,
  evidence: Evidence,
  value: number,
  t_us: number,
  bus: number,
  sa: number,
): void {
  const { device, machine, arrival } = context;
  const holder = holderOf(context, evidence, bus);
  if (machine === undefined || holder === undefined) return;
  const unit = unitOf(holder);
  // Addresses are those of now, further on than messages that are read again.
  if (unit !== unitAt(context, bus, sa) && !device.addresses.hasBeen(unit, bus, sa)) return;
  const observed_us = observedTime(t_us, arrival.received_us);
  if (!machine.samples.isWithheld(evidence.index, observed_us, value))
    sample(context, evidence.index, observed_us, value);
}

/** The control unit that speaks; NONE where nobody says who does. */
function unitAt({ device }: MessageContext, bus: number, sa: number): number {
  return sa === NONE ? NONE : device.addresses.unitOf(bus, sa);
}

/** The reading that stands for the machine's signal, when this device told it by this evidence on this bus. */
function holderOf({ machine, arrival }: MessageContext, { signal, spn }: Evidence, bus: number): Reading | undefined {
  const holder = machine === undefined ? undefined : readingOf(machine.facts, signal);
  return holder?.spn === spn && holder.bus === bus && holder.device === arrival.device ? holder : undefined;
}

function sample(
  { machine, position, shared }: MessageContext,
  signal: number,
  observed_us: number,
  value: number,
): void {
  if (machine === undefined || position < machine.samples.from) return;
  machine.samples.add(signal, observed_us, value, position, shared.mono);
}
