/**
 * The journal: every accepted message, on disk before anybody is told so.
 *
 *   append -> open group -> [write, fdatasync] -> promise resolves, group goes to the fold
 *      └─ waits while too much is on its way
 *
 * One group is in the making while one is on its way to the disk. A group leaves at once when somebody waits for it (a sender that
 * answers acknowledgements with the next message, or has eight unanswered), when it is large, or when the disk was idle; else
 * `groupMs` after the one before, because each fdatasync costs a page of flash.
 *
 * Invariants: a promise resolves only once its bytes are synced, and groups do so in the order of their places; what was not written
 * is refused, never forgotten; after a failed sync nothing is accepted any more.
 */
import { type IngestMessage, NotTaken } from '#contract/fleet/ingest.ts';
import type { Disk } from './disk.ts';
import { createGroupFile, SyncFailed } from './group-file.ts';
import { createGate, type Gate, type OpenGroup, OpenGroups } from './open-groups.ts';
import { positionOf, segmentOf } from './position.ts';
import { MAX_PAYLOAD } from './record.ts';
import type { Group } from './segment-file.ts';
import { type Budget, type FolderStats, openSegmentFolder, type Removed } from './segment-folder.ts';
import { type Cancel, nodeTimers, type Timers } from './timers.ts';

const SEGMENT_BYTES = 64 << 20;
/** Segments while room is short: what a restart does not need can give way in small pieces. */
const SMALL_SEGMENT = 8 << 20;
const GROUP_MS = 80;
/** A group that holds this much goes at once. */
const GROUP_BYTES = 128 * 1024;
const WAITING_BYTES = 32 << 20;
/** Errors that pass: nothing was acknowledged, the file is put back, a later group may try again. */
const PASSING = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EMFILE', 'ENFILE', 'ENOMEM']);
/** So long after such an error the disk is left alone, in milliseconds. */
const PAUSE_MS = 1_000;
/** After so long without a sync there is nothing to say of the disk. */
const IDLE_MS = 60_000;

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? '';

/** Where it lies, and who hears of it. */
export interface JournalOptions {
  readonly folder: string;
  readonly disk: Disk;
  /** Milliseconds since 1970, for the segments' heads. */
  readonly clock: () => number;
  /** Milliseconds that never go back. */
  readonly monotonic: () => number;
  /** Node's when absent. */
  readonly timers?: Timers;
  readonly random: (bytes: number) => Uint8Array;
  /** Everything appended lies behind this position, whatever the folder holds. */
  readonly after?: number;
  readonly segmentBytes?: number;
  readonly groupMs?: number;
  /** Bytes waiting for the disk; at the bound `append` waits too. */
  readonly waitingBytes?: number;
  /** The machine that a device is on now; none when absent. */
  readonly machineOf?: (device: string) => string | null;
  /** Each group once it is on disk, in order. */
  readonly onGroup: (group: Group) => void;
  /** Called once; every later append is refused. */
  readonly onFatal: (error: Error) => void;
}

/** What it did, and how the disk does. */
export interface JournalStats extends FolderStats {
  /** On disk since the journal was opened. */
  readonly messages: number;
  readonly groups: number;
  readonly last_sync_ms: number | null;
  readonly waiting_bytes: number;
  /** How long a sync takes lately, smoothed; null when there was none for a minute. */
  readonly sync_ms: number | null;
  /** The system's code for why nothing is taken now; null while the disk takes it. */
  readonly refusing: string | null;
}

/** An open journal; disposing it writes what waits. */
export interface Journal extends AsyncDisposable {
  /** Resolves when the message survives a power cut; rejects when it is not known to. */
  append(message: IngestMessage): Promise<void>;
  /** Resolves when everything appended so far is on disk. */
  flush(): Promise<void>;
  /** Behind the last message that is on disk. */
  readonly end: number;
  /** Behind the last message that was appended, on disk or not. */
  readonly next: number;
  /** The oldest position still held. */
  readonly start: number;
  /** Groups on disk from the beginning of this position's segment on, so that device definitions are seen. */
  read(from: number): AsyncGenerator<Group>;
  /** The oldest segments beyond the budgets, never one at or behind `keep`; and the same, given up. */
  surplus(budget: Budget): Removed[];
  trim(budget: Budget): Promise<Removed[]>;
  /** Shorter segments, from the next one on, or the usual ones. */
  useSmallSegments(small: boolean): void;
  /** Finds out whether a disk that refused takes again, by beginning a segment. */
  probe(): Promise<void>;
  stats(): JournalStats;
}

