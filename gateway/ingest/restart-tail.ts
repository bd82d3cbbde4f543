/**
 * Computes the tail: the position in the journal from which a restart must read. It is before the position of the snapshot.
 *
 *   tail ··· a minute ··· first message with a sample that is not stored ··· position of the snapshot
 *
 * The snapshot is the stored state of the fold (the code that applies messages). A restart reads the journal again to create the samples
 * that were not stored. Messages that a device sent twice must not give samples a second time. To recognise them, the restart must also
 * read the minute before the first of these samples.
 */
import type { FoldState } from '#ingest/fold/fold-state.ts';

/**
 * To recognise repeated messages, a restart begins to read this many milliseconds before the message with the first sample that is not
 * stored.
 */
const REPEATS_MS = 60_000;

/** A time, and the position up to which the fold had applied the journal at that time. */
interface Mark {
  readonly mono: number;
  readonly position: number;
}

/**
 * Creates a function that returns the tail for a snapshot taken now. During the first minute of the process, the function returns the
 * tail from which this process itself began to read.
 */
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
