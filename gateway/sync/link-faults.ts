/** What an error of the exchange with head office means for the link. */
import type { Told } from '#contract/base/told.ts';
import type { LinkState } from '#contract/site/sync.ts';
import { QuarantineFull } from '#domain/sync/apply.ts';
import { WireError } from '#sync/wire/wire-error.ts';
import { LONGEST_WAIT_MS } from './retry.ts';
import { LinkError } from './transport.ts';

interface LinkFault {
  readonly state: Extract<LinkState, 'offline' | 'refused' | 'revoked'>;
  readonly code: string;
  readonly message: string;
  readonly words: Told[];
  /** True for a fault of this gateway, which its log must tell. */
  readonly isOwn: boolean;
  /** The least wait before the next try. */
  readonly wait_ms: number;
}

/** Only a person or an update ends such an error, so the next try comes late. */
const FINAL: ReadonlySet<string> = new Set(['revoked', 'refused']);

export function faultOf(thrown: unknown): LinkFault {
  if (thrown instanceof LinkError) {
    const { fault, code, message, words } = thrown;
    const state = fault === 'revoked' || fault === 'refused' ? fault : 'offline';
    const least = FINAL.has(fault) ? LONGEST_WAIT_MS : 0;
    return { state, code, message, words: [...words], isOwn: false, wait_ms: Math.max(least, thrown.wait_ms) };
  }
  if (thrown instanceof WireError || thrown instanceof QuarantineFull) {
    const { code, message } = thrown;
    const words = [thrown instanceof QuarantineFull ? thrown.words : { text: message }];
    return { state: 'refused', code, message, words, isOwn: false, wait_ms: LONGEST_WAIT_MS };
  }
  const message = 'A fault of this gateway. Its log has the details.';
  return { state: 'refused', code: 'internal_error', message, words: [{ text: message }], isOwn: true, wait_ms: 0 };
}
