/**
 * Delivers messages in the order of their numbers. aedes (the MQTT library) drops a message if its number is lower than the number of the
 * previous message, because aedes takes it for a repeat. Without this class a later message could overtake a message that still waits for
 * the disk; aedes would then drop the earlier message.
 */
export class MessageOrder {
  /**
   * For each reserved number, in ascending order, the function that delivers the message; undefined until `ready` is called for the number.
   */
  private readonly pending = new Map<number, (() => void) | undefined>();
  private readonly nextNumber: () => number;

  constructor(nextNumber: () => number) {
    this.nextNumber = nextNumber;
  }

  /** Reserves and returns the next number. Later messages wait until this number is delivered or released. */
  reserve(): number {
    const number = this.nextNumber();
    this.pending.set(number, undefined);
    return number;
  }

  has(number: number): boolean {
    return this.pending.has(number);
  }

  /** Calls `deliver` as soon as all messages with lower numbers are delivered or released. */
  ready(number: number, deliver: () => void): void {
    this.pending.set(number, deliver);
    this.deliverReady();
  }

  /**
   * Removes a reserved number. Later messages then no longer wait for the message with this number. Does nothing if the number is not
   * reserved.
   */
  release(number: number): void {
    if (this.pending.delete(number)) this.deliverReady();
  }

  private deliverReady(): void {
    for (const [number, deliver] of this.pending) {
      if (deliver === undefined) return;
      this.pending.delete(number);
      deliver();
    }
  }
}
