/** The service with which handlers check passphrases and PINs: the hashes, the limits of wrong tries, and the time by which sessions end. */
import { OperationError } from '#contract/base/errors.ts';
import { say } from '#contract/base/told.ts';
import type { SignIn } from '#contract/sign-in.ts';
import type { KeyData } from '#contract/site/node.ts';
import { createSignInLimits } from '#handlers/access/sign-in-limits.ts';
import type { Store } from '#store/open-store.ts';
import { createPassphrases } from './passphrases.ts';
import { createPins } from './pins.ts';

/** The most sessions of a user that are read. */
const MOST_SESSIONS = 100;
/** The addresses of the sessions of a user are read again after this many milliseconds. */
const HOME_MS = 10_000;
/** The most users whose addresses are in memory. */
const MOST_HOMES = 1_000;

/** `now` is the time by which sessions end. `secret` is the key file of the gateway, which PINs need. */
export function createSignIn(options: {
  store: Pick<Store, 'node'>;
  now: () => number;
  random: (bytes: number) => Uint8Array;
  secret: Uint8Array;
}): SignIn {
  const { now, random, store } = options;
  const passphrases = createPassphrases(random);
  const limits = createSignInLimits(now);
  const from = (address: string) => ({ address, known: limits.isKnown(address) });
  /** Addresses at which users have a session, and when they were read. */
  const homes = new Map<string, { readonly read_ms: number; readonly addresses: Promise<ReadonlySet<string>> }>();

  async function readHome(user: string): Promise<ReadonlySet<string>> {
    const where = { 'data.parent': user, 'data.kind': 'session' };
    const sessions = await store.node.find<KeyData>('local', { object: 'key', where, limit: MOST_SESSIONS });
    // A shared tablet is nobody's home.
    return new Set(sessions.flatMap(({ data }) => (data.tablet === undefined ? (data.address ?? []) : [])));
  }

  /** Returns true if the user is signed in from this address. Guesses come often, so the store is asked at most every ten seconds. */
  async function isSignedIn(user: string, address: string): Promise<boolean> {
    let home = homes.get(user);
    if (home === undefined || performance.now() - home.read_ms > HOME_MS) {
      home = { read_ms: performance.now(), addresses: readHome(user) };
      homes.delete(user);
      if (homes.size >= MOST_HOMES) homes.delete(homes.keys().next().value as string);
      homes.set(user, home);
    }
    return (await home.addresses.catch(() => new Set<string>())).has(address);
  }

  return {
    now,
    pins: createPins({ ...options, passphrases }),
    hash: (passphrase, address) => passphrases.hash(passphrase, from(address)),
    async check(hash, passphrase, { account, address, user }) {
      // The limits are in memory. After a restart, and after an invitation, the sessions in the store say where the person is at home.
      if (user !== null && limits.wait(account, address) > 0 && (await isSignedIn(user, address)))
        limits.remember(account, address);
      const wait_s = Math.ceil(limits.wait(account, address) / 1_000);
      if (wait_s > 0)
        throw new OperationError(
          'rate_limited',
          say(
            'Too many wrong passphrases. Wait {wait_s} s, then try again. If you do not know the passphrase, ask an admin for an invitation.',
            { wait_s },
          ),
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
