/** Frames of a batch as plain rows, for comparing. */
import type { FrameBatch } from '#contract/frame.ts';

/** One row per frame; the payload in hex. */
export function framesOf(batch: FrameBatch) {
  return Array.from({ length: batch.count }, (_, i) => ({
    t: batch.t[i] as number,
    bus: batch.bus[i] as number,
    id: batch.id[i] as number,
    flags: batch.flags[i] as number,
    data: Buffer.from(batch.payload(i)).toString('hex').toUpperCase(),
  }));
}
