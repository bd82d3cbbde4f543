/**
 * Selects the run that starts next: a run of the device that has used the least processor time. So a device with large files delays mainly
 * its own files.
 *
 *   place "short"   runs that are not marked as long; a run that uses more than its share of processor time leaves this place
 *   place "long"    any run
 *
 * Only one run of a device is executed at a time, the oldest first. A device that had no runs for some time does not start with 0, but with
 * the processor time of the device that has used the least. So it gets no advantage over the others from the time in which it had no runs.
 */
export type Place = 'short' | 'long';

/** The fields of a waiting run that are kept in memory; its document is in the store. */
export interface WaitingRun {
  readonly id: string;
  readonly project_id: string;
  /** Record id of the device. */
  readonly device: string;
  /** True if the run has already used its share of processor time in the place for short runs. */
  readonly long: boolean;
  /** Creation time of the run; the runs of a device start in this order. */
  readonly created_at: string;
}

interface Line {
  /** Waiting runs of the device, the oldest first. */
  readonly runs: WaitingRun[];
  /**
   * The processor time that the runs of the device have used, in milliseconds. It is compared with the processor time of the other devices.
   */
  served_ms: number;
  /**
   * Each start of a run gets a number, which rises by one. This is the number of the last start of a run of the device. If two devices have
   * used the same processor time, the device with the lower number is next.
   */
  turn: number;
  works: boolean;
}

const isBefore = (a: WaitingRun, b: WaitingRun) =>
  a.created_at === b.created_at ? a.id < b.id : a.created_at < b.created_at;

export class Turns {
  private readonly lines = new Map<string, Line>();
  private readonly deviceOf = new Map<string, string>();
  private turn = 0;

  /** Number of waiting runs of a device. */
  waiting(device: string): number {
    return this.lines.get(device)?.runs.length ?? 0;
  }

  /** Adds a waiting run; does nothing when the run was already added. */
  add(run: WaitingRun): void {
    if (this.deviceOf.has(run.id)) return;
    this.deviceOf.set(run.id, run.device);
    const { runs } = this.lineOf(run.device);
    let at = runs.length;
    while (at > 0 && isBefore(run, runs[at - 1] as WaitingRun)) at--;
    runs.splice(at, 0, run);
  }

  /** Removes a run that no longer waits. */
  remove(id: string): void {
    const device = this.deviceOf.get(id);
    if (device === undefined) return;
    this.deviceOf.delete(id);
    const line = this.lines.get(device);
    line?.runs.splice(
      line.runs.findIndex((run) => run.id === id),
      1,
    );
    this.forget(device);
  }

  /** Removes all waiting runs, but keeps the processor time that each device has used. */
  clear(): void {
    this.deviceOf.clear();
    for (const [device, line] of this.lines) {
      line.runs.length = 0;
      this.forget(device);
    }
  }

  /** Returns the run that starts next in the place "short" or "long"; undefined if no waiting run can start there. */
  next(place: Place): WaitingRun | undefined {
    let found: WaitingRun | undefined;
    let best: Line | undefined;
    for (const line of this.lines.values()) {
      if (line.works) continue;
      const run = place === 'long' ? line.runs[0] : line.runs.find(({ long }) => !long);
      if (run === undefined || (best !== undefined && !isServedLess(line, best))) continue;
      found = run;
      best = line;
    }
    return found;
  }

  /** Notes that a run of the device has started. */
  begin(device: string): void {
    const line = this.lineOf(device);
    line.works = true;
    line.turn = ++this.turn;
  }

  /** Adds the processor time that a run has used to the total of its device. */
  charge(device: string, cpu_ms: number): void {
    const line = this.lines.get(device);
    if (line !== undefined) line.served_ms += cpu_ms;
  }

  /** Notes that the run of the device has ended. */
  end(device: string): void {
    this.lineOf(device).works = false;
    this.forget(device);
  }

  private lineOf(device: string): Line {
    const known = this.lines.get(device);
    if (known !== undefined) return known;
    const line: Line = { runs: [], served_ms: this.least(), turn: 0, works: false };
    this.lines.set(device, line);
    return line;
  }

  private least(): number {
    let least = Number.POSITIVE_INFINITY;
    for (const { served_ms } of this.lines.values()) least = Math.min(least, served_ms);
    return Number.isFinite(least) ? least : 0;
  }

  /**
   * Removes devices without runs. A device without runs stays if it has used more processor time than a device with runs, so that
   * this time still counts when the device has runs again.
   */
  private forget(device: string): void {
    const isIdle = ({ works, runs }: Line) => !works && runs.length === 0;
    const line = this.lines.get(device);
    if (line === undefined || !isIdle(line)) return;
    const busy = [...this.lines.values()].filter((one) => !isIdle(one));
    if (busy.length === 0) {
      this.lines.clear();
      return;
    }
    const least = busy.reduce((sum, { served_ms }) => Math.min(sum, served_ms), Number.POSITIVE_INFINITY);
    for (const [id, one] of this.lines) if (isIdle(one) && one.served_ms <= least) this.lines.delete(id);
  }
}

function isServedLess(a: Line, b: Line): boolean {
  return a.served_ms === b.served_ms ? a.turn < b.turn : a.served_ms < b.served_ms;
}
