/** Errors of the API. One table maps each code to HTTP status and type. REST and MCP return the same error object. */
import { z } from 'zod';
import { Words } from './common.ts';
import { type Sayable, type ToldText, textOf, wordsOf } from './told.ts';

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

/** For each code: HTTP status, type, whether the same call may succeed later, and meaning. */
export const ERRORS = {
  parameter_invalid: [400, 'invalid_request_error', false, 'A value does not fit its schema.'],
  parameter_missing: [400, 'invalid_request_error', false, 'A required value is absent.'],
  parameter_unknown: [400, 'invalid_request_error', false, 'The operation has no parameter of this name.'],
  body_malformed: [400, 'invalid_request_error', false, 'The body is not valid JSON in valid UTF-8.'],
  invalid_cursor: [
    400,
    'invalid_request_error',
    false,
    'The cursor is damaged, has expired or belongs to another list.',
  ],
  project_required: [400, 'invalid_request_error', false, 'The call needs a Project-ID header.'],
  project_mismatch: [400, 'invalid_request_error', false, 'Two project ids in one call differ.'],
  idempotency_key_required: [400, 'invalid_request_error', false, 'The operation requires an Idempotency-Key.'],
  dbc_invalid: [
    400,
    'invalid_request_error',
    false,
    'The text is not a valid DBC file; `details` gives line and column.',
  ],
  config_invalid: [
    400,
    'invalid_request_error',
    false,
    'The configuration does not fit the JSON schema of the logger; `details` lists the faults.',
  ],
  config_missing: [
    409,
    'conflict_error',
    false,
    'The logger would start without a configuration. Upload a configuration for this firmware first.',
  ],
  firmware_invalid: [
    400,
    'invalid_request_error',
    false,
    'The file is not firmware of a known logger, or it is for another model.',
  ],
  read_only_field: [
    400,
    'invalid_request_error',
    false,
    'The field is set by another operation, which the message names.',
  ],
  read_only_kind: [400, 'invalid_request_error', false, 'Events of this kind are written by the service itself.'],
  authentication_required: [401, 'authentication_error', false, 'No usable bearer credential was sent.'],
  credential_invalid: [401, 'authentication_error', false, 'The credential is unknown, revoked or expired.'],
  claim_required: [401, 'authentication_error', false, 'This gateway has no owner yet. Claim it with the claim code.'],
  gateway_replaced: [401, 'authentication_error', false, 'Another box has taken the place of this one at head office.'],
  tablet_revoked: [401, 'authentication_error', false, 'An admin revoked this shared tablet.'],
  sign_in_failed: [
    403,
    'permission_error',
    false,
    'The name, the passphrase or the PIN is wrong, or the user may not sign in.',
  ],
  pin_not_set: [403, 'permission_error', false, 'The person has no valid PIN.'],
  writing_pass_refused: [
    403,
    'permission_error',
    false,
    'The pass of a late write does not count: it is too old, or this browser may not send what its person wrote.',
  ],
  pin_change_required: [403, 'permission_error', false, 'The PIN is valid once. Send `new_pin`, too.'],
  invitation_invalid: [403, 'permission_error', false, 'The invitation is unknown, used, replaced or expired.'],
  enrolment_code_invalid: [403, 'permission_error', false, 'The code of the enrolment is wrong, used or expired.'],
  claim_code_invalid: [403, 'permission_error', false, 'The claim code is wrong or expired.'],
  permission_denied: [403, 'permission_error', false, 'The credential does not permit this operation.'],
  encryption_required: [403, 'permission_error', false, 'Other computers may use this listener only with TLS.'],
  lockout_refused: [
    409,
    'conflict_error',
    false,
    'The change could lock people out of the gateway. The message says what to do first.',
  ],
  already_claimed: [409, 'conflict_error', false, 'This gateway already has an owner.'],
  not_found: [404, 'not_found_error', false, 'The object does not exist, or it belongs to another project.'],
  past_retention: [
    410,
    'not_found_error',
    false,
    'The object existed but its retention time has passed. The message gives the retention time and what remains.',
  ],
  content_not_here: [
    404,
    'not_found_error',
    true,
    'The content of this file is not at this end. The message says where it is, and when it comes.',
  ],
  project_not_found: [
    404,
    'not_found_error',
    false,
    'The project does not exist, or this credential has no access to it.',
  ],
  route_not_found: [404, 'not_found_error', false, 'No operation has this path.'],
  method_not_allowed: [
    405,
    'invalid_request_error',
    false,
    'The path does not support this method; see the Allow header.',
  ],
  not_acceptable: [406, 'invalid_request_error', false, 'The operation cannot answer in the requested format.'],
  request_too_slow: [
    408,
    'invalid_request_error',
    true,
    'The body arrived too slowly. Send it again faster, or in parts.',
  ],
  already_exists: [409, 'conflict_error', false, 'Another object already has this name or number.'],
  hash_mismatch: [409, 'conflict_error', false, 'The hash of the files differs from the expected one.'],
  action_disabled: [409, 'conflict_error', false, 'The custom action is disabled.'],
  confirmation_required: [409, 'conflict_error', false, 'The action needs the confirmation of a person.'],
  idempotency_key_reused: [409, 'idempotency_error', false, 'The Idempotency-Key was already used with other input.'],
  setup_in_progress: [409, 'conflict_error', false, 'A setup of this project is already queued or running.'],
  run_in_progress: [409, 'conflict_error', false, 'A run of this task is already queued or running.'],
  not_awaiting_approval: [409, 'conflict_error', false, 'No run of this task waits for an approval.'],
  decode_in_progress: [409, 'conflict_error', false, 'A decode run of this log is already queued or running.'],
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
    'The limit for objects of this kind is reached; the message gives the limit.',
  ],
  invalid_transition: [
    409,
    'conflict_error',
    false,
    'The status cannot change to this value; `allowed` lists the possible ones.',
  ],
  not_linked: [409, 'conflict_error', false, 'The device is not linked to a machine. Link it first.'],
  not_provisioned: [409, 'conflict_error', false, 'The device has no key. Provision it first.'],
  secret_lost: [
    409,
    'conflict_error',
    false,
    'The gateway cannot decrypt this secret, because it was restored without its key. Enter the recovery code, or set the secret again.',
  ],
  conflict_moved: [
    409,
    'conflict_error',
    false,
    'Somebody has decided this conflict, or changed the field, in the meantime. Read it again.',
  ],
  bundle_unknown: [400, 'invalid_request_error', false, 'The file is not a bundle.'],
  bundle_unsupported: [400, 'invalid_request_error', false, 'The bundle is of a newer version of the program.'],
  bundle_damaged: [400, 'invalid_request_error', false, 'The bytes of the bundle were changed.'],
  bundle_incomplete: [400, 'invalid_request_error', false, 'The file of the bundle ends before its end.'],
  bundle_wrong_end: [409, 'conflict_error', false, 'The bundle is for the other end.'],
  bundle_other_site: [409, 'conflict_error', false, 'The bundle is of another site, or of another head office.'],
  bundle_replaced: [409, 'conflict_error', false, 'The site was connected anew after the bundle was made.'],
  bundle_revoked: [409, 'conflict_error', false, 'Head office revoked the gateway that made the bundle.'],
  bundle_earlier_life: [
    409,
    'conflict_error',
    false,
    'The bundle is of a time before the site was put back from a backup, or of a copy of its disk.',
  ],
  bundle_gap: [409, 'conflict_error', false, 'Changes before those of the bundle are missing here.'],
  gateway_not_empty: [409, 'conflict_error', false, 'A box with projects of its own cannot replace another box.'],
  sync_fenced: [409, 'conflict_error', false, 'Another computer uses the identity of this gateway.'],
  sync_off: [409, 'conflict_error', false, 'This site is not connected to head office.'],
  head_office_refused: [
    409,
    'conflict_error',
    false,
    'Head office refused this gateway. The message gives the reason.',
  ],
  head_office_unreachable: [503, 'api_error', true, 'Head office cannot be reached now. The site works on without it.'],
  no_worker: [409, 'conflict_error', false, 'The device has no registered worker.'],
  no_active_run: [409, 'conflict_error', false, 'The task has no run that could be canceled.'],
  run_not_cancelable: [
    409,
    'conflict_error',
    false,
    'A run of live decoding cannot be canceled. It ends when the key of the device is revoked.',
  ],
  write_conflict: [
    409,
    'conflict_error',
    true,
    'The object was changed by another write in the meantime. Read it again and retry.',
  ],
  upload_offset_mismatch: [
    409,
    'conflict_error',
    true,
    'The upload continues at another offset; request it with HEAD.',
  ],
  tus_version_unsupported: [412, 'precondition_error', false, 'Send `Tus-Resumable: 1.0.0`.'],
  checksum_mismatch: [
    460,
    'invalid_request_error',
    true,
    'The checksum of the bytes differs from the one that the sender gave.',
  ],
  range_not_satisfiable: [416, 'invalid_request_error', false, 'The file does not contain the requested byte range.'],
  revision_mismatch: [412, 'precondition_error', false, 'If-Match names a revision that is no longer current.'],
  payload_too_large: [413, 'invalid_request_error', false, 'The body is larger than the limit of this operation.'],
  unsupported_media_type: [415, 'invalid_request_error', false, 'The body must be application/json.'],
  misdirected_request: [421, 'invalid_request_error', false, 'The Host header is not an address of this gateway.'],
  precondition_required: [428, 'precondition_error', false, 'The operation requires If-Match.'],
  rate_limited: [429, 'rate_limit_error', true, 'Too many requests. Wait for the time in Retry-After.'],
  pin_locked: [
    429,
    'rate_limit_error',
    true,
    'Too many wrong PINs of a person. Wait for the time in the message, or ask an admin to reset the PIN.',
  ],
  over_budget: [
    429,
    'rate_limit_error',
    true,
    'The storage budget of the device is used up. Wait for the time in Retry-After.',
  ],
  document_unreadable: [
    500,
    'api_error',
    false,
    'The stored document does not fit the schema of this version; `details` has the fields.',
  ],
  internal_error: [
    500,
    'api_error',
    true,
    'A fault of this gateway. Its log contains the details under the request id.',
  ],
  operation_unavailable: [501, 'api_error', false, 'This gateway does not run the service that the operation needs.'],
  backend_unavailable: [503, 'api_error', true, 'A part of the gateway that this operation needs is not running.'],
  storage_unavailable: [503, 'storage_error', true, 'The disk refuses writes. Reads still work.'],
  storage_full: [507, 'storage_error', true, 'The disk is too full to accept this write.'],
} as const satisfies Record<string, Row>;

