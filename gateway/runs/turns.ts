/**
 * Whose run is next. Devices take turns: the next run is of the device that has had the least processor time of those that wait, so
 * that a device with large files delays its own files first.
 *
 *   place "short"   runs that are not known to be long; a run that outstays its share leaves it
 *   place "long"    any run
 *
 * A device works on one run at a time, its oldest first. A device that comes back begins where the least served one stands: time in
 * which it sent nothing is no credit.
 */
export type Place = 'short' | 'long';

/** A run that waits, as it is kept in memory: its document stays in the store. */
export interface WaitingRun {
  readonly id: string;
  readonly project_id: string;
  /** Record id of the device. */
  readonly device: string;
  /** It outstayed the short place before. */
  readonly long: boolean;
  /** Orders the runs of one device. */
  readonly created_at: string;
}

interface Line {
  /** The oldest first. */
  readonly runs: WaitingRun[];
  /** Processor time of the device in milliseconds, counted from the least served one. */
  served_ms: number;
  /** The number of its last turn; of devices that are served alike the one that waited longer is next. */
  turn: number;
  works: boolean;
}

const isBefore = (a: WaitingRun, b: WaitingRun) =>
  a.created_at === b.created_at ? a.id < b.id : a.created_at < b.created_at;

export class Turns {
  private readonly lines = new Map<string, Line>();
  private readonly deviceOf = new Map<string, string>();
  private turn = 0;

  /** Runs of a device that wait. */
  waiting(device: string): number {
    return this.lines.get(device)?.runs.length ?? 0;
  }

  /** Adds a run that waits; one that is there already stays where it is. */
  add(run: WaitingRun): void {
    if (this.deviceOf.has(run.id)) return;
    this.deviceOf.set(run.id, run.device);
    const { runs } = this.lineOf(run.device);
    let at = runs.length;
    while (at > 0 && isBefore(run, runs[at - 1] as WaitingRun)) at--;
    runs.splice(at, 0, run);
  }

  /** Forgets a run that waits no more. */
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

  /** Forgets all runs that wait; what the devices were served stays. */
  clear(): void {
    this.deviceOf.clear();
    for (const [device, line] of this.lines) {
      line.runs.length = 0;
      this.forget(device);
    }
  }

  /** The run whose turn it is in this place. */
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

  /** A run of the device works from now on. */
  begin(device: string): void {
    const line = this.lineOf(device);
    line.works = true;
    line.turn = ++this.turn;
  }

  /** The device used this much processor time. */
  charge(device: string, cpu_ms: number): void {
    const line = this.lines.get(device);
    if (line !== undefined) line.served_ms += cpu_ms;
  }

  /** The run of the device works no more. */
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

  /** Devices are kept while they have runs, or were served more than others that have. */
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
