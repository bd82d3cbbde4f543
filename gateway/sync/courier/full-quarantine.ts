/** The error of an end whose quarantine is full. */
import { OperationError } from '#contract/base/errors.ts';
import { part, say } from '#contract/base/told.ts';
import { QuarantineFull } from '#domain/sync/apply.ts';

/** Names the end whose quarantine is full, if that is why the work failed. */
export async function namingFull<T>(where: 'At head office' | 'At this site', work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof QuarantineFull)) throw error;
    throw new OperationError('limit_reached', say('{where}, {message}', { where: part(where), message: error.words }), {
      cause: error,
    });
  }
}
