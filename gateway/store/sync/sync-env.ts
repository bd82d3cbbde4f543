/** What the functions of the replication know besides the store: the table of ownership, the clock, random tokens, the check of documents. */
import { COLLECTIONS } from '#contract/base/view.ts';
import { OWNERSHIP } from '#contract/ownership/table.ts';
import type { SyncEnv } from '#domain/sync/env.ts';
import type { Part } from '#domain/sync/registers/documents.ts';
import { SYNC_RULES } from '#domain/sync/rules.ts';
import { MAX_ID } from '#store/base/envelope.ts';

/** The largest text of all values of a document. A larger one goes into quarantine. */
const MOST_CHARACTERS = 1_000_000;
const TOKEN_BYTES = 12;

export interface EnvOptions {
  readonly role?: 'site' | 'cloud';
  readonly random: (bytes: number) => Uint8Array;
}

export function syncEnv({ role = 'site', random }: EnvOptions, now: number): SyncEnv {
  const token = (): string => Buffer.from(random(TOKEN_BYTES)).toString('base64url');
  return { role, now, ownership: OWNERSHIP, rules: SYNC_RULES, token, check: reasonAgainst };
}

/** Why the store cannot take a document; undefined if it can. */
function reasonAgainst({ collection, id, object, registers }: Part): string | undefined {
  if (!(COLLECTIONS as readonly string[]).includes(collection)) return 'unknown_collection';
  if (id === '' || id.length > MAX_ID || object === '' || object.length > MAX_ID) return 'invalid_document';
  let characters = 0;
  for (const [path, register] of registers)
    for (const { v } of register) characters += path.length + (JSON.stringify(v)?.length ?? 0);
  return characters > MOST_CHARACTERS ? 'too_large' : undefined;
}
