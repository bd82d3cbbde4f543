/** Frames of a batch as plain rows, for comparing. */
import fc from 'fast-check';
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';

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

/** Frames of every kind, as a source gives them. */
export const frameArbitrary = fc
  .record({
    t: fc.integer({ min: 1e15, max: 4e15 }),
    bus: fc.nat(255),
    kind: fc.constantFrom('standard', 'extended', 'error', 'fd', 'remote'),
    id: fc.nat(0x1fffffff),
    sent: fc.boolean(),
    brs: fc.boolean(),
    data: fc.uint8Array({ maxLength: 64 }),
  })
  .map(({ t, bus, kind, id, sent, brs, data }) => {
    const payload = kind === 'fd' ? data : kind === 'remote' ? new Uint8Array(data.length % 9) : data.slice(0, 8);
    let flags = sent ? (FRAME.transmitted as number) : 0;
    if (kind === 'error') flags |= FRAME.error;
    else if (kind !== 'standard') flags |= FRAME.extended;
    if (kind === 'fd') flags |= FRAME.fd | (brs ? FRAME.brs : 0);
    if (kind === 'remote') flags |= FRAME.remote;
    return { t, bus, id: kind === 'standard' ? id & 0x7ff : id, flags, data: payload };
  });

type AnyFrame = typeof frameArbitrary extends fc.Arbitrary<infer Value> ? Value : never;

/** Frames `from` up to `to` as a batch. */
export function batchOf(frames: readonly AnyFrame[], from = 0, to = frames.length): FrameBatch {
  const batch = new FrameBatch(1);
  for (const { t, bus, id, flags, data } of frames.slice(from, to)) batch.push(t, bus, id, flags, data, 0, data.length);
  return batch;
}
