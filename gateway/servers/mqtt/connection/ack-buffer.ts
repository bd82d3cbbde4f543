import type { Publish } from './publish.ts';

/** The first byte of the acknowledgement of a PUBLISH, by QoS: PUBACK for 1, PUBREC for 2. */
const FIRST_BYTE = [0, 0x40, 0x50] as const;
const ACK_BYTES = 4;
const INITIAL_BYTES = 64;

/** Collects the acknowledgements of one connection, so that the broker sends several of them in one write. */
export class AckBuffer {
  private bytes: Buffer | undefined;
  private used = 0;

  add({ qos, id }: Publish): void {
    let bytes = this.bytes;
    if (bytes === undefined || bytes.length < this.used + ACK_BYTES) {
      const larger = Buffer.allocUnsafe(Math.max(INITIAL_BYTES, this.used * 2));
      bytes?.copy(larger, 0, 0, this.used);
      this.bytes = larger;
      bytes = larger;
    }
    const at = this.used;
    bytes[at] = FIRST_BYTE[qos] as number;
    bytes[at + 1] = 2;
    bytes[at + 2] = id >>> 8;
    bytes[at + 3] = id & 0xff;
    this.used += ACK_BYTES;
  }

  /** Returns the collected bytes and empties the buffer; undefined when there are none. */
  take(): Buffer | undefined {
    const taken = this.bytes?.subarray(0, this.used);
    this.bytes = undefined;
    this.used = 0;
    return taken;
  }
}
