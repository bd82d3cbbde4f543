/**
 * The journal: writes every accepted message to disk before the promise of `append` resolves.
 *
 *   append -> open group -> [write, fdatasync] -> promise resolves, group goes to the fold
 *      └─ waits while too many bytes are unwritten
 *
 * A group is a number of messages that are written and synced together; a segment is one file of the journal. While one group is written,
 * new messages go into the next group. The journal writes a group at once in three cases: a sender waits for the acknowledgement, the group
 * is large, or the disk was idle. A sender counts as waiting if it sends each message right after an acknowledgement, or if it has eight
 * unacknowledged messages. In all other cases the journal writes a group `groupMs` after the last write, because each fdatasync writes at
 * least one page of flash memory, which wears out.
 *
 * Invariants: a promise resolves only after its bytes are synced, and groups resolve in the order of their positions. The journal rejects
 * each message that it could not write. After a failed sync it accepts no more messages.
 */
import { type IngestMessage, NotTaken } from '#contract/fleet/ingest.ts';
import type { Disk } from './disk.ts';
import { createGroupFile, type GroupFile, SyncFailed } from './group-file.ts';
import { createDeferred, type Deferred, type OpenGroup, OpenGroups } from './open-groups.ts';
import { positionOf, segmentOf } from './position.ts';
import { MAX_PAYLOAD } from './record.ts';
import type { Group } from './segment-file.ts';
import {
  type Budget,
  type FolderStats,
  type FoundGroup,
  openSegmentFolder,
  type Removed,
  type Search,
  type SegmentFolder,
} from './segment-folder.ts';
import { type Cancel, nodeTimers, type Timers } from './timers.ts';

const SEGMENT_BYTES = 64 << 20;
/**
 * The size of segments while the disk is low. The journal frees space only by removing a whole segment, so small segments free it sooner.
 */
const SMALL_SEGMENT = 8 << 20;
const GROUP_MS = 80;
/** When a group has this size, the journal writes it at once and does not wait for more messages. */
const GROUP_BYTES = 128 * 1024;
const WAITING_BYTES = 32 << 20;
/** After one of these errors a later write may succeed: the journal refuses the messages and truncates the file to its last good length. */
const TRANSIENT = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EMFILE', 'ENFILE', 'ENOMEM']);
/** After one of the errors in `TRANSIENT` the journal does not write for this time, in milliseconds. */
const RETRY_MS = 1_000;
/** After this time without a sync, `sync_ms` is null. */
const IDLE_MS = 60_000;

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? '';

/** The folder of a journal, its limits and its callbacks. */
export interface JournalOptions {
  readonly folder: string;
  readonly disk: Disk;
  /** Returns the present time in milliseconds since 1970, for the headers of segments. */
  readonly clock: () => number;
  /** Returns a monotonic time in milliseconds. */
  readonly monotonic: () => number;
  /** The timers to use; by default those of Node.js. */
  readonly timers?: Timers;
  readonly random: (bytes: number) => Uint8Array;
  /** New messages get positions after this position, even if the folder of the journal was lost. */
  readonly after?: number;
  readonly segmentBytes?: number;
  readonly groupMs?: number;
  /** The limit of unwritten bytes; at the limit `append` waits. */
  readonly waitingBytes?: number;
  /** Returns the machine to which a device is linked now; null for none. Without this function no device is linked to a machine. */
  readonly machineOf?: (device: string) => string | null;
  /** Called with each group after it is on disk, in order. */
  readonly onGroup: (group: Group) => void;
  /** Called once, when the journal cannot be written any more. The journal then rejects every later append. */
  readonly onFatal: (error: Error) => void;
}

/** Counters of the journal, and the state of its disk. */
export interface JournalStats extends FolderStats {
  /** Messages written since the journal was opened. */
  readonly messages: number;
  readonly groups: number;
  readonly last_sync_ms: number | null;
  readonly waiting_bytes: number;
  /** The average duration of the latest syncs in milliseconds; null if there was no sync for a minute. */
  readonly sync_ms: number | null;
  /** The system error code for which the journal refuses messages now; null while it accepts them. */
  readonly refusing: string | null;
}

