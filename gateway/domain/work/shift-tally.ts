/**
 * Counts how a machine has spent the current shift. The caller adds each change of the machine's state when it happens. `shiftStretches`
 * would compute the same times from the log of the machine, but the gateway would have to read the log each time.
 */
import { SHIFT_PARTS, type ShiftSpent } from '#contract/work/shift-report.ts';
import { type MachineSays, partOf, type TimeFact } from './shift-time.ts';

/**
 * A tally (the times that were counted so far). `spent` is the time in each part from the start of the shift to `at_ms`, and `says` is the
 * state of the machine since `at_ms`.
 */
export interface ShiftTally {
  readonly at_ms: number;
  readonly says: MachineSays;
  readonly spent: ShiftSpent;
}

/** The times of a shift that has just begun: 0 ms for each part. */
export const NO_TIME: ShiftSpent = { working: 0, idle: 0, off: 0, down: 0, standby: 0, unknown: 0, service: 0 };

/** Creates an empty tally. `before` is the machine's state when the shift began. */
export function startTally(before: MachineSays, from_ms: number): ShiftTally {
  return { at_ms: from_ms, says: before, spent: NO_TIME };
}

/** Adds one change. Returns undefined if the change is older than the last one that was added; the caller must then read the log again. */
export function addFact(tally: ShiftTally, { at_ms, ...changed }: TimeFact): ShiftTally | undefined {
  if (at_ms < tally.at_ms) return undefined;
  return { at_ms, says: { ...tally.says, ...changed }, spent: spentAt(tally, at_ms) };
}

/**
 * Creates a tally from changes in any order. A change before the shift counts only because it sets the state with which the machine begins
 * the shift.
 */
export function tallyOf(before: MachineSays, facts: readonly TimeFact[], from_ms: number): ShiftTally {
  let tally = startTally(before, from_ms);
  for (const fact of facts.toSorted((a, b) => a.at_ms - b.at_ms))
    tally = addFact(tally, { ...fact, at_ms: Math.max(fact.at_ms, from_ms) }) ?? tally;
  return tally;
}

/** Returns the milliseconds of each part from the start of the shift until `now_ms`, or until the last change if that is later. */
export function spentAt({ at_ms, says, spent }: ShiftTally, now_ms: number): ShiftSpent {
  const name = partOf(says);
  return now_ms <= at_ms ? spent : { ...spent, [name]: spent[name] + now_ms - at_ms };
}

/** Returns the time in all parts of a shift except `unknown`, in milliseconds. */
function knownOf(spent: ShiftSpent): number {
  return SHIFT_PARTS.reduce((sum, name) => (name === 'unknown' ? sum : sum + spent[name]), 0);
}

/** Returns the working time as a share of the known time, in percent with one decimal; null if no time is known. */
export function utilizationOf(spent: ShiftSpent): number | null {
  const known = knownOf(spent);
  return known > 0 ? Math.round((1000 * spent.working) / known) / 10 : null;
}
