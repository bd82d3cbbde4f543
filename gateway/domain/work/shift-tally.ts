/**
 * How a machine has spent a shift so far, kept by adding what is told of it: the same time as `shiftStretches` finds in the
 * whole log, without reading it again.
 */
import { SHIFT_PARTS, type ShiftSpent } from '#contract/work/shift-report.ts';
import { type MachineSays, partOf, type TimeFact } from './shift-time.ts';

/** Counted until `at_ms`; what is true since. */
export interface ShiftTally {
  readonly at_ms: number;
  readonly says: MachineSays;
  readonly spent: ShiftSpent;
}

/** No time in any part. */
export const NO_TIME: ShiftSpent = { working: 0, idle: 0, off: 0, down: 0, standby: 0, unknown: 0, service: 0 };

/** Nothing is counted yet: `before` is what was true when the shift began. */
export function startTally(before: MachineSays, from_ms: number): ShiftTally {
  return { at_ms: from_ms, says: before, spent: NO_TIME };
}

/** The tally with one more fact; undefined when it comes out of turn, so that the log has to be read. */
export function addFact(tally: ShiftTally, { at_ms, ...changed }: TimeFact): ShiftTally | undefined {
  if (at_ms < tally.at_ms) return undefined;
  return { at_ms, says: { ...tally.says, ...changed }, spent: spentAt(tally, at_ms) };
}

/** A tally of facts in any order, those from before the shift included. */
export function tallyOf(before: MachineSays, facts: readonly TimeFact[], from_ms: number): ShiftTally {
  let tally = startTally(before, from_ms);
  for (const fact of facts.toSorted((a, b) => a.at_ms - b.at_ms))
    tally = addFact(tally, { ...fact, at_ms: Math.max(fact.at_ms, from_ms) }) ?? tally;
  return tally;
}

/** What is counted at this time; at an earlier one than the last fact's, what was counted by then. */
export function spentAt({ at_ms, says, spent }: ShiftTally, now_ms: number): ShiftSpent {
  const name = partOf(says);
  return now_ms <= at_ms ? spent : { ...spent, [name]: spent[name] + now_ms - at_ms };
}

/** Time of which something is known, in milliseconds. */
function knownOf(spent: ShiftSpent): number {
  return SHIFT_PARTS.reduce((sum, name) => (name === 'unknown' ? sum : sum + spent[name]), 0);
}

/** Working share of the known time, in percent with one decimal; null where nothing is known. */
export function utilizationOf(spent: ShiftSpent): number | null {
  const known = knownOf(spent);
  return known > 0 ? Math.round((1000 * spent.working) / known) / 10 : null;
}