/** An open journal; disposing it writes the waiting messages. */
export interface Journal extends AsyncDisposable {
  /** Resolves when the message is on disk and survives a power cut; rejects if that is not certain. */
  append(message: IngestMessage): Promise<void>;
  /** Resolves when everything appended so far is on disk. */
  flush(): Promise<void>;
  /** The position after the last message on disk. */
  readonly end: number;
  /** The position after the last appended message, also if this message is not on disk yet. */
  readonly next: number;
  /** The oldest position that the journal still has. */
  readonly start: number;
  /**
   * Yields the groups on disk, from the start of the segment that contains this position. It begins at the start of the segment because the
   * device definitions are there.
   */
  read(from: number): AsyncGenerator<Group>;
  /** Yields the groups on disk between two positions that may contain wanted messages, and perhaps a few others. */
  search(of: Search): AsyncGenerator<FoundGroup>;
  /** Returns the oldest segments that exceed the limits. It never returns a segment at or after the position `keep`. */
  surplus(budget: Budget): Removed[];
  /** Removes the segments that `surplus` returns, and returns them. */
  trim(budget: Budget): Promise<Removed[]>;
  /** Sets whether new segments are small (8 MB) or have the usual size. */
  useSmallSegments(small: boolean): void;
  /** After a refused write, starts a new segment to test whether the disk accepts writes again. */
  probe(): Promise<void>;
  stats(): JournalStats;
}

/** A message that waits because too many bytes are unwritten. */
interface Waiter extends Deferred {
  readonly message: IngestMessage;
  readonly machine: string | null;
}

/** Opens the journal in a folder: truncates a group that a crash interrupted, and starts a new segment. */
export async function openJournal(options: JournalOptions): Promise<Journal> {
  const folder = await openSegmentFolder(options.disk, options.folder);
  return new GroupJournal(options, folder);
}

/**
 * Set while the journal refuses messages: the error that is the reason, and the monotonic time in milliseconds at which the refusal ends.
 */
interface Refusal {
  readonly code: string;
  readonly error: Error;
  readonly until: number;
}

class GroupJournal implements Journal {
  private readonly options: JournalOptions;
  private readonly folder: SegmentFolder;
  private readonly file: GroupFile;
  private readonly groups: OpenGroups;
  private readonly timers: Timers;
  private readonly groupMs: number;
  private readonly segmentBytes: number;
  private readonly waitingBytes: number;
  private failed: Error | undefined;
  private closed = false;
  private waiters: Waiter[] = [];
  /** The current work on the file; undefined if there is none. */
  private running: Promise<void> | undefined;
  private cancelWrite: Cancel | undefined;
  private scheduledNow = false;
  private lastWrite = Number.NEGATIVE_INFINITY;
  private written: number;
  private messagesWritten = 0;
  private groupsWritten = 0;
  private small = false;
  private refusal: Refusal | undefined;

  constructor(options: JournalOptions, folder: SegmentFolder) {
    const { clock, monotonic, random } = options;
    this.options = options;
    this.folder = folder;
    this.timers = options.timers ?? nodeTimers();
    this.groupMs = options.groupMs ?? GROUP_MS;
    this.segmentBytes = options.segmentBytes ?? SEGMENT_BYTES;
    this.waitingBytes = options.waitingBytes ?? WAITING_BYTES;
    this.file = createGroupFile({ folder, clock, monotonic, random });
    this.groups = new OpenGroups(Math.max(folder.highest, segmentOf(options.after ?? 0)) + 1, monotonic);
    this.written = positionOf(this.groups.segment, 0);
  }

