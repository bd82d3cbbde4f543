/** Events that folding makes, in the shape of a log: of a device's status, of a machine's facts, and of what a device says itself. */
import type { EventData } from '#contract/base/event.ts';
import { isoTime } from '#domain/base/times.ts';
import type { FactEvent } from '#domain/machine/fact-events.ts';
import type { StatusChange } from './connectivity.ts';
import type { DeviceState } from './device-state.ts';
import type { Changes } from './fold-state.ts';
import type { MachineState } from './machine-state.ts';
import { chargeBudget, type FoldShared } from './message-context.ts';
import type { DeviceEvent } from './payloads.ts';

type Origin = Pick<EventData, 'source' | 'source_event_id' | 'actor' | 'context'>;

/** What a device's message caused. */
export function fromDevice({ identity }: DeviceState, run_id: string | null): Origin {
  return {
    source: 'headframe',
    source_event_id: null,
    actor: { type: 'device', id: identity.device, name: identity.device_id },
    context: { run_id, device_id: identity.device, media: [] },
  };
}

/** What silence caused. */
export const FROM_SERVICE: Origin = {
  source: 'headframe',
  source_event_id: null,
  actor: { type: 'service', id: null, name: null },
  context: { run_id: null, device_id: null, media: [] },
};

/** Bytes of an entry that the gateway writes because of what a device sent, envelope and indexes included. */
export const FACT_BYTES = 1_600;

/** A change of device status: to the store at once, and into the device's log while its budget lasts. `now_ms`: when it pays. */
export function addStatusEvent(
  shared: FoldShared,
  device: DeviceState,
  change: StatusChange,
  id: string,
  now_ms: number,
): void {
  const { changes } = shared;
  const { identity, connectivity } = device;
  changes.devices.add(identity.device);
  changes.urgentDevices.add(identity.device);
  if (!chargeBudget(shared, device, 'facts', FACT_BYTES, now_ms)) return;
  changes.events.push({
    project_id: identity.project_id,
    id,
    once: false,
    data: {
      ...fromDevice(device, null),
      type: change.to,
      subject: { object: 'device', id: identity.device },
      occurred_at: new Date(connectivity.reported_ms ?? 0).toISOString(),
      data: { from: change.from, reason: change.reason },
    },
  });
}

/** A fact of a machine that is worth an event: into its log, and to the store at once. */
export function addFactEvent(
  changes: Changes,
  machine: MachineState,
  event: FactEvent,
  origin: Origin,
  id: string,
): void {
  changes.equipment.add(machine.id);
  changes.urgentEquipment.add(machine.id);
  changes.events.push({
    project_id: machine.project_id,
    id,
    once: false,
    data: {
      ...origin,
      type: event.type,
      subject: { object: 'equipment', id: machine.id },
      occurred_at: isoTime(event.occurred_us),
      data: { ...event.data },
    },
  });
}

/** An entry that a device writes into its own log; received when it names no time. */
export function addDeviceEvent(
  changes: Changes,
  device: DeviceState,
  event: DeviceEvent,
  run_id: string | null,
  received_ms: number,
  id: string,
): void {
  const { identity } = device;
  changes.events.push({
    project_id: identity.project_id,
    id,
    once: event.id !== null,
    data: {
      ...fromDevice(device, run_id),
      type: event.type,
      subject: { object: 'device', id: identity.device },
      occurred_at: new Date(event.ms ?? received_ms).toISOString(),
      source: identity.device_id,
      source_event_id: event.id,
      data: event.data,
    },
  });
}
