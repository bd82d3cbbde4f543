/** The journal's folder: which segments there are, what a crash left in them, and which give way. */
import type { Disk, DiskFile } from './disk.ts';
import { positionOf, segmentOf } from './position.ts';
import {
  encodeSegmentHead,
  type Group,
  parseSegmentName,
  readGroups,
  readSegmentHead,
  type ScanResult,
  SEGMENT_HEAD,
  segmentName,
} from './segment-file.ts';

interface SegmentInfo {
  readonly segment: number;
  readonly created_ms: number;
  bytes: number;
}

/** The segment that is being written. */
export interface CurrentSegment extends SegmentInfo {
  readonly salt: number;
  readonly file: DiskFile;
}

/** A segment that gave way. */
export interface Removed {
  readonly segment: number;
  readonly bytes: number;
  /** When it was begun, and when the one after it was, in milliseconds since 1970. */
  readonly from_ms: number;
  readonly to_ms: number;
}

export interface FolderStats {
  readonly bytes: number;
  readonly segments: number;
  /** What could not be read when the journal was opened or read: bytes lost to rot, and torn bytes cut off. */
  readonly damaged_bytes: number;
  readonly torn_bytes: number;
  readonly removed_segments: number;
  readonly removed_bytes: number;
}

export interface SegmentFolder {
  /** The highest number that was ever used; 0 in a new folder. */
  readonly highest: number;
  /** The lowest number that is there, undefined when none is. */
  readonly lowest: number | undefined;
  /** Begins a segment: file, head and folder are on disk when it resolves. */
  create(segment: number, created_ms: number, salt: number): Promise<CurrentSegment>;
  /** Groups up to a position, from the beginning of the segment of `from` on, so that device definitions are seen. */
  read(from: number, until: number): AsyncGenerator<Group>;
  /** The oldest segments beyond the budgets, never one at or behind `keep`. */
  surplus(budget: Budget): Removed[];
  /** Removes them. */
  trim(budget: Budget): Promise<Removed[]>;
  stats(): FolderStats;
}

export interface Budget {
  readonly maxBytes: number;
  readonly olderThanMs: number;
  /** The place from which on everything is still needed. */
  readonly keep: number;
}

/** Opens the folder: a torn tail is cut off, an empty segment removed, a damaged one counted and left for a person. */
export async function openSegmentFolder(disk: Disk, folder: string): Promise<SegmentFolder> {
  const segments: SegmentInfo[] = [];
  /** Segments whose damage is counted. */
  const judged = new Set<number>();
  let damaged = 0;
  let torn = 0;
  let removedSegments = 0;
  let removedBytes = 0;

  const numbers = (await disk.list(folder)).map(parseSegmentName).filter((n) => n !== undefined);
  numbers.sort((a, b) => a - b);
  for (const segment of numbers) {
    const file = await disk.open(folder, segmentName(segment), 'write');
    let keep = true;
    try {
      keep = await inspect(segment, file, segment === numbers.at(-1));
    } finally {
      await file.close();
      if (!keep) await disk.remove(folder, segmentName(segment));
    }
  }
  await disk.syncFolder(folder);

  /** Takes a segment in; false when nothing in it was ever acknowledged. */
  async function inspect(segment: number, file: DiskFile, last: boolean): Promise<boolean> {
    const size = await file.size();
    const head = await readSegmentHead(file);
    if (head === undefined || head.segment !== segment) {
      // A crash between creating the file and its head leaves this in the last one only. Elsewhere it is rot.
      if (last && size <= SEGMENT_HEAD) return false;
      damaged += size;
      return true;
    }
    let bytes = size;
    if (last) {
      const scan: ScanResult = { end: 0, damaged: 0, next: 0, records: 0 };
      for await (const _ of readGroups(file, head, size, scan));
      if (scan.end < size) {
        torn += size - scan.end;
        await file.truncate(scan.end);
      }
      // A killed process may have written what it did not live to sync: it is read from now on, so no power cut may take it.
      await file.sync();
      damaged += scan.damaged;
      judged.add(segment);
      bytes = scan.end;
      if (scan.records === 0) return false;
    }
    segments.push({ segment, created_ms: head.created_ms, bytes });
    return true;
  }

  function surplus({ maxBytes, olderThanMs, keep }: Budget): Removed[] {
    let total = segments.reduce((sum, info) => sum + info.bytes, 0);
    const found: Removed[] = [];
    for (const [i, { segment, bytes, created_ms }] of segments.entries()) {
      const next = segments[i + 1];
      // What a segment holds is older than the beginning of the next.
      if (next === undefined || segment >= segmentOf(keep)) break;
      if (total <= maxBytes && next.created_ms >= olderThanMs) break;
      total -= bytes;
      found.push({ segment, bytes, from_ms: created_ms, to_ms: next.created_ms });
    }
    return found;
  }

  return {
    highest: numbers.at(-1) ?? 0,
    get lowest() {
      return segments[0]?.segment;
    },
    async create(segment, created_ms, salt) {
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
      segments.push(made);
      return made;
    },
    async *read(from, until) {
      const wanted = segments.filter(({ segment }) => segment >= segmentOf(from) && segment <= segmentOf(until));
      for (const { segment, bytes } of wanted) {
        const file = await disk.open(folder, segmentName(segment), 'read');
        try {
          const head = await readSegmentHead(file);
          if (head === undefined) continue;
          const scan: ScanResult = { end: 0, damaged: 0, next: 0, records: 0 };
          for await (const group of readGroups(file, head, bytes, scan)) {
            if (positionOf(group.segment, group.start) >= until) return;
            yield group;
          }
          if (!judged.has(segment)) damaged += scan.damaged + (bytes - scan.end);
          judged.add(segment);
        } finally {
          await file.close();
        }
      }
    },
    surplus,
    async trim(budget) {
      const gone = surplus(budget);
      for (const { segment, bytes } of gone) {
        await disk.remove(folder, segmentName(segment));
        segments.shift();
        judged.delete(segment);
        removedSegments++;
        removedBytes += bytes;
      }
      if (gone.length > 0) await disk.syncFolder(folder);
      return gone;
    },
    stats: () => ({
      bytes: segments.reduce((sum, info) => sum + info.bytes, 0),
      segments: segments.length,
      damaged_bytes: damaged,
      torn_bytes: torn,
      removed_segments: removedSegments,
      removed_bytes: removedBytes,
    }),
  };
}
