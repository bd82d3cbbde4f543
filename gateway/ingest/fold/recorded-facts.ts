/**
 * Applies the facts (values and trouble codes) of a recorded file to its device and machine. It uses the rules for live data, but does not
 * change the live status. A value that is already known has no effect, so reading a file twice has the same result as reading it once.
 */

import { NONE } from '#domain/base/none.ts';
import { BusInventory } from '#domain/j1939/bus-inventory.ts';
import type { FaultMessage } from '#domain/j1939/faults.ts';
import type { RecordingFact } from '#domain/logs/recording-share.ts';
import { evidenceOf, mappedEvidence } from '#domain/machine/evidence.ts';
import type { Facts, Reading } from '#domain/machine/facts.ts';
import { hearBus } from '#domain/machine/fault-table.ts';
import { unitOf } from '#domain/machine/latest-known.ts';
import { type Arrival, applyFaults, applyPrevious, applyValue } from '#domain/machine/machine.ts';
import type { SourceValue } from '#domain/machine/source-value.ts';
import type { DeviceState } from './device-state.ts';
import { senderOf } from './latest-values.ts';

type Value = Extract<RecordingFact, readonly ['value' | 'mapped', ...unknown[]]>;

/**
 * Applies the values and trouble codes of the recording in their order. `facts` is the state of the machine; undefined if the recording
 * belongs to no machine. Returns true if a value or trouble code was new.
 */
export function applyRecorded(
  device: DeviceState,
  facts: Facts | undefined,
  arrival: Arrival,
  recorded: readonly RecordingFact[],
  position: number,
): boolean {
  // Compare the time of trouble codes with the newest observation of the device. It cannot be compared with the times of codes that ended,
  // because the facts of the machine do not keep these codes.
  const before_us = device.observed_us;
  let newest_us = 0;
  for (const fact of recorded) {
    const kind = fact[0];
    if (kind === 'identity') {
      const { kind: what, text, t_us, bus, sa } = fact[1];
      device.inventory ??= new BusInventory();
      device.inventory.identity(fact[1], device.addresses.unitOf(bus, sa));
      if (t_us > before_us || device.heard[what] === undefined) device.heard[what] = text.slice(0, 200);
    } else if (kind === 'value' || kind === 'mapped') {
      const sent = sentValue(device, fact);
      if (sent === undefined) continue;
      if (facts !== undefined && isNews(device, facts, sent)) {
        applyValue(facts, arrival, sent);
      }
      if (noteDevice(device, sent, position)) newest_us = Math.max(newest_us, fact[4]);
    } else {
      const t_us = kind === 'heard' ? fact[2] : fact[1].t_us;
      if (t_us <= before_us) continue;
      if (kind === 'claim') device.addresses.claim(fact[1]);
      else if (facts === undefined) continue;
      else if (kind === 'heard') hearBus(facts, arrival.device, fact[1], t_us, arrival.events);
      else applyCodes(device, facts, arrival, kind, fact[1]);
      newest_us = Math.max(newest_us, t_us);
    }
  }
  if (newest_us <= before_us) return newest_us > 0;
  device.observed_us = newest_us;
  device.received_us = arrival.received_us;
  device.position = position;
  device.late = true;
  return true;
}

/** Returns a value together with the control unit that sent it; undefined if the parameter belongs to no signal. */
function sentValue({ addresses }: DeviceState, fact: Value): SourceValue | undefined {
  const [, by, raw, value, t_us, bus, sa, frame] = fact;
  const evidence = typeof by === 'number' ? evidenceOf(by) : mappedEvidence(by);
  const unit = sa === NONE ? NONE : addresses.unitOf(bus, sa);
  return evidence && { evidence, raw, value, t_us, undated: false, observed_us: t_us, bus, sa, frame, unit };
}

function applyCodes(
  { addresses }: DeviceState,
  facts: Facts,
  arrival: Arrival,
  kind: 'faults' | 'previous',
  message: FaultMessage,
): void {
  const unit = addresses.unitOf(message.bus, message.sa);
  if (kind === 'faults') applyFaults(facts, arrival, message, false, unit);
  else applyPrevious(facts, arrival, message, unit);
}

/**
 * Returns true if the source has no other reading of the same or a newer time. A reading that was held back as implausible ([D15]) also
 * counts.
 */
function isNews(
  { identity }: DeviceState,
  facts: Facts,
  { evidence: { signal, spn }, t_us, bus, unit }: SourceValue,
): boolean {
  const known = facts.signals[signal]?.sources.find(
    (one: Reading) => one.spn === spn && unitOf(one) === unit && one.bus === bus && one.device === identity.device,
  );
  return known === undefined || Math.max(known.observed_us, known.held?.observed_us ?? NONE) < t_us;
}

/** Applies a value to the observation (the newest values) of the device; returns false if the device has a newer value. */
function noteDevice({ latest }: DeviceState, sent: SourceValue, position: number): boolean {
  const { evidence, t_us, bus, unit } = sent;
  if (!latest.isNews(evidence.index, t_us)) return false;
  // Leave out the frame number, because it counts frames of the recorded file and not of this message.
  return latest.note(senderOf(evidence.key, bus, unit), { ...sent, observed_us: t_us, frame: NONE }, true, position);
}
