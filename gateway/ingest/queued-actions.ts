/**
 * Queues actions, such as a revoked key or a closed connection. An action takes effect at a position in the journal, between two messages.
 */

/** The limit of queued actions. At the limit all queued actions take effect at once. */
const MAX_NOTES = 100_000;

export interface QueuedActions {
  readonly waiting: number;
  /** Runs the action when all messages before this position are folded. */
  add(place: number, apply: () => void): void;
  /** Runs the queued actions up to this position: those with a position that is equal or lower. */
  applyUntil(place: number): void;
  clear(): void;
}

export function createQueuedActions(): QueuedActions {
  let actions: { readonly place: number; readonly apply: () => void }[] = [];
  function applyUntil(place: number): void {
    let done = 0;
    for (let note = actions[0]; note !== undefined && note.place <= place; note = actions[done]) {
      done++;
      note.apply();
    }
    if (done > 0) actions = actions.slice(done);
  }
  return {
    get waiting() {
      return actions.length;
    },
    add(place, apply) {
      if (actions.length >= MAX_NOTES) applyUntil(Number.POSITIVE_INFINITY);
      actions.push({ place, apply });
    },
    applyUntil,
    clear() {
      actions = [];
    },
  };
}
