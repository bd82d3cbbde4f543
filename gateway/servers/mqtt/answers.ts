import { NotTaken } from '#contract/fleet/ingest.ts';
import type { Guard } from './guard.ts';
import type { Publish } from './publish.ts';

export interface Answers {
  /** Answers a publish when its promise resolves. */
  add(promise: Promise<void>, guard: Guard, publish: Publish): void;
  /** Bytes of all messages that are not answered. */
  readonly waiting: number;
}

/**
 * Answers publishes when their promise settles. All messages of a group share one promise, so they share one reaction and, per
 * connection, one write; a promise that rejects ends the connections, whose clients come back with what was not answered, unless the
 * messages may be taken later: those are forgotten here, and `owe` is told.
 */
export function createAnswers(owe: (guard: Guard, publish: Publish) => void): Answers {
  let current: Promise<void> | undefined;
  let guards: Guard[] = [];
  let publishes: Publish[] = [];
  let waiting = 0;

  function begin(promise: Promise<void>): void {
    const mine: Guard[] = [];
    const theirs: Publish[] = [];
    guards = mine;
    publishes = theirs;
    current = promise;
    const end = (): void => {
      if (current === promise) current = undefined;
      for (const { payload } of theirs) waiting -= payload.length;
    };
    promise.then(
      () => {
        end();
        for (let i = 0; i < mine.length; i++) (mine[i] as Guard).answer(theirs[i] as Publish);
        for (const one of mine) one.flush();
      },
      (error: unknown) => {
        end();
        if (!(error instanceof NotTaken)) for (const one of mine) one.destroy();
        else
          for (let i = 0; i < mine.length; i++) {
            const guard = mine[i] as Guard;
            guard.forget(theirs[i] as Publish);
            owe(guard, theirs[i] as Publish);
          }
      },
    );
  }

  return {
    add(promise, guard, publish) {
      if (promise !== current) begin(promise);
      guards.push(guard);
      publishes.push(publish);
      waiting += publish.payload.length;
    },
    get waiting() {
      return waiting;
    },
  };
}