  append(message: IngestMessage): Promise<void> {
    const { refusal, groups } = this;
    if (this.failed !== undefined) return Promise.reject(this.failed);
    if (this.closed) return Promise.reject(new Error('the journal is closed'));
    if (message.payload.length > MAX_PAYLOAD) return Promise.reject(new Error('the message is larger than 16 MiB'));
    if (refusal !== undefined && this.options.monotonic() < refusal.until) return Promise.reject(refusal.error);
    const machine = this.options.machineOf?.(message.device) ?? null;
    if (groups.held < this.waitingBytes && this.waiters.length === 0) return this.put(message, machine);
    const waiter = { ...createDeferred(), message, machine };
    this.waiters.push(waiter);
    return waiter.promise;
  }

  async flush(): Promise<void> {
    while ((!this.groups.isEmpty || this.running !== undefined || this.waiters.length > 0) && !this.failed) {
      if (this.running === undefined) this.startWriting();
      await this.running;
    }
    if (this.failed) throw this.failed;
  }

  get end(): number {
    return this.written;
  }

  get next(): number {
    return positionOf(this.groups.segment, this.groups.offset);
  }

  get start(): number {
    return positionOf(this.folder.lowest ?? this.groups.segment, 0);
  }

  read(from: number): AsyncGenerator<Group> {
    return this.folder.read(from, this.written);
  }

  search(of: Search): AsyncGenerator<FoundGroup> {
    return this.folder.search({ ...of, until: Math.min(of.until, this.written) });
  }

  surplus(budget: Budget): Removed[] {
    return this.folder.surplus({ ...budget, keep: Math.min(budget.keep, this.written) });
  }

  trim(budget: Budget): Promise<Removed[]> {
    return this.folder.trim({ ...budget, keep: Math.min(budget.keep, this.written) });
  }

  useSmallSegments(small: boolean): void {
    this.small = small;
  }

  async probe(): Promise<void> {
    const { refusal } = this;
    if (refusal === undefined || this.options.monotonic() < refusal.until) return;
    if (this.running !== undefined || !this.groups.isEmpty || this.closed || this.failed !== undefined) return;
    this.runExclusive(() => this.testDisk());
    await this.running;
  }

  stats(): JournalStats {
    const { file } = this;
    return {
      ...this.folder.stats(),
      messages: this.messagesWritten,
      groups: this.groupsWritten,
      last_sync_ms: file.lastSyncMs,
      waiting_bytes: this.groups.held,
      sync_ms: this.options.monotonic() - this.lastWrite > IDLE_MS ? null : file.smoothSyncMs,
      refusing: this.refusal?.code ?? null,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.closed) return;
    try {
      await this.flush();
    } catch {
      // Ignore the error here: every sender and `onFatal` got it already.
    } finally {
      this.closed = true;
      this.cancelWrite?.();
      await this.file.close();
      await this.folder.settled();
    }
  }

  private put(message: IngestMessage, machine: string | null): Promise<void> {
    const done = this.groups.put(message, machine);
    this.schedule();
    return done;
  }

  /** Schedules the write of the open group. */
  private schedule(): void {
    const { groups, timers } = this;
    if (this.running !== undefined || this.scheduledNow || this.closed) return;
    const now = groups.urgent || groups.held >= GROUP_BYTES;
    if (this.cancelWrite !== undefined && !now) return;
    const wait = now ? 0 : this.lastWrite + this.groupMs - this.options.monotonic();
    this.cancelWrite?.();
    if (wait <= 0) {
      // Write after the event loop has read all sockets that are ready, so that messages that arrived together share a group.
      this.scheduledNow = true;
      this.cancelWrite = timers.soon(() => this.startWriting());
    } else this.cancelWrite = timers.after(wait, () => this.startWriting());
  }

  private startWriting(): void {
    this.cancelWrite?.();
    this.cancelWrite = undefined;
    this.scheduledNow = false;
    if (this.running === undefined) this.runExclusive(() => this.writeGroups());
  }

  /** Runs work on the file while no other work on it runs. Afterwards it schedules the write of groups that were added in the meantime. */
  private runExclusive(work: () => Promise<void>): void {
    this.running = work().finally(() => {
      this.running = undefined;
      if (this.failed === undefined && !this.groups.isEmpty) this.schedule();
    });
  }

