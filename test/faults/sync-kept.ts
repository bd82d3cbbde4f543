/** On which disks each thing of a history is, while links are cut and disks are put back. */
import type { Box } from './sync-truth.ts';

export interface Held {
  /** The disks on which it is known to be. */
  readonly held: Set<Box>;
}

/** Things that were acknowledged. One that is on no disk any more is gone, if it was not sent. */
export class Kept<T extends Held> {
  all: T[] = [];

  /** The boxes have everything that was acknowledged so far. */
  arrived(...boxes: Box[]): void {
    for (const { held } of this.all) for (const box of boxes) held.add(box);
  }

  heldBy(box: Box): ReadonlySet<object> {
    return new Set(this.all.filter(({ held }) => held.has(box)));
  }

  /** The disk of a box is as it was. */
  putBack(box: Box, held: ReadonlySet<object>): void {
    for (const one of this.all) if (!held.has(one)) one.held.delete(box);
    this.all = this.all.filter((one) => one.held.size > 0);
  }
}
