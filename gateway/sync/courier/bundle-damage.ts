import { OperationError } from '#contract/base/errors.ts';

export const damagedBundle = (cause?: unknown): OperationError =>
  new OperationError(
    'bundle_damaged',
    'The bundle is damaged: its bytes are not those that were written. Copy the file again; if that does not help, make a new bundle.',
    cause === undefined ? {} : { cause },
  );
