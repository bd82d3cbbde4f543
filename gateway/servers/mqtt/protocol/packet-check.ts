/**
 * Checks MQTT 3.1.1 packets of clients before aedes (the MQTT library) parses them. aedes accepts invalid UTF-8, control characters, packet
 * id 0 and trailing bytes. aedes also decodes different invalid client ids to the same string. This module rejects such packets.
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

/** The greatest packet id. */
export const MAX_PACKET_ID = 65_535;

/** An empty payload. The broker also uses it in place of a payload that it no longer needs. */
export const EMPTY_BUFFER = Buffer.alloc(0);

/**
 * Why the broker refuses a CONNECT; undefined if the CONNECT is correct. `code` is the return code of CONNACK. Without `code` the broker
 * closes the connection and sends no CONNACK.
 */
export type ConnectCheck = { readonly reason: string; readonly code?: 1 | 2 } | undefined;

/** Returns the length of the string field at `at` with its two length bytes; -1 if it is malformed. [MQTT-1.5.3-1], [MQTT-1.5.3-2] */
function stringField(bytes: Buffer, at: number, end: number): number {
  if (at + 2 > end) return -1;
  const length = bytes.readUInt16BE(at);
  if (at + 2 + length > end) return -1;
  return isText(bytes, at + 2, at + 2 + length) ? 2 + length : -1;
}

/**
 * Returns true if the bytes are UTF-8 without control characters. MQTT 3.1.1 1.5.3 allows a server to refuse control characters. In a log
 * file, a line break in a client id could make one entry look like two.
 */
function isText(bytes: Buffer, from: number, to: number): boolean {
  let ascii = true;
  for (let i = from; i < to; i++) {
    const byte = bytes[i] as number;
    if (byte < 0x20 || byte === 0x7f) return false;
    // The bytes 0xc2 0x80 to 0xc2 0x9f are the control characters U+0080 to U+009F.
    if (byte === 0xc2 && (bytes[i + 1] as number) < 0xa0) return false;
    if (byte > 127) ascii = false;
  }
  return ascii || isUtf8(bytes.subarray(from, to));
}

function hasWildcard(bytes: Buffer, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (bytes[i] === 0x23 || bytes[i] === 0x2b) return true;
  return false;
}

/** Returns true if each wildcard of a topic filter is a whole level, and `#` is the last level. [MQTT-4.7.1-2], [MQTT-4.7.1-3] */
function isFilter(bytes: Buffer, from: number, to: number): boolean {
  for (let i = from; i < to; i++) {
    const byte = bytes[i];
    if (byte !== 0x23 && byte !== 0x2b) continue;
    if (i > from && bytes[i - 1] !== 0x2f) return false;
    if (byte === 0x23 ? i + 1 < to : i + 1 < to && bytes[i + 1] !== 0x2f) return false;
  }
  return true;
}

/** The greatest length of a client id, in bytes. */
const MAX_CLIENT_ID = 256;

/** Returns true if a CONNECT that passed `checkConnect` uses MQTT 3.1. An MQTT 3.1 client may set the bits that 3.1.1 reserves. */
export function isVersion31(bytes: Buffer, at: number): boolean {
  return bytes[at + 2 + bytes.readUInt16BE(at)] === 3;
}

/** Checks a CONNECT with the first byte `first` and the body `bytes[at..end]`; returns undefined if it is correct. MQTT 3.1.1 3.1 */
export function checkConnect(first: number, bytes: Buffer, at: number, end: number): ConnectCheck {
  const name = stringField(bytes, at, end);
  if (name < 0) return { reason: 'malformed CONNECT' };
  const protocol = bytes.toString('latin1', at + 2, at + name);
  let next = at + name;
  if (next + 4 > end) return { reason: 'malformed CONNECT' };
  const level = bytes[next] as number;
  if (protocol !== 'MQTT' && protocol !== 'MQIsdp') return { reason: 'not MQTT' }; // [MQTT-3.1.2-1]
  // [MQTT-3.1.2-2] An MQTT 5 client sends the protocol name MQTT with level 5, so the broker refuses it here.
  if (level !== (protocol === 'MQTT' ? 4 : 3))
    return { reason: `MQTT protocol level ${level} is not supported`, code: 1 };
  const flags = bytes[next + 1] as number;
  next += 4;
  const will = (flags & 0x04) !== 0;
  const clean = (flags & 0x02) !== 0;
  const password = (flags & 0x40) !== 0;
  const user = (flags & 0x80) !== 0;
  // [MQTT-2.2.2-2], [MQTT-3.1.2-3] MQTT 3.1 requires that a server ignores these bits.
  if (level === 4 && (first & 0x0f || flags & 0x01)) return { reason: 'reserved CONNECT flag' };
  if (will ? (flags & 0x18) === 0x18 : (flags & 0x38) !== 0) return { reason: 'invalid will flags' }; // [MQTT-3.1.2-11] to [MQTT-3.1.2-15]
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
  return next === end ? undefined : { reason: 'trailing bytes in CONNECT' };
}

