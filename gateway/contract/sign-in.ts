/** The service with which handlers check passphrases and PINs. */
import type { StoredPin } from '#contract/site/user.ts';

export interface SignIn {
  /** Time in milliseconds since 1970 by which sessions and invitations end. It never goes back, not even if the clock is set back. */
  now(): number;
  /** Returns the Argon2id hash of a passphrase. Throws `rate_limited` if too many computations wait. */
  hash(passphrase: string, address: string): Promise<string>;
  /**
   * Returns true if the passphrase fits the hash; false for a hash of null, after the same time. Throws `rate_limited` after too many wrong
   * passphrases for this account or from this address. `user` is the id of the user; null for an unknown name.
   */
  check(
    hash: string | null,
    passphrase: string,
    from: { account: string; address: string; user: string | null },
  ): Promise<boolean>;
  /** The PINs with which people sign in on a shared tablet. */
  readonly pins: Pins;
}

/** A PIN that somebody enters on a shared tablet. */
export interface PinTry {
  readonly user: { readonly id: string; readonly name: string };
  readonly stored: StoredPin;
  readonly pin: string;
  readonly tablet: { readonly id: string; readonly name: string };
  readonly address: string;
}

export interface Pins {
  /** Returns the hash of a PIN, and the id of the key with which it was computed. Throws `rate_limited` if too many computations wait. */
  seal(pin: string, address: string): Promise<Pick<StoredPin, 'hash' | 'key'>>;
  /**
   * Returns if the PIN is right. Otherwise counts the try in the store and throws `sign_in_failed`; throws `pin_locked` after too many wrong
   * PINs, and `pin_not_set` if the PIN was computed with a key that this gateway no longer has.
   */
  check(tried: PinTry): Promise<void>;
}
