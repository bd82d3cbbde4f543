/** Whether a node has values that another node has: itself, or replaced by an author who had seen them. */
import type { Doc, Part } from '#domain/sync/registers/documents.ts';
import { isMachinerys, isPeoples, joinRegister, type Register, type Value } from '#domain/sync/registers/registers.ts';

export function holdsPart(doc: Doc | undefined, part: Part): boolean {
  if (doc === undefined) return false;
  for (const [path, register] of part.registers) if (!holdsRegister(doc, path, register)) return false;
  return true;
}

function holdsRegister(doc: Doc, path: string, register: Register): boolean {
  const ours = doc.registers.get(path);
  if (!isPeoples(path)) {
    const [x, y] = [ours?.[0], register[0] as Value];
    if (x === undefined) return false;
    // Machinery has one writer, so the other end has exactly its value.
    return isMachinerys(path) ? x.id === y.id : joinRegister(path, [x], [y])[0] === x;
  }
  const known = new Set<string>();
  for (const value of ours ?? []) for (const id of [value.id, ...value.anc]) known.add(id);
  // Only the deletion is left of a grave; it names all values that it covers.
  if (doc.dead)
    for (const { v } of doc.registers.get('_deleted') ?? [])
      for (const id of (v as { ctx: string[] }).ctx) known.add(id);
  return register.every(({ id }) => known.has(id));
}
