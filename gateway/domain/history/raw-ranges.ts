/**
 * The ranges of the journal (the files with all received messages) from which the samples of a history segment came. A history segment is a
 * stored document with samples.
 */
import type { RawRange } from './samples.ts';

/** The largest number of ranges for one history segment. If there are more, the nearest ranges are joined. */
const MAX_RANGES = 32;

interface Span {
  from: Place;
  to: Place;
}

/** A position in the journal: the number of a segment file and an offset in it. */
interface Place {
  readonly segment: number;
  readonly offset: number;
}

function placeOf(text: string): Place {
  const [segment, offset] = text.split(':').map(Number);
  if (!Number.isSafeInteger(segment) || !Number.isSafeInteger(offset))
    throw new RangeError(`${text} is not a position in the journal`);
  return { segment: segment as number, offset: offset as number };
}

const textOf = ({ segment, offset }: Place): string => `${segment}:${offset}`;
const compare = (a: Place, b: Place): number => a.segment - b.segment || a.offset - b.offset;
const distance = (a: Span, b: Span): number => b.from.segment - a.to.segment;

/** Compares two positions of the journal in their text form: negative if `a` is before `b`. Throws `RangeError` for another text. */
export const compareRefs = (a: string, b: string): number => compare(placeOf(a), placeOf(b));

/**
 * Returns ranges in ascending order that cover all given ranges. The function joins two ranges if they overlap. It also joins them if the
 * second range begins in the journal file in which the first range ends, or in the next file. So the samples of an hour usually have one
 * range.
 */
export function joinRanges(ranges: readonly RawRange[]): RawRange[] {
  const spans = ranges
    .map(([from, to]): Span => ({ from: placeOf(from), to: placeOf(to) }))
    .sort((a, b) => compare(a.from, b.from));
  const joined: Span[] = [];
  for (const span of spans) {
    const last = joined.at(-1);
    if (last === undefined || distance(last, span) > 1) joined.push({ ...span });
    else if (compare(span.to, last.to) > 0) last.to = span.to;
  }
  while (joined.length > MAX_RANGES) {
    let nearest = 1;
    for (let i = 2; i < joined.length; i++)
      if (
        distance(joined[i - 1] as Span, joined[i] as Span) <
        distance(joined[nearest - 1] as Span, joined[nearest] as Span)
      )
        nearest = i;
    const [removed] = joined.splice(nearest, 1) as [Span];
    const before = joined[nearest - 1] as Span;
    if (compare(removed.to, before.to) > 0) before.to = removed.to;
  }
  return joined.map(({ from, to }) => [textOf(from), textOf(to)]);
}
