/**
 * Load shedding: refuses messages while disk space or memory is short ([I34]), and reports the lost data afterwards ([I35]).
 */
import { type IngestMessage, NotTaken } from '#contract/fleet/ingest.ts';
import type { EventMade, FoldState } from '#ingest/fold/fold-state.ts';
import { closeGaps, noteGap } from '#ingest/fold/gaps.ts';
import type { Ids } from '#ingest/fold/ids.ts';
import type { Budgets } from './budgets.ts';
import { type Headroom, storesSamples, takesMeasurements } from './headroom.ts';

/** One shared rejected promise, because many messages may be refused in one turn of the event loop. */
const NOT_TAKEN = Promise.reject(
  new NotTaken('the gateway is short of disk space or memory; the sender must keep the message'),
);
NOT_TAKEN.catch(() => {});

/** A gap ends when no message was refused for this time, in milliseconds. */
const QUIET_MS = 60_000;

/** Decides from the present disk space and memory which messages are refused. */
export interface LoadShedding {
  /** The disk space and memory that ingest may use; undefined until the first measurement. */
  headroom: Headroom | undefined;
  /** Returns a rejected promise if the message is not accepted now, otherwise undefined. */
  refuse(message: IngestMessage): Promise<void> | undefined;
  /** Returns the events that report gaps (periods of lost data) that have ended. `isWritable` is true if the journal accepts messages. */
  endedGaps(isWritable: boolean): EventMade[];
}

/** Creates the object that refuses messages; it refuses nothing before the first `headroom` is set. */
export function createLoadShedding(of: {
  readonly current: { readonly state: FoldState };
  readonly ids: Ids;
  readonly clock: () => number;
  readonly budgets: Pick<Budgets, 'admits' | 'hasRoomFor'>;
}): LoadShedding {
  const { current, ids, clock, budgets } = of;

  /**
   * The last time at which a message was refused because its device had used up its share, or because the remaining disk space was used up.
   */
  let scarceAt = Number.NEGATIVE_INFINITY;

  /** Counts a refused message as part of a gap, because its sender may lose it. */
  function noteRefused({ device, project_id, payload }: IngestMessage): Promise<void> {
    const now = clock();
    const gap = { what: 'messages', id: device, project_id, count: 1, bytes: payload.length } as const;
    noteGap(current.state.gaps, { ...gap, from_ms: now, to_ms: now });
    return NOT_TAKEN;
  }

  function noteScarce(message: IngestMessage): Promise<void> {
    scarceAt = clock();
    return noteRefused(message);
  }

  return {
    headroom: undefined,
    refuse(message) {
      const { headroom } = this;
      const { topic } = message;
      // A person waits for the answer, and the message is small.
      if (topic === 'meter') return undefined;
      if (topic === 'events' || topic === 'status')
        return budgets.admits(message.device, message.payload.length) ? undefined : noteScarce(message);
      // Refuse measurements first, because they fill the disk. Events and status messages are small, and people need them.
      if (!takesMeasurements(headroom)) return topic === 'recording' ? NOT_TAKEN : noteRefused(message);
      const fits = budgets.hasRoomFor(message.payload.length);
      // A refused part of a recorded file is not counted as a gap, because the file stays on disk and is read later.
      if (topic === 'recording') return fits && storesSamples(headroom) ? undefined : NOT_TAKEN;
      return fits ? undefined : noteScarce(message);
    },
    endedGaps(isWritable) {
      const { headroom } = this;
      if (headroom === undefined || current.state.gaps.size === 0) return [];
      const over = {
        raw: headroom.disk === 'ok',
        history: storesSamples(headroom),
        // Wait for a quiet time before the gap ends, so that many refusals within seconds are one gap.
        messages: takesMeasurements(headroom) && isWritable && clock() - scarceAt >= QUIET_MS,
      };
      return (['raw', 'history', 'messages'] as const).flatMap((what) =>
        over[what] ? closeGaps(current.state, what, ids, clock()) : [],
      );
    },
  };
}
