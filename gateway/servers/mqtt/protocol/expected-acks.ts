/**
 * Which packet must acknowledge each message that the broker sent: PUBACK for QoS 1; PUBREC and then PUBCOMP for QoS 2. An
 * acknowledgement of another kind is a protocol error. MQTT 3.1.1 4.3, [MQTT-4.8.0-1]
 */
import { PACKET } from './packet-check.ts';

/** Most sent messages that are tracked per connection. Above this the oldest is dropped, and the broker accepts any acknowledgement of it. */
const MAX_REMEMBERED = 1_000;

/** The packet type of the next acknowledgement of a message. */
export type AckType = typeof PACKET.puback | typeof PACKET.pubrec | typeof PACKET.pubcomp;

const NAMES: Readonly<Record<AckType, string>> = {
  [PACKET.puback]: 'PUBACK',
  [PACKET.pubrec]: 'PUBREC',
  [PACKET.pubcomp]: 'PUBCOMP',
};

/** The packet with which the client must acknowledge a message of this QoS (1 or 2) next. `released`: the broker has sent PUBREL for it. */
export function expectedAck(qos: number, released: boolean): AckType {
  if (qos === 1) return PACKET.puback;
  return released ? PACKET.pubcomp : PACKET.pubrec;
}

/** Returns the error when the received type is not the expected one. A repeated PUBREC is allowed, and so is an unknown packet id. */
export function ackError(received: number, expected: AckType | undefined): string | undefined {
  if (expected === undefined || received === expected || (received === PACKET.pubrec && expected === PACKET.pubcomp))
    return undefined;
  return `${NAMES[received as AckType]} where ${NAMES[expected]} is due`;
}

/** The unacknowledged messages of one connection that no session stores. Stored messages are checked against the session's queue. */
export class ExpectedAcks {
  private readonly expected = new Map<number, AckType>();

  /** Call it when the broker sends a message of QoS 1 or 2. */
  add(id: number, qos: number): void {
    this.expected.delete(id);
    if (this.expected.size >= MAX_REMEMBERED) this.expected.delete(this.expected.keys().next().value as number);
    this.expected.set(id, expectedAck(qos, false));
  }

  /** The acknowledgement that this packet id needs next; undefined when the id is not known here. */
  get(id: number): AckType | undefined {
    return this.expected.get(id);
  }

  /** Call it when an acknowledgement of the expected type came. */
  acknowledge(type: number, id: number): void {
    if (!this.expected.has(id)) return;
    if (type === PACKET.pubrec) this.expected.set(id, PACKET.pubcomp);
    else this.expected.delete(id);
  }
}
