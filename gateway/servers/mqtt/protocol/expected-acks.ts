/**
 * Checks that a client acknowledges each message with the right packet: PUBACK for QoS 1; PUBREC and then PUBCOMP for QoS 2. Another kind
 * of acknowledgement is a protocol error. MQTT 3.1.1 4.3, [MQTT-4.8.0-1]
 */
import { PACKET } from './packet-check.ts';

/**
 * The largest number of messages of one connection for which the broker checks the acknowledgement. Above this number the broker forgets
 * the oldest message, and accepts any kind of acknowledgement for it.
 */
const MAX_REMEMBERED = 1_000;

/** The packet type with which a client acknowledges a message. */
export type AckType = typeof PACKET.puback | typeof PACKET.pubrec | typeof PACKET.pubcomp;

const NAMES: Readonly<Record<AckType, string>> = {
  [PACKET.puback]: 'PUBACK',
  [PACKET.pubrec]: 'PUBREC',
  [PACKET.pubcomp]: 'PUBCOMP',
};

/** Returns which packet the client must send next for a message of QoS 1 or 2. `released`: the broker has got PUBREC for the message. */
export function expectedAck(qos: number, released: boolean): AckType {
  if (qos === 1) return PACKET.puback;
  return released ? PACKET.pubcomp : PACKET.pubrec;
}

/**
 * Returns an error text if the received acknowledgement has not the expected type. A repeated PUBREC is not an error. An unknown packet id,
 * for which `expected` is undefined, is not an error either.
 */
export function ackError(received: number, expected: AckType | undefined): string | undefined {
  if (expected === undefined || received === expected || (received === PACKET.pubrec && expected === PACKET.pubcomp))
    return undefined;
  return `${NAMES[received as AckType]} instead of ${NAMES[expected]}`;
}

/**
 * The expected acknowledgements of one connection, for messages that are not in the queue of a session. For queued messages,
 * `outgoing-messages.ts` finds the expected acknowledgement in the queue.
 */
export class ExpectedAcks {
  private readonly expected = new Map<number, AckType>();

  /** Call it when the broker sends a message of QoS 1 or 2 with this packet id. */
  add(id: number, qos: number): void {
    this.expected.delete(id);
    if (this.expected.size >= MAX_REMEMBERED) this.expected.delete(this.expected.keys().next().value as number);
    this.expected.set(id, expectedAck(qos, false));
  }

  /** Returns which packet the client must send next for this packet id; undefined for an unknown id. */
  get(id: number): AckType | undefined {
    return this.expected.get(id);
  }

  /** Call it when the client has sent an acknowledgement of the expected type. */
  acknowledge(type: number, id: number): void {
    if (!this.expected.has(id)) return;
    if (type === PACKET.pubrec) this.expected.set(id, PACKET.pubcomp);
    else this.expected.delete(id);
  }
}
