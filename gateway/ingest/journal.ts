/**
 * The journal: every accepted message, on disk before anybody is told so.
 *
 *   append -> open group -> [write, fdatasync] -> promise resolves, group goes to the fold
 *
 * One group is in the making while one is on its way to the disk. All messages of a group share one promise. A group leaves at once
 * when somebody waits for it (a sender that answers acknowledgements with the next message, or has eight unanswered), when it is
 * large, or when the disk was idle; else `groupMs` after the one before, because each fdatasync costs a page of flash.
 */
import { type DeviceIdentity, type IngestMessage, NotTaken } from '#contract/ingest.ts';
import type { Disk } from './disk.ts';
import { positionOf, segmentOf } from './position.ts';
import { definitionText, MAX_DEVICES, MAX_PAYLOAD, recordLength, writeDefinition, writeMessage } from './record.ts';
import { encodeGroup, type Group } from './segment-file.ts';
import {
  type Budget,
  type CurrentSegment,
  type FolderStats,
  openSegmentFolder,
  type Removed,
} from './segment-folder.ts';
import { type Cancel, nodeTimers, type Timers } from './timers.ts';

const MAX_RECORDS = 0xffff;
/** A group that holds this much goes at once. */
const GROUP_BYTES = 128 * 1024;
/** A group never grows beyond this by more than one message. */
const GROUP_LIMIT = 1 << 20;
/** So many unanswered messages of one sender: it is probably at the end of its window. */
const SENDER_WINDOW = 8;
/** A message this soon after its sender's acknowledgement: the sender waits for each. */
const ANSWER_MS = 10;
/** Errors that pass: nothing was acknowledged, the file is put back, a later group may try again. */
const PASSING = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EMFILE', 'ENFILE', 'ENOMEM']);
/** So long after such an error the disk is left alone, in milliseconds. */
const PAUSE_MS = 1_000;
/** Syncs over which their time is smoothed; after so long without one there is nothing to say of the disk. */
const SMOOTH = 4;
const IDLE_MS = 60_000;
/** Segments while room is short: what a restart does not need can give way in small pieces. */
const SMALL_SEGMENT = 8 << 20;

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

interface Sender {
  readonly index: number;
  /** What its definition says. */
  machine: string | null;
  /** Messages in the open group. */
  pending: number;
  acked: number;
  /** Its last first message of a group came right after an acknowledgement. */
  answered: boolean;
}

interface Gate {
  readonly promise: Promise<void>;
  resolve(): void;
  reject(error: Error): void;
}

interface Waiter extends Gate {
  readonly message: IngestMessage;
  readonly machine: string | null;
}

interface OpenGroup extends Gate {
  readonly segment: number;
  readonly start: number;
  buffer: Buffer;
  length: number;
  records: number;
  messages: number;
  readonly senders: Sender[];
}

function gate(): Gate {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  promise.catch(() => {});
  return { promise, resolve, reject };
}

