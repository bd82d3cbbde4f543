/** The form in which the gateway shows an entry of the audit log, and in which it computes the hash of the entry. */
import { z } from 'zod';
import type { Stored } from './view.ts';
import { NODE_PROJECT } from './view.ts';

/** Kind of the documents of the audit log. The store chains the documents of this kind. */
export const AUDIT_OBJECT = 'audit';

/** SHA-256 in hexadecimal. */
const Hash = z.string().regex(/^[0-9a-f]{64}$/);

export const AuditLink = z
  .object({
    gateway_id: z.string().meta({ description: 'The gateway that wrote the entry. Each gateway has its own chain.' }),
    life: z
      .int()
      .positive()
      .meta({ description: 'Number of the incarnation of the database. It rises when the database is restored.' }),
    number: z.int().positive().meta({ description: 'Number of the entry in the chain, from 1 without a gap.' }),
    clock: z
      .string()
      .regex(/^[0-9a-f]{16}$/)
      .meta({
        description:
          'Time by the clock of the database, which never goes back: milliseconds since 1970 as 12 hexadecimal digits, and a counter as 4.',
      }),
    previous: Hash.meta({ description: 'Hash of the entry before; 64 zeros in entry 1.' }),
    hash: Hash.meta({
      description: 'SHA-256 of the canonical JSON (RFC 8785) of this entry without the field `hash`, in hexadecimal.',
    }),
  })
  .meta({ id: 'AuditLink', description: 'The place of an entry in the hash chain of the audit log.' });
export type AuditLink = z.infer<typeof AuditLink>;

/** What is in the data of every stored entry. Entries of versions before the chain have no link. */
export interface Linked {
  readonly chain?: AuditLink;
}

/** An entry as the API returns it. */
export type AuditEntry<T> = Omit<T, 'chain'> & {
  readonly object: typeof AUDIT_OBJECT;
  readonly id: string;
  readonly project_id: string | null;
  readonly occurred_at: string;
  readonly chain: AuditLink | null;
};

/** Returns a stored entry as the API returns it. The hash covers all these fields, so a reader can check an exported entry. */
export function auditEntry<T extends Linked>(
  stored: Pick<Stored<T>, 'id' | 'project_id' | 'created_at' | 'data'>,
): AuditEntry<T> {
  const { chain = null, ...data } = stored.data;
  return {
    object: AUDIT_OBJECT,
    id: stored.id,
    project_id: stored.project_id === NODE_PROJECT ? null : stored.project_id,
    occurred_at: stored.created_at,
    ...data,
    chain,
  };
}
