/** Applies the meter reading of a person to a machine. The sender of the message is the machine itself. */
import { isSignal, type SignalName, signalRow } from '#contract/base/signals.ts';
import { type MeterReconciliation, type MeterSegments, totalAt } from '#contract/fleet/meter.ts';
import type { FactEvent } from '#domain/machine/fact-events.ts';
import { meterLimit } from '#domain/machine/meter-limits.ts';
import { reconcileMeter } from '#domain/machine/meter-people.ts';
import { meterSegments } from '#domain/machine/meter-view.ts';
import { positionOf, refOf } from '#ingest/journal/position.ts';
import type { RecordReader } from '#ingest/journal/record.ts';
import type { MachineState } from './machine-state.ts';
import { addFactEvent } from './made-events.ts';
import type { FoldShared } from './message-context.ts';

/** Encodes the reading of a person as the payload of a message of topic `meter`. */
export function encodeReconciliation(reading: MeterReconciliation): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(reading));
}

/** Returns the meters of a machine with all their segments. */
export function metersOf({ facts }: MachineState): MeterSegments[] {
  return meterSegments(facts);
}

/** Adds to each reading of a meter the offset of its segment. Returns the samples of other signals unchanged. */
export function totalsOf<S extends { readonly t: readonly number[]; readonly v: readonly number[] }>(
  { facts }: MachineState,
  signal: SignalName,
  samples: S,
): S {
  const { segments = [] } = facts.meters?.[signal] ?? {};
  if (segments.every(({ offset }) => offset === 0)) return samples;
  const meter = meterSegments(facts).find(({ kind }) => kind === signalRow(signal).field);
  if (meter === undefined) return samples;
  const v = samples.v.map((value, i) => totalAt(meter.segments, (samples.t[i] as number) * 1000, value));
  return { ...samples, v };
}

/** Decodes the payload of a message of topic `meter`; undefined if it is not a reading. */
export function decodeReconciliation(payload: Uint8Array): MeterReconciliation | undefined {
  try {
    const made: MeterReconciliation = JSON.parse(new TextDecoder().decode(payload));
    const isValid = isSignal(made.signal) && meterLimit(made.signal) !== undefined && Number.isFinite(made.value);
    return isValid && Number.isFinite(made.observed_ms) ? made : undefined;
  } catch {
    return undefined;
  }
}

/** Applies one message. If its payload is not a reading, only counts and reports it. */
export function foldMeter(shared: FoldShared, machine: MachineState, reader: RecordReader): void {
  const { state, sources, ids, changes } = shared;
  const position = positionOf(reader.segment, reader.offset);
  const { received_at_ms, device } = reader;
  state.position = position + 1;
  const made = decodeReconciliation(reader.payload);
  if (made === undefined) {
    sources.count(device.device_id, 'unparsable');
    sources.error(device.device_id, 'a meter reading in the journal could not be read', received_at_ms);
    return;
  }
  const events: FactEvent[] = [];
  reconcileMeter(machine.facts, made, { received_us: received_at_ms * 1000, ref: refOf(position) }, events);
  changes.equipment.add(machine.id);
  const origin = {
    source: 'headframe',
    source_event_id: null,
    actor: made.by,
    context: { run_id: null, device_id: null, media: [] },
  };
  for (const [place, event] of events.entries())
    addFactEvent(changes, machine, event, origin, ids.at('event', received_at_ms, position, place));
}
