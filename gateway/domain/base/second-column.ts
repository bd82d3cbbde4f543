/** Samples of one signal: the first of each second; seconds may arrive in any order. */
export class SecondColumn {
  private t: number[] = [];
  private v: number[] = [];
  /** The newest second added; -1 before the first. */
  private newest = -1;
  private sorted = true;

  /**
   * Adds a value; false when its second certainly has one. `ordered` drops later values of seconds that arrived out
   * of order.
   */
  add(second: number, value: number): boolean {
    if (second === this.newest) return false;
    if (second > this.newest) this.newest = second;
    else this.sorted = false;
    this.t.push(second);
    this.v.push(value);
    return true;
  }

  get isEmpty(): boolean {
    return this.t.length === 0;
  }

  /** Returns copies: seconds ascending, each once. */
  ordered(): { t: number[]; v: number[] } {
    const { t, v } = this;
    if (this.sorted) return { t: [...t], v: [...v] };
    const order = t.map((_, i) => i).sort((a, b) => (t[a] as number) - (t[b] as number) || a - b);
    const kept = order.filter((at, i) => i === 0 || t[at] !== t[order[i - 1] as number]);
    return { t: kept.map((at) => t[at] as number), v: kept.map((at) => v[at] as number) };
  }

  /** Removes all samples; the newest second still counts as taken. */
  empty(): void {
    this.t = [];
    this.v = [];
    this.sorted = true;
  }
}
