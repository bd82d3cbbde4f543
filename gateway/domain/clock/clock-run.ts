/**
 * A run: readings that agree with each other. A reading says what the clock of the device and a trusted clock showed at the same moment. In
 * all readings of a run, the clock of the device is ahead of the trusted clock by about the same time. The run keeps only the smallest and
 * the largest difference of each minute (a window), so its memory does not grow with the number of readings.
 */

const WINDOW_US = 60_000_000;
/** If a run has more windows than this, it merges the windows in pairs, so that each window is twice as long. */
const MAX_WINDOWS = 4_096;

/** At `t_us` by the clock of the device, this clock was ahead of the trusted clock by `ahead_us`. Negative: it was behind. */
export interface Knot {
  readonly t_us: number;
  readonly ahead_us: number;
}

interface Window {
  /** The number of the window: its start divided by the length of a window. */
  readonly index: number;
  readonly least: number;
  readonly most: number;
}

export class ClockRun {
  readings = 0;
  readonly first_us: number;
  last_us: number;
  /** The time of the last reading of another run before this run, and of the first reading of another run after this run. */
  from_us: number;
  to_us: number;
  /** The smallest difference so far in the window of the last reading: by how much the clock of the device was ahead there. */
  near_us: number;
  #length_us = WINDOW_US;
  #windows: Window[] = [];

  constructor(t_us: number, ahead_us: number) {
    this.first_us = t_us;
    this.last_us = t_us;
    this.from_us = t_us;
    this.to_us = Number.POSITIVE_INFINITY;
    this.near_us = ahead_us;
    this.add(t_us, ahead_us);
  }

  /** Adds a reading. */
  add(t_us: number, ahead_us: number): void {
    this.readings++;
    this.last_us = Math.max(this.last_us, t_us);
    const last = this.#windows.at(-1);
    // Two frames may be a little out of order. If a reading is older than the last window, it counts in the last window.
    const index = Math.max(Math.floor(t_us / this.#length_us), last?.index ?? 0);
    if (last?.index === index) {
      const joined = { index, least: Math.min(last.least, ahead_us), most: Math.max(last.most, ahead_us) };
      this.#windows[this.#windows.length - 1] = joined;
      this.near_us = joined.least;
      return;
    }
    this.#windows.push({ index, least: ahead_us, most: ahead_us });
    this.near_us = ahead_us;
    if (this.#windows.length > MAX_WINDOWS) this.#widen();
  }

  /**
   * Returns the smallest difference of each window, with the time in the middle of the window. A reading arrives late, never early, so the
   * clock of the device seems to be ahead by the delay of the reading. Therefore the reading with the smallest difference has the shortest
   * delay.
   */
  knots(): Knot[] {
    return this.#windows.map(({ index, least }) => ({ t_us: (index + 0.5) * this.#length_us, ahead_us: least }));
  }

  /**
   * Returns by how much the differences vary within a window and between two neighbouring windows. The reasons are the delays of the
   * readings and the drift of the clock.
   */
  spread_us(): number {
    let inside = 0;
    let between = 0;
    this.#windows.forEach(({ index, least, most }, i) => {
      const before = this.#windows[i - 1];
      inside = Math.max(inside, most - least);
      if (before !== undefined && index - before.index <= 2)
        between = Math.max(between, Math.abs(least - before.least));
    });
    return inside + between;
  }

  /** The length of a window, in microseconds. */
  get window_us(): number {
    return this.#length_us;
  }

  #widen(): void {
    this.#length_us *= 2;
    const wide: Window[] = [];
    for (const { index: half, least, most } of this.#windows) {
      const index = Math.floor(half / 2);
      const last = wide.at(-1);
      if (last?.index !== index) wide.push({ index, least, most });
      else wide[wide.length - 1] = { index, least: Math.min(last.least, least), most: Math.max(last.most, most) };
    }
    this.#windows = wide;
  }
}
