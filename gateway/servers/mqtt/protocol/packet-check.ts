/**
 * What a client's MQTT 3.1.1 packet must look like before it is let in. aedes trusts its peers more than a site can: it takes invalid
 * UTF-8, control characters, packet id 0 and trailing bytes, and folds different client ids into one.
 */
import { isUtf8 } from 'node:buffer';

export const PACKET = {
  connect: 1,
  publish: 3,
  puback: 4,
  pubrec: 5,
  pubrel: 6,
  pubcomp: 7,
  subscribe: 8,
  unsubscribe: 10,
  pingreq: 12,
  disconnect: 14,
} as const;

/** What a CONNECT says of itself, or why it is refused; `code` is a CONNACK return code, absent when only closing is allowed. */
export type ConnectCheck = { readonly reason: string; readonly code?: 1 | 2 } | undefined;

/** Length of a string field at `at` with its two length bytes, or -1 when it is not one. [MQTT-1.5.3-1], [MQTT-1.5.3-2] */
function stringField(bytes: Buffer, at: number, end: number): number {
  if (at + 2 > end) return -1;
  const length = bytes.readUInt16BE(at);
  if (at + 2 + length > end) return -1;
  return isText(bytes, at + 2, at + 2 + length) ? 2 + length : -1;
}

/** UTF-8 without NUL; control characters, which MQTT 3.1.1 1.5.3 lets a receiver refuse, would only forge lines of a log. */
function isText(bytes: Buffer, from: number, to: number): boolean {
  let ascii = true;
  for (let i = from; i < to; i++) {
    const byte = bytes[i] as number;
    if (byte < 0x20 || byte === 0x7f) return false;
    // U+0080 to U+009F
    if (byte === 0xc2 && (bytes[i + 1] as number) < 0xa0) return false;
    if (byte > 127) ascii = false;
  }
  return ascii || isUtf8(bytes.subarray(from, to));
}

function hasWildcard(bytes: Buffer, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (bytes[i] === 0x23 || bytes[i] === 0x2b) return true;
  return false;
}

/** Whether wildcards stand where they may. [MQTT-4.7.1-2], [MQTT-4.7.1-3] */
function isFilter(bytes: Buffer, from: number, to: number): boolean {
  for (let i = from; i < to; i++) {
    const byte = bytes[i];
    if (byte !== 0x23 && byte !== 0x2b) continue;
    if (i > from && bytes[i - 1] !== 0x2f) return false;
    if (byte === 0x23 ? i + 1 < to : i + 1 < to && bytes[i + 1] !== 0x2f) return false;
  }
  return true;
}

/** The longest client id taken, in bytes. */
const MAX_CLIENT_ID = 256;

/** Whether a CONNECT that passed its check speaks MQTT 3.1, which is less strict in what its reserved bits hold. */
export function isVersion31(bytes: Buffer, at: number): boolean {
  return bytes[at + 2 + bytes.readUInt16BE(at)] === 3;
}

/** Checks a CONNECT, its first byte and its body `bytes[at..end]`; undefined when it is right. MQTT 3.1.1 3.1 */
export function checkConnect(first: number, bytes: Buffer, at: number, end: number): ConnectCheck {
  const name = stringField(bytes, at, end);
  if (name < 0) return { reason: 'malformed CONNECT' };
  const protocol = bytes.toString('latin1', at + 2, at + name);
  let next = at + name;
  if (next + 4 > end) return { reason: 'malformed CONNECT' };
  const level = bytes[next] as number;
  if (protocol !== 'MQTT' && protocol !== 'MQIsdp') return { reason: 'not MQTT' }; // [MQTT-3.1.2-1]
  // [MQTT-3.1.2-2]; MQTT 5 arrives as MQTT with level 5.
  if (level !== (protocol === 'MQTT' ? 4 : 3)) return { reason: `MQTT protocol level ${level} is not spoken`, code: 1 };
  const flags = bytes[next + 1] as number;
  next += 4;
  const will = (flags & 0x04) !== 0;
  const clean = (flags & 0x02) !== 0;
  const password = (flags & 0x40) !== 0;
  const user = (flags & 0x80) !== 0;
  // [MQTT-2.2.2-2], [MQTT-3.1.2-3]; in MQTT 3.1 nobody looks at them.
  if (level === 4 && (first & 0x0f || flags & 0x01)) return { reason: 'reserved CONNECT flag' };
  if (will ? (flags & 0x18) === 0x18 : (flags & 0x38) !== 0) return { reason: 'will flags' }; // [MQTT-3.1.2-11] to [MQTT-3.1.2-15]
  if (password && !user) return { reason: 'password without user name' }; // [MQTT-3.1.2-22]
  const id = stringField(bytes, next, end);
  if (id < 0) return { reason: 'malformed client id' };
  if (id === 2 && (!clean || level === 3)) return { reason: 'empty client id', code: 2 }; // [MQTT-3.1.3-8]
  if (id - 2 > MAX_CLIENT_ID) return { reason: 'client id too long', code: 2 };
  next += id;
  if (will) {
    const topic = stringField(bytes, next, end);
    if (topic <= 2 || hasWildcard(bytes, next + 2, next + topic)) return { reason: 'malformed will topic' };
    if (bytes[next + 2] === 0x24) return { reason: 'will to a topic of the server' }; // MQTT 3.1.1 4.7.2
    next += topic;
    next = skipBinary(bytes, next, end);
    if (next < 0) return { reason: 'malformed will' };
  }
  if (user) {
    const field = stringField(bytes, next, end);
    if (field < 0) return { reason: 'malformed user name' };
    next += field;
  }
  if (password) {
    next = skipBinary(bytes, next, end);
    if (next < 0) return { reason: 'malformed password' };
  }
  return next === end ? undefined : { reason: 'bytes behind CONNECT' };
}

