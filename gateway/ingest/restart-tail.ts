/**
 * Where a restart has to begin reading, before the snapshot's own place:
 *
 *   tail ··· a minute ··· first message with a sample in no segment ··· snapshot's place
 *
 * Samples behind the last segment are made again from the journal, and of no repeat; so what came in the minute before the first of
 * them has to be known too.
 */
import type { FoldState } from '#ingest/fold/fold-state.ts';

/** Repeats are known from the messages of the last minute. */
const REPEATS_MS = 60_000;

/** Where the fold stood at a time. */
interface Mark {
  readonly mono: number;
  readonly position: number;
}

/** A function that gives the place for a snapshot taken now. Until a minute has passed the next restart reads what this one did. */
export function createRestartTail(
  mono: number,
  position: number,
): (state: Pick<FoldState, 'position' | 'machines'>, mono: number) => number {
  const marks: Mark[] = [{ mono, position }];
  return (state, now) => {
    let oldest = now;
    let from = state.position;
    for (const { samples } of state.machines.values()) {
      if (samples.count === 0) continue;
      oldest = Math.min(oldest, samples.since);
      from = Math.min(from, samples.from);
    }
    while (marks.length > 1 && (marks[1] as Mark).mono <= oldest - REPEATS_MS) marks.shift();
    marks.push({ mono: now, position: state.position });
    return Math.min((marks[0] as Mark).position, from);
  };
}
