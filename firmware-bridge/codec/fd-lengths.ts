/** The length of a CAN FD payload in bytes; the index is its length code (ISO 11898-1). */
export const FD_LENGTHS: readonly number[] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 20, 24, 32, 48, 64];

/** Returns the length code of the shortest payload that has space for `length` bytes. */
export function lengthCode(length: number): number {
  return FD_LENGTHS.findIndex((each) => each >= length);
}
