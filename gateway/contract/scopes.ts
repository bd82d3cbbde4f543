/** Scopes: what a key may do within its role, as `resource:read` and `resource:write`. */
import type { Operation } from '#contract/base/operation.ts';
import { type OperationName, operations } from './operations.ts';

/** What a personal token may read. */
export const TRANSCRIPT = 'transcript:read';

const rows: ReadonlyMap<string, Operation> = new Map(Object.entries<Operation>(operations));

function needs(name: OperationName): { resource: string; read: boolean } {
  const row = rows.get(name);
  return { resource: row?.path.split('/')[3] ?? '', read: row?.hints.readOnly ?? false };
}

/** The scope that an operation asks of a key that has scopes. */
export function scopeOf(name: OperationName): string {
  const { resource, read } = needs(name);
  return `${resource}:${read ? 'read' : 'write'}`;
}

/** Every scope that a key can be given; `*` stands for all resources. */
export const SCOPES: ReadonlySet<string> = new Set([
  '*:read',
  '*:write',
  TRANSCRIPT,
  ...(Object.keys(operations) as OperationName[]).map(scopeOf).flatMap((scope) => {
    const [resource] = scope.split(':');
    return [`${resource}:read`, `${resource}:write`];
  }),
]);

/** True when these scopes cover the wanted one; writing covers reading. */
export function covers(scopes: readonly string[] | null, wanted: string): boolean {
  if (scopes === null) return true;
  const [resource, action] = wanted.split(':');
  const enough = action === 'read' ? ['read', 'write'] : ['write'];
  return (
    scopes.includes(wanted) ||
    enough.some((each) => scopes.includes(`*:${each}`) || scopes.includes(`${resource}:${each}`))
  );
}

/** True when a key with these scopes may call the operation; null: its role alone decides. */
export function mayCall(scopes: readonly string[] | null, name: OperationName): boolean {
  return covers(scopes, scopeOf(name)) || (name === 'tasks_messages' && covers(scopes, TRANSCRIPT));
}
