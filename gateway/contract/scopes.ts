/** Scopes of keys, in the form `resource:read` or `resource:write`. A key with scopes may do only what its role and its scopes permit. */
import type { Operation } from '#contract/base/operation.ts';
import { type OperationName, operations } from './operations.ts';

/** The only scope of a personal token: reading transcripts of runs. */
export const TRANSCRIPT = 'transcript:read';

const rows: ReadonlyMap<string, Operation> = new Map(Object.entries<Operation>(operations));

function needs(name: OperationName): { resource: string; read: boolean } {
  const row = rows.get(name);
  return { resource: row?.path.split('/')[3] ?? '', read: row?.hints.readOnly ?? false };
}

/** Returns the scope that a key with scopes needs for an operation. */
export function scopeOf(name: OperationName): string {
  const { resource, read } = needs(name);
  return `${resource}:${read ? 'read' : 'write'}`;
}

/** All scopes. `*` means all resources. */
export const SCOPES: ReadonlySet<string> = new Set([
  '*:read',
  '*:write',
  TRANSCRIPT,
  ...(Object.keys(operations) as OperationName[]).map(scopeOf).flatMap((scope) => {
    const [resource] = scope.split(':');
    return [`${resource}:read`, `${resource}:write`];
  }),
]);

/** Returns true if `scopes` is null or includes `wanted`. A `write` scope includes the `read` scope of its resource. */
export function covers(scopes: readonly string[] | null, wanted: string): boolean {
  if (scopes === null) return true;
  const [resource, action] = wanted.split(':');
  const enough = action === 'read' ? ['read', 'write'] : ['write'];
  return (
    scopes.includes(wanted) ||
    enough.some((each) => scopes.includes(`*:${each}`) || scopes.includes(`${resource}:${each}`))
  );
}

/** Returns true if a key with these scopes may call the operation. Null: the key has no scopes, and only its role decides. */
export function mayCall(scopes: readonly string[] | null, name: OperationName): boolean {
  return covers(scopes, scopeOf(name)) || (name === 'tasks_messages' && covers(scopes, TRANSCRIPT));
}
