/**
 * The files ("segments") of a spool (a queue on disk), oldest first. The name of a file is the number of its first message.
 *
 *   0000000000000001.spool   0000000000000412.spool   0000000000000807.spool
 *   [1 ............... 411]  [412 ............. 806]  [807 ....... newest] <- write
 *
 * Invariants: only the newest file grows. When the folder is opened, an incomplete record at the end of this file is cut off. When `write`
 * returns, the kernel has the record. A full file stays open until the next call of `settle`, because `settle` may have to sync it.
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

/** One file of the spool, with the numbers of its first and last message. */
export interface Segment {
  readonly first: number;
  /** Number of the last message; below `first` while the file is empty. */
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

/** Cuts off an incomplete record, which a power cut may leave at the end of the newest file, and finds the last message number. */
function cutTail(segment: Segment, log: SpoolLog): void {
  const file = readFileSync(segment.path);
  let at = 0;
  segment.last = segment.first - 1;
  for (let record = readRecord(file, at); record !== undefined; record = readRecord(file, at)) {
    segment.last = record.n;
    at = record.end;
  }
  if (at === file.length) return;
  log('warn', 'an incomplete message at the end of the spool was cut off', { bytes: file.length - at });
  const fd = openSync(segment.path, 'r+');
  ftruncateSync(fd, at);
  closeSync(fd);
  segment.bytes = at;
}

/** Opens a file for reading and returns its descriptor; undefined when this fails, and the caller then tries again later. */
export function openToRead(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch {
    return undefined;
  }
}

/** Opens the files of a spool folder. New messages go to the newest file until it has `segmentBytes` bytes; then a new file begins. */
export function openSegments(folder: string, segmentBytes: number, log: SpoolLog) {
  const segments = findSegments(folder);
  const found = segments.at(-1);
  if (found !== undefined) cutTail(found, log);
  let bytes = segments.reduce((sum, segment) => sum + segment.bytes, 0);
  let writing: number | undefined;
  /** File descriptors of the full files. The next call of `settle` closes these files. */
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
          // EBADF: the file was closed during the sync, because the broker has acknowledged all of its messages.
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
    /** Returns the file that contains the first message with a number above `n`; undefined if there is no such message. */
    after: (n: number): Segment | undefined => segments.find(({ last }) => last > n),

    /** Appends the record of message `n` to the newest file, or to a new file. Throws when the write fails. */
    write(record: Buffer, n: number): void {
      let segment = segments.at(-1);
      if (writing === undefined || segment === undefined || segment.bytes + record.length > segmentBytes)
        segment = begin(n);
      const fd = writing as number;
      let done = 0;
      try {
        while (done < record.length) done += writeSync(fd, record, done);
      } catch (error) {
        // The write has left an incomplete record, so end this file. Readers stop at its last complete message.
        if (done > 0) closeWriting();
        throw error;
      }
      segment.bytes += record.length;
      segment.last = n;
      bytes += record.length;
    },

    /** Closes a file so that it can be removed; returns false when it is the only file and new messages still go to it. */
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
        // The next start finds the file and sends its messages again; the gateway recognises them as repeated.
        log('warn', 'a file of the spool could not be removed', { error: String(error) });
      }
    },

    /** Closes the full files; call it every second. If `sync` is true, it first syncs these files, the newest file and the folder. */
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
