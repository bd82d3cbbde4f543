/**
 * Slows down guessing of passphrases. Wrong passphrases are counted in three ways: for an account and address together, for an account from
 * unfamiliar addresses, and for an address. After some free tries each further wrong one doubles the time until the next try is allowed. A
 * pair of account and address is familiar if the account has signed in from this address before. For a familiar pair only its own count
 * matters. So strangers cannot lock a person out of a familiar browser, and colleagues behind one address do not lock out each other.
 */

interface Count {
  wrong: number;
  /** Time of the last wrong try, in milliseconds since 1970. */
  at: number;
}

/** For each way of counting: the number of free tries, and the longest wait in milliseconds. */
const RULES = {
  pair: { free: 5, longest: 300_000 },
  account: { free: 20, longest: 300_000 },
  address: { free: 60, longest: 60_000 },
} as const;
type Way = keyof typeof RULES;

/** A count is forgotten after this time without a wrong try. */
const FORGOTTEN_MS = 30 * 60_000;
/** Largest number of counts of each way, and of familiar pairs. The one that was changed the longest time ago goes first. */
const MOST = 10_000;

export interface SignInLimits {
  /** Returns the milliseconds until the next try is allowed; 0 if it is allowed now. */
  wait(account: string, address: string): number;
  /** Counts a try before its passphrase is checked, so that concurrent tries count too. */
  begin(account: string, address: string): void;
  /** Takes back the count of a try whose passphrase could not be checked. */
  takeBack(account: string, address: string): void;
  /** Takes back the count of the try, and remembers the pair as familiar. */
  succeeded(account: string, address: string): void;
  /** Remembers the pair as familiar, because the account has a session there. */
  remember(account: string, address: string): void;
  /** Returns true if somebody has signed in from this address. */
  isKnown(address: string): boolean;
}

export function createSignInLimits(now: () => number): SignInLimits {
  const counts: Readonly<Record<Way, Map<string, Count>>> = {
    pair: new Map(),
    account: new Map(),
    address: new Map(),
  };
  const familiar = new Map<string, true>();
  const known = new Map<string, true>();
  const pairOf = (account: string, address: string) => `${address} ${account}`;

  function put<T>(map: Map<string, T>, key: string, value: T): void {
    map.delete(key);
    if (map.size >= MOST) map.delete(map.keys().next().value as string);
    map.set(key, value);
  }

  function countOf(way: Way, key: string): Count | undefined {
    const count = counts[way].get(key);
    if (count === undefined || now() - count.at < FORGOTTEN_MS) return count;
    counts[way].delete(key);
    return undefined;
  }

  function waitOf(way: Way, key: string): number {
    const { free, longest } = RULES[way];
    const count = countOf(way, key);
    if (count === undefined || count.wrong < free) return 0;
    const pause = Math.min(longest, 1_000 * 2 ** Math.min(30, count.wrong - free));
    return Math.max(0, count.at + pause - now());
  }

  /** The counts to which a try belongs. */
  function keysOf(account: string, address: string): [Way, string][] {
    const pair = pairOf(account, address);
    return familiar.has(pair)
      ? [['pair', pair]]
      : [
          ['pair', pair],
          ['account', account],
          ['address', address],
        ];
  }

  function takeBack(account: string, address: string): void {
    for (const [way, key] of keysOf(account, address)) {
      const count = counts[way].get(key);
      if (count !== undefined) count.wrong--;
    }
  }

  function remember(account: string, address: string): void {
    put(familiar, pairOf(account, address), true);
    put(known, address, true);
  }

  return {
    remember,
    wait: (account, address) => Math.max(...keysOf(account, address).map(([way, key]) => waitOf(way, key))),
    begin(account, address) {
      for (const [way, key] of keysOf(account, address))
        put(counts[way], key, { wrong: (countOf(way, key)?.wrong ?? 0) + 1, at: now() });
    },
    takeBack,
    succeeded(account, address) {
      takeBack(account, address);
      counts.pair.delete(pairOf(account, address));
      remember(account, address);
    },
    isKnown: (address) => known.has(address),
  };
}
