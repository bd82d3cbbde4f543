/**
 * Conditions "a text other than these". No index can search for what a field is not. So the store first reads the different texts of the
 * field from its index, with one search for each text, and then searches for those that match.
 *
 *   status is not closed, canceled -> the index has closed, fixed, flagged, waiting -> status is fixed, flagged or waiting
 */
import type { Condition, FindQuery, OtherThan } from '#contract/base/view.ts';

/** If the field has more different texts than this, the condition filters rows. */
export const MOST_OTHERS = 40;

export const isOther = (condition: Condition): condition is OtherThan =>
  typeof condition === 'object' && condition !== null && 'otherThan' in condition;

/**
 * Returns the indexed field of a query with such a condition. Returns undefined if there is none, or if another indexed field has a single
 * value, because the search then starts there.
 */
export function otherField({ where = {} }: FindQuery, indexed: ReadonlySet<string>): string | undefined {
  const usable = Object.entries(where).filter(([path]) => indexed.has(path));
  if (usable.some(([, condition]) => condition === null || typeof condition !== 'object')) return undefined;
  return usable.find(([, condition]) => isOther(condition))?.[0];
}

/** Returns the query with a list of values in place of the condition on this field. `texts`: the different texts of the field. */
export function withTexts(query: FindQuery, path: string, texts: readonly string[]): FindQuery {
  const condition = query.where?.[path];
  if (condition === undefined || !isOther(condition) || texts.length > MOST_OTHERS) return query;
  return { ...query, where: { ...query.where, [path]: texts.filter((text) => !condition.otherThan.includes(text)) } };
}
