/**
 * Limits the memory for large WebSocket messages. The WebSocket library holds a message in memory until its last byte has come. A device
 * that sends an oversize PUBLISH must still get its acknowledgement, or it would send the PUBLISH again after each new connection.
 */

/** Bytes of an unfinished message that every connection may have in memory. */
const FREE_BYTES = 512 * 1024;
/** Number of connections that may receive a larger message at the same time. */
const PLACES = 2;

/** The places for connections that receive a large message. */
export class LargeMessages {
  private readonly taken = new Set<object>();

  /** Counts the bytes of an unfinished message. Returns false if the message is large and no place is free. */
  permits(connection: object, bytes: number): boolean {
    if (bytes <= FREE_BYTES || this.taken.has(connection)) return true;
    if (this.taken.size >= PLACES) return false;
    this.taken.add(connection);
    return true;
  }

  /** Frees the place of the connection, if it has one. */
  free(connection: object): void {
    this.taken.delete(connection);
  }
}
