/**
 * The inventory of all devices in a document of its own. It moves with every frame and is worth less than a page of flash every five
 * seconds: it is written every half minute, in the same commit as the snapshot, and what came since is counted again from the
 * journal, of which a restart reads a minute before the snapshot anyway.
 */
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { BusInventory, type InventorySnapshot } from '#domain/j1939/bus-inventory.ts';
import type { FoldState } from '#ingest/fold/fold-state.ts';

export const INVENTORY_ID = 'ingest_census';

/** So often is it written; less than what a restart reads before the snapshot. */
export const INVENTORY_EVERY_MS = 30_000;

/** As it is stored: messages before `position` are in it. */
export interface SavedInventory {
  readonly position: number;
  readonly packed: string;
}

/** The inventory of every device that sent a frame. */
export function packInventory(state: FoldState): SavedInventory {
  const devices: [string, InventorySnapshot][] = [];
  for (const [id, { inventory }] of state.devices) if (inventory !== undefined) devices.push([id, inventory.toJSON()]);
  return {
    position: state.position,
    packed: zstdCompressSync(Buffer.from(JSON.stringify(devices))).toString('base64'),
  };
}

/** Puts the inventory back into a state that was just restored. */
export function restoreInventory(state: FoldState, saved: SavedInventory | undefined): void {
  const packed = saved === undefined ? '[]' : zstdDecompressSync(Buffer.from(saved.packed, 'base64')).toString();
  const devices = new Map(JSON.parse(packed) as [string, InventorySnapshot][]);
  for (const [id, device] of state.devices) {
    const known = devices.get(id);
    if (known !== undefined) device.inventory = BusInventory.from(known);
    // Without a inventory the frames before the snapshot are nobody's: counting a minute of them would be no better.
    device.inventory_from = saved?.position ?? state.position;
  }
}
