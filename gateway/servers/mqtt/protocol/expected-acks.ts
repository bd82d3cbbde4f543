/** Which acknowledgement a message that was sent down waits for. One of another kind is a protocol error. MQTT 3.1.1 4.3, [MQTT-4.8.0-1] */
import { PACKET } from './packet-check.ts';

/** Messages of one connection that are remembered here; at the bound the oldest is forgotten, and any acknowledgement of it is taken. */
const MAX_SENT = 1_000;

/** The acknowledgement that is due: PUBACK, or first PUBREC and then PUBCOMP. */
export type Due = typeof PACKET.puback | typeof PACKET.pubrec | typeof PACKET.pubcomp;

const NAMES: Readonly<Record<Due, string>> = {
  [PACKET.puback]: 'PUBACK',
  [PACKET.pubrec]: 'PUBREC',
  [PACKET.pubcomp]: 'PUBCOMP',
};

/** What is due for a message of this QoS. */
export function dueOf(qos: number, released: boolean): Due {
  if (qos === 1) return PACKET.puback;
  return released ? PACKET.pubcomp : PACKET.pubrec;
}

/** The reason when `came` is not what is due; a PUBREC may be repeated. */
export function wrongKind(came: number, due: Due | undefined): string | undefined {
  if (due === undefined || came === due || (came === PACKET.pubrec && due === PACKET.pubcomp)) return undefined;
  return `${NAMES[came as Due]} where ${NAMES[due]} is due`;
}

/** Messages that wait for their acknowledgement on one connection and that no session keeps. */
export class ExpectedAcks {
  private readonly due = new Map<number, Due>();

  /** A message of QoS 1 or 2 goes out. */
  add(id: number, qos: number): void {
    this.due.delete(id);
    if (this.due.size >= MAX_SENT) this.due.delete(this.due.keys().next().value as number);
    this.due.set(id, dueOf(qos, false));
  }

  /** What is due for this packet id; undefined when it is not known here. */
  dueFor(id: number): Due | undefined {
    return this.due.get(id);
  }

  /** An acknowledgement of the right kind came. */
  took(came: number, id: number): void {
    if (!this.due.has(id)) return;
    if (came === PACKET.pubrec) this.due.set(id, PACKET.pubcomp);
    else this.due.delete(id);
  }
}
