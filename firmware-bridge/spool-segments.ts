/**
 * The files of a spool, oldest first; each holds the messages from the number in its name up to the next file's.
 *
 *   0000000000000001.spool   0000000000000412.spool   0000000000000807.spool
 *   [1 ............... 411]  [412 ............. 806]  [807 ....... newest] <- write
 *
 * Invariants: only the newest file grows. An incomplete record at its end is cut off when the folder is opened. When `write` returns, the
 * kernel has the record. A full file stays open until `settle` has synced it, or was called without the need to sync.
 */
import {
  closeSync,
  fdatasync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { SpoolLog } from './spool-notes.ts';
import { readRecord } from './spool-record.ts';

const SUFFIX = '.spool';
const nameOf = (n: number) => `${String(n).padStart(16, '0')}${SUFFIX}`;

/** One file. */
export interface Segment {
  readonly first: number;
  /** Below `first` while it is empty. */
  last: number;
  bytes: number;
  readonly path: string;
}

function findSegments(folder: string): Segment[] {
  const segments: Segment[] = [];
  const names = readdirSync(folder).filter((one) => one.endsWith(SUFFIX));
  for (const name of names.sort()) {
    const path = join(folder, name);
    const first = Number(name.slice(0, -SUFFIX.length));
    if (Number.isSafeInteger(first) && first > 0)
      segments.push({ first, last: first - 1, bytes: statSync(path).size, path });
  }
  for (const [i, segment] of segments.entries()) segment.last = (segments[i + 1]?.first ?? segment.first) - 1;
  return segments;
}

/** Cuts off the record that a power cut left incomplete at the end of the newest file, and finds the last number of the file. */
function cutTail(segment: Segment, log: SpoolLog): void {
  const file = readFileSync(segment.path);
  let at = 0;
  segment.last = segment.first - 1;
  for (let record = readRecord(file, at); record !== undefined; record = readRecord(file, at)) {
    segment.last = record.n;
    at = record.end;
  }
  if (at === file.length) return;
  log('warn', 'a torn message at the end of the spool was cut off', { bytes: file.length - at });
  const fd = openSync(segment.path, 'r+');
  ftruncateSync(fd, at);
  closeSync(fd);
  segment.bytes = at;
}

/** Undefined when the disk does not return it now; the caller tries again later. */
export function openToRead(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch {
    return undefined;
  }
}

/** Opens the files of a folder; one that is written grows to `segmentBytes`. */
export function openSegments(folder: string, segmentBytes: number, log: SpoolLog) {
  const segments = findSegments(folder);
  const found = segments.at(-1);
  if (found !== undefined) cutTail(found, log);
  let bytes = segments.reduce((sum, segment) => sum + segment.bytes, 0);
  let writing: number | undefined;
  /** Full files that the next `settle` closes. */
  let written: number[] = [];

  function closeWriting(): void {
    if (writing !== undefined) written.push(writing);
    writing = undefined;
  }

  function begin(n: number): Segment {
    closeWriting();
    const path = join(folder, nameOf(n));
    writing = openSync(path, 'a');
    const segment = { first: n, last: n - 1, bytes: 0, path };
    segments.push(segment);
    return segment;
  }

  async function syncAll(closed: readonly number[]): Promise<void> {
    const directory = openToRead(folder);
    const own = directory === undefined ? closed : [...closed, directory];
    for (const fd of writing === undefined ? own : [...own, writing])
      await new Promise<void>((done) => {
        fdatasync(fd, (error) => {
          // EBADF: the file was closed meanwhile, because the broker has acknowledged all of it.
          if (error && error.code !== 'EBADF') log('warn', 'the spool could not be synced', { error: error.message });
          done();
        });
      });
    for (const fd of own) closeSync(fd);
  }

  return {
    get oldest(): Segment | undefined {
      return segments[0];
    },
    get newest(): Segment | undefined {
      return segments.at(-1);
    },
    get count() {
      return segments.length;
    },
    get bytes() {
      return bytes;
    },
    /** The file that holds the first message after `n`. */
    after: (n: number): Segment | undefined => segments.find(({ last }) => last > n),

    /** Throws when the disk does not accept the record. */
    write(record: Buffer, n: number): void {
      let segment = segments.at(-1);
      if (writing === undefined || segment === undefined || segment.bytes + record.length > segmentBytes)
        segment = begin(n);
      const fd = writing as number;
      let done = 0;
      try {
        while (done < record.length) done += writeSync(fd, record, done);
      } catch (error) {
        // The incomplete record is after the last message of the file and is never read.
        if (done > 0) closeWriting();
        throw error;
      }
      segment.bytes += record.length;
      segment.last = n;
      bytes += record.length;
    },

    /** Closes a file so that it can be removed; false when it is the only file, still open and not full. */
    finish(segment: Segment): boolean {
      if (segments.length > 1 || writing === undefined) return true;
      if (segment.bytes < segmentBytes) return false;
      closeWriting();
      return true;
    },

    remove(segment: Segment): void {
      segments.splice(segments.indexOf(segment), 1);
      bytes -= segment.bytes;
      try {
        rmSync(segment.path, { force: true });
      } catch (error) {
        // The next start finds the file again; the gateway recognises its messages as repeated.
        log('warn', 'a file of the spool could not be removed', { error: String(error) });
      }
    },

    /** To be called every second: closes the full files. With `sync` it first syncs them, the newest file and the folder. */
    settle(sync: boolean): void {
      const closed = written;
      written = [];
      if (!sync) for (const fd of closed) closeSync(fd);
      else void syncAll(closed);
    },

    close(sync: boolean): void {
      closeWriting();
      for (const fd of written) {
        if (sync) fsyncSync(fd);
        closeSync(fd);
      }
    },
  };
}
