/**
 * Sorts frames, so that one recording gives the same list of frames whether its file is sorted or unsorted.
 *
 * A logger writes the frames of each bus and kind in batches, and a sorted file stores them in separate groups. Frames are sorted by time,
 * bus and flags, then frames of up to eight bytes before longer ones, then by their order in the file. If the right place of a frame is
 * more than `WINDOW` frames before its place in the file, the sorter returns the frame too late and counts it in `late`.
 *
 *   work: [ returned now ......... | held back ......... ]   2 x WINDOW
 */
import { FrameBatch } from '#contract/fleet/frame.ts';

/**
 * The sorter holds back this many frames, so that it can insert earlier frames before them. A bus that is fully loaded needs about eight
 * seconds to send this number of frames.
 */
const WINDOW = 16_384;

export class FrameOrder {
  /** The caller adds frames here until `isFull` is true. */
  readonly work = new FrameBatch(2 * WINDOW);
  /** A view of the payloads in `work` as 32-bit words. Each frame has two words, which contain a payload of up to eight bytes. */
  readonly words = new Uint32Array(this.work.data.buffer);
  late = 0;
  /** The batch into which the frames are copied in sorted order. It is created when a frame is out of order for the first time. */
  private other: FrameBatch | undefined;
  private order = new Uint32Array(0);
  private merged = new Uint32Array(0);
  private latest = Number.NEGATIVE_INFINITY;

  get isFull(): boolean {
    return this.work.count >= 2 * WINDOW;
  }

  /**
   * Sorts the frames, and returns all but the last `WINDOW` of them, or all frames if `atEnd` is true. The returned batch is valid until
   * the next call of `take` or `drop`.
   */
  take(atEnd: boolean): FrameBatch {
    const { work } = this;
    this.settle();
    const given = atEnd ? work.count : Math.max(0, work.count - WINDOW);
    this.held = work.count - given;
    work.count = given;
    for (let i = 0; i < given; i++) {
      const t = work.t[i] as number;
      if (t < this.latest) this.late++;
      else this.latest = t;
    }
    return work;
  }

  private held = 0;

  /** Removes the frames that `take` returned, and moves the remaining frames to the front of `work`. */
  drop(): void {
    const { work } = this;
    const from = work.count;
    const to = from + this.held;
    for (const column of [work.t, work.id, work.flags, work.bus, work.len, work.at]) column.copyWithin(0, from, to);
    work.data.copyWithin(0, from * 8, to * 8);
    work.count = this.held;
    this.held = 0;
    if (work.longUsed > 0) this.packLong();
  }

  /**
   * Payloads of more than eight bytes are stored in a separate area of `work`. This method frees the part of the area that belonged to
   * removed frames.
   */
  private packLong(): void {
    const { work } = this;
    let used = 0;
    let inOrder = true;
    let last = -1;
    for (let i = 0; i < work.count; i++) {
      if ((work.len[i] as number) <= 8) continue;
      const at = work.at[i] as number;
      inOrder &&= at > last;
      last = at;
    }
    const from = inOrder ? work.long : work.long.slice(0, work.longUsed);
    for (let i = 0; i < work.count; i++) {
      const len = work.len[i] as number;
      if (len <= 8) continue;
      const at = work.at[i] as number;
      if (inOrder) work.long.copyWithin(used, at, at + len);
      else work.long.set(from.subarray(at, at + len), used);
      work.at[i] = used;
      used += len;
    }
    work.longUsed = used;
  }

  private settle(): void {
    const { work } = this;
    const { t, count } = work;
    let i = 1;
    while (i < count && ((t[i] as number) > (t[i - 1] as number) || this.inOrder(i - 1, i))) i++;
    if (i >= count) return;
    if (this.other === undefined) {
      this.order = new Uint32Array(2 * WINDOW);
      this.merged = new Uint32Array(2 * WINDOW);
    }
    this.other ??= new FrameBatch(2 * WINDOW);
    const { other } = this;
    const otherWords = new Uint32Array(other.data.buffer);
    const order = this.sorted(count);
    for (let k = 0; k < count; k++) {
      const from = order[k] as number;
      other.t[k] = t[from] as number;
      other.id[k] = work.id[from] as number;
      other.flags[k] = work.flags[from] as number;
      other.bus[k] = work.bus[from] as number;
      other.len[k] = work.len[from] as number;
      other.at[k] = work.at[from] as number;
      otherWords[k * 2] = this.words[from * 2] as number;
      otherWords[k * 2 + 1] = this.words[from * 2 + 1] as number;
    }
    work.t.set(other.t.subarray(0, count));
    work.id.set(other.id.subarray(0, count));
    work.flags.set(other.flags.subarray(0, count));
    work.bus.set(other.bus.subarray(0, count));
    work.len.set(other.len.subarray(0, count));
    work.at.set(other.at.subarray(0, count));
    work.data.set(other.data.subarray(0, count * 8));
  }

  /** Returns true when frame `b` may come after frame `a` in the sort order. */
  private inOrder(a: number, b: number): boolean {
    const { t, bus, flags, len } = this.work;
    const apart = (t[b] as number) - (t[a] as number);
    if (apart !== 0) return apart > 0;
    const busses = (bus[b] as number) - (bus[a] as number);
    if (busses !== 0) return busses > 0;
    const kinds = (flags[b] as number) - (flags[a] as number);
    if (kinds !== 0) return kinds > 0;
    return (len[b] as number) > 8 || (len[a] as number) <= 8;
  }

  /** Returns the indexes of the frames in sorted order. It merges the sequences of frames that are already in order. */
  private sorted(count: number): Uint32Array {
    let from = this.order;
    let to = this.merged;
    for (let i = 0; i < count; i++) from[i] = i;
    for (let run = 1; run < count; run *= 2) {
      for (let low = 0; low < count; low += 2 * run) {
        const middle = Math.min(low + run, count);
        const high = Math.min(low + 2 * run, count);
        let a = low;
        let b = middle;
        for (let k = low; k < high; k++)
          to[k] =
            a < middle && (b >= high || this.inOrder(from[a] as number, from[b] as number))
              ? (from[a++] as number)
              : (from[b++] as number);
      }
      [from, to] = [to, from];
    }
    return from;
  }
}
