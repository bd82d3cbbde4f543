/**
 * Positions in the journal. A position orders all messages of a gateway: segment number, then offset in its
 * uncompressed records.
 */

const SPAN = 0x1_0000_0000;

/** One number for (segment, offset); exact for two million segments. */
export function positionOf(segment: number, offset: number): number {
  return segment * SPAN + offset;
}

export function segmentOf(position: number): number {
  return Math.floor(position / SPAN);
}

export function offsetOf(position: number): number {
  return position % SPAN;
}

/** The `ref` of provenance: `segment:offset`, with `#frame` when it names one frame of the message. */
export function refOf(position: number, frame?: number): string {
  const place = `${segmentOf(position)}:${offsetOf(position)}`;
  return frame === undefined ? place : `${place}#${frame}`;
}
