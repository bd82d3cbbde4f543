/** A client that sends a message within this many milliseconds after PUBCOMP had probably waited for the PUBCOMP. */
const WAITED_MS = 10;

/** How one connection sends its QoS 2 messages. */
export class Qos2Sender {
  private repeatedId = 0;
  private repeats = 0;
  private completedAt = Number.NEGATIVE_INFINITY;
  /** True if the client sent its previous message right after a PUBCOMP. */
  private previousWaited = false;

  /** Call it for each PUBLISH; `again`: the broker already has this packet id. Returns how often in a row the id was repeated. */
  countRepeats(id: number, again: boolean): number {
    this.repeats = again ? (this.repeatedId === id ? this.repeats : 0) + 1 : 0;
    this.repeatedId = id;
    return this.repeats;
  }

  /** Call it when PUBCOMP is about to be sent. */
  completed(): void {
    this.completedAt = performance.now();
  }

  /**
   * Call it for each new PUBLISH. Returns true if the client seems to send each message only after the PUBCOMP of the message before. It must
   * have done so twice in a row, because once may be chance.
   */
  waitsForEach(): boolean {
    const waited = performance.now() - this.completedAt < WAITED_MS;
    const twice = waited && this.previousWaited;
    this.previousWaited = waited;
    return twice;
  }
}
