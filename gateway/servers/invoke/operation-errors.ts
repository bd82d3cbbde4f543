/** Converts every error that a call throws to the error object that the caller gets. */
import { OperationError } from '#contract/base/errors.ts';
import { say } from '#contract/base/told.ts';
import { WriteConflict } from '#contract/base/view.ts';
import { NotTaken } from '#contract/fleet/ingest.ts';
import type { Log } from '#servers/base/log.ts';

const SQLITE_FULL = 13;
const DISK_FULL = new Set(['ENOSPC', 'EDQUOT', 'disk_full']);
/** Codes of faults in which the gateway cannot write to its disk, for example a read-only file system. Reads still work. */
const NO_WRITES = new Set(['EROFS', 'read_only', 'io_error', 'locked', 'overloaded']);
/** Faults of the bucket that has the files of head office. */
const FILES = new Set(['files_away', 'files_refused', 'files_foreign']);

/**
 * Returns the error for the caller. A fault of the gateway becomes `internal_error`: the log gets the cause with the request id, and the
 * caller gets only the request id.
 */
export function asOperationError(error: unknown, log: Log, requestId: string, where: string): OperationError {
  if (error instanceof OperationError) return error;
  if (error instanceof WriteConflict)
    return new OperationError(
      'write_conflict',
      'Other callers kept changing the same object. Read the object again and repeat the call.',
      {
        cause: error,
      },
    );
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown };
  const known = typeof code === 'string' ? code : '';
  const full = DISK_FULL.has(known) || errcode === SQLITE_FULL || error instanceof NotTaken;
  const stuck = NO_WRITES.has(known) || FILES.has(known);
  log(full || stuck ? 'warn' : 'error', full ? 'the disk is full' : `${where} failed`, {
    request_id: requestId,
    error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  });
  if (known === 'corrupt')
    return new OperationError(
      'storage_unavailable',
      'The database of the gateway is damaged. The gateway starts again and repairs it. Repeat the call in a minute.',
      { cause: error },
    );
  if (FILES.has(known) && error instanceof Error)
    return new OperationError('storage_unavailable', error.message, { cause: error });
  if (stuck)
    return new OperationError(
      'storage_unavailable',
      'The disk of the gateway cannot be written now. Reads still work.',
      {
        cause: error,
      },
    );
  return full
    ? new OperationError('storage_full', 'The disk of the gateway is too full to accept this write.', { cause: error })
    : new OperationError(
        'internal_error',
        say('The gateway failed. Its log has the cause under {request}.', { request: requestId }),
        {
          cause: error,
        },
      );
}
