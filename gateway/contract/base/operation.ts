/** An operation: a named call that is declared once. The gateway derives its REST route, MCP tool, documentation and client from it. */
import type { z } from 'zod';
import type { ErrorCode } from './errors.ts';
import type { Role } from './roles.ts';

/** The path prefix of all REST operations. */
export const V1 = '/api/v1';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What a call needs. none: no credential. node: a credential for this gateway. project: a credential and a Project-ID. */
export type Scope = 'none' | 'node' | 'project';

/** Reasons why an operation has no MCP tool. An operation to which none of them applies has a tool. */
export const HTTP_ONLY = {
  provision: 'it returns a one-time credential',
  share: 'it returns a link that opens without a key',
  stream: 'it transfers bytes that are not JSON',
  events: 'it is a stream of events',
  secret: 'its input or output contains a secret, or a link or code that gives access',
  pairing: 'a person does it while looking at the screen',
  tablet: 'only an enrolled tablet may call it',
  gateway: 'only a gateway may call it',
} as const;
export type HttpOnly = keyof typeof HTTP_ONLY;

/**
 * The source of server-sent events: a board, a board that is not stored, the boards of a display link (a link that shows boards without a
 * login), a project, or the run of a task.
 */
export type EventStream = 'board' | 'draft_board' | 'shared_board' | 'project' | 'run';

/**
 * Kinds of content that is not JSON: a posted camera frame, a part of a resumable upload, the content of an artifact (file), the content
 * of an artifact on a shared board, a message of the sync protocol, a part of a file between a site and head office, or a bundle that a person carries.
 */
export type Bytes =
  | 'frame'
  | 'upload_create'
  | 'upload_status'
  | 'upload_append'
  | 'upload_end'
  | 'content'
  | 'shared_content'
  | 'sync'
  | 'sync_file'
  | 'courier';

/** The fields that a role may send. `any`: with every value. A list: only with these values. */
export type FieldLimits = Readonly<Record<string, 'any' | readonly string[]>>;

export interface Operation<
  I extends z.ZodObject = z.ZodObject,
  O extends z.ZodObject = z.ZodObject,
  S extends EventStream | undefined = EventStream | undefined,
  B extends Bytes | undefined = Bytes | undefined,
> {
  readonly method: Method;
  /** Full path. `{name}` is replaced by the value of the input of this name. */
  readonly path: string;
  /** The reason why the operation has no MCP tool. Absent: it has a tool with the same name. */
  readonly httpOnly?: HttpOnly;
  readonly summary: string;
  readonly description?: string;
  readonly scope: Scope;
  /** Roles that may call the operation. */
  readonly roles: readonly Role[];
  /** Roles of `roles` that may send only some fields. A role without an entry may send all fields. Fields of the path are always allowed. */
  readonly fields?: Partial<Record<Role, FieldLimits>>;
  /** All inputs in one flat object: those of the path, and those of the query (GET, DELETE) or the body (other methods). */
  readonly input: I;
  readonly output: O;
  readonly status: 200 | 201 | 202 | 204;
  /** HTTP status of an answer to a call that wrote nothing, for example a repeated import. Absent: `status`. */
  readonly unchanged?: 200;
  readonly errors: readonly ErrorCode[];
  /** Set if the answer has an ETag. `if-match`: the gateway also compares If-Match, if the caller sends this header, with the revision. */
  readonly revision?: 'etag' | 'if-match';
  /** Required headers. Without them the gateway refuses the call: with 400 for Idempotency-Key, with 428 for If-Match. */
  readonly requires?: readonly ('idempotency-key' | 'if-match')[];
  /** Annotations of the MCP tool. The HTTP method does not decide them, because some POST operations only read. */
  readonly hints: { readonly readOnly: boolean; readonly destructive: boolean; readonly idempotent: boolean };
  /** `spec`: the customer's specification defines the operation. `extension`: the reason why this project added it. */
  readonly source: 'spec' | { readonly extension: string };
  /** Set if the operation answers with server-sent events instead of one body. */
  readonly stream?: S;
  /** Set if the request or the answer contains bytes that are not JSON. */
  readonly bytes?: B;
  /** Set if the answer is one event or a list of events. A client can also request these as CloudEvents. */
  readonly events?: 'one' | 'list';
  /** True if the answer has `series`. A client can also request them as a table (CSV or Arrow), by `Accept` or the input field `as`. */
  readonly series?: true;
  /** True if an MCP call with a progress token waits until the run in the answer has ended. */
  readonly progress?: true;
  /**
   * `begins`: REST moves `token` of the answer into the cookie of a session. `ends`: REST removes this cookie. `enrols`: REST moves `token`
   * into the cookie of a tablet.
   */
  readonly cookie?: 'begins' | 'ends' | 'enrols';
  /** True if the path contains a project id. The server then refuses a call whose Project-ID header has another id. */
  readonly projectInPath?: true;
  /** Calls a minute that one address may make. Set for operations without a key, and for those that check a code (against guessing). */
  readonly perAddress?: number;
  /**
   * True for operations that devices call often. Their receipts (stored answers for repeated calls) have a separate limit, so that they
   * never displace receipts of people.
   */
  readonly frequent?: true;
  /** Fields of the answer that contain a secret (dotted paths). Ten minutes after the first call, a repeated call gets null for them. */
  readonly secretFields?: readonly string[];
  /**
   * The field of the answer (dotted path) with the id of the key, or of the key pair, that the secret is. When this key was used, revoked
   * or deleted, a repeated call no longer gets the secret.
   */
  readonly secretOf?: string;
  /**
   * Name of another operation with the same input fields. To save space, the MCP tool list describes these fields only at that operation.
   */
  readonly inputLike?: string;
  /** Fields of the input whose structure the answer of another operation has, with its name. The tool refers to it. */
  readonly inputFrom?: Readonly<Record<string, string>>;
  /** An example of a valid body, for the documentation. */
  readonly example?: object;
  /** Largest body of a request in bytes. Absent: 1 MiB. */
  readonly maxBody?: number;
  /** Largest number of JSON values in the body of a request. Absent: `LIMITS.json_values`. */
  readonly maxValues?: number;
}

export const READERS: readonly Role[] = ['owner', 'admin', 'supervisor', 'mechanic', 'operator', 'viewer', 'agent'];
export const WRITERS: readonly Role[] = ['owner', 'admin', 'supervisor', 'agent'];
export const ADMINS: readonly Role[] = ['owner', 'admin'];

const READ = { readOnly: true, destructive: false, idempotent: true } as const;
const WRITE = { readOnly: false, destructive: false, idempotent: false } as const;
const CHANGE = { readOnly: false, destructive: false, idempotent: true } as const;
const REMOVE = { readOnly: false, destructive: true, idempotent: true } as const;
export const HINTS = { READ, WRITE, CHANGE, REMOVE } as const;

/** Returns an operation with default values for absent fields. It keeps the types of input, output, stream and bytes. */
export function operation<
  I extends z.ZodObject,
  O extends z.ZodObject,
  S extends EventStream | undefined = undefined,
  B extends Bytes | undefined = undefined,
>(
  row: Pick<Operation<I, O, S, B>, 'method' | 'path' | 'summary' | 'input' | 'output'> & Partial<Operation<I, O, S, B>>,
): Operation<I, O, S, B> {
  const read = row.method === 'GET';
  return {
    scope: 'project',
    roles: read ? READERS : WRITERS,
    status: 200,
    errors: [],
    hints: read ? READ : row.method === 'DELETE' ? REMOVE : row.method === 'PATCH' ? CHANGE : WRITE,
    source: 'spec',
    ...row,
  };
}
