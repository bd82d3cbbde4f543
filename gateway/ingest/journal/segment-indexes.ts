/**
 * The indexes of the segments (files of the journal). The index of a segment that this process writes grows with each written group. The
 * index of an older segment is computed from its file when a search first needs it. The cache has a bound; it removes the least recently
 * used index, and a later search computes it again.
 */
import type { Disk } from './disk.ts';
import { newScan, readGroups, readSegmentHead, segmentName } from './segment-file.ts';
import { SegmentIndex } from './segment-index.ts';

/** The largest number of indexes, and their largest size in bytes together. An index of a full segment has about 0.4 MB. */
const MOST_INDEXES = 256;
const MOST_BYTES = 32 << 20;
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

  constructor(disk: Disk, folder: string) {
    this.disk = disk;
    this.folder = folder;
  }

  /** Starts the index of a segment that has no groups yet. */
  begin(segment: number): void {
    this.keep(segment, new SegmentIndex());
  }

  /**
   * Adds a group that was written to the segment: its bytes in the file begin at `from`, and `end` is the offset after them. If the cached
   * index does not reach to `from`, the next search adds the missing groups.
   */
  add(segment: number, group: { readonly start: number; readonly body: Buffer }, from: number, end: number): void {
    const index = this.cached.get(segment);
    if (index?.end === from) index.add(group, end);
  }

  /** Removes the index of a segment that was removed. */
  forget(segment: number): void {
    this.cached.delete(segment);
  }

  /** Returns the index of a segment, for the whole content of its file. */
  of(info: Segment): Promise<SegmentIndex> | SegmentIndex {
    const known = this.cached.get(info.segment);
    if (known !== undefined && known.end >= info.bytes) {
      this.keep(info.segment, known);
      return known;
    }
    const running = this.computing.get(info.segment);
    if (running !== undefined) return running;
    const computed = this.compute(info, known ?? new SegmentIndex()).finally(() => this.computing.delete(info.segment));
    this.computing.set(info.segment, computed);
    return computed;
  }

  /** Adds the groups between the end of the index and the end of the segment. */
  private async compute({ segment, bytes }: Segment, index: SegmentIndex): Promise<SegmentIndex> {
    const file = await this.disk.open(this.folder, segmentName(segment), 'read');
    try {
      const head = await readSegmentHead(file);
      const scan = newScan();
      let read = 0;
      if (head !== undefined)
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
      return index;
    } finally {
      await file.close();
    }
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
