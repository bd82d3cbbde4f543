/**
 * Writes how a machine spent a shift as a short text, and compares two such texts. A class says how a machine spent its time, for example
 * working or idle. The text has a letter for each class and a number of seconds: `w3600i120u60` is an hour of work, two minutes of idling
 * and a minute of unknown time.
 */
import { SHIFT_CLASSES, type ShiftClass } from '#contract/work/shift-report.ts';
import type { Stretch } from './shift-time.ts';

const MINUTE_MS = 60_000;
/** The result contains no changes that are shorter than this. */
const SHORTEST_MS = MINUTE_MS;
/** The largest number of stretches of one machine in a text. The text ends there; later time is not compared. */
const MOST_STRETCHES = 2_000;
const LETTERS: Readonly<Record<ShiftClass, string>> = {
  working: 'w',
  idle: 'i',
  off: 'o',
  down: 'd',
  standby: 's',
  unknown: 'u',
};
const CLASS_OF = new Map(SHIFT_CLASSES.map((name) => [LETTERS[name], name]));

/** A range of time with one class. */
type Classed = Pick<Stretch, 'from_ms' | 'to_ms' | 'class'>;

/** A range of time whose class has changed. */
export interface ClassChange {
  readonly from_ms: number;
  readonly to_ms: number;
  readonly was: ShiftClass;
  readonly now: ShiftClass;
}

/** Returns the stretches of a shift, which follow each other without a gap, as a text. Times are rounded to whole seconds. */
export function packClasses(stretches: readonly Classed[]): string {
  const from_ms = stretches[0]?.from_ms ?? 0;
  const second = (ms: number) => Math.round((ms - from_ms) / 1_000);
  return stretches
    .slice(0, MOST_STRETCHES)
    .map((one) => `${LETTERS[one.class]}${second(one.to_ms) - second(one.from_ms)}`)
    .join('');
}

/** Returns the stretches of a text that begins at `from_ms`. */
function unpackClasses(text: string, from_ms: number): Classed[] {
  let at = from_ms;
  return [...text.matchAll(/([a-z])(\d+)/g)].flatMap(([, letter = '', seconds]) => {
    const name = CLASS_OF.get(letter);
    const to_ms = at + Number(seconds) * 1_000;
    const found = name === undefined ? [] : [{ from_ms: at, to_ms, class: name }];
    at = to_ms;
    return found;
  });
}

/**
 * Returns why a class changed. Only people report that a machine is down, and the status that people set decides between off and standby.
 * All other classes come from data.
 */
export function causeOf({ was, now }: Pick<ClassChange, 'was' | 'now'>): 'data' | 'report' {
  const isStopped = (name: ShiftClass) => name === 'off' || name === 'standby';
  return was === 'down' || now === 'down' || (isStopped(was) && isStopped(now)) ? 'report' : 'data';
}

/**
 * Returns the times at which two texts of the same shift differ by at least a minute, in order. It compares only the time of both texts.
 */
export function changedClasses(before: string, now: string, from_ms: number): ClassChange[] {
  const old = unpackClasses(before, from_ms);
  const found: ClassChange[] = [];
  let i = 0;
  for (const one of unpackClasses(now, from_ms)) {
    while (i < old.length && (old[i] as Classed).to_ms <= one.from_ms) i++;
    for (let j = i; j < old.length && (old[j] as Classed).from_ms < one.to_ms; j++) {
      const was = old[j] as Classed;
      if (was.class === one.class) continue;
      const start = Math.max(was.from_ms, one.from_ms);
      const end = Math.min(was.to_ms, one.to_ms);
      const last = found.at(-1);
      if (last?.to_ms === start && last.was === was.class && last.now === one.class)
        found.splice(-1, 1, { ...last, to_ms: end });
      else if (end > start) found.push({ from_ms: start, to_ms: end, was: was.class, now: one.class });
    }
  }
  return found.filter((change) => change.to_ms - change.from_ms >= SHORTEST_MS);
}
