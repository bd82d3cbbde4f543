/** The functions that a storage engine calls after each commit. */
import type { Change } from '#contract/base/view.ts';
import type { Listener } from './engine.ts';

export interface Listeners {
  /** Adds a listener; returns the function that removes it. */
  add(listener: Listener): () => void;
  /** Calls every listener, unless there are no changes. */
  emit(changes: readonly Change[]): void;
}

/** Creates an empty set of listeners. */
export function createListeners(): Listeners {
  const listeners = new Set<Listener>();
  return {
    add(listener) {
      // The wrapper makes each registration distinct: one function that is added twice is called twice.
      const entry: Listener = (changes) => listener(changes);
      listeners.add(entry);
      return () => listeners.delete(entry);
    },
    emit(changes) {
      if (changes.length > 0) for (const listener of listeners) callListener(listener, changes);
    },
  };
}

/** Rethrows an error of a listener in a later microtask, because the commit itself has succeeded. */
function callListener(listener: Listener, changes: readonly Change[]): void {
  try {
    listener(changes);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