export type ErrorCode = keyof typeof ERRORS;

/** The error that handlers throw: a code of the table, a message with a remedy, and machine-readable details. */
export class OperationError extends Error {
  readonly code: ErrorCode;
  readonly param: string | null;
  readonly details: readonly Record<string, unknown>[];
  /** The message as sentences with parameters; null for a message without parameters, whose text is its own template. */
  readonly words: ToldText | null;
  constructor(
    code: ErrorCode,
    message: Sayable,
    more: { param?: string; details?: readonly Record<string, unknown>[]; cause?: unknown } = {},
  ) {
    super(textOf(message), more.cause === undefined ? undefined : { cause: more.cause });
    this.words = typeof message === 'string' ? null : wordsOf(message);
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
      type: z.enum(ERROR_TYPES).meta({ description: 'Class of the error. Every code belongs to one class.' }),
      code: z.string().meta({ description: 'Stable name of the error; programs may depend on it.' }),
      message: z.string().meta({ description: 'What is wrong and what to do, for people.' }),
      words: Words.optional(),
      param: z.string().nullable().meta({ description: 'The input parameter that the error concerns, if any.' }),
      details: z.array(z.record(z.string(), z.unknown())),
      request_id: z.string().meta({ description: 'Identifies this call in the log of the gateway.' }),
      doc_url: z.string(),
      retryable: z.boolean().meta({ description: 'True if the same call may succeed later without a change.' }),
    }),
  })
  .meta({ id: 'Error', description: 'The error object of REST bodies and MCP results.' });
export type ErrorBody = z.infer<typeof ErrorBody>;

/** The error object of an error, for REST and MCP. Only an answer that a page may read has the sentences (`words`). */
export function errorBody(error: OperationError, requestId: string, withWords = false): ErrorBody {
  const [, type, retryable] = ERRORS[error.code];
  return {
    error: {
      type,
      code: error.code,
      message: error.message,
      ...(withWords && error.words !== null && { words: [...error.words] }),
      param: error.param,
      details: [...error.details],
      request_id: requestId,
      doc_url: `/docs/errors#${error.code}`,
      retryable,
    },
  };
}
