/** Errors a caller can act on: one table gives code, HTTP status and type; REST bodies and MCP results carry the same object. */
import { z } from 'zod';

const ERROR_TYPES = [
  'invalid_request_error',
  'authentication_error',
  'permission_error',
  'not_found_error',
  'conflict_error',
  'idempotency_error',
  'precondition_error',
  'rate_limit_error',
  'storage_error',
  'api_error',
] as const;

type Row = readonly [status: number, type: (typeof ERROR_TYPES)[number], retryable: boolean, meaning: string];

/** Code to HTTP status, type, whether the same call may succeed later, and what the code means. */
export const ERRORS = {
  parameter_invalid: [400, 'invalid_request_error', false, 'A value does not fit its schema.'],
  parameter_missing: [400, 'invalid_request_error', false, 'A required value is absent.'],
  parameter_unknown: [400, 'invalid_request_error', false, 'A name that this operation does not take.'],
  body_malformed: [400, 'invalid_request_error', false, 'The body is not valid JSON in valid UTF-8.'],
  invalid_cursor: [400, 'invalid_request_error', false, 'The cursor is damaged, expired or of another list.'],
  project_required: [400, 'invalid_request_error', false, 'The call needs a Project-ID header.'],
  project_mismatch: [400, 'invalid_request_error', false, 'Two project ids in one call differ.'],
  idempotency_key_required: [400, 'invalid_request_error', false, 'The operation requires an Idempotency-Key.'],
  dbc_invalid: [400, 'invalid_request_error', false, 'The text is no DBC; `details` says line and column.'],
  config_invalid: [
    400,
    'invalid_request_error',
    false,
    "The configuration does not fit the logger's own schema; `details` says where.",
  ],
  config_missing: [
    409,
    'conflict_error',
    false,
    'The logger would start without a configuration; put one for this firmware first.',
  ],
  firmware_invalid: [
    400,
    'invalid_request_error',
    false,
    'The file is no firmware of a known logger, or of another model than this one.',
  ],
  read_only_field: [400, 'invalid_request_error', false, 'The field is written by another path, named in the message.'],
  read_only_kind: [400, 'invalid_request_error', false, 'Events of this kind are written by the service itself.'],
  setup_unavailable: [400, 'invalid_request_error', false, 'AI setup is not part of this version.'],
  authentication_required: [401, 'authentication_error', false, 'No usable bearer credential was sent.'],
  credential_invalid: [401, 'authentication_error', false, 'The credential is unknown, revoked or expired.'],
  claim_required: [401, 'authentication_error', false, 'Nobody owns this gateway yet; claim it with the claim code.'],
  claim_code_invalid: [403, 'permission_error', false, 'The claim code is wrong or expired.'],
  permission_denied: [403, 'permission_error', false, 'The credential may not do this.'],
  already_claimed: [409, 'conflict_error', false, 'This gateway already has an owner.'],
  not_found: [404, 'not_found_error', false, 'No such object, or it belongs to another project.'],
  past_retention: [
    410,
    'not_found_error',
    false,
    'It was here and is kept no longer; the message says how long such things are kept, and what remains.',
  ],
  project_not_found: [404, 'not_found_error', false, 'No such project within reach of this credential.'],
  route_not_found: [404, 'not_found_error', false, 'No operation has this path.'],
  method_not_allowed: [405, 'invalid_request_error', false, 'The path exists, the method does not; see Allow.'],
  not_acceptable: [406, 'invalid_request_error', false, 'The operation cannot answer in the format asked for.'],
  request_too_slow: [
    408,
    'invalid_request_error',
    true,
    'The body came too slowly; send it again, faster or in parts.',
  ],
  already_exists: [409, 'conflict_error', false, 'Another object already holds this name or number.'],
  hash_mismatch: [409, 'conflict_error', false, 'The files give another hash than the expected one.'],
  action_disabled: [409, 'conflict_error', false, 'The custom action is switched off.'],
  confirmation_required: [409, 'conflict_error', false, 'The action runs only when a person has confirmed it.'],
  idempotency_key_reused: [409, 'idempotency_error', false, 'The Idempotency-Key was used with other input.'],
  decode_in_progress: [409, 'conflict_error', false, 'A run of this log is waiting or working already.'],
  operation_in_progress: [
    409,
    'conflict_error',
    true,
    'An earlier call with this Idempotency-Key is still running; inspect the resource first.',
  ],
  limit_reached: [
    409,
    'conflict_error',
    false,
    'There are as many of these as there may be; the message says how many.',
  ],
  invalid_transition: [409, 'conflict_error', false, 'The status cannot go there; `allowed` says where it can.'],
  not_linked: [409, 'conflict_error', false, 'The device is on no machine; link it first.'],
  not_provisioned: [409, 'conflict_error', false, 'The device has no key; provision it.'],
  no_worker: [409, 'conflict_error', false, 'The device has no registered worker.'],
  no_active_run: [409, 'conflict_error', false, 'The task has no run that could be canceled.'],
  run_not_cancelable: [409, 'conflict_error', false, 'The run ends with its cause, not by a cancel.'],
  write_conflict: [409, 'conflict_error', true, 'Another write came in between; read again and retry.'],
  upload_offset_mismatch: [409, 'conflict_error', true, 'The upload goes on at another offset; HEAD tells which.'],
  tus_version_unsupported: [412, 'precondition_error', false, 'Send `Tus-Resumable: 1.0.0`.'],
  checksum_mismatch: [460, 'invalid_request_error', true, 'The bytes have another checksum than their sender said.'],
  range_not_satisfiable: [416, 'invalid_request_error', false, 'The file has no such range of bytes.'],
  revision_mismatch: [412, 'precondition_error', false, 'If-Match names a revision that is no longer current.'],
  payload_too_large: [413, 'invalid_request_error', false, 'The body is larger than this operation takes.'],
  unsupported_media_type: [415, 'invalid_request_error', false, 'The body must be application/json.'],
  misdirected_request: [421, 'invalid_request_error', false, 'The Host header names no address of this gateway.'],
  precondition_required: [428, 'precondition_error', false, 'The operation requires If-Match.'],
  rate_limited: [429, 'rate_limit_error', true, 'Too many requests; wait as Retry-After says.'],
  over_budget: [
    429,
    'rate_limit_error',
    true,
    'The device has stored as much as its budget allows; wait as Retry-After says.',
  ],
  internal_error: [500, 'api_error', true, 'A fault of this gateway; the log holds it under the request id.'],
  backend_unavailable: [503, 'api_error', true, 'A part that this operation needs is not running.'],
  storage_unavailable: [503, 'storage_error', true, 'The disk takes no writes now; reads go on.'],
  storage_full: [507, 'storage_error', true, 'The disk is too full to accept this write.'],
} as const satisfies Record<string, Row>;

