/**
 * Writes groups to the current segment file. A group is a number of messages that are acknowledged together; a segment is one file of the
 * journal. All groups of a batch need one write and one sync.
 *
 *   | head | group | group | ... | bytes of a failed write, until they are truncated |
 *
 * Invariant: after a failed write the file is truncated before the next write. Otherwise the bytes of the failed write could reappear
 * between acknowledged groups after a power cut.
 */
import type { OpenGroup } from './open-groups.ts';
import { encodeGroup } from './segment-file.ts';
import type { CurrentSegment, SegmentFolder } from './segment-folder.ts';

/** The running average of the sync time covers about this many syncs. */
const SMOOTH = 4;

/** An fsync failed. The kernel may report success for the next fsync although pages are lost, so the process must restart. */
export class SyncFailed extends Error {}

/** Writes the current segment file. */
export interface GroupFile {
  /** The number of the current segment; 0 before the first segment. `bytes` is the length of its file. */
  readonly segment: number;
  readonly bytes: number;
  /** The duration of the last sync in milliseconds; null before the first sync. `smoothSyncMs` is a running average of the durations. */
  readonly lastSyncMs: number | null;
  readonly smoothSyncMs: number | null;
  /** Writes and syncs groups of one segment. */
  write(batch: readonly OpenGroup[]): Promise<void>;
  /** Records that a failed write may have left bytes after the last good group. */
  markDirty(): void;
  /** Truncates the bytes that a failed write may have left. */
  truncateDirty(): Promise<void>;
  /** Creates the file of this segment if it is not the current segment. */
  begin(segment: number): Promise<void>;
  close(): Promise<void>;
}

/** Creates the writer of segment files. It has no file yet; the first write creates the first file. */
export function createGroupFile(of: {
  readonly folder: SegmentFolder;
  readonly clock: () => number;
  readonly monotonic: () => number;
  readonly random: (bytes: number) => Uint8Array;
}): GroupFile {
  const { folder, clock, monotonic, random } = of;
  let current: CurrentSegment | undefined;
  let dirty = false;
  let lastSyncMs: number | null = null;
  let smoothSyncMs: number | null = null;

  async function truncateDirty(): Promise<void> {
    if (!dirty) return;
    await current?.file.truncate(current.bytes);
    try {
      await current?.file.sync();
    } catch (error) {
      throw new SyncFailed(`the journal could not be truncated after a failed write: ${(error as Error).message}`, {
        cause: error,
      });
    }
    dirty = false;
  }

  async function begin(segment: number): Promise<CurrentSegment> {
    if (current?.segment === segment) return current;
    const made = await folder.create(segment, clock(), Buffer.from(random(4)).readUInt32LE(0));
    await current?.file.close();
    current = made;
    return made;
  }

  async function sync({ file }: CurrentSegment): Promise<void> {
    const from = monotonic();
    try {
      await file.sync();
    } catch (error) {
      throw new SyncFailed(`the journal could not be synced: ${(error as Error).message}`, { cause: error });
    }
    lastSyncMs = monotonic() - from;
    smoothSyncMs = smoothSyncMs === null ? lastSyncMs : smoothSyncMs + (lastSyncMs - smoothSyncMs) / SMOOTH;
  }

  return {
    get segment() {
      return current?.segment ?? 0;
    },
    get bytes() {
      return current?.bytes ?? 0;
    },
    get lastSyncMs() {
      return lastSyncMs;
    },
    get smoothSyncMs() {
      return smoothSyncMs;
    },
    async write(batch) {
      const [first] = batch;
      if (first === undefined) return;
      if (dirty) await truncateDirty();
      const target = current?.segment === first.segment ? current : await begin(first.segment);
      const parts = batch.map(({ start, records, buffer, length }) =>
        encodeGroup(target.salt, start, records, buffer.subarray(0, length)),
      );
      await target.file.write(Buffer.concat(parts.flat()), target.bytes);
      await sync(target);
      for (const [i, { start, buffer, length }] of batch.entries()) {
        const from = target.bytes;
        for (const { length: added } of parts[i] as readonly Buffer[]) target.bytes += added;
        folder.written(target.segment, { start, body: buffer.subarray(0, length) }, from, target.bytes);
      }
    },
    markDirty() {
      dirty = true;
    },
    truncateDirty,
    async begin(segment) {
      await begin(segment);
    },
    async close() {
      await current?.file.close();
      current = undefined;
    },
  };
}
