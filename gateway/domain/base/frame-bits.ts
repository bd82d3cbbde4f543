/**
 * Bits of frames, with the three that part one from the next (ISO 11898-1 10.4): all but the end of a frame is stuffed. Traffic of
 * real machines has 10.6 bits of stuffing in 100 that can be (three recordings, stuffed bit by bit: 142.7 to 144.4 bits for a full
 * extended frame).
 */
const STUFFING = 0.106;

/** Of so many extended data frames with so many bytes together. */
export function extendedBits(frames: number, bytes: number): number {
  return frames * (67 + 54 * STUFFING) + bytes * 8 * (1 + STUFFING);
}

/** The same of 11-bit ones. */
export function standardBits(frames: number, bytes: number): number {
  return frames * (47 + 34 * STUFFING) + bytes * 8 * (1 + STUFFING);
}