function skipBinary(bytes: Buffer, at: number, end: number): number {
  if (at + 2 > end) return -1;
  const next = at + 2 + bytes.readUInt16BE(at);
  return next > end ? -1 : next;
}

/** Checks a packet other than CONNECT, with the first byte `first` and the body `bytes[at..end]`. Returns an error text or undefined. */
export function checkPacket(first: number, bytes: Buffer, at: number, end: number): string | undefined {
  const flags = first & 15;
  const length = end - at;
  switch (first >> 4) {
    case PACKET.publish:
      return checkPublish(flags, bytes, at, end);
    case PACKET.puback:
    case PACKET.pubrec:
    case PACKET.pubcomp:
      if (flags !== 0) return 'invalid flags of an acknowledgement'; // [MQTT-2.2.2-2]
      return length === 2 && hasPacketId(bytes, at) ? undefined : 'malformed acknowledgement';
    case PACKET.pubrel:
      if (flags !== 2) return 'invalid flags of PUBREL'; // [MQTT-3.6.1-1]
      return length === 2 && hasPacketId(bytes, at) ? undefined : 'malformed PUBREL';
    case PACKET.subscribe:
      if (flags !== 2) return 'invalid flags of SUBSCRIBE'; // [MQTT-3.8.1-1]
      return checkFilters(bytes, at, end, true);
    case PACKET.unsubscribe:
      if (flags !== 2) return 'invalid flags of UNSUBSCRIBE'; // [MQTT-3.10.1-1]
      return checkFilters(bytes, at, end, false);
    case PACKET.pingreq:
    case PACKET.disconnect:
      return flags === 0 && length === 0 ? undefined : 'malformed PINGREQ or DISCONNECT';
    default:
      return `packet type ${first >> 4} from a client`;
  }
}

function hasPacketId(bytes: Buffer, at: number): boolean {
  return bytes[at] !== 0 || bytes[at + 1] !== 0; // [MQTT-2.3.1-1]
}

function checkPublish(flags: number, bytes: Buffer, at: number, end: number): string | undefined {
  const qos = (flags >> 1) & 3;
  if (qos === 3) return 'QoS 3'; // [MQTT-3.3.1-4]
  if (qos === 0 && flags & 8) return 'DUP with QoS 0'; // [MQTT-3.3.1-2]
  const topic = stringField(bytes, at, end);
  if (topic <= 2) return 'malformed topic'; // [MQTT-4.7.3-1]
  if (hasWildcard(bytes, at + 2, at + topic)) return 'wildcard in a topic'; // [MQTT-3.3.2-2]
  if (qos > 0 && (at + topic + 2 > end || !hasPacketId(bytes, at + topic))) return 'PUBLISH without packet id';
  return undefined;
}

function checkFilters(bytes: Buffer, at: number, end: number, withQos: boolean): string | undefined {
  if (at + 2 > end || !hasPacketId(bytes, at)) return 'packet id 0';
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

/** Sets the flag "session present" in a CONNACK with return code 0. aedes sets it only for sessions with subscriptions. [MQTT-3.2.2-2] */
export function withSessionPresent(bytes: Buffer): Buffer {
  if (bytes.length < 4 || bytes[0] !== 0x20 || bytes[3] !== 0) return bytes;
  const connack = Buffer.from(bytes);
  connack[2] = 1;
  return connack;
}

/**
 * Clears the DUP bit in the first byte of a PUBREL, SUBSCRIBE or UNSUBSCRIBE. MQTT 3.1 clients set DUP in a repeated packet (3.6, 3.8,
 * 3.10); MQTT 3.1.1 reserves this bit.
 */
export function withoutDup(first: number): number {
  const type = first >> 4;
  const mayRepeat = type === PACKET.pubrel || type === PACKET.subscribe || type === PACKET.unsubscribe;
  return mayRepeat ? first & 0xf7 : first;
}

/** Returns the offset at which the topic and packet id of a PUBLISH end. It is beyond the end of `bytes` if these fields are incomplete. */
export function variableHeaderEnd(first: number, bytes: Buffer, body: number): number {
  if (body + 2 > bytes.length) return body + 2;
  return body + 2 + bytes.readUInt16BE(body) + ((first & 6) > 0 ? 2 : 0);
}

/** Reads a PUBLISH with the body `bytes[body..end]`. The payload is a view of `bytes`; it is empty if the packet is oversize. */
export function readPublish(first: number, bytes: Buffer, body: number, end: number, oversize: boolean) {
  const qos = (first >> 1) & 3;
  const topicEnd = body + 2 + bytes.readUInt16BE(body);
  return {
    name: bytes.subarray(body + 2, topicEnd),
    payload: oversize ? EMPTY_BUFFER : bytes.subarray(qos > 0 ? topicEnd + 2 : topicEnd, end),
    qos,
    dup: (first & 8) !== 0,
    retain: (first & 1) !== 0,
    id: qos > 0 ? bytes.readUInt16BE(topicEnd) : 0,
  };
}
