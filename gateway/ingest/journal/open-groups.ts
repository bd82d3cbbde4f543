/**
 * The groups of the journal that are not written yet. A group is a number of messages that are written and synced together. New messages
 * are added to the open group while earlier groups are written.
 *
 *   put -> open group -> [closed by `close`, or full] -> queue of closed groups -> `take` returns the oldest groups of one segment
 *
 * Each segment (file) of the journal has a definition of each device: its ids and its machine. The definition comes before the first
 * message of the device. When the device is linked to another machine, a new definition follows. All messages of a group share one promise.
 */
import type { DeviceIdentity, IngestMessage } from '#contract/fleet/ingest.ts';
import { definitionText, MAX_DEVICES, recordLength, writeDefinition, writeMessage } from './record.ts';

const MAX_RECORDS = 0xffff;
/** The limit of a group in bytes; a group exceeds the limit by at most one message. */
const GROUP_LIMIT = 1 << 20;
const SMALLEST_BUFFER = 1024;
/** A sender with this many unacknowledged messages has probably filled its send window, so it waits for an acknowledgement. */
const SENDER_WINDOW = 8;
/** A message within this time after an acknowledgement, in milliseconds, shows that its sender waits for acknowledgements. */
const ANSWER_MS = 10;
/**
 * The limit of `answers`, which each late message halves. A sender at this limit still counts as waiting after two late messages, but not
 * after three.
 */
const MAX_ANSWERS = 8;

interface Sender {
  readonly index: number;
  /** The machine that the last definition of the device in this segment names; null for none. */
  machine: string | null;
  /** The number of messages of this sender in the open group. */
  pending: number;
  acked: number;
  /** The number of recent acknowledgements that the sender answered within `ANSWER_MS`. A later message halves the number. */
  answers: number;
}

/** A promise with its resolvers. */
export interface Deferred {
  readonly promise: Promise<void>;
  resolve(): void;
  reject(error: Error): void;
}

/** Creates a promise with its resolvers. A rejection of this promise does not end the process if nobody handles it. */
export function createDeferred(): Deferred {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  promise.catch(() => {});
  return { promise, resolve, reject };
}

/** Messages that are written together and share one promise, with their bytes. */
export interface OpenGroup extends Deferred {
  readonly segment: number;
  readonly start: number;
  buffer: Buffer;
  length: number;
  records: number;
  messages: number;
  readonly senders: Sender[];
}

/** The unwritten groups of one journal. */
export class OpenGroups {
  /** The segment of the next record. `offset` is its offset in the segment. */
  segment: number;
  offset = 0;
  /** The number of unwritten bytes. */
  held = 0;
  /** If true, the next group starts a new segment. */
  rotate = false;
  /** True if a sender waits for the acknowledgement of the open group. */
  urgent = false;
  private senders = new Map<string, Sender>();
  private open: OpenGroup | undefined;
  private ready: OpenGroup[] = [];
  /** The expected size of the next group, in bytes. */
  private size = 32 * 1024;
  private readonly monotonic: () => number;

  constructor(segment: number, monotonic: () => number) {
    this.segment = segment;
    this.monotonic = monotonic;
  }

  get isEmpty(): boolean {
    return this.open === undefined && this.ready.length === 0;
  }

  /** True while the open group has messages. */
  get isOpen(): boolean {
    return this.open !== undefined;
  }

  /** Adds a message to the open group, and returns the promise of the group. */
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
      // One fast answer does not prove that a sender waits: a sender that does not wait may send a message just after an acknowledgement by
      // chance. And a sender that waits may answer late if the gateway or the network is busy. So count several answers.
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

  /** Closes the open group; the next message starts another one. */
  close(): void {
    const group = this.open;
    if (group === undefined) return;
    this.size = Math.min(Math.max(SMALLEST_BUFFER, group.length + (group.length >> 1)), GROUP_LIMIT);
    for (const sender of group.senders) sender.pending = 0;
    this.ready.push(group);
    this.open = undefined;
  }

  /** Removes and returns the oldest closed groups that belong to one segment; an empty list if there are none. */
  take(): OpenGroup[] {
    const first = this.ready[0];
    const batch = this.ready.filter(({ segment }) => segment === first?.segment);
    this.ready = this.ready.slice(batch.length);
    return batch;
  }

  /** Resolves the promise of a written group, so that its senders can send their next messages. */
  acknowledge(group: OpenGroup, now: number): void {
    this.held -= group.length;
    for (const sender of group.senders) sender.acked = now;
    group.resolve();
  }

  /** Rejects a group that will never be written. */
  refuse(group: OpenGroup, error: Error): void {
    this.held -= group.length;
    group.reject(error);
  }

  /** Rejects all unwritten groups. */
  refuseAll(error: Error): void {
    this.close();
    for (const group of this.ready.splice(0)) this.refuse(group, error);
  }

  /** Starts a segment, in which no device is defined yet. */
  startSegment(segment: number): void {
    this.segment = segment;
    this.offset = 0;
    this.senders = new Map();
    this.rotate = false;
  }

  private isFull({ length, records }: OpenGroup): boolean {
    // Leave room for one more record, because a message may need a device definition before it.
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
