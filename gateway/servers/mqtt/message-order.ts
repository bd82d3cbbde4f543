/**
 * Delivers messages in the order of their numbers. aedes drops a message whose number is lower than that of the message before, because it
 * takes it for a repeat. Without this class that could happen: a message that waits for the disk would be overtaken by one that does not.
 */
export class MessageOrder {
  /** For each reserved number, in ascending order, the function that delivers its message; undefined while the message is not ready. */
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
