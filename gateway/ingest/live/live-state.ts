/**
 * The live state: the latest values and statuses of machines and devices in memory. Readers can read it at any time; watchers are functions
 * that are called when machines or devices changed.
 */
import { isSignal } from '#contract/base/signals.ts';
import type { BusReader, Links, LiveReader } from '#contract/context.ts';
import type { DeviceLive } from '#contract/fleet/device.ts';
import type { EquipmentLive } from '#contract/fleet/equipment.ts';
import {
  learnedFromDevice,
  NO_INTERVALS,
  type SetIntervals,
  type SignalIntervals,
  setExpected,
} from '#domain/machine/expected-times.ts';
import { equipmentLive } from '#domain/machine/machine.ts';
import type { WatchedReader } from '#domain/watch/machine-watch.ts';
import type { CurrentFold } from '#ingest/fold/current-fold.ts';
import { type DeviceState, deviceLive } from '#ingest/fold/device-state.ts';
import { observationId } from '#ingest/writer/store-documents.ts';
import type { StoreWriter } from '#ingest/writer/store-writer.ts';
import { busHeard } from './device-bus.ts';

/** The changed machines and devices, by id. */
export interface Changed {
  readonly equipment: ReadonlySet<string>;
  readonly devices: ReadonlySet<string>;
}

/** The readers and the watchers of the live state. */
export interface LiveState {
  readonly reader: LiveReader & Links & BusReader;
  readonly watched: WatchedReader;
  /** Returns a function that unsubscribes. */
  watch(listener: (changed: Changed) => void): () => void;
  /** Must be called when a round begins. In a round the fold (the code that applies messages) applies all waiting messages. */
  begin(): void;
  /**
   * Passes the changes since the last call to readers and to the store writer. With `now` it also calls the watchers. With `soon` it calls
   * the watchers only if the round has lasted for `PUBLISH_MS`. So in a short round a screen gets the newest values once.
   */
  publish(when: 'now' | 'soon'): void;
  /** Calls the watchers with these machines, because intervals that people set for them changed. */
  touch(equipment: ReadonlySet<string>): void;
  /** Clears the cached live documents. Must be called after the state was replaced. */
  forget(): void;
}

/** The shortest time between two calls of watchers while the fold is busy, in milliseconds. */
const PUBLISH_MS = 20;

/** Creates the live state of the current fold. */
export function createLiveState(of: {
  readonly current: CurrentFold;
  readonly writer: Pick<StoreWriter, 'add'>;
  readonly devicesOf: Links['devicesOf'];
  /** Returns the seconds between messages that a person set for a device; null if nobody set them. */
  readonly intervalOf: (device: string) => number | null;
  /** Returns the intervals that people set for signals of a machine: the same object until one of them changes. */
  readonly signalIntervalsOf: (equipment_id: string) => SignalIntervals;
  readonly monotonic: () => number;
}): LiveState {
  const { current, writer, devicesOf, intervalOf, signalIntervalsOf, monotonic } = of;
  const watchers = new Set<(changed: Changed) => void>();
  /** The live documents of machines, each with the intervals that people had set when it was computed. */
  const cache = new Map<string, { readonly live: EquipmentLive; readonly set: SetIntervals }>();
  const messageInterval = (id: string) => Math.max(0, ...devicesOf(id).map((device) => intervalOf(device) ?? 0));
  /** The machines and devices that changed after the last call of the watchers. */
  let moved = { equipment: new Set<string>(), devices: new Set<string>() };
  let published = Number.NEGATIVE_INFINITY;

  function notify(): void {
    if (moved.equipment.size === 0 && moved.devices.size === 0) return;
    const changed = moved;
    moved = { equipment: new Set(), devices: new Set() };
    for (const listener of watchers) listener(changed);
  }

  /** Adds to each value of a device when the next value is expected. */
  function withExpected({ identity: { device }, equipment_id }: DeviceState, live: DeviceLive): DeviceLive {
    const facts = equipment_id === null ? undefined : current.state.machines.get(equipment_id)?.facts;
    const messages_s = intervalOf(device) ?? 0;
    const set = { messages_s, signals: equipment_id === null ? NO_INTERVALS.signals : signalIntervalsOf(equipment_id) };
    for (const [signal, value] of Object.entries(live.observation?.signals ?? {}))
      if (isSignal(signal)) setExpected(value, signal, facts && learnedFromDevice(facts, signal, device), set);
    return live;
  }

  return {
    reader: {
      equipment(id, signals) {
        const messages_s = messageInterval(id);
        const own = signalIntervalsOf(id);
        const known = cache.get(id);
        if (known?.set.messages_s === messages_s && known.set.signals === own) return known.live;
        const machine = current.state.machines.get(id);
        if (machine === undefined) return undefined;
        const set = { messages_s, signals: own };
        // Screens read a few values of every machine five times a second. Building all values for them would cause most of the memory
        // allocations.
        if (signals !== undefined) return equipmentLive(machine.facts, signals, set);
        const live = equipmentLive(machine.facts, undefined, set);
        cache.set(id, { live, set });
        return live;
      },
      device(id) {
        const device = current.state.devices.get(id);
        return device && withExpected(device, deviceLive(device, observationId, monotonic()));
      },
      bus(id) {
        const device = current.state.devices.get(id);
        return device && busHeard(device);
      },
      devicesOf,
    },
    watched: {
      isWaiting: (id) => current.state.machines.get(id)?.watch.isWaiting === true,
      take: (id, key) => current.state.machines.get(id)?.watch.take(key) ?? [],
      newest: (id, key) => current.state.machines.get(id)?.watch.newest(key) ?? null,
      settle: (id) => current.state.machines.get(id)?.watch.settle(),
    },
    watch(listener) {
      watchers.add(listener);
      return () => watchers.delete(listener);
    },
    begin() {
      published = monotonic();
    },
    publish(when) {
      const changes = current.fold.take();
      writer.add(changes);
      for (const id of changes.equipment) {
        cache.delete(id);
        moved.equipment.add(id);
      }
      for (const id of changes.devices) moved.devices.add(id);
      const now = monotonic();
      if (when === 'soon' && now - published < PUBLISH_MS) return;
      published = now;
      notify();
    },
    touch(equipment) {
      for (const id of equipment) moved.equipment.add(id);
      notify();
    },
    forget() {
      cache.clear();
    },
  };
}
