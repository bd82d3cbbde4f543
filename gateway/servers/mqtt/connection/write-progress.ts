/** A connection from which no byte has left for so many seconds is stalled. */
const STALL_SECONDS = 30;

/** Detects a connection whose peer does not read. */
export class WriteProgress {
  /** Bytes written to the socket in all. */
  private written = 0;
  /** Bytes that had left at the last check, and the seconds since that number changed. */
  private left = 0;
  private seconds = 0;

  add(bytes: number): void {
    this.written += bytes;
  }

  /** Call once a second with the bytes that still wait in the socket. Returns true when the connection is stalled. */
  secondPassed(unsent: number): boolean {
    const left = this.written - unsent;
    this.seconds = left === this.left && unsent > 0 ? this.seconds + 1 : 0;
    this.left = left;
    return this.seconds > STALL_SECONDS;
  }
}
