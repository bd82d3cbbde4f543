/**
 * If a client sends a message within this many milliseconds after a PUBCOMP, the client probably waits for each PUBCOMP before it sends.
 */
const WAITED_MS = 10;

/** Observes how the client of one connection sends QoS 2 messages: how often it repeats them, and whether it waits for each PUBCOMP. */
export class Qos2Sender {
  private repeatedId = 0;
  private repeats = 0;
  private completedAt = Number.NEGATIVE_INFINITY;
  /** True if the client sent its previous message right after a PUBCOMP. */
  private previousWaited = false;

  /**
   * Call it for each QoS 2 PUBLISH. `again`: the broker already has a message with this packet id. Returns how many times in a row the
   * client has repeated this id.
   */
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
   * Call it for each new QoS 2 PUBLISH. Returns true if the client sent this message and the previous message each right after a PUBCOMP.
   * Such a client seems to wait for each PUBCOMP. A single message right after a PUBCOMP may be chance.
   */
  waitsForEach(): boolean {
    const waited = performance.now() - this.completedAt < WAITED_MS;
    const twice = waited && this.previousWaited;
    this.previousWaited = waited;
    return twice;
  }
}
