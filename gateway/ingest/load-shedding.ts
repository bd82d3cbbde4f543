/** What ingest does without for want of room ([I34]), until there is room again; then what was given up is told ([I35]). */
import { type IngestMessage, NotTaken } from '#contract/fleet/ingest.ts';
import type { EventMade, FoldState } from '#ingest/fold/fold-state.ts';
import { closeGaps, noteGap } from '#ingest/fold/gaps.ts';
import type { Ids } from '#ingest/fold/ids.ts';
import type { Budgets } from './budgets.ts';
import { type Headroom, storesSamples, takesMeasurements } from './headroom.ts';

/** One for all: what is refused in one turn of the loop is answered in one. */
const NOT_TAKEN = Promise.reject(new NotTaken('the gateway has no room; the sender keeps the message'));
NOT_TAKEN.catch(() => {});

/** A gap is over when nothing was refused for so long. */
const QUIET_MS = 60_000;

/** What there is room for, and what follows. */
export interface LoadShedding {
  /** Undefined while nobody said what there is. */
  headroom: Headroom | undefined;
  /** A rejection for a message that is not taken now; undefined for one that is. */
  refuse(message: IngestMessage): Promise<void> | undefined;
  /** Events for what is over; `isWritable`: the journal takes messages. */
  endedGaps(isWritable: boolean): EventMade[];
}

/** Nothing is given up yet. */
export function createLoadShedding(of: {
  readonly current: { readonly state: FoldState };
  readonly ids: Ids;
  readonly clock: () => number;
  readonly budgets: Pick<Budgets, 'admits' | 'hasRoomFor'>;
}): LoadShedding {
  const { current, ids, clock, budgets } = of;

  /** When the share of a device, or the room until the next look, was used up last. */
  let scarceAt = Number.NEGATIVE_INFINITY;

  /** Its sender keeps it; what it does not keep is a gap. */
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
      if (topic === 'events' || topic === 'status')
        return budgets.admits(message.device, message.payload.length) ? undefined : noteScarce(message);
      // People and alarms first: what a machine says of its state is small, and its samples fill a disk.
      if (!takesMeasurements(headroom)) return topic === 'recording' ? NOT_TAKEN : noteRefused(message);
      const fits = budgets.hasRoomFor(message.payload.length);
      // The file stays: what is in it is lost to nobody and can wait.
      if (topic === 'recording') return fits && storesSamples(headroom) ? undefined : NOT_TAKEN;
      return fits ? undefined : noteScarce(message);
    },
    endedGaps(isWritable) {
      const { headroom } = this;
      if (headroom === undefined || current.state.gaps.size === 0) return [];
      const over = {
        raw: headroom.disk === 'ok',
        history: storesSamples(headroom),
        // What comes and goes within seconds is one gap.
        messages: takesMeasurements(headroom) && isWritable && clock() - scarceAt >= QUIET_MS,
      };
      return (['raw', 'history', 'messages'] as const).flatMap((what) =>
        over[what] ? closeGaps(current.state, what, ids, clock()) : [],
      );
    },
  };
}
