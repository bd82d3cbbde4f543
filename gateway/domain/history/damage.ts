/** Reads bytes of history that may be damaged. */

/** Returns the result of `read`; undefined if `read` throws `RangeError`, which means that the bytes are damaged. */
export function unlessDamaged<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