  private async writeGroups(): Promise<void> {
    const { groups, file } = this;
    groups.close();
    groups.urgent = false;
    this.lastWrite = this.options.monotonic();
    for (let batch = groups.take(); batch.length > 0 && this.failed === undefined; batch = groups.take()) {
      try {
        await file.write(batch);
      } catch (error) {
        await this.refuse(batch, error as Error);
        continue;
      }
      this.refusal = undefined;
      const most = this.small ? Math.min(SMALL_SEGMENT, this.segmentBytes) : this.segmentBytes;
      if (file.bytes >= most && file.segment === groups.segment) groups.rotate = true;
      this.acknowledge(batch);
      this.admitWaiters();
    }
  }

  private acknowledge(batch: readonly OpenGroup[]): void {
    const now = this.options.monotonic();
    for (const group of batch) {
      const { segment, start, records, length } = group;
      this.groupsWritten++;
      this.messagesWritten += group.messages;
      this.written = positionOf(segment, start + length);
      this.groups.acknowledge(group, now);
      this.options.onGroup({ segment, start, records, body: group.buffer.subarray(0, length) });
    }
  }

  /** Appends waiting messages up to the limit of unwritten bytes. */
  private admitWaiters(): void {
    let taken = 0;
    while (taken < this.waiters.length && this.groups.held < this.waitingBytes) {
      const waiter = this.waiters[taken++] as Waiter;
      this.put(waiter.message, waiter.machine).then(waiter.resolve, waiter.reject);
    }
    if (taken > 0) this.waiters = this.waiters.slice(taken);
  }

  /** Rejects the messages of a batch that could not be written; their senders send them again. */
  private async refuse(batch: readonly OpenGroup[], cause: Error): Promise<void> {
    const { groups } = this;
    const error = await this.refusalError(cause);
    for (const group of batch) groups.refuse(group, error);
    if (this.failed !== undefined) return;
    // The refused groups may contain device definitions that later groups of the segment need. So reject all waiting groups and start a new
    // segment.
    groups.refuseAll(error);
    groups.startSegment(Math.max(groups.segment, this.file.segment) + 1);
    this.admitWaiters();
  }

  /** Returns the error for the senders: `NotTaken` (try again) after a transient error, otherwise the fatal error. */
  private async refusalError(cause: Error): Promise<Error> {
    const { file } = this;
    if (cause instanceof SyncFailed) return this.fail(cause);
    const code = codeOf(cause);
    const message = `the journal could not be written: ${cause.message}`;
    if (!TRANSIENT.has(code)) return this.fail(new Error(message, { cause }));
    const error = new NotTaken(message, cause);
    this.refusal = { code, error, until: this.options.monotonic() + RETRY_MS };
    file.markDirty();
    // On a disk that became read-only, the file cannot be truncated now. The next write truncates the file first.
    await file.truncateDirty().catch((again: Error) => {
      if (!TRANSIENT.has(codeOf(again))) this.fail(again);
    });
    return this.failed ?? error;
  }

  /** Truncates the bytes of refused messages and starts a segment. If this succeeds, the refusal ends. */
  private async testDisk(): Promise<void> {
    const { file, groups } = this;
    try {
      await file.truncateDirty();
      // A message arrived in the meantime, and writing it will test the disk.
      if (groups.isOpen) return;
      await file.begin(groups.segment);
      this.refusal = undefined;
    } catch (error) {
      const code = codeOf(error);
      if (TRANSIENT.has(code))
        this.refusal = { code, error: error as Error, until: this.options.monotonic() + RETRY_MS };
      else this.fail(error as Error);
    }
  }

  /** Ends the journal: rejects all waiting messages and calls `onFatal` once. Returns the first error. */
  private fail(error: Error): Error {
    if (this.failed !== undefined) return this.failed;
    this.failed = error;
    this.groups.refuseAll(error);
    for (const waiter of this.waiters.splice(0)) waiter.reject(error);
    this.options.onFatal(error);
    return error;
  }
}