export type ErrorCode = keyof typeof ERRORS;

/** The one error that handlers throw: a code of the table, a sentence that says what to do, and details a program can read. */
export class OperationError extends Error {
  readonly code: ErrorCode;
  readonly param: string | null;
  readonly details: readonly Record<string, unknown>[];
  constructor(
    code: ErrorCode,
    message: string,
    more: { param?: string; details?: readonly Record<string, unknown>[]; cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.name = 'OperationError';
    this.code = code;
    this.param = more.param ?? null;
    this.details = more.details ?? [];
  }
  /** The HTTP status of the code. */
  get status(): number {
    return ERRORS[this.code][0];
  }
}

export const ErrorBody = z
  .object({
    error: z.object({
      type: z.enum(ERROR_TYPES).meta({ description: 'Class of the error; every code belongs to one.' }),
      code: z.string().meta({ description: 'Stable name; safe to branch on.' }),
      message: z.string().meta({ description: 'What is wrong and what to do, for people.' }),
      param: z.string().nullable().meta({ description: 'The input the error is about, when it is about one.' }),
      details: z.array(z.record(z.string(), z.unknown())),
      request_id: z.string().meta({ description: 'Finds this call in the gateway log.' }),
      doc_url: z.string(),
      retryable: z.boolean().meta({ description: 'True when the same call may succeed later, unchanged.' }),
    }),
  })
  .meta({ id: 'Error', description: 'The one error object, in REST bodies and in MCP results alike.' });
export type ErrorBody = z.infer<typeof ErrorBody>;

/** The wire form of an error, the same through every door. */
export function errorBody(error: OperationError, requestId: string): ErrorBody {
  const [, type, retryable] = ERRORS[error.code];
  return {
    error: {
      type,
      code: error.code,
      message: error.message,
      param: error.param,
      details: [...error.details],
      request_id: requestId,
      doc_url: `/docs/errors#${error.code}`,
      retryable,
    },
  };
}
