import type { Guard, Publish } from './mqtt-guard.ts';

/**
 * Answers publishes when their promise settles. All messages of a group share one promise, so they share one reaction and, per
 * connection, one write; a promise that rejects ends the connections, whose clients come back with what was not answered.
 */
export function createAnswers(): (promise: Promise<void>, guard: Guard, publish: Publish) => void {
  let current: Promise<void> | undefined;
  let guards: Guard[] = [];
  let publishes: Publish[] = [];
  return (promise, guard, publish) => {
    if (promise !== current) {
      const mine: Guard[] = [];
      const theirs: Publish[] = [];
      guards = mine;
      publishes = theirs;
      current = promise;
      const settle = (): void => {
        if (current === promise) current = undefined;
        for (let i = 0; i < mine.length; i++) (mine[i] as Guard).answer(theirs[i] as Publish);
        for (const one of mine) one.flush();
      };
      promise.then(settle, () => {
        if (current === promise) current = undefined;
        for (const one of mine) one.destroy();
      });
    }
    guards.push(guard);
    publishes.push(publish);
  };
}
