/** The queue of acknowledged groups for the fold: in memory up to a limit, beyond it on disk only. */
import type { Group } from './segment-file.ts';

const BYTES = 64 << 20;

/** The queue; when it is full, the fold reads from disk. */
export interface WaitingGroups {
  /** True while the fold reads from disk; added groups are not kept in memory then. */
  behind: boolean;
  readonly isEmpty: boolean;
  add(group: Group): void;
  /** Removes and returns the oldest group. */
  take(): Group | undefined;
  /** Removes all groups: the fold reads from disk. */
  forget(): void;
}

/** Creates a queue of `bytes`; 64 MB when absent. */
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
