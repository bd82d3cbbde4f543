/** The live state as others see it: read at any time from memory, and told of after each tick that changed something. */
import type { BusReader, Links, LiveReader } from '#contract/context.ts';
import type { EquipmentLive } from '#contract/equipment.ts';
import { equipmentLive } from '#domain/machine.ts';
import { busHeard } from './device-bus.ts';
import { deviceLive } from './device-state.ts';
import type { Standing } from './fold-loop.ts';
import { observationId, type StoreWriter } from './store-writer.ts';

/** What moved: machines and devices by id. */
export interface Changed {
  readonly equipment: ReadonlySet<string>;
  readonly devices: ReadonlySet<string>;
}

/** Its readers, its watchers, and who tells them. */
export interface LiveState {
  readonly reader: LiveReader & Links & BusReader;
  /** Returns the unsubscribe. */
  watch(listener: (changed: Changed) => void): () => void;
  /** Tells watchers what moved since the last time, and hands the rest of it to the writer. */
  publish(): void;
  /** The state was made anew. */
  forget(): void;
}

/** The live state of the fold. */
export function createLiveState(of: {
  readonly standing: Standing;
  readonly writer: Pick<StoreWriter, 'add'>;
  readonly devicesOf: Links['devicesOf'];
  readonly monotonic: () => number;
}): LiveState {
  const { standing, writer, devicesOf, monotonic } = of;
  const watchers = new Set<(changed: Changed) => void>();
  const cache = new Map<string, EquipmentLive>();
  return {
    reader: {
      equipment(id, signals) {
        let known = cache.get(id);
        const machine = known === undefined ? standing.state.machines.get(id) : undefined;
        if (machine !== undefined) {
          // Screens look at a few values of every machine five times a second: all of them would be most of what is allocated.
          if (signals !== undefined) return equipmentLive(machine.facts, signals);
          known = equipmentLive(machine.facts);
          cache.set(id, known);
        }
        return known;
      },
      device(id) {
        const device = standing.state.devices.get(id);
        return device === undefined ? undefined : deviceLive(device, observationId, monotonic());
      },
      bus(id) {
        const device = standing.state.devices.get(id);
        return device && busHeard(device);
      },
      devicesOf,
    },
    watch(listener) {
      watchers.add(listener);
      return () => watchers.delete(listener);
    },
    publish() {
      const changes = standing.fold.take();
      writer.add(changes);
      const { equipment, devices } = changes;
      if (equipment.size === 0 && devices.size === 0) return;
      for (const id of equipment) cache.delete(id);
      for (const listener of watchers) listener({ equipment, devices });
    },
    forget() {
      cache.clear();
    },
  };
}