/** Opens the journal in a folder: cuts a torn tail off, and begins a new segment. */
export async function openJournal(options: JournalOptions): Promise<Journal> {
  const { monotonic } = options;
  const timers = options.timers ?? nodeTimers();
  const segmentBytes = options.segmentBytes ?? 64 << 20;
  const groupMs = options.groupMs ?? 80;
  const bound = options.waitingBytes ?? 32 << 20;
  const machineOf = options.machineOf ?? (() => null);

  const folder = await openSegmentFolder(options.disk, options.folder);
  const highest = Math.max(folder.highest, segmentOf(options.after ?? 0));

  let failed: Error | undefined;
  let closed = false;
  // Where records are written: ahead of the file while groups wait.
  let segment = highest + 1;
  let offset = 0;
  let senders = new Map<string, Sender>();
  let rotate = false;
  let open: OpenGroup | undefined;
  let ready: OpenGroup[] = [];
  let waiters: Waiter[] = [];
  let held = 0;
  let urgent = false;
  let running: Promise<void> | undefined;
  let scheduled: Cancel | undefined;
  let scheduledNow = false;
  let lastFlush = Number.NEGATIVE_INFINITY;
  let current: CurrentSegment | undefined;
  let end = positionOf(segment, 0);
  let messages = 0;
  let groups = 0;
  let lastSync: number | null = null;
  let smoothSync = Number.NaN;
  let size = 32 * 1024;
  let small = false;
  /** What was refused may stand in the file behind its end. */
  let untidy = false;
  let refusing: { readonly code: string; readonly error: Error; readonly until: number } | undefined;

  function begin(): OpenGroup {
    if (rotate || senders.size >= MAX_DEVICES) {
      segment++;
      offset = 0;
      senders = new Map();
      rotate = false;
    }
    const buffer = Buffer.allocUnsafe(size);
    return { ...gate(), segment, start: offset, buffer, length: 0, records: 0, messages: 0, senders: [] };
  }

  function room(group: OpenGroup, length: number): void {
    const need = group.length + length;
    if (need <= group.buffer.length) return;
    const wider = Buffer.allocUnsafe(Math.max(need, group.buffer.length * 2));
    group.buffer.copy(wider, 0, 0, group.length);
    group.buffer = wider;
  }

  function shut(group: OpenGroup): void {
    size = Math.min(Math.max(16 * 1024, group.length + (group.length >> 1)), GROUP_LIMIT);
    for (const sender of group.senders) sender.pending = 0;
    ready.push(group);
    open = undefined;
  }

  function senderOf(group: OpenGroup, device: DeviceIdentity, machine: string | null): Sender {
    let sender = senders.get(device.device);
    if (sender?.machine === machine) return sender;
    sender ??= { index: senders.size, machine, pending: 0, acked: Number.NEGATIVE_INFINITY, answered: false };
    sender.machine = machine;
    senders.set(device.device, sender);
    const text = definitionText(device, machine);
    room(group, recordLength(text.length));
    group.length = writeDefinition(group.buffer, group.length, sender.index, text);
    group.records++;
    return sender;
  }

  function put(message: IngestMessage, machine: string | null): Promise<void> {
    if (open !== undefined && (open.length >= GROUP_LIMIT || open.records >= MAX_RECORDS - 1)) shut(open);
    open ??= begin();
    const group = open;
    const before = group.length;
    const sender = senderOf(group, message, machine);
    if (sender.pending++ === 0) {
      group.senders.push(sender);
      const answers = monotonic() - sender.acked < ANSWER_MS;
      // Once may be chance: a sender with a beat of its own meets a slow disk's acknowledgements now and then.
      if (answers && sender.answered) urgent = true;
      sender.answered = answers;
    } else if (sender.pending === SENDER_WINDOW) urgent = true;
    if (message.waits) urgent = true;
    room(group, recordLength(message.payload.length));
    group.length = writeMessage(group.buffer, group.length, sender.index, message);
    group.records++;
    offset += group.length - before;
    held += group.length - before;
    group.messages++;
    schedule();
    return group.promise;
  }

  function schedule(): void {
    if (running !== undefined || scheduledNow || closed) return;
    const now = urgent || held >= GROUP_BYTES;
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
    if (running !== undefined) return;
    running = run().finally(() => {
      running = undefined;
      if (failed === undefined && (open !== undefined || ready.length > 0)) schedule();
    });
  }

  async function run(): Promise<void> {
    if (open !== undefined) shut(open);
    urgent = false;
    lastFlush = monotonic();
    while (ready.length > 0 && failed === undefined) {
      const first = ready[0] as OpenGroup;
      const batch = ready.filter((group) => group.segment === first.segment);
      ready = ready.slice(batch.length);
      try {
        await store(batch);
      } catch (error) {
        await refuse(batch, error as Error);
        continue;
      }
      acknowledge(batch);
      admit();
    }
  }

  async function store(batch: OpenGroup[]): Promise<void> {
    const first = batch[0] as OpenGroup;
    if (untidy) await tidy();
    const target = current?.segment === first.segment ? current : await rotateTo(first.segment);
    const parts: Buffer[] = [];
    for (const group of batch) {
      parts.push(...encodeGroup(target.salt, group.start, group.records, group.buffer.subarray(0, group.length)));
    }
    const bytes = Buffer.concat(parts);
    await target.file.write(bytes, target.bytes);
    const from = monotonic();
    try {
      await target.file.sync();
    } catch (error) {
      // After a failed fsync nobody knows which pages are on disk, and a second one may report success: the process must start anew.
      throw fatal(new Error(`the journal could not be synced: ${(error as Error).message}`, { cause: error }));
    }
    lastSync = monotonic() - from;
    smoothSync = Number.isNaN(smoothSync) ? lastSync : smoothSync + (lastSync - smoothSync) / SMOOTH;
    refusing = undefined;
    target.bytes += bytes.length;
    if (target.bytes >= (small ? Math.min(SMALL_SEGMENT, segmentBytes) : segmentBytes) && target.segment === segment)
      rotate = true;
  }

  /** Takes what was refused off the file: else a power cut could bring it back, in the middle of what was not. */
  async function tidy(): Promise<void> {
    await current?.file.truncate(current.bytes);
    try {
      await current?.file.sync();
    } catch (error) {
      throw fatal(new Error(`the journal could not be put back: ${(error as Error).message}`, { cause: error }));
    }
    untidy = false;
  }

  function acknowledge(batch: OpenGroup[]): void {
    const now = monotonic();
    for (const group of batch) {
      groups++;
      messages += group.messages;
      held -= group.length;
      end = positionOf(group.segment, group.start + group.length);
      for (const sender of group.senders) sender.acked = now;
      group.resolve();
      options.onGroup({
        segment: group.segment,
        start: group.start,
        records: group.records,
        body: group.buffer.subarray(0, group.length),
      });
    }
  }

  function admit(): void {
    let taken = 0;
    while (taken < waiters.length && held < bound) {
      const waiter = waiters[taken++] as Waiter;
      put(waiter.message, waiter.machine).then(waiter.resolve, waiter.reject);
    }
    if (taken > 0) waiters = waiters.slice(taken);
  }

  async function rotateTo(next: number): Promise<CurrentSegment> {
    const made = await folder.create(next, options.clock(), Buffer.from(options.random(4)).readUInt32LE(0));
    await current?.file.close();
    current = made;
    return made;
  }

  async function probe(): Promise<void> {
    try {
      if (untidy) await tidy();
      // A message that came meanwhile is the better probe.
      if (open !== undefined) return;
      if (current?.segment !== segment) await rotateTo(segment);
      refusing = undefined;
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? '';
      if (failed !== undefined) return;
      if (PASSING.has(code)) refusing = { code, error: error as Error, until: monotonic() + PAUSE_MS };
      else fatal(error as Error);
    }
  }

  /** What was not written is refused, never forgotten: its senders send it again. */
  async function refuse(batch: OpenGroup[], cause: Error): Promise<void> {
    const code = (cause as NodeJS.ErrnoException).code ?? '';
    let error: Error = failed ?? new NotTaken(`the journal could not be written: ${cause.message}`, cause);
    if (failed === undefined) {
      if (!PASSING.has(code)) error = fatal(new Error(`the journal could not be written: ${cause.message}`, { cause }));
      else {
        refusing = { code, error, until: monotonic() + PAUSE_MS };
        untidy = true;
        // A disk that went read-only cannot be put back now; it is before anything else is written.
        await tidy().catch((again: Error) => {
          if (failed === undefined && !PASSING.has((again as NodeJS.ErrnoException).code ?? '')) fatal(again);
        });
        error = failed ?? error;
      }
    }
    for (const group of batch) {
      held -= group.length;
      group.reject(error);
    }
    if (failed !== undefined) return;
    // Device definitions may be among the lost, and later groups count on them: all that waits is refused, a new segment begins.
    for (const group of [...ready, ...(open === undefined ? [] : [open])]) {
      held -= group.length;
      group.reject(error);
    }
    ready = [];
    open = undefined;
    segment = Math.max(segment, current?.segment ?? 0) + 1;
    offset = 0;
    senders = new Map();
    rotate = false;
    admit();
  }

  function fatal(error: Error): Error {
    if (failed !== undefined) return failed;
    failed = error;
    const lost = [...ready, ...(open === undefined ? [] : [open]), ...waiters];
    ready = [];
    open = undefined;
    waiters = [];
    for (const one of lost) one.reject(error);
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
      if (held < bound && waiters.length === 0) return put(message, machine);
      const waiter = { ...gate(), message, machine };
      waiters.push(waiter);
      return waiter.promise;
    },
    async flush() {
      while ((open !== undefined || ready.length > 0 || running !== undefined || waiters.length > 0) && !failed) {
        if (running === undefined) drain();
        await running;
      }
      if (failed) throw failed;
    },
    get end() {
      return end;
    },
    get next() {
      return positionOf(segment, offset);
    },
    get start() {
      return positionOf(folder.lowest ?? segment, 0);
    },
    read: (from) => folder.read(from, end),
    surplus: (budget) => folder.surplus({ ...budget, keep: Math.min(budget.keep, end) }),
    trim: (budget) => folder.trim({ ...budget, keep: Math.min(budget.keep, end) }),
    useSmallSegments(want) {
      small = want;
    },
    async probe() {
      if (refusing === undefined || monotonic() < refusing.until) return;
      if (running !== undefined || open !== undefined || ready.length > 0 || closed || failed !== undefined) return;
      running = probe().finally(() => {
        running = undefined;
        if (failed === undefined && (open !== undefined || ready.length > 0)) schedule();
      });
      await running;
    },
    stats: () => ({
      ...folder.stats(),
      messages,
      groups,
      last_sync_ms: lastSync,
      waiting_bytes: held,
      sync_ms: Number.isNaN(smoothSync) || monotonic() - lastFlush > IDLE_MS ? null : smoothSync,
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
        await current?.file.close();
        current = undefined;
      }
    },
  };
  return journal;
}
