/**
 * Passes the messages of journal groups to the fold, one by one. A group is a number of messages that were synced to the journal together;
 * the fold is the code that applies a message to the state. If a message makes the fold throw three times, it is set aside: health lists
 * it, and the fold skips it.
 */
import type { Fold } from '#ingest/fold/fold.ts';
import { type FoldState, noteSetAside } from '#ingest/fold/fold-state.ts';
import type { Sources } from '#ingest/fold/sources.ts';
import { positionOf, refOf } from '#ingest/journal/position.ts';
import { RecordReader } from '#ingest/journal/record.ts';
import type { Group } from '#ingest/journal/segment-file.ts';
import type { QueuedActions } from './queued-actions.ts';

/** `take` yields after this many bytes, so that the caller can check how long it has run. */
const PIECE = 4 * 1024;
/** The number of bytes that each message counts towards `PIECE` in addition to its payload. */
const MESSAGE_COST = 128;
/** A message is set aside after this many failures of the fold. */
const ATTEMPTS = 3;

/** The error for a message that made the fold throw. The caller must discard the state, because the message may be half applied. */
class FoldFailure extends Error {
  readonly position: number;
  readonly device_id: string;
  constructor(position: number, device_id: string, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.position = position;
    this.device_id = device_id;
  }
}

/** Passes groups to the fold. */
export interface FoldGroups {
  /** Sets the state and the fold after a restart of the fold. */
  begin(state: FoldState, fold: Fold): void;
  /**
   * Folds a group, and yields between two messages after each `PIECE` bytes. The caller must finish this group before the next one. After a
   * restart some messages are already in the state. If their position is at or after `tail`, they are only read again, to restore samples
   * and the recognition of repeated data; before `tail` they are skipped.
   */
  take(group: Group, tail: number): Generator<void, void>;
  /** Counts a failure of the message that caused this error. If no message caused the error, throws the error again. */
  noteFailure(error: unknown): void;
  /** The number of messages that this process folded. `folded` counts only the messages that this process also accepted. */
  readonly taken: number;
  readonly folded: number;
}

/** Creates the object that passes groups to the fold. `firstSegment` is the first journal segment (file) that this process writes. */
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
    log('error', 'a message was set aside: it makes the fold throw', { device_id, ref: refOf(position), error });
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
