/** Names of people that nothing was made of: they are gaps, so that nobody is lost in silence. */

import { isPlain } from '#domain/words/plain-words.ts';
import { CREW_WORDS, ROLE_WORDS, type Role } from '#domain/words/shift-words.ts';
import { type Span, spanOf } from '#domain/words/text.ts';
import type { Read, Text } from './items.ts';
import { nameAt } from './names.ts';

const isInitial = (word: string | undefined): boolean => /^\p{Lu}$/u.test(word ?? '');

/**
 * The names of two words or more that stand in a sentence with a role, a crew or a numbered machine, and of which no object was read.
 * `taken` are the words of all people and places. A foreman or a manager is no operator and no mechanic, so his sentence has none.
 */
export function unreadNames(text: Text, reads: readonly Read[], taken: readonly Span[]): Span[] {
  const { tokens, language } = text;
  return reads.flatMap(({ sentence: { from, to }, items }) => {
    const roles = new Set<Role>();
    let isCrew = false;
    for (let at = from; at < to; at++) {
      const role = ROLE_WORDS.at(tokens, at, to);
      if (role !== null) roles.add(role.value);
      isCrew ||= CREW_WORDS.at(tokens, at, to) !== null;
    }
    if (roles.has('other') || (roles.size === 0 && !isCrew && !items.some(({ type }) => type === 'units'))) return [];
    const free = (at: number) =>
      items.some((item) => item.from <= at && at < item.to && (item.type === 'word' || item.type === 'count'));
    const found: Span[] = [];
    for (let at = from; at < to; ) {
      // `the mechanics A B and C D`
      const pair = isInitial(tokens[at]?.text) && isInitial(tokens[at + 1]?.text) && at + 2 <= to && roles.size > 0;
      const name = pair ? { start: at, to: at + 2 } : nameAt(text, at, to);
      if (name === null) {
        at++;
        continue;
      }
      const { start, end } = spanOf(tokens, name.start, name.to);
      const words = Array.from({ length: name.to - name.start }, (_, i) => name.start + i);
      const isWhole =
        pair ||
        (words.filter((i) => tokens[i]?.isSign === false).length > 1 &&
          words.every((i) => tokens[i]?.isSign === true || free(i)) &&
          !isPlain(language, tokens[name.start]?.key ?? ''));
      if (isWhole && !taken.some((one) => one.start < end && start < one.end)) found.push({ start, end });
      at = Math.max(at + 1, name.to);
    }
    return found;
  });
}
