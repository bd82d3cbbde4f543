/** Takes groups of the journal into the fold, message by message; one that makes it throw three times is set aside. */
import type { Fold } from '#ingest/fold/fold.ts';
import { type FoldState, noteSetAside } from '#ingest/fold/fold-state.ts';
import type { Sources } from '#ingest/fold/sources.ts';
import { positionOf, refOf } from '#ingest/journal/position.ts';
import { RecordReader } from '#ingest/journal/record.ts';
import type { Group } from '#ingest/journal/segment-file.ts';
import type { QueuedActions } from './queued-actions.ts';

/** Bytes that are folded before the caller may look at the clock. */
const PIECE = 4 * 1024;
/** What a message costs besides its payload. */
const MESSAGE_COST = 128;
/** So often may a message kill the fold before it is set aside. */
const ATTEMPTS = 3;

/** A message made the fold throw: the state is not to be trusted. */
class FoldFailure extends Error {
  readonly position: number;
  readonly device_id: string;
  constructor(position: number, device_id: string, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.position = position;
    this.device_id = device_id;
  }
}

/** The way from groups into a fold. */
export interface FoldGroups {
  /** A state made anew, and the fold over it. */
  begin(state: FoldState, fold: Fold): void;
  /**
   * Takes a group in, and yields between two messages whenever `PIECE` bytes were folded; its caller takes all of it before the next.
   * Of messages that are in the facts already, those from `tail` on are read for samples and repeats.
   */
  take(group: Group, tail: number): Generator<void, void>;
  /** Takes note of what `take` threw; throws it again when no message is to blame. */
  noteFailure(error: unknown): void;
  /** Messages that were taken into the facts by this process; and those that it accepted itself and has folded. */
  readonly taken: number;
  readonly folded: number;
}

/** `firstSegment` is the first that this process wrote. */
export function createFoldGroups(of: {
  readonly actions: QueuedActions;
  readonly sources: Sources;
  readonly firstSegment: number;
  readonly log: (level: 'info' | 'warn' | 'error', message: string, data?: object) => void;
}): FoldGroups {
  const { actions, sources, log } = of;
  const reader = new RecordReader();
  const killers = new Map<number, { attempts: number; error: string }>();
  let state: FoldState;
  let fold: Fold;
  let highest = -1;
  let taken = 0;
  let folded = 0;

  function count(position: number, old: boolean): void {
    if (position <= highest) return;
    highest = position;
    if (!old) taken++;
    if (reader.segment >= of.firstSegment) folded++;
  }

  function setAside(position: number, error: string): void {
    const { device_id } = reader.device;
    const at_ms = reader.received_at_ms;
    noteSetAside(state, { position, device_id, error, at_ms });
    state.position = position + 1;
    sources.count(device_id, 'unparsable');
    sources.error(device_id, `set aside: ${error}`, at_ms);
    log('error', 'a message was set aside: it stops the fold', { device_id, ref: refOf(position), error });
    count(position, false);
  }

  return {
    begin(madeAnew, over) {
      state = madeAnew;
      fold = over;
      for (const { position, error } of state.setAside) killers.set(position, { attempts: ATTEMPTS, error });
    },
    *take(group, tail) {
      reader.open(group.segment, group.start, group.body);
      let bytes = 0;
      while (reader.next()) {
        if (bytes > PIECE) {
          bytes = 0;
          yield;
        }
        bytes += reader.payload.length + MESSAGE_COST;
        const position = positionOf(reader.segment, reader.offset);
        const old = position < state.position;
        if (old && position < tail) continue;
        const killed = killers.get(position);
        if (killed !== undefined && killed.attempts >= ATTEMPTS) {
          if (!old) setAside(position, killed.error);
          continue;
        }
        if (actions.waiting > 0) actions.applyUntil(position);
        try {
          if (old) fold.rebuild(reader);
          else fold.message(reader);
        } catch (error) {
          throw new FoldFailure(position, reader.device.device_id, error);
        }
        count(position, old);
      }
    },
    noteFailure(error) {
      if (!(error instanceof FoldFailure)) throw error;
      const { position, device_id, message } = error;
      const known = killers.get(position) ?? { attempts: 0, error: message };
      known.attempts++;
      killers.set(position, known);
      log('error', 'the fold failed', { device_id, ref: refOf(position), attempt: known.attempts, error: message });
    },
    get taken() {
      return taken;
    },
    get folded() {
      return folded;
    },
  };
}
