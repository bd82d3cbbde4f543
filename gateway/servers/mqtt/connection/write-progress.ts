/** A connection is stalled if bytes wait to be sent and no byte has left the socket for more than this many seconds. */
const STALL_SECONDS = 30;

/** Detects a connection with a client that does not read. */
export class WriteProgress {
  /** Number of bytes that the broker has written to the socket since the connection was opened. */
  private written = 0;
  /** Number of these written bytes that had left the socket at the last check. */
  private left = 0;
  /** The number of seconds since `left` changed, which means since a byte left the socket. */
  private seconds = 0;

  add(bytes: number): void {
    this.written += bytes;
  }

  /** Call it once a second with the number of bytes that wait in the socket. Returns true if the connection is stalled. */
  secondPassed(unsent: number): boolean {
    const left = this.written - unsent;
    this.seconds = left === this.left && unsent > 0 ? this.seconds + 1 : 0;
    this.left = left;
    return this.seconds > STALL_SECONDS;
  }
}
