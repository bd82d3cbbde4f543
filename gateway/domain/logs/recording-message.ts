/**
 * A part of a recording as one message of the journal:
 *
 *   length of the head u32 LE | head, JSON: version, artifact, run, machine, facts | samples, as a segment
 */

import { decodeSegment, encodeSegment } from '#domain/machine/segment.ts';
import type { RecordingPart } from './recording-share.ts';

/** A part of a recording, with the file and the run from which its values come. */
export interface RecordingMessage extends RecordingPart {
  /** Id of the file; the `ref` of a value is this id and the number of its frame. */
  readonly artifact: string;
  readonly run: string;
}

const HEAD = 4;
const VERSION = 1;

/** Encodes a message. */
export function encodeRecording({ samples, ...rest }: RecordingMessage): Uint8Array {
  const head = new TextEncoder().encode(JSON.stringify({ version: VERSION, ...rest }));
  const body = encodeSegment(samples);
  const bytes = new Uint8Array(HEAD + head.length + body.length);
  new DataView(bytes.buffer).setUint32(0, head.length, true);
  bytes.set(head, HEAD);
  bytes.set(body, HEAD + head.length);
  return bytes;
}

/** Decodes a message; undefined when the bytes are not a valid message. */
export function decodeRecording(bytes: Uint8Array): RecordingMessage | undefined {
  if (bytes.length < HEAD) return undefined;
  const length = new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getUint32(0, true);
  if (length > bytes.length - HEAD) return undefined;
  const samples = decodeSegment(bytes.subarray(HEAD + length));
  if (samples === undefined) return undefined;
  try {
    const { version, artifact, run, machine, facts } = JSON.parse(
      new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(HEAD, HEAD + length)),
    );
    if (version !== VERSION || typeof artifact !== 'string' || typeof run !== 'string') return undefined;
    if ((machine !== null && typeof machine !== 'string') || !Array.isArray(facts)) return undefined;
    return { artifact, run, machine, facts, samples };
  } catch {
    return undefined;
  }
}
