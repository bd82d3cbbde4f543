/**
 * Decides whether a repeated call may get a secret again. The first answer may have been lost on the way, so a repeated call gets the
 * secret too, but only until the key was used for the first time, revoked or deleted.
 */
import type { HmacData } from '#contract/fleet/bucket.ts';
import type { OperationName } from '#contract/operations.ts';
import type { Store } from '#store/open-store.ts';
import { operationRow } from './json-schemas.ts';

/** Returns true if the secret of this answer must not be shown again. */
export async function isSpent(
  store: Pick<Store, 'node'>,
  name: OperationName,
  body: Record<string, unknown>,
): Promise<boolean> {
  const { secretOf } = operationRow(name);
  if (secretOf === undefined) return false;
  const id = secretOf.split('.').reduce<unknown>((value, field) => (value as Record<string, unknown>)[field], body);
  if (typeof id !== 'string') return true;
  if ((await store.node.get('local', `use_${id}`)) !== undefined) return true;
  const key = await store.node.get<{ readonly revoked_at: string | null }>('local', id);
  if (key?.object === 'key') return key.data.revoked_at !== null;
  const where = { 'data.access_key_id': id };
  const [pair] = await store.node.find<HmacData>('local', { object: 'hmac_credential', where, limit: 1 });
  return pair === undefined || pair.data.sealed === '';
}
