/** The ownership table: each kind of stored document and each of its fields. */
import { FLEET } from './fleet.ts';
import type { KindRule } from './rule.ts';
import { SITE } from './site.ts';
import { WORK } from './work.ts';

export interface Ownership {
  /** The rule of a kind; undefined if this version does not know it. */
  kind(collection: string, object: string): KindRule | undefined;
}

/** Makes the look-up of a table. */
export function createOwnership(rules: readonly KindRule[]): Ownership {
  const table = new Map(rules.map((rule) => [`${rule.collection}/${rule.object}`, rule]));
  return { kind: (collection, object) => table.get(`${collection}/${object}`) };
}

/** All rows, by room of the contract. */
export const OWNERSHIP_ROWS: readonly KindRule[] = [...FLEET, ...WORK, ...SITE];

/** The table of this version. */
export const OWNERSHIP: Ownership = createOwnership(OWNERSHIP_ROWS);
