/** Writes a batch of frames to the spool as one message, or as several messages when one would be too large for the gateway. */
import { encodeBinary } from '#codec/can-binary.ts';
import { FrameBatch } from '#contract/fleet/frame.ts';
import type { Spool } from './spool.ts';

/** The largest number of bytes of the payload of a message; the gateway accepts MQTT packets of 256 KiB. */
export const MAX_MESSAGE_BYTES = 240 * 1024;

/** Encodes the frames of the batch with the next message number of the spool, and appends them to the spool. */
export function spoolFrames(spool: Spool, batch: FrameBatch): void {
  const payload = encodeBinary(batch, spool.nextNumber);
  const { count, t } = batch;
  if (payload.length > MAX_MESSAGE_BYTES && count > 1) {
    const middle = count >> 1;
    spoolFrames(spool, slice(batch, 0, middle));
    spoolFrames(spool, slice(batch, middle, count));
    return;
  }
  spool.append({ kind: 'can', payload, frames: count, first_us: t[0] as number, last_us: t[count - 1] as number });
}

function slice(batch: FrameBatch, from: number, to: number): FrameBatch {
  const { t, bus, id, flags } = batch;
  const part = new FrameBatch(to - from);
  for (let i = from; i < to; i++) {
    const data = batch.payload(i);
    part.push(t[i] as number, bus[i] as number, id[i] as number, flags[i] as number, data, 0, data.length);
  }
  return part;
}
