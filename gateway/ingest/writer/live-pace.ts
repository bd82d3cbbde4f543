/**
 * How often values of machines are written to the store: usually each minute, and each 2 s for projects at which somebody at head office
 * looks at this moment.
 */

/** The shortest time between two writes of a live document whose status did not change, in milliseconds. */
const USUAL_MS = 60_000;
const WATCHED_MS = 2_000;

export class LivePace {
  /** By project, the monotonic time at which nobody looks any more. */
  #until: ReadonlyMap<string, number> = new Map();

  /** From now on somebody looks at each of these projects for so many seconds, and at no other project. */
  watch(live: ReadonlyMap<string, number>, mono: number): void {
    this.#until = new Map([...live].map(([project, seconds]) => [project, mono + seconds * 1_000]));
  }

  /** The shortest time between two writes of a live document of this project. */
  liveMs(project_id: string | undefined, mono: number): number {
    return project_id !== undefined && mono < (this.#until.get(project_id) ?? mono) ? WATCHED_MS : USUAL_MS;
  }

  /** The time between two commits, which usually is `usual`. */
  commitMs(usual: number, mono: number): number {
    return [...this.#until.values()].some((until) => mono < until) ? Math.min(usual, WATCHED_MS) : usual;
  }
}
