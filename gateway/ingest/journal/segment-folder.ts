/**
 * The folder of the journal. This file opens the segments (the files of the journal) after a start or crash, reads them, and removes the
 * oldest segments.
 */
import type { Disk, DiskFile } from './disk.ts';
import { offsetOf, positionOf, segmentOf } from './position.ts';
import { RecordReader } from './record.ts';
import {
  encodeSegmentHead,
  type Group,
  newScan,
  parseSegmentName,
  readGroups,
  readSegmentHead,
  SEGMENT_HEAD,
  segmentName,
} from './segment-file.ts';
import { SegmentIndexes } from './segment-indexes.ts';

interface SegmentInfo {
  readonly segment: number;
  readonly created_ms: number;
  bytes: number;
}

/** The segment to which the journal writes now. */
export interface CurrentSegment extends SegmentInfo {
  readonly salt: number;
  readonly file: DiskFile;
}

/** A removed segment. */
export interface Removed {
  readonly segment: number;
  readonly bytes: number;
  /** The creation times of this segment and of the next one, in milliseconds since 1970. */
  readonly from_ms: number;
  readonly to_ms: number;
}

export interface FolderStats {
  readonly bytes: number;
  readonly segments: number;
  /** Time at which the oldest segment was created, in milliseconds since 1970; null if the journal is empty. */
  readonly oldest_ms: number | null;
  /** True if no segment was ever removed, so that the journal has all messages since its first one. */
  readonly is_whole: boolean;
  /**
   * The number of bytes that could not be read because of damage. `torn_bytes` is the number of bytes of interrupted writes, which were
   * truncated.
   */
  readonly damaged_bytes: number;
  readonly torn_bytes: number;
  readonly removed_segments: number;
  readonly removed_bytes: number;
}

/** The messages that a search wants, between two positions. The message at `until` is not wanted. */
export interface Search {
  readonly from: number;
  readonly until: number;
  /** Only messages of this device; null for messages of all devices. */
  readonly device: string | null;
  /** Only messages that were received at this time or later, in milliseconds since 1970. */
  readonly since_ms: number;
}

/** A group that a search found. `reader` is before its first message; the next step of the search moves it. */
export interface FoundGroup {
  readonly reader: RecordReader;
  /** The number of bytes of its uncompressed records. */
  readonly bytes: number;
}

/** The segments of a journal. */
export interface SegmentFolder {
  /** The highest segment number in the folder when it was opened; 0 in a new folder. */
  readonly highest: number;
  /** The lowest segment number; undefined in an empty folder. */
  readonly lowest: number | undefined;
  /** Creates a segment. Resolves when the file, its header and the folder entry are synced. */
  create(segment: number, created_ms: number, salt: number): Promise<CurrentSegment>;
  /**
   * Yields the groups before `until`, from the start of the segment that contains `from`. It begins at the start of the segment because the
   * device definitions are there.
   */
  read(from: number, until: number): AsyncGenerator<Group>;
  /** Yields the groups between two positions that may contain wanted messages, and perhaps a few others. */
  search(of: Search): AsyncGenerator<FoundGroup>;
  /** Records that a group was written to a segment, in this range of the file. */
  written(segment: number, group: Pick<Group, 'start' | 'body'>, from: number, end: number): void;
  /** Resolves when the indexes of complete segments are stored. */
  settled(): Promise<void>;
  /** Returns the oldest segments that exceed the limits. It never returns a segment at or after the position `keep`. */
  surplus(budget: Budget): Removed[];
  /** Removes the segments that `surplus` returns, and returns them. */
  trim(budget: Budget): Promise<Removed[]>;
  stats(): FolderStats;
}

/**
 * The limits of the journal. A segment may be removed if the journal is larger than its size limit, or if the segment is older than the age
 * limit.
 */
export interface Budget {
  readonly maxBytes: number;
  readonly olderThanMs: number;
  /** Segments with messages at or after this position are not removed, because a restart needs these messages. */
  readonly keep: number;
}

