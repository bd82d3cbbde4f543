/** What a gateway needs before anybody has called it: an owner key for unattended installs. */
import { createHash } from 'node:crypto';
import type { KeyData } from '#contract/site/node.ts';
import { mintKey } from '#handlers/access/keys.ts';
import type { Store } from '#store/open-store.ts';

/** SHA-256 as hex, the form in which keys are kept. */
function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Makes HEADFRAME_API_KEY an owner key; a start with the same key finds it, one with a key that was revoked leaves it revoked. */
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
