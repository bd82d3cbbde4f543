/** What people and connections do, at its place between the messages of the journal. */

/** So many wait for their place; at the bound all take effect at once. */
const MAX_NOTES = 100_000;

export interface Notes {
  readonly waiting: number;
  /** Does something once everything before this place is folded. */
  add(place: number, apply: () => void): void;
  /** Does what stands before or at a place. */
  applyUntil(place: number): void;
  clear(): void;
}

export function createNotes(): Notes {
  let notes: { readonly place: number; readonly apply: () => void }[] = [];
  function applyUntil(place: number): void {
    let done = 0;
    for (let note = notes[0]; note !== undefined && note.place <= place; note = notes[done]) {
      done++;
      note.apply();
    }
    if (done > 0) notes = notes.slice(done);
  }
  return {
    get waiting() {
      return notes.length;
    },
    add(place, apply) {
      if (notes.length >= MAX_NOTES) applyUntil(Number.POSITIVE_INFINITY);
      notes.push({ place, apply });
    },
    applyUntil,
    clear() {
      notes = [];
    },
  };
}
