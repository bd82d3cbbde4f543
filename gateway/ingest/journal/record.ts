/**
 * The binary format of a record: one message, or the definition of one device. A group (messages that are synced together) has its records
 * one after the other; a segment (one file of the journal) has many groups.
 *
 *   0 flags u8   bits 0-1 and 3 topic, bit 2 repeat, bit 7 device definition
 *   1 device u16 index in the segment's device table
 *   3 received_at u48  milliseconds since 1970
 *   9 packet id u16    0: none
 * 11 length u24 of the payload that follows
 *
 * The payload of a device definition is `id NUL project_id NUL device_id NUL machine`. A segment has the definition of a device before the
 * first message of the device, and again after each change of its machine, so that each segment can be read alone.
 */
import { type DeviceIdentity, type IngestMessage, JOURNAL_TOPICS, type JournalTopic } from '#contract/fleet/ingest.ts';

const RECORD_HEAD = 14;
export const MAX_PAYLOAD = 0xffffff;
export const MAX_DEVICES = 0xffff;
const DEFINITION = 0x80;
const REPEAT = 0x04;

/** Returns the length in bytes of a record with a payload of this length. */
export function recordLength(payload: number): number {
  return RECORD_HEAD + payload;
}

function head(
  into: Buffer,
  at: number,
  flags: number,
  device: number,
  ms: number,
  packetId: number,
  length: number,
): void {
  into[at] = flags;
  into[at + 1] = device & 0xff;
  into[at + 2] = device >>> 8;
  const low = ms % 0x1_0000_0000;
  into.writeUInt32LE(low, at + 3);
  into.writeUInt16LE(Math.floor(ms / 0x1_0000_0000) & 0xffff, at + 7);
  into.writeUInt16LE(packetId, at + 9);
  into[at + 11] = length & 0xff;
  into[at + 12] = (length >>> 8) & 0xff;
  into[at + 13] = length >>> 16;
}

/** Writes a message and returns the offset after it. The buffer must have enough space. */
export function writeMessage(into: Buffer, at: number, device: number, message: IngestMessage): number {
  const { payload } = message;
  const topic = JOURNAL_TOPICS.indexOf(message.topic);
  const flags = (topic & 3) | ((topic & 4) << 1) | (message.dup === true ? REPEAT : 0);
  head(into, at, flags, device, Math.max(0, message.received_at_ms), message.packet_id ?? 0, payload.length);
  into.set(payload, at + RECORD_HEAD);
  return at + RECORD_HEAD + payload.length;
}

/** Returns the payload of a device definition; `machine` is null for a device that is linked to no machine. */
export function definitionText(device: DeviceIdentity, machine: string | null): Buffer {
  return Buffer.from(`${device.device}\0${device.project_id}\0${device.device_id}\0${machine ?? ''}`);
}

/** Writes a device definition and returns the offset after it. */
export function writeDefinition(into: Buffer, at: number, device: number, text: Buffer): number {
  head(into, at, DEFINITION, device, 0, 0, text.length);
  text.copy(into, at + RECORD_HEAD);
  return at + RECORD_HEAD + text.length;
}

/** Receives the records of a group in their order. */
export interface RecordSink {
  message(device: number, received_at_ms: number): void;
  /** `at` is the offset of the record in the group. */
  definition(device: number, text: Buffer, at: number): void;
}

const receivedAt = (body: Buffer, at: number): number =>
  body.readUInt32LE(at + 3) + body.readUInt16LE(at + 7) * 0x1_0000_0000;

/** Passes the records of a group to the sink, up to the first invalid record. */
export function eachRecord(body: Buffer, sink: RecordSink): void {
  for (let at = 0; at + RECORD_HEAD <= body.length; ) {
    const device = body.readUInt16LE(at + 1);
    const end = at + RECORD_HEAD + body.readUIntLE(at + 11, 3);
    if (end > body.length) return;
    if ((body[at] as number) & DEFINITION) sink.definition(device, body.subarray(at + RECORD_HEAD, end), at);
    else sink.message(device, receivedAt(body, at));
    at = end;
  }
}

interface Defined {
  readonly identity: DeviceIdentity;
  readonly machine: string | null | undefined;
}

/**
 * Reads the messages of groups in journal order without an allocation per message: after `next()` the fields of the reader describe the
 * current message. The reader uses the device definitions in the groups and does not return them. So the caller must pass all groups of a
 * segment, beginning with the first group, or pass the definitions of the groups that it leaves out to `define`.
 */
export class RecordReader {
  segment = -1;
  /** The offset of the current message in its segment. */
  offset = 0;
  device: DeviceIdentity = { device: '', project_id: '', device_id: '' };
  /** The machine to which the device was linked when the message arrived; null for none, undefined in segments of earlier builds. */
  machine: string | null | undefined = null;
  topic: JournalTopic = 'can';
  repeat = false;
  received_at_ms = 0;
  packet_id = 0;
  payload: Buffer = Buffer.alloc(0);
  /**
   * The number of invalid records in groups with a correct checksum. A number above 0 means that the code that writes the journal has a
   * bug.
   */
  broken = 0;
  private devices: (Defined | undefined)[] = [];
  private body: Buffer = Buffer.alloc(0);
  private start = 0;
  private at = 0;

  /** Sets the group from which `next` reads. */
  open(segment: number, start: number, body: Buffer): void {
    if (segment !== this.segment) {
      this.segment = segment;
      this.devices = [];
    }
    this.body = body;
    this.start = start;
    this.at = 0;
  }

  /** Defines a device of the current segment. `text` is the payload of its definition. */
  define(device: number, text: Buffer): void {
    const [id = '', project_id = '', device_id = '', machine] = text.toString().split('\0');
    this.devices[device] = {
      identity: { device: id, project_id, device_id },
      machine: machine === '' ? null : machine,
    };
  }

  /** Moves to the next message of the group; returns false at the end of the group. */
  next(): boolean {
    const { body } = this;
    while (this.at + RECORD_HEAD <= body.length) {
      const { at } = this;
      const flags = body[at] as number;
      const device = body.readUInt16LE(at + 1);
      const length = body.readUIntLE(at + 11, 3);
      const end = at + RECORD_HEAD + length;
      if (end > body.length) break;
      this.at = end;
      if (flags & DEFINITION) {
        this.define(device, body.subarray(at + RECORD_HEAD, end));
        continue;
      }
      const defined = this.devices[device];
      if (defined === undefined) {
        this.broken++;
        continue;
      }
      this.offset = this.start + at;
      this.device = defined.identity;
      this.machine = defined.machine;
      this.topic = JOURNAL_TOPICS[(flags & 3) | ((flags & 8) >> 1)] as JournalTopic;
      this.repeat = (flags & REPEAT) !== 0;
      this.received_at_ms = receivedAt(body, at);
      this.packet_id = body.readUInt16LE(at + 9);
      this.payload = body.subarray(at + RECORD_HEAD, end);
      return true;
    }
    if (this.at < body.length) {
      this.broken++;
      this.at = body.length;
    }
    return false;
  }
}
