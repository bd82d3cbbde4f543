/** Errors of the link as errors of an operation. */
import { OperationError } from '#contract/base/errors.ts';
import { ComparisonStuck } from '#domain/sync/digest.ts';
import { LinkError } from './transport.ts';

export function asOperationError(error: unknown): unknown {
  if (error instanceof ComparisonStuck)
    return new OperationError('head_office_refused', error.message, { cause: error });
  if (!(error instanceof LinkError)) return error;
  const { fault, code, words } = error;
  if (code === 'enrolment_code_invalid') return new OperationError('enrolment_code_invalid', words, { param: 'code' });
  if (fault === 'unreachable' || fault === 'busy')
    return new OperationError('head_office_unreachable', words, { cause: error });
  return new OperationError('head_office_refused', words, { cause: error });
}
