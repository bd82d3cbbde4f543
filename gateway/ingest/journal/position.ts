/**
 * Positions in the journal. A position is one number that combines a segment (file) number and an offset in the uncompressed records of the
 * segment. Positions order all messages of a gateway.
 */

const SPAN = 0x1_0000_0000;

/** Returns the position of an offset in a segment. A JavaScript number represents the positions of two million segments exactly. */
export function positionOf(segment: number, offset: number): number {
  return segment * SPAN + offset;
}

export function segmentOf(position: number): number {
  return Math.floor(position / SPAN);
}

export function offsetOf(position: number): number {
  return position % SPAN;
}

/** Returns the position of a text `segment:offset`, as `refOf` writes it. */
export function positionOfRef(ref: string): number {
  const [segment, offset] = ref.split(':').map(Number) as [number, number];
  return positionOf(segment, offset);
}

/**
 * Returns a position as the text `segment:offset`, followed by `#frame` if it names one frame of the message. Each stored value has this
 * text in its field `ref`.
 */
export function refOf(position: number, frame?: number): string {
  const place = `${segmentOf(position)}:${offsetOf(position)}`;
  return frame === undefined ? place : `${place}#${frame}`;
}
