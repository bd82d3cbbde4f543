/**
 * Builds the events that messages cause: status changes of devices, changes of machines (such as a new trouble code), and log entries that
 * devices send.
 */
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

/** Returns the origin of an event that a message of a device caused. */
export function fromDevice({ identity }: DeviceState, run_id: string | null): Origin {
  return {
    source: 'headframe',
    source_event_id: null,
    actor: { type: 'device', id: identity.device, name: identity.device_id },
    context: { run_id, device_id: identity.device, media: [] },
  };
}

/** The origin of an event that no message caused, such as the end of a timeout. */
export const FROM_SERVICE: Origin = {
  source: 'headframe',
  source_event_id: null,
  actor: { type: 'service', id: null, name: null },
  context: { run_id: null, device_id: null, media: [] },
};

/**
 * The size in bytes that is charged for a log entry that the gateway writes because of a device. It includes the fields that every stored
 * document has, and the entries in the indexes of the store.
 */
export const FACT_BYTES = 1_600;

/**
 * Adds a status change to the log of the device, unless the storage budget of the device is used up. Marks the live document of the device
 * (its current state in the store) for the next commit. `now_ms` is the time at which the entry is charged.
 */
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

/**
 * Adds an event to the log of the machine, and marks the live document of the machine (its current state in the store) for the next commit.
 */
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

/** Adds an entry that a device sent for its own log. An entry without a time gets the receive time. */
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
