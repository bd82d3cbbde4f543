/**
 * Checks the PINs with which people sign in on shared tablets. A PIN has only a million values. So its Argon2id hash also needs a key that is
 * not in the database and not in daily backups, and the gateway stores how many wrong PINs it got before it computes the next hash.
 */
import { createHash, createHmac } from 'node:crypto';
import { AUDIT_OBJECT } from '#contract/base/audit-entry.ts';
import { OperationError } from '#contract/base/errors.ts';
import { makeId } from '#contract/base/ids.ts';
import { part, say, type ToldPart } from '#contract/base/told.ts';
import { WriteConflict } from '#contract/base/view.ts';
import type { Pins, PinTry } from '#contract/sign-in.ts';
import type { AuditData } from '#contract/site/audit.ts';
import {
  currentGuesses,
  isAhead,
  noGuesses,
  type PinGuesses,
  type PinLock,
  pinLock,
  triesLeft,
  withRight,
  withWrong,
} from '#handlers/access/pin-limits.ts';
import type { Store } from '#store/open-store.ts';
import type { Passphrases } from './passphrases.ts';

const short = (text: string | Uint8Array) => createHash('sha256').update(text).digest('hex').slice(0, 16);

/** Returns the text for a wait, in whole minutes or hours, rounded up. */
function waitWords(ms: number): ToldPart {
  const minutes = Math.ceil(ms / 60_000);
  if (minutes <= 1) return part('a minute');
  return minutes <= 90
    ? part('{n} minute|{n} minutes', { n: minutes })
    : part('{n} hour|{n} hours', { n: Math.ceil(minutes / 60) });
}

function locked(name: string, { why, wait_ms }: PinLock): OperationError {
  const wait = waitWords(wait_ms ?? 0);
  const message = {
    tablet: say(
      'Too many wrong PINs of {name} on this tablet. Wait {wait}, use another tablet, or ask an admin to reset the PIN.',
      { name, wait },
    ),
    day: say(
      'Too many wrong PINs of {name} today, on all tablets together. Wait {wait}, or ask an admin to reset the PIN.',
      { name, wait },
    ),
    row: say(
      'The PIN of {name} is blocked after too many wrong tries. Ask an admin to reset the PIN, or sign in with the passphrase and set a new PIN.',
      { name },
    ),
  }[why];
  const details = [{ why, retry_after_s: wait_ms === null ? null : Math.ceil(wait_ms / 1_000) }];
  return new OperationError('pin_locked', message, { details });
}

const pepperOf = (secret: Uint8Array) => createHmac('sha256', secret).update('pins').digest();

/** Returns the id of the key with which PINs are hashed. `secret` is the sealing key of the gateway. */
export function pinKeyId(secret: Uint8Array): string {
  return short(pepperOf(secret));
}

/** Creates the check of PINs. `now` is the time by which sessions end. `secret` is the key file of the gateway. */
export function createPins(options: {
  store: Pick<Store, 'node'>;
  now: () => number;
  random: (bytes: number) => Uint8Array;
  passphrases: Passphrases;
  secret: Uint8Array;
}): Pins {
  const { store, now, random, passphrases } = options;
  const pepper = pepperOf(options.secret);
  const key = pinKeyId(options.secret);
  /** The users whose PIN is checked at the moment: one check at a time, so that concurrent tries cannot pass the limits. */
  const busy = new Set<string>();

  /** Stores the guesses if the stored ones still have this revision, and returns the new revision. */
  async function keep(user: string, guesses: PinGuesses, expected: number): Promise<number> {
    const id = `pin_guesses_${user}`;
    const [stored] = await store.node.commit([
      { collection: 'local', id, object: 'pin_guesses', data: { ...guesses }, expected },
    ]);
    return stored?.revision ?? expected;
  }

  /** Stores in the audit log that the limits now refuse PINs of a person. */
  async function audit({ user, tablet }: PinTry, { why, wait_ms }: PinLock): Promise<void> {
    const at = now();
    const data: AuditData = {
      type: 'pin_locked',
      subject: { object: 'user', id: user.id },
      actor: { type: 'tablet', id: tablet.id, name: tablet.name, door: 'rest' },
      data: { why, until: wait_ms === null ? null : new Date(at + wait_ms).toISOString() },
    };
    const id = makeId('audit', at, random(10));
    await store.node.commit([{ collection: 'events', id, object: AUDIT_OBJECT, data: { ...data }, expected: 0 }]);
  }

  async function checkOne(tried: PinTry): Promise<void> {
    const { user, stored, pin, tablet, address } = tried;
    const of = short(stored.hash);
    const read = await store.node.get<PinGuesses>('local', `pin_guesses_${user.id}`);
    const found = read?.data;
    let revision = read?.revision ?? 0;
    const before = found?.of === of ? currentGuesses(found, now()) : noGuesses(of, now());
    // Store the corrected times once, so that the wait does not begin again with each try.
    if (found?.of === of && isAhead(found, now())) revision = await keep(user.id, before, revision);
    const refused = pinLock(before, tablet.id, now());
    if (refused !== undefined) throw locked(user.name, refused);
    // Store the count first. Otherwise somebody could switch off the gateway before it stores a wrong try.
    const counted = withWrong(before, tablet.id, now());
    revision = await keep(user.id, counted, revision);
    const fits = await passphrases.fits(stored.hash, pin, { address, known: true }, pepper).catch(async (error) => {
      await keep(user.id, before, revision);
      throw error;
    });
    if (fits) {
      await keep(user.id, withRight(before, tablet.id), revision);
      return;
    }
    const lock = pinLock(counted, tablet.id, now());
    if (lock !== undefined) {
      await audit(tried, lock);
      throw locked(user.name, lock);
    }
    const left = triesLeft(counted, tablet.id);
    const more = left === 0 ? [] : [say('{n} more try before a wait.|{n} more tries before a wait.', { n: left })];
    throw new OperationError('sign_in_failed', [say('This PIN is wrong.'), ...more], {
      details: [{ tries_left: left }],
    });
  }

  return {
    seal: async (pin, address) => ({
      hash: await passphrases.hash(pin, { address, known: true }, pepper),
      key,
    }),
    async check(tried) {
      const { user, stored } = tried;
      if (stored.key !== key)
        throw new OperationError(
          'pin_not_set',
          say(
            'The gateway has a new key file, so the PIN of {name} is no longer valid. Ask an admin to reset the PIN.',
            { name: user.name },
          ),
        );
      const taken = () =>
        new OperationError(
          'rate_limited',
          say('Another PIN of {name} is checked at the moment. Try again.', { name: user.name }),
        );
      if (busy.has(user.id)) throw taken();
      busy.add(user.id);
      try {
        await checkOne(tried);
      } catch (error) {
        // Another process of this head office checks a PIN of the same person.
        throw error instanceof WriteConflict ? taken() : error;
      } finally {
        busy.delete(user.id);
      }
    },
  };
}
