/** Mutants that no test can notice or should: each with the reason. */

/** A change, named by its line and not by its place, and why it may live. */
export interface Equal {
  readonly file: string;
  readonly code: string;
  readonly from: string;
  readonly to: string;
  readonly why: string;
}

export const EQUAL: readonly Equal[] = [];
