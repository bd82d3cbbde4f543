/**
 * Bits of frames, with the three bits between frames (ISO 11898-1 10.4). All but the end of a frame is stuffed. Traffic of real machines
 * has 10.6 stuff bits per 100 bits that can be stuffed (three recordings, stuffed bit by bit: 142.7 to 144.4 bits for a full extended
 * frame).
 */
const STUFFING = 0.106;

/** The bits of this many extended data frames with this many bytes in total. */
export function extendedBits(frames: number, bytes: number): number {
  return frames * (67 + 54 * STUFFING) + bytes * 8 * (1 + STUFFING);
}

/** The bits of 11-bit data frames. */
export function standardBits(frames: number, bytes: number): number {
  return frames * (47 + 34 * STUFFING) + bytes * 8 * (1 + STUFFING);
}
