/** Sums of the time of a shift: the parts that screens show, and the utilization. */
import { SHIFT_PARTS, type ShiftPart, type ShiftSpent } from '#contract/work/shift-report.ts';
import { partOf, type Stretch } from './shift-time.ts';

/** The times of a shift that has just begun: 0 ms for each part. */
export const NO_TIME: ShiftSpent = { working: 0, idle: 0, off: 0, down: 0, standby: 0, unknown: 0, service: 0 };

/** Adds the time of each part to a sum of the same unit. */
export function addTime(sum: Record<ShiftPart, number>, spent: ShiftSpent): void {
  for (const name of SHIFT_PARTS) sum[name] += spent[name];
}

/** Returns the milliseconds of the stretches in each part of the shift bar on screens. */
export function partSpent(stretches: readonly Stretch[]): ShiftSpent {
  const spent = { ...NO_TIME };
  for (const stretch of stretches) spent[partOf(stretch)] += stretch.to_ms - stretch.from_ms;
  return spent;
}

/** Returns the time in all parts of a shift except `unknown`, in milliseconds. */
function knownOf(spent: ShiftSpent): number {
  return SHIFT_PARTS.reduce((sum, name) => (name === 'unknown' ? sum : sum + spent[name]), 0);
}

/** Returns the share of the time of which nothing is known, in whole percent; 100 without any time. */
export function unknownShare(spent: ShiftSpent): number {
  const all = knownOf(spent) + spent.unknown;
  return all > 0 ? Math.round((100 * spent.unknown) / all) : 100;
}

/** Returns the working time as a share of the known time, in percent with one decimal; null if no time is known. */
export function utilizationOf(spent: ShiftSpent): number | null {
  const known = knownOf(spent);
  return known > 0 ? Math.round((1000 * spent.working) / known) / 10 : null;
}
