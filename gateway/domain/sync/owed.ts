/**
 * Documents that the other end owes this node. This node could not take a change of them, and its quarantine was full, so it noted only their
 * keys. After the quarantine was tried again, a repair brings the documents.
 *
 *   noted ─▶ a repair begins ─▶ gives the document: it is taken, kept in quarantine, or noted again ─▶ the repair ends: what it did not
 *                                                                                                       note again is forgotten
 */

import { shortHash } from '#domain/sync/registers/registers.ts';
import type { SyncEnv } from './env.ts';
import type { OwedKey, Owing, SyncTx } from './store.ts';

/** The keys are in this many rows, so that a change of one of 100,000 keys writes little. */
const ROWS = 256;
const ROW_NAMES: readonly string[] = Array.from({ length: ROWS }, (_, i) => i.toString(16).padStart(2, '0'));

const rowOf = (from: string, key: string): string => `${from} ${shortHash(key).slice(0, 2)}`;

/** How many documents a node owes this one. */
export const owedBy = (tx: SyncTx, from: string): number => tx.owed.owing(from)?.count ?? 0;

/** What the notes say about a document: whether later changes of it, and facts about it, must wait. */
export function isOwed(tx: SyncTx, from: string, key: string): boolean {
  return owedBy(tx, from) > 0 && tx.owed.keys(rowOf(from, key))[key]?.[1] === 1;
}

/** Notes documents. Returns false, and notes none of them, if there would be more than the bound. */
export function noteOwed(
  tx: SyncTx,
  { rules }: SyncEnv,
  from: string,
  keys: readonly string[],
  holdsUp: boolean,
): boolean {
  const owing = tx.owed.owing(from) ?? { from, count: 0, last: 0, begun: 0, isDue: false };
  let { count, last } = owing;
  const rows = new Map<string, Record<string, OwedKey>>();
  for (const key of keys) {
    const name = rowOf(from, key);
    const row = rows.get(name) ?? { ...tx.owed.keys(name) };
    rows.set(name, row);
    const old = row[key];
    if (old === undefined) count++;
    row[key] = [++last, holdsUp || old?.[1] === 1 ? 1 : 0];
  }
  if (count > rules.quarantine.keys) return false;
  for (const [name, row] of rows) tx.owed.setKeys(name, row);
  tx.owed.setOwing(from, { ...owing, count, last });
  return true;
}

/** A repair gave a document as a whole, and it is here or in quarantine. */
export function settleOwed(tx: SyncTx, from: string, key: string): void {
  const owing = tx.owed.owing(from);
  if (owing === undefined) return;
  const name = rowOf(from, key);
  const { [key]: noted, ...rest } = tx.owed.keys(name);
  if (noted === undefined) return;
  tx.owed.setKeys(name, rest);
  setCount(tx, from, { ...owing, count: owing.count - 1 });
}

/** A repair with a node begins: it compares what was noted until now. */
export function beginOwed(tx: SyncTx, from: string): void {
  const owing = tx.owed.owing(from);
  if (owing !== undefined) tx.owed.setOwing(from, { ...owing, begun: owing.last, isDue: false });
}

/** A repair is complete: forgets what was noted before its begin. What could not be taken was noted again. */
export function endOwed(tx: SyncTx, { rules }: SyncEnv, from: string): void {
  const owing = tx.owed.owing(from);
  if (owing === undefined) return;
  let count = 0;
  for (const name of ROW_NAMES.map((row) => `${from} ${row}`)) {
    const all = Object.entries(tx.owed.keys(name));
    const kept = all.filter(([, [n]]) => n > owing.begun);
    count += kept.length;
    if (kept.length < all.length) tx.owed.setKeys(name, Object.fromEntries(kept));
  }
  // If there is room, what is noted only waited for a document that came later in the same repair. This end may also have started since.
  const hasRoom = tx.quarantined().length < rules.quarantine.commits;
  setCount(tx, from, { ...owing, count, isDue: owing.isDue || hasRoom });
}

/** The quarantine was tried again: the next contact compares both ends, because this end may take more now. */
export function askOwed(tx: SyncTx): void {
  for (const owing of tx.owed.owings()) tx.owed.setOwing(owing.from, { ...owing, isDue: true });
}

const setCount = (tx: SyncTx, from: string, owing: Owing): void =>
  tx.owed.setOwing(from, owing.count > 0 ? owing : undefined);

/** True if the next contact must compare both ends because of documents that a node owes this one. */
export const isOwedDue = (tx: SyncTx, from: string): boolean => tx.owed.owing(from)?.isDue === true;
