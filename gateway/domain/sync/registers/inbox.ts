/**
 * The inbox of conflicts: a view over registers. Nothing is copied into it, so nothing can be lost from it. It has fields with two different
 * values of people, deletions that an edit has beaten, and moves of tickets that the table of states does not allow.
 */
import { canonicalJson } from '#contract/base/canonical-json.ts';
import type { Doc } from './documents.ts';
import { DELETED, hasConflict, isPeoples, type Register, type Value } from './registers.ts';
import { foldSteps, STEPS_PATH } from './ticket-steps.ts';

export interface InboxEntry {
  readonly collection: string;
  readonly id: string;
  readonly path: string;
  /** conflict: people gave different values. deletion: deleted by a person who had not seen an edit. step: a move that was skipped. */
  readonly kind: 'conflict' | 'deletion' | 'step';
  /** The values, the shown one last. Equal values of several people are one. */
  readonly values: readonly Value[];
}

/** True if the document has entries. Only records have values of people that can differ. */
export const isInInbox = (doc: Doc): boolean => doc.collection === 'records' && inboxOf(doc).length > 0;

/** Returns the entries of a document. */
export function inboxOf(doc: Doc): InboxEntry[] {
  if (doc.dead) return [];
  const { collection, id } = doc;
  const entries: InboxEntry[] = [];
  const steps: (readonly [string, Register])[] = [];
  for (const [path, register] of doc.registers) {
    if (path.startsWith(`${STEPS_PATH}/`)) steps.push([path.slice(STEPS_PATH.length + 1), register]);
    if (path === DELETED) {
      const deletions = register.filter(({ v }) => v !== null);
      if (deletions.length > 0) entries.push({ collection, id, path, kind: 'deletion', values: deletions });
    } else if (isPeoples(path) && hasConflict(register))
      entries.push({ collection, id, path, kind: 'conflict', values: distinct(register) });
  }
  for (const value of foldSteps(steps).skipped)
    entries.push({ collection, id, path: `${STEPS_PATH}/${value.hlc}.${value.life}`, kind: 'step', values: [value] });
  return entries;
}

/** The newest value of each content. */
function distinct(register: Register): Value[] {
  const byContent = new Map(register.map((value) => [canonicalJson(value.v), value]));
  return register.filter((value) => byContent.get(canonicalJson(value.v)) === value);
}
