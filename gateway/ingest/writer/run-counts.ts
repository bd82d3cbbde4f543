/** Counts the samples that runs read from files and added to history. A run is one decoding of a file. */

/** The number of samples of a run that were new to history, and of samples that history already had. */
export interface RunCount {
  readonly added: number;
  readonly known: number;
}

/** The limit of runs in memory. At the limit the run that was counted longest ago is removed. */
const MAX_COUNTS = 200;

/** The counts of the 200 runs that were counted last. */
export class RunCounts {
  private readonly counts = new Map<string, RunCount>();

  add({ run, added, known }: { readonly run: string } & RunCount): void {
    const before = this.of(run);
    this.counts.delete(run);
    this.counts.set(run, { added: before.added + added, known: before.known + known });
    if (this.counts.size > MAX_COUNTS) this.counts.delete(this.counts.keys().next().value as string);
  }

  of(run: string): RunCount {
    return this.counts.get(run) ?? { added: 0, known: 0 };
  }
}
