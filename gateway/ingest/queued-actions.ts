/** What people and connections do, at its place between the messages of the journal. */

/** So many wait for their place; at the bound all take effect at once. */
const MAX_NOTES = 100_000;

export interface QueuedActions {
  readonly waiting: number;
  /** Does something once everything before this place is folded. */
  add(place: number, apply: () => void): void;
  /** Does what stands before or at a place. */
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