/**
 * Opens the folder: truncates a group that a crash interrupted, removes an empty segment, and counts damaged bytes. The file of a damaged
 * segment stays.
 */
export async function openSegmentFolder(disk: Disk, folder: string): Promise<SegmentFolder> {
  const names = await disk.list(folder);
  const numbers = names.map(parseSegmentName).filter((n) => n !== undefined);
  numbers.sort((a, b) => a - b);
  const opened = new DiskFolder(disk, folder, numbers.at(-1) ?? 0);
  for (const segment of numbers) await opened.openSegment(segment, segment === numbers.at(-1));
  await opened.removeIndexes(names);
  await disk.syncFolder(folder);
  return opened;
}

class DiskFolder implements SegmentFolder {
  readonly highest: number;
  private readonly disk: Disk;
  private readonly folder: string;
  /** The segments by number, in ascending order. */
  private readonly segments: SegmentInfo[] = [];
  /** The segments in which damaged bytes were already counted. */
  private readonly scanned = new Set<number>();
  private readonly indexes: SegmentIndexes;
  private damaged = 0;
  private torn = 0;
  private removedSegments = 0;
  private removedBytes = 0;

  constructor(disk: Disk, folder: string, highest: number) {
    this.disk = disk;
    this.folder = folder;
    this.highest = highest;
    this.indexes = new SegmentIndexes(disk, folder);
  }

  get lowest(): number | undefined {
    return this.segments[0]?.segment;
  }

  /** Adds a segment that an earlier process wrote; removes its file if it contains no acknowledged message. */
  async openSegment(segment: number, isLast: boolean): Promise<void> {
    const { disk, folder } = this;
    const file = await disk.open(folder, segmentName(segment), 'write');
    let keep = true;
    try {
      keep = await this.inspect(segment, file, isLast);
    } finally {
      await file.close();
      if (!keep) await disk.remove(folder, segmentName(segment));
    }
  }

  /** Removes the stored indexes of segments that the folder no longer has. */
  async removeIndexes(names: readonly string[]): Promise<void> {
    await this.indexes.removeOthers(
      names,
      this.segments.map(({ segment }) => segment),
    );
  }

  async create(segment: number, created_ms: number, salt: number): Promise<CurrentSegment> {
    const { disk, folder } = this;
    const file = await disk.open(folder, segmentName(segment), 'create');
    try {
      await file.write(encodeSegmentHead({ segment, created_ms, salt }), 0);
      await file.sync();
      await disk.syncFolder(folder);
    } catch (error) {
      await file.close();
      await disk.remove(folder, segmentName(segment)).catch(() => {});
      throw error;
    }
    const made: CurrentSegment = { segment, created_ms, salt, bytes: SEGMENT_HEAD, file };
    // Nothing is written to the segment before this one any more.
    const complete = this.segments.at(-1);
    if (complete !== undefined) this.indexes.store(complete);
    this.segments.push(made);
    this.indexes.begin(segment);
    return made;
  }

  async *read(from: number, until: number): AsyncGenerator<Group> {
    const { disk, folder, scanned } = this;
    const wanted = this.segments.filter(({ segment }) => segment >= segmentOf(from) && segment <= segmentOf(until));
    for (const { segment, bytes } of wanted) {
      const file = await disk.open(folder, segmentName(segment), 'read');
      try {
        const head = await readSegmentHead(file);
        if (head === undefined) continue;
        const scan = newScan();
        for await (const group of readGroups(file, head, { from: SEGMENT_HEAD, to: bytes }, scan)) {
          if (positionOf(group.segment, group.start) >= until) return;
          yield group;
        }
        if (!scanned.has(segment)) this.damaged += scan.damaged + (bytes - scan.end);
        scanned.add(segment);
      } finally {
        await file.close();
      }
    }
  }

