/** Finds the things of a site whose name or number has the words that a person typed. The functions have no side effects. */

/** A thing that a person can open. */
export interface Found {
  readonly kind: 'page' | 'machine' | 'ticket' | 'device' | 'operator' | 'mechanic' | 'location';
  readonly id: string;
  /** The name by which people know it, such as the unit number of a machine. */
  readonly name: string;
  /** What stands beside the name, such as make and model. It is searched as well. */
  readonly more: string;
  /** The hash of the address of its page. */
  readonly hash: string;
}

/** At most this many results are shown. */
export const MOST_RESULTS = 12;

/** Kinds in the order in which equally good results are shown. */
const ORDER: readonly Found['kind'][] = ['machine', 'page', 'ticket', 'device', 'operator', 'mechanic', 'location'];

/** Removes accents and capital letters. */
const plain = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
/** Removes all characters that people leave out when they type a number: `HT-07` and `ht07` are the same. */
const tight = (text: string): string => plain(text).replace(/[^\p{L}\p{N}]/gu, '');
/** Removes zeros at the start of a number: `HT-7` finds `HT-07`. */
const bare = (text: string): string => tight(text).replace(/(?<!\d)0+(?=\d)/g, '');

/** How well a thing fits: a smaller number is better, and null does not fit. */
function rankOf(thing: Found, words: readonly string[], asked: string): number | null {
  const name = tight(thing.name);
  if (name === asked || bare(thing.name) === bare(asked)) return 0;
  if (name.startsWith(asked) || bare(thing.name).startsWith(asked)) return 1;
  const parts = plain(`${thing.name} ${thing.more}`).split(/[^\p{L}\p{N}]+/u);
  if (words.every((word) => parts.some((part) => part.startsWith(word)))) return 2;
  const all = tight(`${thing.name} ${thing.more}`);
  return words.every((word) => all.includes(tight(word))) ? 3 : null;
}

/** Returns the things that fit what a person typed, the best first, and how many fit. Without a word, no thing fits. */
export function matches(things: readonly Found[], typed: string): { readonly shown: Found[]; readonly count: number } {
  const words = plain(typed)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
  if (words.length === 0) return { shown: [], count: 0 };
  const asked = words.join('');
  const found = things.flatMap((thing) => {
    const rank = rankOf(thing, words, asked);
    return rank === null ? [] : [{ thing, rank }];
  });
  found.sort(
    (a, b) =>
      a.rank - b.rank ||
      ORDER.indexOf(a.thing.kind) - ORDER.indexOf(b.thing.kind) ||
      a.thing.name.localeCompare(b.thing.name, undefined, { numeric: true }),
  );
  return { shown: found.slice(0, MOST_RESULTS).map(({ thing }) => thing), count: found.length };
}
