/** The frames of a log among the artifacts, for handlers. */
import { setImmediate } from 'node:timers/promises';
import { LogFileError, openLogFile } from '#bridge/log-file.ts';
import type { RecordedFrames } from '#contract/context.ts';
import { OperationError } from '#contract/errors.ts';
import type { Artifacts } from '#store/artifacts.ts';

/** A door to logs; a file that is none is refused with what its reader says. */
export function createLogFrames(artifacts: Pick<Artifacts, 'locate'>) {
  const refusing = (error: unknown): never => {
    if (!(error instanceof LogFileError)) throw error;
    throw new OperationError('parameter_invalid', error.message, {
      param: 'artifact_id',
      details: [{ code: error.code }],
      cause: error,
    });
  };
  return async (sha256: string, passwords: readonly string[]): Promise<RecordedFrames | undefined> => {
    const path = await artifacts.locate(sha256);
    if (path === undefined) return undefined;
    const log = await openLogFile(path, { passwords }).catch(refusing);
    return {
      async *batches() {
        try {
          for await (const batch of log.batches()) {
            yield batch;
            // Others have their turn.
            await setImmediate();
          }
        } catch (error) {
          refusing(error);
        }
      },
      [Symbol.asyncDispose]: () => log[Symbol.asyncDispose](),
    };
  };
}
