/**
 * Hashes passphrases with Argon2id (RFC 9106) on a thread of the pool of Node. One computation runs at a time, because it uses 19 MiB of
 * memory and a processor for a tenth of a second, and the other threads of the pool must stay free for the disk.
 */
import { argon2, timingSafeEqual } from 'node:crypto';
import { OperationError } from '#contract/base/errors.ts';

/** The first choice of RFC 9106 needs 2 GiB. These are the values that OWASP recommends as the least; `p` is the number of lanes. */
const COST = { m: 19_456, t: 2, p: 1 } as const;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
const PHC = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;
/** Largest number of computations that wait: of addresses from which somebody has signed in before, and of other addresses. */
const MOST_WAITING = 32;
/** Largest number of computations of one address that wait. */
const MOST_OF_ADDRESS = 8;

export interface Passphrases {
  /** `key` is an optional secret (RFC 9106 3.1) without which nobody can compute the hash. */
  hash(passphrase: string, from: From, key?: Uint8Array): Promise<string>;
  /** Returns true if the passphrase fits the hash. For a hash of null it computes as long, and returns false. */
  fits(hash: string | null, passphrase: string, from: From, key?: Uint8Array): Promise<boolean>;
}

interface From {
  readonly address: string;
  /** True if somebody has signed in from this address before. Its computations run before those of other addresses. */
  readonly known: boolean;
}

interface Job extends From {
  readonly run: () => Promise<void>;
}

type Cost = Readonly<Record<keyof typeof COST, number>>;

function compute(
  passphrase: string,
  nonce: Uint8Array,
  { m, t, p }: Cost,
  key: Uint8Array | undefined,
): Promise<Buffer> {
  // NFKC, so that the same passphrase has the same bytes on each keyboard and system.
  const message = Buffer.from(passphrase.normalize('NFKC'));
  const cost = { parallelism: p, tagLength: HASH_BYTES, memory: m, passes: t };
  return new Promise((resolve, reject) =>
    argon2('argon2id', { message, nonce, ...cost, ...(key && { secret: key }) }, (error, tag) =>
      error ? reject(error) : resolve(tag),
    ),
  );
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64').replace(/=+$/, '');

export function createPassphrases(random: (bytes: number) => Uint8Array): Passphrases {
  const waiting: { readonly known: Job[]; readonly other: Job[] } = { known: [], other: [] };
  const dummy = `$argon2id$v=19$m=${COST.m},t=${COST.t},p=${COST.p}$${base64(random(SALT_BYTES))}$${base64(random(HASH_BYTES))}`;
  let busy = false;

  function next(): void {
    const job = waiting.known.shift() ?? waiting.other.shift();
    busy = job !== undefined;
    void job?.run().finally(next);
  }

  /** Runs work when it is its turn; throws `rate_limited` if too many computations wait. */
  function inTurn<T>(from: From, work: () => Promise<T>): Promise<T> {
    const queue = from.known ? waiting.known : waiting.other;
    const own = queue.filter(({ address }) => address === from.address).length;
    if (queue.length >= MOST_WAITING || own >= MOST_OF_ADDRESS)
      throw new OperationError('rate_limited', 'Too many people sign in at the moment. Try again in some seconds.');
    return new Promise<T>((resolve, reject) => {
      queue.push({ ...from, run: () => work().then(resolve, reject) });
      if (!busy) next();
    });
  }

  return {
    async hash(passphrase, from, key) {
      const salt = random(SALT_BYTES);
      const tag = await inTurn(from, () => compute(passphrase, salt, COST, key));
      return `$argon2id$v=19$m=${COST.m},t=${COST.t},p=${COST.p}$${base64(salt)}$${base64(tag)}`;
    },
    async fits(hash, passphrase, from, key) {
      const stored = PHC.exec(hash ?? '');
      const [, m, t, p, salt = '', tag = ''] = stored ?? PHC.exec(dummy) ?? [];
      const cost = { m: Number(m), t: Number(t), p: Number(p) };
      const computed = await inTurn(from, () => compute(passphrase, Buffer.from(salt, 'base64'), cost, key));
      const known = Buffer.from(tag, 'base64');
      return stored !== null && known.length === computed.length && timingSafeEqual(known, computed);
    },
  };
}
