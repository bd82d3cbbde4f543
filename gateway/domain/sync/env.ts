/** What a node knows besides its store. */
import type { KindRule } from '#contract/ownership/rule.ts';
import type { Ownership } from '#contract/ownership/table.ts';
import type { Part } from '#domain/sync/registers/documents.ts';
import type { SyncRules } from './rules.ts';

export interface SyncEnv {
  readonly role: 'site' | 'cloud';
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly ownership: Ownership;
  readonly rules: SyncRules;
  /** Makes a random token. */
  readonly token: () => string;
  /** Says why this version cannot take a document; undefined if it can. */
  readonly check: (part: Part) => string | undefined;
}

/** The kind of a document that this version does not know: its fields are values of people. */
const UNKNOWN: KindRule = { collection: 'records', object: '', deletion: 'edit_wins', fields: {} };

export const kindOf = ({ ownership }: Pick<SyncEnv, 'ownership'>, collection: string, object: string): KindRule =>
  ownership.kind(collection, object) ?? UNKNOWN;
