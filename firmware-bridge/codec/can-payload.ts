/** Decodes the payload of a `can` message. The first bytes show whether the payload is a binary batch, a JSON batch or candump text. */
import type { FrameBatch } from '#contract/fleet/frame.ts';
import { decodeBinary, isBinary } from './can-binary.ts';
import { decodeJson } from './can-json.ts';
import { parseCandump } from './candump.ts';
import { settleTimes } from './times.ts';

/** The result of one payload. */
export interface PayloadResult {
  readonly frames: number;
  /** Number of text lines or JSON entries that are not a frame; 1 for a binary or JSON batch that was refused. */
  readonly unparsable: number;
  /** The reason why the payload was refused; null when it was read. */
  readonly error: string | null;
  /** The sequence number of the message; null when the payload has none. */
  readonly seq: number | null;
}

const BRACKET = 0x5b;
const BRACE = 0x7b;
const BOM = [0xef, 0xbb, 0xbf] as const;

/**
 * Adds the frames of a payload to `into`. If frames have no date, the last of them gets the time `receivedUs`, and the others keep their
 * intervals to it. Each of these frames gets the flag `FRAME.noTime`. The function never throws: it counts the parts that it cannot read.
 */
export function decodeCanPayload(payload: Uint8Array, receivedUs: number, into: FrameBatch): PayloadResult {
  const before = into.count;
  if (isBinary(payload)) {
    const { frames, seq, error } = decodeBinary(payload, into);
    settleTimes(into, before, receivedUs);
    return { frames, unparsable: error === null ? 0 : 1, error, seq };
  }
  const text = BOM.every((byte, i) => payload[i] === byte) ? payload.subarray(BOM.length) : payload;
  let at = 0;
  while (at < text.length && (text[at] as number) <= 32) at++;
  if (text[at] === BRACE || text[at] === BRACKET) {
    const result = decodeJson(text, into);
    settleTimes(into, before, receivedUs);
    return result;
  }
  const { frames, unparsable } = parseCandump(text, into, receivedUs);
  const error = frames === 0 && unparsable > 0 ? 'not a CAN payload of a known form' : null;
  return { frames, unparsable, error, seq: null };
}
