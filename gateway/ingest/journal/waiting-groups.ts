/** Acknowledged groups on their way to the fold: in memory up to a bound, beyond it read from disk again. */
import type { Group } from './segment-file.ts';

const BYTES = 64 << 20;

/** A queue that gives up when it is too long. */
export interface WaitingGroups {
  /** True while the fold reads on from disk: what is added is there, and not kept. */
  behind: boolean;
  readonly isEmpty: boolean;
  add(group: Group): void;
  /** The oldest, which is the fold's from then on. */
  take(): Group | undefined;
  /** Forgets all of them: the fold reads from disk. */
  forget(): void;
}

/** `bytes` are 64 MB when absent. */
export function createWaitingGroups(bytes = BYTES): WaitingGroups {
  let queue: Group[] = [];
  let queued = 0;
  return {
    behind: false,
    get isEmpty() {
      return queue.length === 0;
    },
    add(group) {
      if (this.behind) return;
      if (queued + group.body.length > bytes) {
        this.behind = true;
        return;
      }
      queued += group.body.length;
      queue.push(group);
    },
    take() {
      const group = queue.shift();
      if (group !== undefined) queued -= group.body.length;
      return group;
    },
    forget() {
      queue = [];
      queued = 0;
      this.behind = true;
    },
  };
}
