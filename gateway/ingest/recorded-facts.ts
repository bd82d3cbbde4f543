/**
 * What a recording says, into the facts of its device and machine: by the rules of what comes live, but nothing becomes live, and what
 * is known already is left as it is. So a recording that is read again moves nothing.
 */
import { SIGNAL_NAMES } from '#contract/signals.ts';
import { type Facts, NONE, type Reading } from '#domain/facts.ts';
import { hearBus } from '#domain/fault-table.ts';
import { PARAMETERS } from '#domain/j1939-parameters.ts';
import { unitOf } from '#domain/latest-known.ts';
import { type Arrival, applyFaults, applySignal } from '#domain/machine.ts';
import type { RecordingFact } from '#domain/recording.ts';
import type { DeviceState } from './device-state.ts';
import { senderOf } from './latest-values.ts';

type Value = Extract<RecordingFact, readonly ['value', ...unknown[]]>;

/** Applies the facts in their order; `facts` are the machine's, undefined where the recording counts for none. True when a value or code was news. */
export function applyRecorded(
  device: DeviceState,
  facts: Facts | undefined,
  arrival: Arrival,
  recorded: readonly RecordingFact[],
  position: number,
): boolean {
  // Codes come and go, and one that went leaves nothing to hold an older message against but this.
  const before_us = device.observed_us;
  let newest_us = 0;
  for (const fact of recorded) {
    if (fact[0] === 'identity') {
      const { kind, text, t_us, bus, sa } = fact[1];
      device.census.identity(fact[1], device.addresses.unitOf(bus, sa));
      if (t_us > before_us || device.heard[kind] === undefined) device.heard[kind] = text.slice(0, 200);
    } else if (fact[0] === 'value') {
      const unit = device.addresses.unitOf(fact[5], fact[6]);
      if (facts !== undefined && isNews(facts, arrival.device, fact, unit)) applyValue(facts, arrival, fact, unit);
      if (noteDevice(device, fact, position)) newest_us = Math.max(newest_us, fact[4]);
    } else if (facts !== undefined) {
      const [kind] = fact;
      const t_us = kind === 'faults' ? fact[1].t_us : fact[2];
      if (t_us <= before_us) continue;
      if (kind === 'faults')
        applyFaults(facts, arrival, fact[1], false, device.addresses.unitOf(fact[1].bus, fact[1].sa));
      else hearBus(facts, arrival.device, fact[1], t_us, arrival.events);
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

function applyValue(facts: Facts, arrival: Arrival, of: Value, unit: number): void {
  const [, parameter, raw, value, t_us, bus, sa, frame] = of;
  applySignal(facts, arrival, parameter, raw, value, t_us, bus, sa, frame, false, unit);
}

/** True when its source has neither this reading nor a newer one, held ones included. */
function isNews(facts: Facts, device: string, [, parameter, , , t_us, bus]: Value, unit: number): boolean {
  const row = PARAMETERS[parameter];
  if (row === undefined || row.signal === null) return false;
  const known = facts.signals[row.signal]?.sources.find(
    (one: Reading) => one.spn === row.spn && unitOf(one) === unit && one.bus === bus && one.device === device,
  );
  return known === undefined || Math.max(known.observed_us, known.held?.observed_us ?? NONE) < t_us;
}

/** The device's own observation; false when it had a newer one. */
function noteDevice(
  { latest, addresses }: DeviceState,
  [, parameter, , value, t_us, bus, sa]: Value,
  position: number,
): boolean {
  const row = PARAMETERS[parameter];
  if (row === undefined || row.signal === null) return false;
  const signal = SIGNAL_NAMES.indexOf(row.signal);
  if (!latest.isNews(signal, t_us)) return false;
  const sender = senderOf(parameter, bus, addresses.unitOf(bus, sa));
  return latest.note(signal, sender, row.rank, value, t_us, true, position, NONE);
}
