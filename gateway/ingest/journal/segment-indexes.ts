/**
 * The indexes of the segments (files of the journal). The index of a segment that this process writes grows with each written group. When
 * the segment is complete, its index is stored in a file beside it. The cache has a bound; it removes the least recently used index, and a
 * later search reads the stored index. If there is no stored index, or if it does not fit the segment, the search computes the index from
 * the segment and stores it.
 */
import type { Disk } from './disk.ts';
import {
  type Group,
  indexName,
  newScan,
  parseIndexName,
  readGroups,
  readSegmentHead,
  segmentName,
} from './segment-file.ts';
import { SegmentIndex } from './segment-index.ts';

/** The largest number of indexes, and their largest size in bytes together. An index of a full segment has about 0.4 MB. */
const MOST_INDEXES = 256;
const MOST_BYTES = 32 << 20;
/** A stored index that is larger is damaged. */
const MOST_STORED = 1 << 25;
/** While it computes an index, the gateway lets other work run after it has read this many bytes of records. */
const SLICE_BYTES = 512 * 1024;

/** A segment file, and the length of its content. */
interface Segment {
  readonly segment: number;
  readonly bytes: number;
}

/** The cached indexes of one journal. */
export class SegmentIndexes {
  private readonly disk: Disk;
  private readonly folder: string;
  /** The indexes by segment number, the least recently used first. */
  private readonly cached = new Map<number, SegmentIndex>();
  /** The indexes that are being computed. */
  private readonly computing = new Map<number, Promise<SegmentIndex>>();
  /** Resolves when the stores that have begun are complete; they run one after the other. */
  private storing: Promise<void> = Promise.resolve();

  constructor(disk: Disk, folder: string) {
    this.disk = disk;
    this.folder = folder;
  }

  /** Removes the stored indexes of segments that are not in the list. */
  async removeOthers(names: readonly string[], segments: readonly number[]): Promise<void> {
    for (const name of names) {
      const segment = parseIndexName(name);
      if (segment !== undefined && !segments.includes(segment)) await this.disk.remove(this.folder, name);
    }
  }

  /** Starts the index of a segment that has no groups yet. */
  begin(segment: number): void {
    this.keep(segment, new SegmentIndex());
  }

  /**
   * Stores the index of a complete segment, if the cache has it. It does not wait for the disk. If the disk refuses the index, a later
   * search computes it again.
   */
  store({ segment, bytes }: Segment): void {
    const index = this.cached.get(segment);
    if (index?.end !== bytes) return;
    this.storing = this.storing.then(() => this.write(segment, index)).catch(() => {});
  }

  /** Resolves when no index is being stored. */
  settled(): Promise<void> {
    return this.storing;
  }

  /**
   * Adds a group that was written to the segment: its bytes in the file begin at `from`, and `end` is the offset after them. If the cached
   * index does not reach to `from`, the next search adds the missing groups.
   */
  add(segment: number, group: Pick<Group, 'start' | 'body'>, from: number, end: number): void {
    const index = this.cached.get(segment);
    if (index?.end === from) index.add(group, end);
  }

  /** Removes the index of a segment that was removed. */
  async forget(segment: number): Promise<void> {
    this.cached.delete(segment);
    await this.storing;
    await this.removeFile(segment);
  }

  /** Returns the index of a segment, for the whole content of its file. `isComplete` is true if nothing is written to it any more. */
  of(info: Segment, isComplete: boolean): Promise<SegmentIndex> | SegmentIndex {
    const known = this.cached.get(info.segment);
    if (known !== undefined && known.end >= info.bytes) {
      this.keep(info.segment, known);
      return known;
    }
    const running = this.computing.get(info.segment);
    if (running !== undefined) return running;
    const computed = this.load(info, known, isComplete).finally(() => this.computing.delete(info.segment));
    this.computing.set(info.segment, computed);
    return computed;
  }

  /** Reads the stored index, adds the groups that it does not have, and stores it again if it had to add some. */
  private async load(info: Segment, known: SegmentIndex | undefined, isComplete: boolean): Promise<SegmentIndex> {
    const { segment, bytes } = info;
    const file = await this.disk.open(this.folder, segmentName(segment), 'read');
    try {
      const head = await readSegmentHead(file);
      const stored = known === undefined && head !== undefined ? await this.read(segment, head.salt) : undefined;
      // If the index covers more than the segment has, the segment lost bytes since then.
      const fitting = stored !== undefined && stored.end <= bytes ? stored : undefined;
      const index = known ?? fitting ?? new SegmentIndex();
      const scan = newScan();
      let read = 0;
      if (head !== undefined && index.end < bytes)
        for await (const group of readGroups(file, head, { from: index.end, to: bytes }, scan)) {
          index.add(group, scan.end);
          read += group.body.length;
          if (read < SLICE_BYTES) continue;
          read = 0;
          await new Promise((resolve) => setImmediate(resolve));
        }
      // Damaged bytes at the end contain no groups.
      index.end = bytes;
      this.keep(segment, index);
      if (isComplete && index !== fitting) this.store(info);
      return index;
    } finally {
      await file.close();
    }
  }

  /** Reads the stored index of a segment; returns undefined if there is none, or if it cannot be used. */
  private async read(segment: number, salt: number): Promise<SegmentIndex | undefined> {
    try {
      const file = await this.disk.open(this.folder, indexName(segment), 'read');
      try {
        const bytes = Buffer.alloc(Math.min(await file.size(), MOST_STORED));
        const length = await file.read(bytes, 0);
        return SegmentIndex.decode(bytes.subarray(0, length), salt);
      } finally {
        await file.close();
      }
    } catch {
      return undefined;
    }
  }

  private async write(segment: number, index: SegmentIndex): Promise<void> {
    const own = await this.disk.open(this.folder, segmentName(segment), 'read');
    const head = await readSegmentHead(own).finally(() => own.close());
    if (head === undefined) return;
    await this.removeFile(segment);
    const file = await this.disk.open(this.folder, indexName(segment), 'create');
    try {
      await file.write(index.encode(head.salt), 0);
    } catch {
      await this.removeFile(segment);
    } finally {
      await file.close();
    }
  }

  private async removeFile(segment: number): Promise<void> {
    await this.disk.remove(this.folder, indexName(segment)).catch(() => {});
  }

  /** Makes this index the most recently used one, and removes the least recently used indexes above the bound. */
  private keep(segment: number, index: SegmentIndex): void {
    this.cached.delete(segment);
    this.cached.set(segment, index);
    let bytes = [...this.cached.values()].reduce((sum, one) => sum + one.bytes, 0);
    for (const [oldest, one] of this.cached) {
      if (oldest === segment || (this.cached.size <= MOST_INDEXES && bytes <= MOST_BYTES)) break;
      this.cached.delete(oldest);
      bytes -= one.bytes;
    }
  }
}
