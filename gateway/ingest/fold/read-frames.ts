/** Reads the frames of a message, without frames that the device sent before ([I22]). */
import type { decodeCanPayload } from '#codec/can-payload.ts';
import type { FrameBatch } from '#contract/fleet/frame.ts';
import type { RecordReader } from '#ingest/journal/record.ts';
import { checksum } from './dedupe.ts';
import type { MessageContext } from './message-context.ts';

/** The result of reading a message. The frames themselves are in the batch. */
export interface FramesRead {
  /** The number of lines or records that are not frames. `error` is a reason, if it is known. */
  readonly broken: number;
  readonly error: string | null;
  /** The number of frames that were received before; 1 for a message without frames that was received before. */
  readonly repeats: number;
  /** For each frame in the batch, its index in the message; undefined if batch and message have the same indexes. */
  readonly index: Uint32Array | undefined;
}

/** Reads the frames of a message into the batch. */
export function readFrames(
  decodeCan: typeof decodeCanPayload,
  { device, arrival }: MessageContext,
  reader: RecordReader,
  batch: FrameBatch,
): FramesRead {
  const { payload, packet_id, repeat } = reader;
  const { dedupe } = device;
  batch.clear();
  const { seq, unparsable: broken, error } = decodeCan(payload, arrival.received_us, batch);
  const known =
    seq === null ? dedupe.seenPacket(packet_id, repeat, payload) : dedupe.seenNumber(seq * 2, checksum(payload));
  if (known) {
    const repeats = Math.max(1, batch.count);
    batch.clear();
    return { broken, error, repeats, index: undefined };
  }
  if (seq !== null) return { broken, error, repeats: 0, index: undefined };
  const { duplicates: repeats, index } = dedupe.dropSeenFrames(batch);
  return { broken, error, repeats, index };
}
