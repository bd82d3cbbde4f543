/**
 * The background work of a store: what only one process of a database may do at a time, such as sending webhooks. A store in a file has one
 * process, which always does it.
 */

/** Proves to the database that a process may still do the background work. */
export interface Fence {
  /** Rises with each process that begins the background work. */
  readonly token: number;
  readonly holder: string;
}

/** The right of one process to do the background work. */
export interface Lease {
  /**
   * Returns true if this process may do the background work now. Ask before each effect outside of the database, such as a request: commits
   * are checked by the database itself.
   */
  isHeld(): boolean;
  /**
   * Starts work when this process gets the right, and disposes it when another process has taken the work over; then it may start again. The
   * returned object ends the work for good.
   */
  whileHeld(start: () => Promise<AsyncDisposable>): Promise<AsyncDisposable>;
}

/** The lease of the only process. */
export const ALWAYS_HELD: Lease = { isHeld: () => true, whileHeld: (start) => start() };
