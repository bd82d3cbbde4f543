/** The service with which handlers check passphrases and PINs: the hashes, the limits of wrong tries, and the time by which sessions end. */
import { OperationError } from '#contract/base/errors.ts';
import type { SignIn } from '#contract/sign-in.ts';
import { createSignInLimits } from '#handlers/access/sign-in-limits.ts';
import type { Store } from '#store/open-store.ts';
import { createPassphrases } from './passphrases.ts';
import { createPins } from './pins.ts';

/** `now` is the time by which sessions end. `secret` is the key file of the gateway, which PINs need. */
export function createSignIn(options: {
  store: Pick<Store, 'node'>;
  now: () => number;
  random: (bytes: number) => Uint8Array;
  secret: Uint8Array;
}): SignIn {
  const { now, random } = options;
  const passphrases = createPassphrases(random);
  const limits = createSignInLimits(now);
  const from = (address: string) => ({ address, known: limits.isKnown(address) });
  return {
    now,
    pins: createPins({ ...options, passphrases }),
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