interface Waiter extends Gate {
  readonly message: IngestMessage;
  readonly machine: string | null;
}

/** Opens the journal in a folder: cuts a torn tail off, and begins a new segment. */
export async function openJournal(options: JournalOptions): Promise<Journal> {
  const { clock, monotonic, random, groupMs = GROUP_MS, segmentBytes = SEGMENT_BYTES } = options;
  const { waitingBytes = WAITING_BYTES, machineOf = () => null, timers = nodeTimers() } = options;

  const folder = await openSegmentFolder(options.disk, options.folder);
  const file = createGroupFile({ folder, clock, monotonic, random });
  const making = new OpenGroups(Math.max(folder.highest, segmentOf(options.after ?? 0)) + 1, monotonic);

  let failed: Error | undefined;
  let closed = false;
  let waiters: Waiter[] = [];
  let running: Promise<void> | undefined;
  let scheduled: Cancel | undefined;
  let scheduledNow = false;
  let lastFlush = Number.NEGATIVE_INFINITY;
  let end = positionOf(making.segment, 0);
  let messages = 0;
  let groups = 0;
  let small = false;
  let refusing: { readonly code: string; readonly error: Error; readonly until: number } | undefined;

  function put(message: IngestMessage, machine: string | null): Promise<void> {
    const done = making.put(message, machine);
    schedule();
    return done;
  }

  function schedule(): void {
    if (running !== undefined || scheduledNow || closed) return;
    const now = making.urgent || making.held >= GROUP_BYTES;
    if (scheduled !== undefined && !now) return;
    const wait = now ? 0 : lastFlush + groupMs - monotonic();
    scheduled?.();
    if (wait <= 0) {
      // After the I/O of this turn, so that all that arrived together is one group.
      scheduledNow = true;
      scheduled = timers.soon(drain);
    } else scheduled = timers.after(wait, drain);
  }

  function drain(): void {
    scheduled?.();
    scheduled = undefined;
    scheduledNow = false;
    if (running === undefined) alone(run);
  }

  /** Does something with the file while nothing else does; what came meanwhile goes next. */
  function alone(work: () => Promise<void>): void {
    running = work().finally(() => {
      running = undefined;
      if (failed === undefined && !making.isEmpty) schedule();
    });
  }

  async function run(): Promise<void> {
    making.shut();
    making.urgent = false;
    lastFlush = monotonic();
    for (let batch = making.take(); batch.length > 0 && failed === undefined; batch = making.take()) {
      try {
        await file.write(batch);
      } catch (error) {
        await refuse(batch, error as Error);
        continue;
      }
      refusing = undefined;
      const most = small ? Math.min(SMALL_SEGMENT, segmentBytes) : segmentBytes;
      if (file.bytes >= most && file.segment === making.segment) making.rotate = true;
      acknowledge(batch);
      admit();
    }
  }

  function acknowledge(batch: readonly OpenGroup[]): void {
    const now = monotonic();
    for (const group of batch) {
      const { segment, start, records, length } = group;
      groups++;
      messages += group.messages;
      end = positionOf(segment, start + length);
      making.acknowledge(group, now);
      options.onGroup({ segment, start, records, body: group.buffer.subarray(0, length) });
    }
  }

  /** Lets in who waited, as far as there is room. */
  function admit(): void {
    let taken = 0;
    while (taken < waiters.length && making.held < waitingBytes) {
      const waiter = waiters[taken++] as Waiter;
      put(waiter.message, waiter.machine).then(waiter.resolve, waiter.reject);
    }
    if (taken > 0) waiters = waiters.slice(taken);
  }

  /** What was not written is refused, never forgotten: its senders send it again. */
  async function refuse(batch: readonly OpenGroup[], cause: Error): Promise<void> {
    const error = await whyRefused(cause);
    for (const group of batch) making.refuse(group, error);
    if (failed !== undefined) return;
    // Device definitions may be among the lost, and later groups count on them: all that waits is refused, a new segment begins.
    making.refuseAll(error);
    making.goTo(Math.max(making.segment, file.segment) + 1);
    admit();
  }

  /** What senders are told: to try again, where the error passes and the file could be put back. */
  async function whyRefused(cause: Error): Promise<Error> {
    if (cause instanceof SyncFailed) return fatal(cause);
    const code = codeOf(cause);
    const message = `the journal could not be written: ${cause.message}`;
    if (!PASSING.has(code)) return fatal(new Error(message, { cause }));
    const error = new NotTaken(message, cause);
    refusing = { code, error, until: monotonic() + PAUSE_MS };
    file.spoil();
    // A disk that went read-only cannot be put back now; it is before anything else is written.
    await file.tidy().catch((again: Error) => {
      if (!PASSING.has(codeOf(again))) fatal(again);
    });
    return failed ?? error;
  }

  async function probe(): Promise<void> {
    try {
      await file.tidy();
      // A message that came meanwhile is the better probe.
      if (making.isOpen) return;
      await file.begin(making.segment);
      refusing = undefined;
    } catch (error) {
      const code = codeOf(error);
      if (PASSING.has(code)) refusing = { code, error: error as Error, until: monotonic() + PAUSE_MS };
      else fatal(error as Error);
    }
  }

  function fatal(error: Error): Error {
    if (failed !== undefined) return failed;
    failed = error;
    making.refuseAll(error);
    for (const waiter of waiters.splice(0)) waiter.reject(error);
    options.onFatal(error);
    return error;
  }

  const journal: Journal = {
    append(message) {
      if (failed !== undefined) return Promise.reject(failed);
      if (closed) return Promise.reject(new Error('the journal is closed'));
      if (message.payload.length > MAX_PAYLOAD) return Promise.reject(new Error('a message over 16 MiB'));
      if (refusing !== undefined && monotonic() < refusing.until) return Promise.reject(refusing.error);
      const machine = machineOf(message.device);
      if (making.held < waitingBytes && waiters.length === 0) return put(message, machine);
      const waiter = { ...createGate(), message, machine };
      waiters.push(waiter);
      return waiter.promise;
    },
    async flush() {
      while ((!making.isEmpty || running !== undefined || waiters.length > 0) && !failed) {
        if (running === undefined) drain();
        await running;
      }
      if (failed) throw failed;
    },
    get end() {
      return end;
    },
    get next() {
      return positionOf(making.segment, making.offset);
    },
    get start() {
      return positionOf(folder.lowest ?? making.segment, 0);
    },
    read: (from) => folder.read(from, end),
    surplus: (budget) => folder.surplus({ ...budget, keep: Math.min(budget.keep, end) }),
    trim: (budget) => folder.trim({ ...budget, keep: Math.min(budget.keep, end) }),
    useSmallSegments(want) {
      small = want;
    },
    async probe() {
      if (refusing === undefined || monotonic() < refusing.until) return;
      if (running !== undefined || !making.isEmpty || closed || failed !== undefined) return;
      alone(probe);
      await running;
    },
    stats: () => ({
      ...folder.stats(),
      messages,
      groups,
      last_sync_ms: file.lastSyncMs,
      waiting_bytes: making.held,
      sync_ms: monotonic() - lastFlush > IDLE_MS ? null : file.smoothSyncMs,
      refusing: refusing?.code ?? null,
    }),
    async [Symbol.asyncDispose]() {
      if (closed) return;
      try {
        await journal.flush();
      } catch {
        // Told to every sender and to onFatal already.
      } finally {
        closed = true;
        scheduled?.();
        await file.close();
      }
    },
  };
  return journal;
}
