/**
 * Claims for secrets. An AI agent reads the answer of a tool, so this answer contains only the id of a claim and not the secret. With the
 * claim an admin can fetch the secret over HTTP, once. The gateway stores the secret sealed (encrypted) for ten minutes, and deletes it
 * when it returns it.
 */

import { OperationError } from '#contract/base/errors.ts';
import { NODE_PROJECT, type Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import type { Store } from '#store/open-store.ts';

const LIFETIME_MS = 10 * 60_000;
const PAGE = 200;

interface ClaimData {
  kind: 'device_key' | 'hmac';
  /** Record id of the device. */
  device: string;
  project_id: string;
  /** The key that the secret belongs to: a key id or an access key id. */
  of: string;
  sealed: string;
  expires_ms: number;
}

/** Stages (adds to the commit of this call) a claim for a secret, and returns its id and its end. */
export function stageClaim(
  context: HandlerContext,
  kind: ClaimData['kind'],
  device: string,
  of: string,
  secret: string,
): { id: string; expires_at: string } {
  const id = context.newId('secret_claim');
  const expires_ms = Date.parse(context.now) + LIFETIME_MS;
  const { project_id } = context.view;
  context.node.stage<ClaimData>({
    collection: 'local',
    id,
    object: 'secret_claim',
    data: { kind, device, project_id, of, sealed: context.sealer.seal(secret, id), expires_ms },
    expected: 0,
  });
  return { id, expires_at: new Date(expires_ms).toISOString() };
}

function stageEnd(context: HandlerContext, current: Stored<ClaimData>): void {
  const { id, data, revision } = current;
  const destroyed = { ...data, sealed: '' };
  const write = { collection: 'local', id, object: 'secret_claim', data: destroyed, current } as const;
  context.node.stage<ClaimData>({ ...write, expected: revision, deleted: true });
}

/**
 * Returns the secret and stages the end of the claim. Throws `not_found` if the claim is unknown, used or expired, or if it belongs to
 * another device.
 */
export async function takeClaim(
  context: HandlerContext,
  kind: ClaimData['kind'],
  device: string,
  id: string,
): Promise<{ of: string; secret: string }> {
  const found = await context.node.get<ClaimData>('local', id);
  const fits =
    found?.object === 'secret_claim' &&
    found.data.kind === kind &&
    found.data.device === device &&
    found.data.project_id === context.view.project_id &&
    found.data.expires_ms > Date.parse(context.now);
  const secret = fits ? context.sealer.tryOpen(found.data.sealed, id) : undefined;
  if (found === undefined || secret === undefined)
    throw new OperationError(
      'not_found',
      'This claim does not exist, has expired or was already used. Request a new one.',
      {
        param: 'claim_id',
      },
    );
  stageEnd(context, found);
  return { of: found.data.of, secret };
}

/** Stages the end of all claims for secrets of a device. */
export async function dropClaims(context: HandlerContext, device: string, kind?: ClaimData['kind']): Promise<void> {
  const where = { 'data.device': device, ...(kind === undefined ? {} : { 'data.kind': kind }) };
  for (const claim of await context.node.find<ClaimData>('local', { object: 'secret_claim', where, limit: PAGE }))
    stageEnd(context, claim);
}

/** Deletes the secrets of expired claims, and returns their number. Called every minute. */
export async function sweepClaims(store: Pick<Store, 'node'>, clock: () => number): Promise<number> {
  for (let ended = 0; ; ) {
    const where = { 'data.expires_ms': { lt: clock() } };
    const old = await store.node.find<ClaimData>('local', { object: 'secret_claim', where, limit: PAGE });
    await store.node.commit(
      old.map(({ id, data }) => ({
        collection: 'local',
        id,
        object: 'secret_claim',
        project_id: NODE_PROJECT,
        data: { ...data, sealed: '' },
        deleted: true,
      })),
    );
    ended += old.length;
    if (old.length < PAGE) return ended;
  }
}
