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

export interface Operation<I extends z.ZodObject = z.ZodObject, O extends z.ZodObject = z.ZodObject> {
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
  /** Server-sent events instead of one answer. */
  readonly stream?: true;
  /** Bytes that are no JSON pass: a posted frame, a resumable upload, or the content of an artifact. */
  readonly bytes?: 'frame' | 'upload' | 'content';
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

/** Fills in what most operations share; keeps the input and output types. */
export function operation<I extends z.ZodObject, O extends z.ZodObject>(
  row: Pick<Operation<I, O>, 'method' | 'path' | 'summary' | 'input' | 'output'> & Partial<Operation<I, O>>,
): Operation<I, O> {
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
