/** The snapshot in its stored form: the state of the fold (the code that applies messages), from which it continues after a restart. */
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { type FoldState, type Snapshot, snapshotState } from '#ingest/fold/fold-state.ts';
import type { Store } from '#store/open-store.ts';

export const SNAPSHOT_ID = 'ingest_snapshot';

/** A committed snapshot, compressed. */
export interface Saved {
  /** The snapshot includes all messages before this position. */
  readonly position: number;
  /**
   * A restart reads the journal from this position, to restore samples and the recognition of repeated data. It is at or before `position`.
   */
  readonly tail: number;
  readonly packed: string;
}

/** Compresses the state. */
export function packSnapshot(state: FoldState, tail: number): Saved {
  const packed = zstdCompressSync(Buffer.from(JSON.stringify(snapshotState(state)))).toString('base64');
  return { position: state.position, tail, packed };
}

/** Returns the state in a saved snapshot; throws if this gateway cannot read the version of the snapshot. */
export function unpackSnapshot(saved: Saved): Snapshot {
  const snapshot = JSON.parse(zstdDecompressSync(Buffer.from(saved.packed, 'base64')).toString()) as Snapshot;
  if (snapshot.version !== 1)
    throw new Error(`the ingest snapshot has version ${snapshot.version}, but this gateway reads only version 1`);
  return snapshot;
}

/** Reads the last snapshot from the store; undefined in a new store. */
export async function readSaved(store: Pick<Store, 'node'>): Promise<Saved | undefined> {
  return (await store.node.get<Saved>('local', SNAPSHOT_ID))?.data;
}
