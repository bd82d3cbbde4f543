/** Creates the owner key of an unattended installation from the setting `HEADFRAME_API_KEY`. */
import { createHash } from 'node:crypto';
import type { KeyData } from '#contract/site/node.ts';
import { mintKey } from '#handlers/access/keys.ts';
import type { Store } from '#store/open-store.ts';

/** Returns the SHA-256 in hexadecimal. The store has only this hash of a key. */
function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Stores `HEADFRAME_API_KEY` as an owner key, once. If the store has the key already, nothing changes: a revoked key stays revoked. */
export async function ensureOwnerKey(store: Store, key: string, newId: () => string): Promise<void> {
  const tools = { sha256, secret: () => '' };
  const { data } = mintKey(tools, { name: 'HEADFRAME_API_KEY', role: 'owner' }, key);
  const same = await store.node.find<KeyData>('local', {
    object: 'key',
    where: { 'data.prefix': data.prefix },
    limit: 100,
  });
  if (same.some((found) => found.data.hash === data.hash)) return;
  await store.node.commit([{ collection: 'local', id: newId(), object: 'key', data: { ...data }, expected: 0 }]);
}
