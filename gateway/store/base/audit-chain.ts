/**
 * The hash chain of the audit log. The store gives each new entry a number and the hash of the entry before, in the transaction that writes
 * the entry. A change of an entry changes its hash, and then the next entry does not fit.
 *
 *   entry 1: previous 000..., hash a -> entry 2: previous a, hash b -> entry 3: previous b, hash c -> head { number 3, hash c }
 *
 * The hash is SHA-256 of the canonical JSON of the entry as the API returns it, without the hash itself.
 */
import { createHash } from 'node:crypto';
import { AUDIT_OBJECT, type AuditLink, auditEntry, type Linked } from '#contract/base/audit-entry.ts';
import { canonicalJson } from '#contract/base/canonical-json.ts';
import type { ProjectWrite, Stored } from '#contract/base/view.ts';

/** Key in `rx_meta` of the last entry of the chain. */
export const AUDIT_HEAD_KEY = 'audit';
/** `previous` of the first entry. */
export const NO_HASH = '0'.repeat(64);

/** The last entry of a chain. */
export type AuditHead = Pick<AuditLink, 'life' | 'number' | 'hash'>;

/** The types of the entries that the store itself writes about the chain. */
export const CHAIN_STARTED = 'chain_started';
export const CHAIN_RESUMED = 'chain_resumed';

/** What `chain_started` says about the entries of versions before the chain. */
export interface EarlierEntries {
  readonly entries: number;
  /** SHA-256 of the canonical JSON of these entries, each with a newline, in list order. */
  readonly sha256: string;
}

/** The entries that an earlier life of the database had, and that the database does not have any more. */
export interface LostEntries {
  readonly from: number;
  readonly through: number;
  /** Hash of the last lost entry. */
  readonly hash: string;
}

/** Returns true for a document that belongs into the chain. */
export function isChained({ collection, object }: Pick<ProjectWrite, 'collection' | 'object'>): boolean {
  return collection === 'events' && object === AUDIT_OBJECT;
}

type Entry = Pick<Stored<Linked & Record<string, unknown>>, 'id' | 'project_id' | 'created_at' | 'data'>;

/** Returns the hash of a chained entry. */
export function hashOfEntry(entry: Entry): string {
  const { chain, ...content } = auditEntry(entry);
  return sha256(canonicalJson({ ...content, chain: { ...chain, hash: undefined } }));
}

/** Returns the text of an entry of an earlier version for the hash over all of these entries. */
export function textOfUnchained(entry: Entry): string {
  return `${canonicalJson(auditEntry(entry))}\n`;
}

/** Returns the link of a new entry that follows `head`. */
export function linkEntry(
  entry: Entry,
  head: AuditHead | undefined,
  place: Pick<AuditLink, 'gateway_id' | 'life' | 'clock'>,
) {
  const link = { ...place, number: (head?.number ?? 0) + 1, previous: head?.hash ?? NO_HASH, hash: '' };
  const hash = hashOfEntry({ ...entry, data: { ...entry.data, chain: link } });
  return { ...link, hash } satisfies AuditLink;
}

/** Parses the head that the database or the high-water mark stores. */
export function parseHead(text: unknown): AuditHead | undefined {
  return typeof text === 'string' ? (JSON.parse(text) as AuditHead) : undefined;
}

/** Returns the time in the hybrid logical clock of a document, without the id of the gateway. */
export function clockOf(hlc: string): string {
  return hlc.slice(0, 16);
}

/** Returns the last entry as a head. */
export function headOf({ life, number, hash }: AuditLink): AuditHead {
  return { life, number, hash };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
