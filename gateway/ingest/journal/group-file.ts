/**
 * The file that groups of the journal go to: one write and one sync for all that go together.
 *
 *   | head | group | group | ...  end |  refused bytes, until they are taken off
 *
 * Invariant: nothing is written behind bytes that were refused, else a power cut could bring them back in the middle of what was not.
 */
import type { OpenGroup } from './open-groups.ts';
import { encodeGroup } from './segment-file.ts';
import type { CurrentSegment, SegmentFolder } from './segment-folder.ts';

/** Syncs over which their time is smoothed. */
const SMOOTH = 4;

/** After a failed fsync nobody knows which pages are on disk, and a second one may report success: the process must start anew. */
export class SyncFailed extends Error {}

/** The segment that is being written. */
export interface GroupFile {
  /** Of the segment that is being written: its number and bytes; 0 before the first. */
  readonly segment: number;
  readonly bytes: number;
  /** How long the last sync took, and lately, smoothed. */
  readonly lastSyncMs: number | null;
  readonly smoothSyncMs: number | null;
  /** Groups of one segment are on disk when it resolves. */
  write(batch: readonly OpenGroup[]): Promise<void>;
  /** What was refused may stand behind the end. */
  spoil(): void;
  /** Takes it off. */
  tidy(): Promise<void>;
  /** Begins a segment, unless it is the one that is being written. */
  begin(segment: number): Promise<void>;
  close(): Promise<void>;
}

/** No file yet. */
export function createGroupFile(of: {
  readonly folder: SegmentFolder;
  readonly clock: () => number;
  readonly monotonic: () => number;
  readonly random: (bytes: number) => Uint8Array;
}): GroupFile {
  const { folder, clock, monotonic, random } = of;
  let current: CurrentSegment | undefined;
  let spoiled = false;
  let lastSyncMs: number | null = null;
  let smoothSyncMs: number | null = null;

  async function tidy(): Promise<void> {
    if (!spoiled) return;
    await current?.file.truncate(current.bytes);
    try {
      await current?.file.sync();
    } catch (error) {
      throw new SyncFailed(`the journal could not be put back: ${(error as Error).message}`, { cause: error });
    }
    spoiled = false;
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
      await tidy();
      const target = await begin(first.segment);
      const parts = batch.flatMap(({ start, records, buffer, length }) =>
        encodeGroup(target.salt, start, records, buffer.subarray(0, length)),
      );
      const bytes = Buffer.concat(parts);
      await target.file.write(bytes, target.bytes);
      await sync(target);
      target.bytes += bytes.length;
    },
    spoil() {
      spoiled = true;
    },
    tidy,
    async begin(segment) {
      await begin(segment);
    },
    async close() {
      await current?.file.close();
      current = undefined;
    },
  };
}
