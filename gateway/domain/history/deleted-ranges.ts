/**
 * The time ranges of a machine for which the gateway deleted history because of its age or its share of the disk. The list has a limit:
 * ranges that touch become one range, and if the list is full, the two nearest ranges of the same kind become one range.
 */
import { type DeletedRange, MOST_DELETED_RANGES } from '#contract/fleet/history.ts';

/** Two ranges with at most this time between them are joined. */
const TOUCHING_MS = 86_400_000;

const isSameKind = (a: DeletedRange, b: DeletedRange): boolean => a.what === b.what && a.because === b.because;
const smaller = (a: string, b: string): string => (a < b ? a : b);
const larger = (a: string, b: string): string => (a > b ? a : b);

/** Returns the time between two ranges in milliseconds; zero or less if they touch. */
const between = (a: DeletedRange, b: DeletedRange): number =>
  Math.max(Date.parse(b.from) - Date.parse(a.to), Date.parse(a.from) - Date.parse(b.to));

function joined(a: DeletedRange, b: DeletedRange): DeletedRange {
  return {
    ...a,
    from: smaller(a.from, b.from),
    to: larger(a.to, b.to),
    first_deleted_at: smaller(a.first_deleted_at, b.first_deleted_at),
    deleted_at: larger(a.deleted_at, b.deleted_at),
  };
}

/** Returns the ranges with one more range, in order of time. */
export function addDeletedRange(ranges: readonly DeletedRange[], added: DeletedRange): DeletedRange[] {
  let next = added;
  const others: DeletedRange[] = [];
  for (const one of ranges) {
    if (isSameKind(one, next) && between(one, next) <= TOUCHING_MS) next = joined(one, next);
    else others.push(one);
  }
  const all = [...others, next].sort((a, b) => (a.from < b.from ? -1 : 1));
  return all.length > MOST_DELETED_RANGES ? withNearestJoined(all) : all;
}

/** Joins the two nearest ranges of the same kind. There are four kinds, so a full list has two ranges of the same kind. */
function withNearestJoined(all: readonly DeletedRange[]): DeletedRange[] {
  let best: readonly [number, number] | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const [i, a] of all.entries()) {
    const j = all.findIndex((b, at) => at > i && isSameKind(a, b));
    const b = all[j];
    if (b === undefined || between(a, b) >= least) continue;
    least = between(a, b);
    best = [i, j];
  }
  if (best === undefined) return [...all];
  const [i, j] = best;
  const one = joined(all[i] as DeletedRange, all[j] as DeletedRange);
  return all.flatMap((range, at) => (at === i ? [one] : at === j ? [] : [range]));
}
