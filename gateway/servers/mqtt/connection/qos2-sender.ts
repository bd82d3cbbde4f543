/** The next message came so soon after PUBCOMP that its sender had waited for it, in milliseconds. */
const WAITED_MS = 10;

/** How one connection sends its QoS 2 messages. */
export class Qos2Sender {
  private repeatedId = 0;
  private repeats = 0;
  private completedAt = Number.NEGATIVE_INFINITY;
  /** Whether the previous message came right after a PUBCOMP. */
  private previousWaited = false;

  /** Call it for each PUBLISH; `again`: its id is received already. Returns how often this id was repeated in an unbroken row. */
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
   * Call it for each new PUBLISH. Returns true when the client sends each message only after the PUBCOMP of the one before: twice in a
   * row, because once may be chance.
   */
  waitsForEach(): boolean {
    const waited = performance.now() - this.completedAt < WAITED_MS;
    const twice = waited && this.previousWaited;
    this.previousWaited = waited;
    return twice;
  }
}
