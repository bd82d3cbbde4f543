/** Tokens of links that open without a login: display links of screens, and the QR codes of machines. */
import type { CallContext, CommonServices } from '#contract/context.ts';

/**
 * Makes a token with 256 random bits. Returns it sealed (encrypted), so that the gateway can show the link again, and its hash, by which
 * the gateway finds the link.
 */
export function freshToken(
  context: Pick<CallContext, 'secret' | 'sha256'> & Pick<CommonServices, 'sealer'>,
  prefix: 'dsp' | 'scr' | 'flt',
): { token: string; token_hash: string } {
  const token = `${prefix}_${context.secret(32)}`;
  const token_hash = context.sha256(token);
  // Bind the sealed token to its hash. Do not bind it to the id of the record, because the record stays the same when the link gets another
  // token.
  return { token: context.sealer.seal(token, token_hash), token_hash };
}

/** The fields of a revoked link: without its token, nothing can find or show it. */
export const REVOKED = { status: 'revoked', token: null, token_hash: '' } as const;

/** Returns a short code with which people can distinguish the links of a project. */
export function shortCode(id: string): string {
  const tail = id.slice(-6).toUpperCase();
  return `${tail.slice(0, 3)}-${tail.slice(3)}`;
}
