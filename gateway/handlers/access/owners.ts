/** Owners of the gateway: owner keys, and users with the role owner. There is always at least one. */
import type { HandlerContext } from '#contract/context.ts';
import type { KeyData } from '#contract/site/node.ts';
import type { UserData } from '#contract/site/user.ts';
import { stageGuard } from '#handlers/base/guards.ts';

/** Id of the document that every change of owners writes. */
const OWNERS = 'owner_keys';

/** Stages a write to the guard of owners: of two changes of owners at the same time, one fails and runs again. */
export function guardOwners(context: HandlerContext): Promise<void> {
  return stageGuard(context, context.node, OWNERS);
}

/** Returns true if a valid owner key, or an owner who can sign in, exists besides the key or user with this id. */
export async function hasOtherOwner({ node, now }: HandlerContext, id: string): Promise<boolean> {
  const keys = await node.find<KeyData>('local', {
    object: 'key',
    where: { 'data.kind': 'workspace', 'data.role': 'owner', 'data.revoked_at': null },
    limit: 1_000,
  });
  if (keys.some((key) => key.id !== id && (key.data.expires_at === null || key.data.expires_at > now))) return true;
  const users = await node.find<UserData>('local', {
    object: 'user',
    where: { 'data.role': 'owner', 'data.disabled_at': null },
    limit: 1_000,
  });
  return users.some(({ id: other, data }) => other !== id && data.passphrase !== null && data.ends_at === null);
}
