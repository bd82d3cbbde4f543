/**
 * Groups of the journal in the making: records behind each other, ahead of the file while earlier groups are on their way to it.
 *
 *   put -> open group, grows -> [it is taken, or full] -> ready, in order -> taken, those of one segment together
 *
 * A device is defined in a segment before its first message there, and anew when it is on another machine. All messages of a group
 * share one promise.
 */
import type { DeviceIdentity, IngestMessage } from '#contract/fleet/ingest.ts';
import { definitionText, MAX_DEVICES, recordLength, writeDefinition, writeMessage } from './record.ts';

const MAX_RECORDS = 0xffff;
/** A group never grows beyond this by more than one message. */
const GROUP_LIMIT = 1 << 20;
const SMALLEST_BUFFER = 1024;
/** So many unanswered messages of one sender: it is probably at the end of its window. */
const SENDER_WINDOW = 8;
/** A message this soon after its sender's acknowledgement: the sender waits for each. */
const ANSWER_MS = 10;
/** A sender that answered so often may be late twice before it counts as one that does not wait. */
const MAX_ANSWERS = 8;

interface Sender {
  readonly index: number;
  /** What its definition says. */
  machine: string | null;
  /** Messages in the open group. */
  pending: number;
  acked: number;
  /** How often it answered acknowledgements of late; a message that comes later halves it. */
  answers: number;
}

/** A promise that somebody else settles. */
export interface Deferred {
  readonly promise: Promise<void>;
  resolve(): void;
  reject(error: Error): void;
}

/** A gate whose rejection may be heard by nobody. */
export function createDeferred(): Deferred {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  promise.catch(() => {});
  return { promise, resolve, reject };
}

/** Messages that share a promise, and their bytes. */
export interface OpenGroup extends Deferred {
  readonly segment: number;
  readonly start: number;
  buffer: Buffer;
  length: number;
  records: number;
  messages: number;
  readonly senders: Sender[];
}

/** The groups of one journal. */
export class OpenGroups {
  /** Where the next record is written. */
  segment: number;
  offset = 0;
  /** Bytes that are on no disk yet. */
  held = 0;
  /** The next group begins a segment. */
  rotate = false;
  /** Somebody waits for the open group. */
  urgent = false;
  private senders = new Map<string, Sender>();
  private open: OpenGroup | undefined;
  private ready: OpenGroup[] = [];
  /** Bytes that the next group will probably need. */
  private size = 32 * 1024;
  private readonly monotonic: () => number;

  constructor(segment: number, monotonic: () => number) {
    this.segment = segment;
    this.monotonic = monotonic;
  }

  get isEmpty(): boolean {
    return this.open === undefined && this.ready.length === 0;
  }

  /** True while messages come in for a group that nobody took yet. */
  get isOpen(): boolean {
    return this.open !== undefined;
  }

  /** Writes a message into the open group; resolves with it. */
  put(message: IngestMessage, machine: string | null): Promise<void> {
    if (this.open !== undefined && this.isFull(this.open)) this.close();
    this.open ??= this.begin();
    const group = this.open;
    const before = group.length;
    const sender = this.senderOf(group, message, machine);
    if (message.waits === true) this.urgent = true;
    if (sender.pending++ === 0) {
      group.senders.push(sender);
      const answers = this.monotonic() - sender.acked < ANSWER_MS;
      // Once may be chance: a sender with a beat of its own meets a slow disk's acknowledgements now and then. And one that waits is late
      // now and then, when the gateway or the network is busy.
      sender.answers = answers ? Math.min(sender.answers + 1, MAX_ANSWERS) : sender.answers >> 1;
      if (sender.answers >= 2) this.urgent = true;
    } else if (sender.pending === SENDER_WINDOW) this.urgent = true;
    makeRoom(group, recordLength(message.payload.length));
    group.length = writeMessage(group.buffer, group.length, sender.index, message);
    group.records++;
    this.offset += group.length - before;
    this.held += group.length - before;
    group.messages++;
    return group.promise;
  }

  /** Ends the open group: what comes now is in the next. */
  close(): void {
    const group = this.open;
    if (group === undefined) return;
    this.size = Math.min(Math.max(SMALLEST_BUFFER, group.length + (group.length >> 1)), GROUP_LIMIT);
    for (const sender of group.senders) sender.pending = 0;
    this.ready.push(group);
    this.open = undefined;
  }

  /** The oldest ended groups, those of one segment; none when there are none. */
  take(): OpenGroup[] {
    const first = this.ready[0];
    const batch = this.ready.filter(({ segment }) => segment === first?.segment);
    this.ready = this.ready.slice(batch.length);
    return batch;
  }

  /** A group is on disk: its senders may answer. */
  acknowledge(group: OpenGroup, now: number): void {
    this.held -= group.length;
    for (const sender of group.senders) sender.acked = now;
    group.resolve();
  }

  /** A group is not, and never will be. */
  refuse(group: OpenGroup, error: Error): void {
    this.held -= group.length;
    group.reject(error);
  }

  /** Refuses all that wait. */
  refuseAll(error: Error): void {
    this.close();
    for (const group of this.ready.splice(0)) this.refuse(group, error);
  }

  /** Goes on in this segment, with nobody defined. */
  startSegment(segment: number): void {
    this.segment = segment;
    this.offset = 0;
    this.senders = new Map();
    this.rotate = false;
  }

  private isFull({ length, records }: OpenGroup): boolean {
    // A message may bring the definition of its device along.
    return length >= GROUP_LIMIT || records >= MAX_RECORDS - 1 || this.senders.size >= MAX_DEVICES;
  }

  private begin(): OpenGroup {
    if (this.rotate || this.senders.size >= MAX_DEVICES) this.startSegment(this.segment + 1);
    const buffer = Buffer.allocUnsafe(this.size);
    const { segment, offset: start } = this;
    return { ...createDeferred(), segment, start, buffer, length: 0, records: 0, messages: 0, senders: [] };
  }

  private senderOf(group: OpenGroup, device: DeviceIdentity, machine: string | null): Sender {
    let sender = this.senders.get(device.device);
    if (sender?.machine === machine) return sender;
    sender ??= { index: this.senders.size, machine, pending: 0, acked: Number.NEGATIVE_INFINITY, answers: 0 };
    sender.machine = machine;
    this.senders.set(device.device, sender);
    const text = definitionText(device, machine);
    makeRoom(group, recordLength(text.length));
    group.length = writeDefinition(group.buffer, group.length, sender.index, text);
    group.records++;
    return sender;
  }
}

function makeRoom(group: OpenGroup, length: number): void {
  const need = group.length + length;
  if (need <= group.buffer.length) return;
  const wider = Buffer.allocUnsafe(Math.max(need, group.buffer.length * 2));
  group.buffer.copy(wider, 0, 0, group.length);
  group.buffer = wider;
}