function skipBinary(bytes: Buffer, at: number, end: number): number {
  if (at + 2 > end) return -1;
  const next = at + 2 + bytes.readUInt16BE(at);
  return next > end ? -1 : next;
}

/** Checks any packet behind CONNECT: its first byte and its body `bytes[at..end]`; the reason when it must not be let in. */
export function checkPacket(first: number, bytes: Buffer, at: number, end: number): string | undefined {
  const flags = first & 15;
  const length = end - at;
  switch (first >> 4) {
    case PACKET.publish:
      return checkPublish(flags, bytes, at, end);
    case PACKET.puback:
    case PACKET.pubrec:
    case PACKET.pubcomp:
      if (flags !== 0) return 'flags of an acknowledgement'; // [MQTT-2.2.2-2]
      return length === 2 && packetId(bytes, at) ? undefined : 'malformed acknowledgement';
    case PACKET.pubrel:
      if (flags !== 2) return 'flags of PUBREL'; // [MQTT-3.6.1-1]
      return length === 2 && packetId(bytes, at) ? undefined : 'malformed PUBREL';
    case PACKET.subscribe:
      if (flags !== 2) return 'flags of SUBSCRIBE'; // [MQTT-3.8.1-1]
      return checkFilters(bytes, at, end, true);
    case PACKET.unsubscribe:
      if (flags !== 2) return 'flags of UNSUBSCRIBE'; // [MQTT-3.10.1-1]
      return checkFilters(bytes, at, end, false);
    case PACKET.pingreq:
    case PACKET.disconnect:
      return flags === 0 && length === 0 ? undefined : 'malformed PINGREQ or DISCONNECT';
    default:
      return `packet type ${first >> 4} from a client`;
  }
}

function packetId(bytes: Buffer, at: number): boolean {
  return bytes[at] !== 0 || bytes[at + 1] !== 0; // [MQTT-2.3.1-1]
}

function checkPublish(flags: number, bytes: Buffer, at: number, end: number): string | undefined {
  const qos = (flags >> 1) & 3;
  if (qos === 3) return 'QoS 3'; // [MQTT-3.3.1-4]
  if (qos === 0 && flags & 8) return 'DUP with QoS 0'; // [MQTT-3.3.1-2]
  const topic = stringField(bytes, at, end);
  if (topic <= 2) return 'malformed topic'; // [MQTT-4.7.3-1]
  if (hasWildcard(bytes, at + 2, at + topic)) return 'wildcard in a topic'; // [MQTT-3.3.2-2]
  if (qos > 0 && (at + topic + 2 > end || !packetId(bytes, at + topic))) return 'PUBLISH without packet id';
  return undefined;
}

function checkFilters(bytes: Buffer, at: number, end: number, withQos: boolean): string | undefined {
  if (at + 2 > end || !packetId(bytes, at)) return 'packet id 0';
  let next = at + 2;
  if (next === end) return 'no topic filter'; // [MQTT-3.8.3-3], [MQTT-3.10.3-2]
  while (next < end) {
    const filter = stringField(bytes, next, end);
    if (filter <= 2 || !isFilter(bytes, next + 2, next + filter)) return 'malformed topic filter';
    next += filter;
    if (!withQos) continue;
    if (next >= end || (bytes[next] as number) > 2) return 'malformed requested QoS'; // [MQTT-3-8.3-4]
    next++;
  }
  return undefined;
}

/** A CONNACK that says so: aedes tells of a session only when it has subscriptions. [MQTT-3.2.2-2] */
export function withSession(bytes: Buffer): Buffer {
  if (bytes.length < 4 || bytes[0] !== 0x20 || bytes[3] !== 0) return bytes;
  const told = Buffer.from(bytes);
  told[2] = 1;
  return told;
}

/** The first byte of a repeated PUBREL, SUBSCRIBE or UNSUBSCRIBE of MQTT 3.1 (3.6, 3.8, 3.10 there) as 3.1.1 has it. */
export function withoutDup(first: number): number {
  const type = first >> 4;
  const repeats = type === PACKET.pubrel || type === PACKET.subscribe || type === PACKET.unsubscribe;
  return repeats ? first & 0xf7 : first;
}

/** Where the topic and packet id of a PUBLISH end; beyond the bytes while they have not arrived. */
export function headEnd(first: number, bytes: Buffer, body: number): number {
  if (body + 2 > bytes.length) return body + 2;
  return body + 2 + bytes.readUInt16BE(body) + ((first & 6) > 0 ? 2 : 0);
}

/** The payload of a message that has none, or whose payload is no longer needed. */
export const NO_PAYLOAD = Buffer.alloc(0);

/** The parts of a PUBLISH that ends at `end`; the payload is a view of the bytes, and empty for one over the limit. */
export function readPublish(first: number, bytes: Buffer, body: number, end: number, over: boolean) {
  const qos = (first >> 1) & 3;
  const topicEnd = body + 2 + bytes.readUInt16BE(body);
  return {
    name: bytes.subarray(body + 2, topicEnd),
    payload: over ? NO_PAYLOAD : bytes.subarray(qos > 0 ? topicEnd + 2 : topicEnd, end),
    qos,
    dup: (first & 8) !== 0,
    retain: (first & 1) !== 0,
    id: qos > 0 ? bytes.readUInt16BE(topicEnd) : 0,
  };
}
