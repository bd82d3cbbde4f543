/** Limits the work of reads in one turn of the event loop, so that other callbacks do not wait long. */

/** When the reads of one turn have cost this many rows, further reads wait for the next turn. 1,000 rows take about 10 ms. */
export const MAX_COST_PER_TURN = 1000;

export class TurnBudget {
  #spent = 0;

  /** True when further reads must wait for a later turn. */
  get isSpent(): boolean {
    return this.#spent >= MAX_COST_PER_TURN;
  }

  /** Adds to the cost of this turn. The next turn starts at zero. */
  spend(cost: number): void {
    if (this.#spent === 0 && cost > 0) setImmediate(() => this.#reset());
    this.#spent += cost;
  }

  #reset(): void {
    this.#spent = 0;
  }
}
