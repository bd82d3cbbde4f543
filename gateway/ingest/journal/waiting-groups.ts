/**
 * The queue of groups (messages that were synced to the journal together) that wait for the fold, the code that applies messages. If the
 * queue exceeds its limit of bytes, further groups are only on disk.
 */
import type { Group } from './segment-file.ts';

const BYTES = 64 << 20;

/** The queue between the journal and the fold. When it is full, the fold reads groups from disk. */
export interface WaitingGroups {
  /** True while the fold reads groups from disk. The queue then does not store added groups. */
  behind: boolean;
  readonly isEmpty: boolean;
  add(group: Group): void;
  /** Removes and returns the oldest group. */
  take(): Group | undefined;
  /** Removes all groups, so that the fold reads them from disk. */
  forget(): void;
}

/** Creates a queue with a limit of `bytes`, by default 64 MB. */
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
