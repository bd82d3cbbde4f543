/** Builds the list of operations that clients can read (the catalog). */
import { type FieldLimits, HTTP_ONLY } from '#contract/base/operation.ts';
import type { OperationName } from '#contract/operations.ts';
import { scopeOf } from '#contract/scopes.ts';
import { CONTRACT_HASH } from './contract-hash.ts';
import { TABLE } from './json-schemas.ts';

export interface CatalogRow {
  readonly name: OperationName;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  /** Name of the MCP tool; null if the operation is HTTP only. */
  readonly tool: string | null;
  readonly http_only: boolean;
  /** Why the operation is HTTP only; null if it is a tool. */
  readonly http_only_because: string | null;
  readonly scope: string;
  /** The scope that a key with scopes needs to call the operation. */
  readonly key_scope: string;
  readonly roles: readonly string[];
  /** For each role that may send only some fields: these fields, and the values that the role may send. */
  readonly role_fields: Readonly<Record<string, FieldLimits>>;
  /** True if the operation supports an Idempotency-Key. */
  readonly idempotency_key: boolean;
  /** True if the operation supports If-Match. */
  readonly if_match: boolean;
  /** Required headers. If one of these headers is missing, the gateway refuses the call. */
  readonly requires: readonly string[];
  readonly stream: boolean;
  readonly errors: readonly string[];
  /** `spec` if the project's first specification has the operation; otherwise the reason why it was added later. */
  readonly source: string;
}

/** The rows of the catalog, one for each operation, in the order in which the operations are declared. */
export const CATALOG: readonly CatalogRow[] = [...TABLE].map(([name, row]) => ({
  name,
  method: row.method,
  path: row.path,
  summary: row.summary,
  tool: row.httpOnly === undefined ? name : null,
  http_only: row.httpOnly !== undefined,
  http_only_because: row.httpOnly === undefined ? null : HTTP_ONLY[row.httpOnly],
  scope: row.scope,
  key_scope: scopeOf(name),
  roles: row.roles,
  role_fields: row.fields ?? {},
  idempotency_key: takesIdempotencyKey(name),
  if_match: row.revision === 'if-match',
  requires: row.requires ?? [],
  stream: row.stream !== undefined,
  errors: row.errors,
  source: row.source === 'spec' ? 'spec' : row.source.extension,
}));

/**
 * Returns true for a write that only callers with an API key may use. Only such a call can store a receipt (its answer, for a repeated call
 * with the same Idempotency-Key).
 */
export function takesIdempotencyKey(name: OperationName): boolean {
  const row = TABLE.get(name);
  return row !== undefined && row.method !== 'GET' && !row.hints.readOnly && row.scope !== 'none';
}

/** Returns the body of `GET /api/v1/operations`: the operations that this gateway serves. */
export function catalogDocument(serves: (name: OperationName) => boolean) {
  const data = CATALOG.filter(({ name }) => serves(name));
  return { object: 'list', contract_hash: CONTRACT_HASH, data, has_more: false, next_cursor: null };
}