  async *search({ from, until, device, since_ms }: Search): AsyncGenerator<FoundGroup> {
    const { disk, folder, indexes } = this;
    const wanted = this.segments.filter(({ segment }) => segment >= segmentOf(from) && segment <= segmentOf(until));
    for (const { segment, bytes } of wanted) {
      const index = await indexes.of({ segment, bytes }, segment !== this.segments.at(-1)?.segment);
      const parts = index.parts({
        from: segment === segmentOf(from) ? offsetOf(from) : 0,
        until: segment === segmentOf(until) ? offsetOf(until) : Number.POSITIVE_INFINITY,
        device,
        since_ms,
      });
      if (parts.length === 0) continue;
      const file = await disk.open(folder, segmentName(segment), 'read');
      try {
        const head = await readSegmentHead(file);
        if (head === undefined) continue;
        const reader = new RecordReader();
        let known = 0;
        for (const part of parts)
          for await (const { start, body } of readGroups(file, head, part, newScan())) {
            reader.open(segment, start, body);
            known = index.defineBefore(start, reader, known);
            yield { reader, bytes: body.length };
          }
      } finally {
        await file.close();
      }
    }
  }

  written(segment: number, group: Pick<Group, 'start' | 'body'>, from: number, end: number): void {
    this.indexes.add(segment, group, from, end);
  }

  settled(): Promise<void> {
    return this.indexes.settled();
  }

  surplus({ maxBytes, olderThanMs, keep }: Budget): Removed[] {
    const { segments } = this;
    let total = segments.reduce((sum, info) => sum + info.bytes, 0);
    const found: Removed[] = [];
    for (const [i, { segment, bytes, created_ms }] of segments.entries()) {
      const next = segments[i + 1];
      // All messages of a segment are older than the creation of the next segment.
      if (next === undefined || segment >= segmentOf(keep)) break;
      if (total <= maxBytes && next.created_ms >= olderThanMs) break;
      total -= bytes;
      found.push({ segment, bytes, from_ms: created_ms, to_ms: next.created_ms });
    }
    return found;
  }

  async trim(budget: Budget): Promise<Removed[]> {
    const { disk, folder } = this;
    const removed = this.surplus(budget);
    for (const { segment, bytes } of removed) {
      await disk.remove(folder, segmentName(segment));
      this.segments.shift();
      this.scanned.delete(segment);
      await this.indexes.forget(segment);
      this.removedSegments++;
      this.removedBytes += bytes;
    }
    if (removed.length > 0) await disk.syncFolder(folder);
    return removed;
  }

  stats(): FolderStats {
    return {
      bytes: this.segments.reduce((sum, info) => sum + info.bytes, 0),
      segments: this.segments.length,
      is_whole: (this.lowest ?? 1) <= 1,
      oldest_ms: this.segments[0]?.created_ms ?? null,
      damaged_bytes: this.damaged,
      torn_bytes: this.torn,
      removed_segments: this.removedSegments,
      removed_bytes: this.removedBytes,
    };
  }

  /** Adds a segment to the list; returns false if it contains no message that was acknowledged. */
  private async inspect(segment: number, file: DiskFile, isLast: boolean): Promise<boolean> {
    const size = await file.size();
    const head = await readSegmentHead(file);
    if (head === undefined || head.segment !== segment) {
      // In the last segment, a crash between the creation of the file and the write of its header leaves a file without a header. In any
      // other segment a missing header is damage.
      if (isLast && size <= SEGMENT_HEAD) return false;
      this.damaged += size;
      return true;
    }
    let bytes = size;
    if (isLast) {
      const scan = newScan();
      this.indexes.begin(segment);
      let before = SEGMENT_HEAD;
      for await (const group of readGroups(file, head, { from: SEGMENT_HEAD, to: size }, scan)) {
        this.indexes.add(segment, group, before, scan.end);
        before = scan.end;
      }
      if (scan.end < size) {
        this.torn += size - scan.end;
        await file.truncate(scan.end);
      }
      // A killed process may have written groups without a sync. Sync them before the fold applies their messages. Otherwise a power cut
      // could remove messages whose results are already in the store.
      await file.sync();
      this.damaged += scan.damaged;
      this.scanned.add(segment);
      bytes = scan.end;
      if (scan.records === 0) return false;
    }
    this.segments.push({ segment, created_ms: head.created_ms, bytes });
    return true;
  }
}
