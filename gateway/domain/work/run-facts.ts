/**
 * Joins the run states of history with the facts of the event log of a machine.
 *
 *   history knows the state            -> the state of history, also if the data arrived late
 *   history does not, but the log does -> the live status of the log (the gateway stored no samples then, or has deleted them)
 *   neither knows it                   -> unknown
 */
import type { RunStretch } from '#contract/fleet/run-state.ts';
import { stretchesOf } from '#domain/machine/run-states.ts';
import type { MachineSays, TimeFact } from './shift-time.ts';

/** The state of a machine before a window, and the changes that its event log has for the window. */
export interface LogFacts {
  readonly before: MachineSays;
  readonly facts: readonly TimeFact[];
  /** If the log has too many changes, the time after which they are missing; otherwise null. */
  readonly cut_ms: number | null;
}

/** Returns the facts with the live status of history. `runs` cover the window without a gap. After `cut_ms` the live status is unknown. */
export function withRunStates(
  { before, facts, cut_ms }: LogFacts,
  runs: readonly RunStretch[],
): Pick<LogFacts, 'before' | 'facts'> {
  const logged = facts.flatMap(({ at_ms, live }) => (live === undefined ? [] : [{ at_ms, live }]));
  const start = { at_ms: Number.NEGATIVE_INFINITY, live: before.live };
  const known = runs.flatMap((run) =>
    run.live === 'unknown' ? stretchesOf([start, ...logged], run.from_ms, run.to_ms) : [run],
  );
  const end_ms = cut_ms ?? Number.POSITIVE_INFINITY;
  const changes: TimeFact[] = known
    .filter(({ from_ms }) => from_ms < end_ms)
    .map(({ from_ms, live }) => ({ at_ms: from_ms, live }));
  if (cut_ms !== null) changes.push({ at_ms: cut_ms, live: 'unknown' });
  const told = facts.map(({ live: _, ...rest }) => rest).filter((one) => Object.keys(one).length > 1);
  const [first, ...later] = changes;
  return { before: { ...before, live: first?.live ?? 'unknown' }, facts: [...told, ...later] };
}
