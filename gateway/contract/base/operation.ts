/** An operation: a named verb declared once, from which routes, tools, documents and the client derive. */
import type { z } from 'zod';
import type { ErrorCode } from './errors.ts';
import type { Role } from './roles.ts';

/** Every route of ours lives under it. */
export const V1 = '/api/v1';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** none: open to all; node: a credential, no project; project: a credential and a Project-ID. */
export type Scope = 'none' | 'node' | 'project';

/** The only reasons for which an operation has no MCP tool. */
export const HTTP_ONLY = {
  provision: 'it returns a one-time credential',
  share: 'it returns a link that opens without a key',
  stream: 'bytes flow into it',
  events: 'it is a stream of events',
  secret: 'a secret passes through it, or a link or code that stands for one',
} as const;
export type HttpOnly = keyof typeof HTTP_ONLY;

/** Server-sent events, by their source: a board, the board of a display link, a project, or the run of a task. */
export type EventStream = 'board' | 'shared_board' | 'project' | 'run';

/**
 * Bytes that are not JSON: a posted frame, a step of a resumable upload, the content of an artifact, or the content of an artifact that
 * the board of a display link shows.
 */
export type Bytes =
  | 'frame'
  | 'upload_create'
  | 'upload_status'
  | 'upload_append'
  | 'upload_end'
  | 'content'
  | 'shared_content';

export interface Operation<
  I extends z.ZodObject = z.ZodObject,
  O extends z.ZodObject = z.ZodObject,
  S extends EventStream | undefined = EventStream | undefined,
  B extends Bytes | undefined = Bytes | undefined,
> {
  readonly method: Method;
  /** Full path; `{name}` stands for an input of that name. */
  readonly path: string;
  /** Why it has no tool; absent: the tool has its name. */
  readonly httpOnly?: HttpOnly;
  readonly summary: string;
  readonly description?: string;
  readonly scope: Scope;
  /** Roles that may call it. */
  readonly roles: readonly Role[];
  /** One flat object: path names, then query (GET, DELETE) or body (the rest). */
  readonly input: I;
  readonly output: O;
  readonly status: 200 | 201 | 202 | 204;
  /** The status when there was nothing to write; `status` when absent. */
  readonly unchanged?: 200;
  readonly errors: readonly ErrorCode[];
  /** `etag`: answers carry a revision; `if-match`: honoured when sent. */
  readonly revision?: 'etag' | 'if-match';
  /** Headers without which the call is refused: Idempotency-Key with 400, If-Match with 428. */
  readonly requires?: readonly ('idempotency-key' | 'if-match')[];
  /** Tool annotations; a POST may be a read. */
  readonly hints: { readonly readOnly: boolean; readonly destructive: boolean; readonly idempotent: boolean };
  /** Origin of the route: the customer's specification, or the reason for which it was added. */
  readonly source: 'spec' | { readonly extension: string };
  /** The operation answers with server-sent events instead of one body. */
  readonly stream?: S;
  /** The request or the answer carries bytes that are not JSON. */
  readonly bytes?: B;
  /** The answer is one event, or a list of events, which are also served as CloudEvents. */
  readonly events?: 'one' | 'list';
  /** A tool call with a progress token waits until the run in the answer has ended. */
  readonly progress?: true;
  /** The path names a project: the server refuses a Project-ID that names another one. */
  readonly projectInPath?: true;
  /** Calls a minute that one address may make, where no key limits them or where a code could be guessed. */
  readonly perAddress?: number;
  /** Devices call it often: its receipts are counted apart, so that they never evict those of people. */
  readonly frequent?: true;
  /** Fields of the answer that hold a secret (dotted paths). A replay sends null for them once the secret may no longer be shown. */
  readonly secretFields?: readonly string[];
  /** The operation whose input this one repeats; the list of tools describes that input once. */
  readonly inputLike?: string;
  /** A body that a caller can send as it is. */
  readonly example?: object;
  /** Largest body in bytes; 1 MiB when absent. */
  readonly maxBody?: number;
  /** Most JSON values in a body; `LIMITS.json_values` when absent. */
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

/** Fills in the defaults that most operations share; keeps the types of input, output, stream and bytes. */
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
