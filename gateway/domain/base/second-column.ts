/** Holds the samples of one signal and returns the first sample of each second, with its origin. Samples may arrive in any order. */
export class SecondColumn {
  private t: number[] = [];
  private v: number[] = [];
  private o: number[] = [];
  /** The newest second for which a sample was added, in seconds since 1970; -1 before the first sample. */
  private newest = -1;
  private sorted = true;

  /** Returns true if `second` is the newest second that was added. `add` then does nothing, so the caller need not compute an origin. */
  isNewest(second: number): boolean {
    return second === this.newest;
  }

  /**
   * Adds a sample. Returns false, and adds nothing, if the newest second already has a sample. If an older second already has a sample, the
   * new sample is added, but `ordered` leaves it out.
   */
  add(second: number, value: number, origin: number): boolean {
    if (second === this.newest) return false;
    if (second > this.newest) this.newest = second;
    else this.sorted = false;
    this.t.push(second);
    this.v.push(value);
    this.o.push(origin);
    return true;
  }

  get isEmpty(): boolean {
    return this.t.length === 0;
  }

  /** Returns copies of three lists: the seconds `t` in ascending order without duplicates, their values `v` and their origins `o`. */
  ordered(): { t: number[]; v: number[]; o: number[] } {
    const { t, v, o } = this;
    if (this.sorted) return { t: [...t], v: [...v], o: [...o] };
    const order = t.map((_, i) => i).sort((a, b) => (t[a] as number) - (t[b] as number) || a - b);
    const kept = order.filter((at, i) => i === 0 || t[at] !== t[order[i - 1] as number]);
    const pick = (of: number[]) => kept.map((at) => of[at] as number);
    return { t: pick(t), v: pick(v), o: pick(o) };
  }

  /** Removes all samples. `add` still refuses another sample for the newest second. */
  empty(): void {
    this.t = [];
    this.v = [];
    this.o = [];
    this.sorted = true;
  }
}
