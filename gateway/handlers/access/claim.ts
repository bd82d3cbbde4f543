/**
 * The claim of a new gateway: a person takes ownership of it with a code. The gateway prints the code on its own console, so a stranger on
 * the network cannot claim it.
 */

import { OperationError } from '#contract/base/errors.ts';
import type { Claim } from '#contract/context.ts';
import { handlerGroup } from '#contract/handler.ts';
import { stageAudit } from '#handlers/base/audit.ts';
import { makeCode, readCode } from '#handlers/base/codes.ts';
import type { Store } from '#store/open-store.ts';
import { keyCreated, mintKey, stageKey } from './keys.ts';
import { guardOwners, OWNERS } from './owners.ts';

const CODE_LENGTH = 8;
const LIFETIME_MS = 15 * 60_000;

/**
 * Creates the claim state of a gateway. There is one code at a time, valid for 15 minutes. The clock returns milliseconds. Failed attempts
 * do not invalidate a code, because otherwise anybody on the network could lock the owner out. Guessing a code is not practical: there are
 * 8 * 10^11 codes, and the server limits each address to 10 attempts per minute.
 */
export function createClaim(options: {
  store: Pick<Store, 'node'>;
  clock: () => number;
  random: (bytes: number) => Uint8Array;
}): Claim {
  const { store, clock, random } = options;
  let code: { code: string; expires_ms: number } | null = null;
  let claimed = false;
  // A code is valid once: every claim changes the owners.
  store.node.changes((changes) => {
    if (changes.some(({ document }) => document.id === OWNERS)) code = null;
  });
  const current = () => {
    if (code !== null && code.expires_ms <= clock()) code = null;
    return code === null ? null : { code: code.code, expires_at: new Date(code.expires_ms).toISOString() };
  };
  return {
    async claimed() {
      // Remember that the gateway is claimed. This never changes, because the last owner cannot be removed.
      claimed ||= await isClaimed(store.node);
      return claimed;
    },
    check(text) {
      if (current() === null || code === null) return false;
      return readCode(text) === readCode(code.code);
    },
    renew() {
      code = { code: makeCode(CODE_LENGTH, random), expires_ms: clock() + LIFETIME_MS };
      return { code: code.code, expires_at: new Date(code.expires_ms).toISOString() };
    },
    current,
  };
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
    if (!context.claim.check(input.code))
      throw new OperationError(
        'claim_code_invalid',
        'The code is wrong or has expired. Print a new one on the gateway with `headframe claim-code`.',
        { param: 'code' },
      );
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
    return { object: 'claim_code', claimed: await context.claim.claimed(), ...context.claim.renew() };
  },
});
