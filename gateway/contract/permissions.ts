/**
 * The permission table: which role may call which operation, and with which fields. It follows from `roles` and `fields` of the declared
 * operations. The gateway and the tool list use these functions, so both decide in the same way.
 */
import type { Operation } from '#contract/base/operation.ts';
import type { Role } from '#contract/base/roles.ts';
import { type OperationName, operations } from './operations.ts';
import { mayCall } from './scopes.ts';

/** The properties of a caller that decide what the caller may do. */
export interface Permitted {
  readonly role: Role | null;
  readonly scopes?: readonly string[] | null | undefined;
}

const rows: ReadonlyMap<string, Operation> = new Map(Object.entries<Operation>(operations));

/** Returns true if the role and the scopes of a caller allow the operation. */
export function permits({ role, scopes = null }: Permitted, name: OperationName): boolean {
  return role !== null && rows.get(name)?.roles.includes(role) === true && mayCall(scopes, name);
}

/**
 * Returns the first field that the role may not send with this value, and the values that the role may send (empty: none). Undefined if the
 * role may send all of the input.
 */
export function refusedField(
  role: Role | null,
  name: OperationName,
  input: Readonly<Record<string, unknown>>,
): { readonly field: string; readonly values: readonly string[] } | undefined {
  const limits = role === null ? undefined : rows.get(name)?.fields?.[role];
  if (limits === undefined) return undefined;
  const path = rows.get(name)?.path ?? '';
  for (const [field, value] of Object.entries(input)) {
    if (value === undefined || path.includes(`{${field}}`)) continue;
    const limit = Object.hasOwn(limits, field) ? limits[field] : undefined;
    if (limit === 'any') continue;
    const values = limit ?? [];
    if (!values.some((one) => one === value)) return { field, values };
  }
  return undefined;
}
