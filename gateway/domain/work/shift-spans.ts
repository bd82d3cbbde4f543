/**
 * The ribbon of a machine on a screen: how it spent a shift, as a list of spans in whole minutes. The minutes of the spans of a class add
 * up to the minutes of this class in the sum bar and in the shift report.
 */
import type { ShiftPart, ShiftSpan, ShiftUse } from '#contract/work/shift-report.ts';
import { NO_TIME, partSpent } from './shift-tally.ts';
import { partMinutes, partOf, type Stretch } from './shift-time.ts';

/** Largest number of spans in a ribbon. A screen cannot show more. */
export const MOST_SPANS = 48;
/** Down time stays a span of its own, until spans shorter than this number of minutes are joined. */
const DOWN_ALONE = 32;

/** Appends a span. It joins a span of the same class, and drops a span without a minute, unless the machine was down. */
function add(spans: ShiftSpan[], part: ShiftPart, minutes: number): void {
  const last = spans.at(-1);
  if (last?.[0] === part) spans[spans.length - 1] = [part, last[1] + minutes];
  else if (minutes > 0 || part === 'down') spans.push([part, minutes]);
}

/** Returns the class with the most minutes; `down` if the machine was down in any of the spans. */
function classOf(spans: readonly ShiftSpan[]): ShiftPart {
  const minutes = { ...NO_TIME };
  let most: ShiftPart = 'unknown';
  for (const [part, more] of spans) {
    minutes[part] += more;
    if (part === 'down') return part;
    if (minutes[part] >= minutes[most]) most = part;
  }
  return most;
}

/**
 * Joins spans that are shorter than `least` minutes, until they together reach this length or a long span follows. If they do not reach it,
 * they join the span before them.
 */
function joined(spans: readonly ShiftSpan[], least: number): ShiftSpan[] {
  const all: ShiftSpan[] = [];
  let group: ShiftSpan[] = [];
  const length = () => group.reduce((sum, [, minutes]) => sum + minutes, 0);
  const close = () => {
    const before = all.at(-1)?.[0];
    const joins = before !== undefined && before !== 'down' && length() < least && classOf(group) !== 'down';
    if (group.length > 0) add(all, joins ? before : classOf(group), length());
    group = [];
  };
  for (const span of spans) {
    const [part, minutes] = span;
    if (minutes >= least || (part === 'down' && least <= DOWN_ALONE)) {
      close();
      add(all, part, minutes);
    } else {
      group.push(span);
      if (length() >= least) close();
    }
  }
  close();
  return all;
}

/**
 * Returns the minutes of each class and the ribbon of a machine. `stretches` cover the shift so far. If the ribbon has more than
 * `MOST_SPANS` spans, short neighbours are joined, and the joined span has the class with the most time. So the spans of a class may then
 * have other minutes than the class, but all spans together still have the same. Down time is never lost: a joined span with down time is
 * down.
 */
export function shiftUse(stretches: readonly Stretch[]): ShiftUse {
  const spent = partSpent(stretches);
  const minutes = partMinutes(spent);
  const passed = { ...NO_TIME };
  let spans: ShiftSpan[] = [];
  for (const stretch of stretches) {
    const part = partOf(stretch);
    // Round the sums and not each span, so that the errors do not add up and the last sum is the minutes of the class.
    const at = () => Math.round((minutes[part] * passed[part]) / spent[part]);
    const before = at();
    passed[part] += stretch.to_ms - stretch.from_ms;
    add(spans, part, at() - before);
  }
  for (let least = 2; spans.length > MOST_SPANS; least *= 2) spans = joined(spans, least);
  return { minutes, spans };
}
