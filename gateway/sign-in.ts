/** The service with which handlers check passphrases: the hashes, the limits of wrong tries, and the time by which sessions end. */
import { OperationError } from '#contract/base/errors.ts';
import type { SignIn } from '#contract/context.ts';
import { createSignInLimits } from '#handlers/access/sign-in-limits.ts';
import { createPassphrases } from './passphrases.ts';

/** `now` is the time by which sessions end. */
export function createSignIn(now: () => number, random: (bytes: number) => Uint8Array): SignIn {
  const passphrases = createPassphrases(random);
  const limits = createSignInLimits(now);
  const from = (address: string) => ({ address, known: limits.isKnown(address) });
  return {
    now,
    hash: (passphrase, address) => passphrases.hash(passphrase, from(address)),
    async check(hash, passphrase, { account, address }) {
      const wait_s = Math.ceil(limits.wait(account, address) / 1_000);
      if (wait_s > 0)
        throw new OperationError(
          'rate_limited',
          `Too many wrong passphrases. Wait ${wait_s} s, then try again. If you do not know the passphrase, ask an admin for an invitation.`,
          { details: [{ retry_after_s: wait_s }] },
        );
      limits.begin(account, address);
      const fits = await passphrases.fits(hash, passphrase, from(address)).catch((error: unknown) => {
        limits.takeBack(account, address);
        throw error;
      });
      if (fits) limits.succeeded(account, address);
      return fits;
    },
  };
}
