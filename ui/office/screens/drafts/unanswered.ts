/** Tells whether a failed write may have been stored. */
import { ClientError } from '#contract/client.ts';

/** Returns true if nobody knows whether the gateway stored a write: it did not answer, or it failed itself. */
export const isUnanswered = (error: unknown): boolean =>
  error instanceof ClientError && (error.error === null || (error.status ?? 0) >= 500);
