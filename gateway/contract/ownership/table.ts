/** The ownership table: each kind of stored document and each of its fields. */
import { FLEET } from './fleet.ts';
import type { KindRule } from './rule.ts';
import { SITE } from './site.ts';
import { WORK } from './work.ts';

export interface Ownership {
  /** The rule of a kind; undefined if this version does not know it. */
  kind(collection: string, object: string): KindRule | undefined;
  /** True if all kinds of a collection are copied only from a site to head office. */
  isOnlyUp(collection: string): boolean;
}

/** Makes the look-up of a table. */
export function createOwnership(rules: readonly KindRule[]): Ownership {
  const table = new Map(rules.map((rule) => [`${rule.collection}/${rule.object}`, rule]));
  const other: ReadonlySet<string> = new Set(
    rules.flatMap(({ collection, whole }) => (whole?.direction === 'up' ? [] : [collection])),
  );
  return {
    kind: (collection, object) => table.get(`${collection}/${object}`),
    isOnlyUp: (collection) => !other.has(collection) && rules.some((rule) => rule.collection === collection),
  };
}

/** All rows, by room of the contract. */
export const OWNERSHIP_ROWS: readonly KindRule[] = [...FLEET, ...WORK, ...SITE];

/** The table of this version. */
export const OWNERSHIP: Ownership = createOwnership(OWNERSHIP_ROWS);
