/** Samples of one signal: the first of each second, in whatever order the seconds come. */
export class SecondColumn {
  private t: number[] = [];
  private v: number[] = [];
  /** The newest second that was ever added; -1 before the first. */
  private newest = -1;
  private sorted = true;

  /** Takes a value unless it is plain that its second has one; false then. Of seconds that come again later `ordered` drops all but the first. */
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

  /** Copies: seconds ascending, each once. */
  ordered(): { t: number[]; v: number[] } {
    const { t, v } = this;
    if (this.sorted) return { t: [...t], v: [...v] };
    const order = t.map((_, i) => i).sort((a, b) => (t[a] as number) - (t[b] as number) || a - b);
    const kept = order.filter((at, i) => i === 0 || t[at] !== t[order[i - 1] as number]);
    return { t: kept.map((at) => t[at] as number), v: kept.map((at) => v[at] as number) };
  }

  /** Begins anew behind the newest second: that one has its sample. */
  empty(): void {
    this.t = [];
    this.v = [];
    this.sorted = true;
  }
}
