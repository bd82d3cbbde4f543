/**
 * A part of a recording as one message of the journal:
 *
 *   length of the head u32 LE | head, JSON: version, artifact, run, machine, facts | samples, statistics and states with their
 *   origins, as a segment
 *
 * Version 1, which earlier builds wrote, has no origins and no statistics.
 */

import { NO_ORIGIN } from '#domain/history/origins.ts';
import { encodeSegment, openSegment } from '#domain/history/segment.ts';
import type { RecordingPart } from './recording-share.ts';

/** A part of a recording, with the file and the run from which its values come. */
export interface RecordingMessage extends RecordingPart {
  /** Artifact id of the file. The source reference (`ref`) of each value consists of this id and the number of its frame. */
  readonly artifact: string;
  readonly run: string;
}

const HEAD = 4;
const VERSION = 2;

/** Encodes a message. */
export function encodeRecording({ samples, minutes, states, origins, ...rest }: RecordingMessage): Uint8Array {
  const head = new TextEncoder().encode(JSON.stringify({ version: VERSION, ...rest }));
  const full = origins.map((origin) => ({ ...NO_ORIGIN, ...origin }));
  const body = encodeSegment({ series: samples, minutes, states, origins: full, raw: [] });
  const bytes = new Uint8Array(HEAD + head.length + body.length);
  new DataView(bytes.buffer).setUint32(0, head.length, true);
  bytes.set(head, HEAD);
  bytes.set(body, HEAD + head.length);
  return bytes;
}

/** Decodes a message of version 1 or 2; undefined when the bytes are not a valid message. */
export function decodeRecording(bytes: Uint8Array): RecordingMessage | undefined {
  if (bytes.length < HEAD) return undefined;
  const length = new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getUint32(0, true);
  if (length > bytes.length - HEAD) return undefined;
  const segment = openSegment(bytes.subarray(HEAD + length));
  if (segment === undefined) return undefined;
  try {
    const { version, artifact, run, machine, facts } = JSON.parse(
      new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(HEAD, HEAD + length)),
    );
    if (!(version >= 1 && version <= VERSION) || typeof artifact !== 'string' || typeof run !== 'string')
      return undefined;
    if ((machine !== null && typeof machine !== 'string') || !Array.isArray(facts)) return undefined;
    const samples = segment.signals.flatMap((signal) => segment.read(signal) ?? []);
    const minutes = segment.minutes();
    const origins = segment.origins.map(({ bus, sa, pgn, spn, dbc, clock }) => ({
      ...{ bus, sa, pgn, spn, dbc },
      ...(clock === undefined ? {} : { clock }),
    }));
    return { artifact, run, machine, facts, samples, minutes, states: segment.states(), origins };
  } catch {
    return undefined;
  }
}
