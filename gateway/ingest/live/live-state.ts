/**
 * The live state: the latest values and statuses of machines and devices in memory. Readers can read it at any time; watchers are functions
 * that are called when machines or devices changed.
 */
import type { BusReader, Links, LiveReader } from '#contract/context.ts';
import type { EquipmentLive } from '#contract/fleet/equipment.ts';
import { equipmentLive } from '#domain/machine/machine.ts';
import type { CurrentFold } from '#ingest/fold/current-fold.ts';
import { deviceLive } from '#ingest/fold/device-state.ts';
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
  /** Returns a function that unsubscribes. */
  watch(listener: (changed: Changed) => void): () => void;
  /** Must be called when a round begins. In a round the fold (the code that applies messages) applies all waiting messages. */
  begin(): void;
  /**
   * Passes the changes since the last call to readers and to the store writer. With `now` it also calls the watchers. With `soon` it calls
   * the watchers only if the round has lasted for `PUBLISH_MS`. So in a short round a screen gets the newest values once.
   */
  publish(when: 'now' | 'soon'): void;
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
  readonly monotonic: () => number;
}): LiveState {
  const { current, writer, devicesOf, monotonic } = of;
  const watchers = new Set<(changed: Changed) => void>();
  const cache = new Map<string, EquipmentLive>();
  /** The machines and devices that changed after the last call of the watchers. */
  let moved = { equipment: new Set<string>(), devices: new Set<string>() };
  let published = Number.NEGATIVE_INFINITY;
  return {
    reader: {
      equipment(id, signals) {
        let known = cache.get(id);
        const machine = known === undefined ? current.state.machines.get(id) : undefined;
        if (machine !== undefined) {
          // Screens read a few values of every machine five times a second. Building all values for them would cause most of the memory
          // allocations.
          if (signals !== undefined) return equipmentLive(machine.facts, signals);
          known = equipmentLive(machine.facts);
          cache.set(id, known);
        }
        return known;
      },
      device(id) {
        const device = current.state.devices.get(id);
        return device === undefined ? undefined : deviceLive(device, observationId, monotonic());
      },
      bus(id) {
        const device = current.state.devices.get(id);
        return device && busHeard(device);
      },
      devicesOf,
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
      if (moved.equipment.size === 0 && moved.devices.size === 0) return;
      const changed = moved;
      moved = { equipment: new Set(), devices: new Set() };
      for (const listener of watchers) listener(changed);
    },
    forget() {
      cache.clear();
    },
  };
}
