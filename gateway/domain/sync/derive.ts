/**
 * Rules over several records. They are functions of the replicated records alone, so that every node derives the same, and they write
 * nothing: a later edit of a person is never the work of a machine.
 */

import type { Doc } from '#domain/sync/registers/documents.ts';
import { assemble } from '#domain/sync/registers/paths.ts';
import { shownOf, type Value } from '#domain/sync/registers/registers.ts';
import { kindOf, type SyncEnv } from './env.ts';

const shownAt = (doc: Doc, path: string): Value | undefined => {
  const register = doc.registers.get(path);
  return register === undefined ? undefined : shownOf(register);
};

const isLater = (a: Value, b: Value): boolean => a.hlc > b.hlc || (a.hlc === b.hlc && a.id > b.id);

/**
 * Returns the locations whose parent counts as none. Two people can each put a location below the other one; in each circle the youngest of
 * these edges does not count.
 */
export function cutParents(locations: Iterable<Doc>): Set<string> {
  const edges = new Map<string, Value>();
  for (const doc of locations) {
    const parent = doc.dead ? undefined : shownAt(doc, 'parent_id');
    if (typeof parent?.v === 'string') edges.set(doc.id, parent);
  }
  const cut = new Set<string>();
  const done = new Set<string>();
  for (const start of [...edges.keys()].sort()) {
    const path: string[] = [];
    let at: string | undefined = start;
    while (at !== undefined && edges.has(at) && !done.has(at) && !path.includes(at)) {
      path.push(at);
      at = edges.get(at)?.v as string;
    }
    const circle = at === undefined ? [] : path.slice(path.indexOf(at) < 0 ? path.length : path.indexOf(at));
    const [first, ...rest] = circle;
    if (first !== undefined)
      cut.add(rest.reduce((a, b) => (isLater(edges.get(b) as Value, edges.get(a) as Value) ? b : a), first));
    for (const id of path) done.add(id);
  }
  return cut;
}

/** Returns the machines whose operator has ended there because the same operator was assigned to another machine later. */
export function endedAssignments(machines: Iterable<Doc>): Map<string, { readonly by: string; readonly hlc: string }> {
  const newest = new Map<string, { readonly id: string; readonly value: Value }>();
  const all: { readonly id: string; readonly operator: string; readonly value: Value }[] = [];
  for (const doc of machines) {
    const value = doc.dead ? undefined : shownAt(doc, 'operator');
    const operator = (value?.v as { operator_id?: string | null } | undefined)?.operator_id;
    if (value === undefined || typeof operator !== 'string') continue;
    all.push({ id: doc.id, operator, value });
    const before = newest.get(operator);
    if (before === undefined || isLater(value, before.value)) newest.set(operator, { id: doc.id, value });
  }
  const ended = new Map<string, { readonly by: string; readonly hlc: string }>();
  for (const { id, operator } of all) {
    const holder = newest.get(operator);
    if (holder !== undefined && holder.id !== id) ended.set(id, { by: holder.id, hlc: holder.value.hlc });
  }
  return ended;
}

/** The fields of records that name other records. */
const REFERENCES = ['equipment_id', 'location_id', 'parent_id', 'operator_id', 'related_to', 'dashboard_id'] as const;

/** Returns the ids that a record names and that are not there, or not there yet: at the top level and in the entries of its lists. */
export function danglingReferences(env: SyncEnv, doc: Doc, exists: (id: string) => boolean): string[] {
  const data = assemble(kindOf(env, doc.collection, doc.object), doc.registers);
  const lists = Object.values(data).filter(Array.isArray).flat();
  const named = [data, ...lists].flatMap((entry) =>
    typeof entry === 'object' && entry !== null
      ? REFERENCES.map((field) => (entry as Record<string, unknown>)[field])
      : [],
  );
  return [...new Set(named.filter((id): id is string => typeof id === 'string' && !exists(id)))];
}
