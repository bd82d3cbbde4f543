/**
 * Builds the list of operations that clients can read (the catalog). Also computes the contract hash, which changes with every change of
 * the declared operations.
 */
import { createHash } from 'node:crypto';
import { canonicalJson } from '#contract/base/canonical-json.ts';
import { ERRORS } from '#contract/base/errors.ts';
import { type FieldLimits, HTTP_ONLY } from '#contract/base/operation.ts';
import type { OperationName } from '#contract/operations.ts';
import { scopeOf } from '#contract/scopes.ts';
import { RUN_ERRORS } from '#contract/work/task.ts';
import { inSlices } from '#servers/base/pause.ts';
import { schemaOf, TABLE } from './json-schemas.ts';

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

let hash: string | undefined;

/** Returns `sha256:` and the hash of the whole declaration as canonical JSON, including schemas and error table. */
export function contractHash(): string {
  if (hash === undefined) {
    const steps = hashing();
    let step = steps.next();
    while (step.done !== true) step = steps.next();
    hash = step.value;
  }
  return hash;
}

/**
 * Computes the contract hash in short slices after the start of the gateway. If the first request computed the hash, it would block the
 * event loop for 200 ms.
 */
export async function prepareContractHash(): Promise<void> {
  const made = await inSlices(hashing());
  hash ??= made;
}

function* hashing(): Generator<void, string> {
  const sum = createHash('sha256').update(`{"errors":${canonicalJson(ERRORS)},"operations":[`);
  let between = '';
  for (const [name, row] of TABLE) {
    const operation = { ...row, name, input: schemaOf(name, 'input'), output: schemaOf(name, 'output') };
    sum.update(between + canonicalJson(operation));
    between = ',';
    yield;
  }
  return `sha256:${sum.update(`],"run_errors":${canonicalJson(RUN_ERRORS)}}`).digest('hex')}`;
}

/** Returns the body of `GET /api/v1/operations`: the operations that this gateway serves. */
export function catalogDocument(serves: (name: OperationName) => boolean) {
  const data = CATALOG.filter(({ name }) => serves(name));
  return { object: 'list', contract_hash: contractHash(), data, has_more: false, next_cursor: null };
}
