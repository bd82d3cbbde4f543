/**
 * Stores the bus inventory of all devices in a separate document. The inventory lists the control units and messages on each CAN bus with
 * their counts. It changes with every frame, so it is written only every half minute, in the commit of a snapshot (the state for a
 * restart). After a restart, ingest reads the frames since the last write from the journal and counts them again.
 */
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { BusInventory, type InventorySnapshot } from '#domain/j1939/bus-inventory.ts';
import type { FoldState } from '#ingest/fold/fold-state.ts';
import type { Store } from '#store/open-store.ts';

export const INVENTORY_ID = 'ingest_census';

/**
 * The interval of writes, in milliseconds. It must be shorter than a minute: a restart reads the journal only from one minute before the
 * snapshot, and must find all frames that came after the stored inventory.
 */
export const INVENTORY_EVERY_MS = 30_000;

/** The inventory in its stored form. */
export interface SavedInventory {
  /** The inventory includes all messages before this position. */
  readonly position: number;
  readonly packed: string;
}

/** Compresses the inventories of all devices that sent a frame. */
export function packInventory(state: FoldState): SavedInventory {
  const devices: [string, InventorySnapshot][] = [];
  for (const [id, { inventory }] of state.devices) if (inventory !== undefined) devices.push([id, inventory.toJSON()]);
  return {
    position: state.position,
    packed: zstdCompressSync(Buffer.from(JSON.stringify(devices))).toString('base64'),
  };
}

/** Reads the last inventory from the store; returns undefined in a new store. */
export async function readInventory(store: Pick<Store, 'node'>): Promise<SavedInventory | undefined> {
  return (await store.node.get<SavedInventory>('local', INVENTORY_ID))?.data;
}

/** Adds the saved inventories to a state that was just restored. */
export function restoreInventory(state: FoldState, saved: SavedInventory | undefined): void {
  const packed = saved === undefined ? '[]' : zstdDecompressSync(Buffer.from(saved.packed, 'base64')).toString();
  const devices = new Map(JSON.parse(packed) as [string, InventorySnapshot][]);
  for (const [id, device] of state.devices) {
    const known = devices.get(id);
    if (known !== undefined) device.inventory = BusInventory.from(known);
    // If there is no saved inventory, count only frames after the snapshot.
    device.inventory_from = saved?.position ?? state.position;
  }
}
