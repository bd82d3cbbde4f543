/**
 * The claim of a new gateway: a person takes ownership of it with a code. The gateway prints the code on its own console, so a stranger on
 * the network cannot claim it. The code is stored encrypted, so all processes of a head office know it.
 */

import { OperationError } from '#contract/base/errors.ts';
import type { Stored } from '#contract/base/view.ts';
import type { Claim, HandlerContext, Sealer } from '#contract/context.ts';
import { handlerGroup } from '#contract/handler.ts';
import { stageAudit } from '#handlers/base/audit.ts';
import { makeCode, readCode } from '#handlers/base/codes.ts';
import type { Store } from '#store/open-store.ts';
import { keyCreated, mintKey, stageKey } from './keys.ts';
import { guardOwners } from './owners.ts';

const CODE_LENGTH = 8;
const LIFETIME_MS = 15 * 60_000;
/** A process that starts prints the code of an earlier one if it is valid for this time. */
const SHOWN_MS = 5 * 60_000;
/** Id and kind of the document. */
const CODE = 'claim_code';

interface CodeData {
  readonly sealed: string;
  readonly expires_ms: number;
}

/** Returns the code; undefined if it has expired or was sealed with another key. */
function codeOf(found: Stored<CodeData> | undefined, sealer: Sealer, now: number): string | undefined {
  return found === undefined || found.data.expires_ms <= now ? undefined : sealer.tryOpen(found.data.sealed, CODE);
}

/**
 * Creates the claim state of a gateway. There is one code at a time, valid for 15 minutes. The clock returns milliseconds. Failed attempts
 * do not invalidate a code, because otherwise anybody on the network could lock the owner out. Guessing a code is not practical: there are
 * 8 * 10^11 codes, and the server limits each address to 10 attempts per minute.
 */
export function createClaim(options: {
  store: Pick<Store, 'node'>;
  sealer: Sealer;
  clock: () => number;
  random: (bytes: number) => Uint8Array;
}): Claim {
  const { store, sealer, clock, random } = options;
  let claimed = false;
  const shown = (code: string, expires_ms: number) => ({ code, expires_at: new Date(expires_ms).toISOString() });

  async function current(least_ms = 0): ReturnType<Claim['current']> {
    const found = await store.node.get<CodeData>('local', CODE);
    const code = codeOf(found, sealer, clock() + least_ms);
    return found === undefined || code === undefined ? null : shown(code, found.data.expires_ms);
  }

  async function renew(): ReturnType<Claim['renew']> {
    const code = makeCode(CODE_LENGTH, random);
    const expires_ms = clock() + LIFETIME_MS;
    const data = { sealed: sealer.seal(code, CODE), expires_ms };
    await store.node.commit([{ collection: 'local', id: CODE, object: CODE, data }]);
    return shown(code, expires_ms);
  }

  return {
    async claimed() {
      // Remember that the gateway is claimed. This never changes, because the last owner cannot be removed.
      claimed ||= await isClaimed(store.node);
      return claimed;
    },
    renew,
    current: () => current(),
    show: async () => (await current(SHOWN_MS)) ?? (await renew()),
  };
}

/**
 * Stages the end of the claim code, because it is valid once: of two calls with it at the same time one fails, also at two processes. Throws
 * `claim_code_invalid` if the code is wrong or has expired.
 */
export async function useClaimCode(context: HandlerContext, text: string): Promise<void> {
  const { node, sealer, now } = context;
  const current = await node.get<CodeData>('local', CODE);
  const code = codeOf(current, sealer, Date.parse(now));
  if (current === undefined || code === undefined || readCode(text) !== readCode(code))
    throw new OperationError(
      'claim_code_invalid',
      'The code is wrong or has expired. Print a new one on the gateway with `headframe claim-code`.',
      { param: 'code' },
    );
  const { data, revision: expected } = current;
  node.stage<CodeData>({ collection: 'local', id: CODE, object: CODE, data, current, expected, deleted: true });
}

/** Returns true if a workspace key or a user exists. */
async function isClaimed(node: Pick<Store['node'], 'find'>): Promise<boolean> {
  const keys = await node.find('local', { object: 'key', where: { 'data.kind': 'workspace' }, limit: 1 });
  return keys.length > 0 || (await node.find('local', { object: 'user', limit: 1 })).length > 0;
}

export const claimHandlers = handlerGroup(['claim'], {
  async claim(input, context) {
    if (await context.claim.claimed())
      throw new OperationError('already_claimed', 'This gateway already has an owner. Ask the owner for a key.');
    await useClaimCode(context, input.code);
    await guardOwners(context);
    const { secret, data } = mintKey(context, { name: input.name, role: 'owner' });
    const document = stageKey(context, data);
    stageAudit(context, context.node, 'key', document.id, 'claimed');
    return keyCreated(document, secret);
  },

  async claim_code(_input, context) {
    if (context.caller.kind !== 'control')
      throw new OperationError(
        'permission_denied',
        'A claim code is printed only by the command `headframe claim-code` on the gateway itself.',
      );
    return { object: 'claim_code', claimed: await context.claim.claimed(), ...(await context.claim.renew()) };
  },
});
