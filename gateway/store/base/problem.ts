/** A problem in the health report of the gateway. */
export interface Problem {
  readonly code: string;
  readonly message: string;
}
