/**
 * Delivers messages in the order in which their numbers were reserved, although some wait for the disk and others do not. aedes treats a
 * message with a lower number than the one before as a repeat and drops it.
 */
export class MessageOrder {
  /** Reserved numbers in order. The value delivers the message; undefined while it is not ready. */
  private readonly pending = new Map<number, (() => void) | undefined>();
  private readonly nextNumber: () => number;

  constructor(nextNumber: () => number) {
    this.nextNumber = nextNumber;
  }

  reserve(): number {
    const number = this.nextNumber();
    this.pending.set(number, undefined);
    return number;
  }

  has(number: number): boolean {
    return this.pending.has(number);
  }

  /** Delivers a message as soon as all messages before it are delivered or released. */
  ready(number: number, deliver: () => void): void {
    this.pending.set(number, deliver);
    this.deliverReady();
  }

  /** Gives up a number: its message is not delivered. A number that is not pending has no effect. */
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
