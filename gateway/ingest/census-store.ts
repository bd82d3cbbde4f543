/**
 * The census of all devices in a document of its own. It moves with every frame and is worth less than a page of flash every five
 * seconds: it is written every half minute, in the same commit as the snapshot, and what came since is counted again from the
 * journal, of which a restart reads a minute before the snapshot anyway.
 */
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { BusCensus, type CensusSnapshot } from '#domain/j1939/bus-census.ts';
import type { FoldState } from '#ingest/fold/fold-state.ts';

export const CENSUS_ID = 'ingest_census';

/** So often is it written; less than what a restart reads before the snapshot. */
export const CENSUS_EVERY_MS = 30_000;

/** As it is stored: messages before `position` are in it. */
export interface SavedCensus {
  readonly position: number;
  readonly packed: string;
}

/** The census of every device that sent a frame. */
export function packCensus(state: FoldState): SavedCensus {
  const devices: [string, CensusSnapshot][] = [];
  for (const [id, { census }] of state.devices) if (census !== undefined) devices.push([id, census.toJSON()]);
  return {
    position: state.position,
    packed: zstdCompressSync(Buffer.from(JSON.stringify(devices))).toString('base64'),
  };
}

/** Puts the census back into a state that was just restored. */
export function restoreCensus(state: FoldState, saved: SavedCensus | undefined): void {
  const packed = saved === undefined ? '[]' : zstdDecompressSync(Buffer.from(saved.packed, 'base64')).toString();
  const devices = new Map(JSON.parse(packed) as [string, CensusSnapshot][]);
  for (const [id, device] of state.devices) {
    const known = devices.get(id);
    if (known !== undefined) device.census = BusCensus.from(known);
    // Without a census the frames before the snapshot are nobody's: counting a minute of them would be no better.
    device.census_from = saved?.position ?? state.position;
  }
}
