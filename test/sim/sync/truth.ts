/**
 * What really happened, kept outside the protocol: for each value, the values that its author had seen. Every join is checked against it: a
 * value leaves a register only if the author of a value that stays had seen it, and two values stay only if neither author saw the other.
 */
import { type Doc, keyOf } from '#domain/sync/registers/documents.ts';
import { DELETED, isPeoples, type Register } from '#domain/sync/registers/registers.ts';

export class Violation extends Error {}

/** A value in the truth: its id and the place where it stands. */
const nameOf = (key: string, path: string, id: string): string => `${key} ${path} ${id}`;

export class Truth {
  readonly #seen = new Map<string, ReadonlySet<string>>();
  /** For each deletion, all values of the document that its author had seen. */
  readonly #covered = new Map<string, ReadonlySet<string>>();
  /** The value that a fact speaks of: it was written in the same commit. */
  readonly #bound = new Map<string, readonly [key: string, path: string, id: string]>();
  conflicts = 0;

  /** An author who saw `old` wrote `doc`. */
  wrote(old: Doc | undefined, doc: Doc): void {
    const key = keyOf(doc);
    for (const [path, register] of doc.registers) {
      if (!isPeoples(path) || old?.registers.get(path) === register) continue;
      const before = old?.registers.get(path) ?? [];
      // Values of a conflict that the author did not see stay beside the new one.
      const kept = new Set(before.map(({ id }) => id).filter((id) => register.some((value) => value.id === id)));
      const written = register.filter(({ id }) => !kept.has(id));
      if (written.some(({ hlc }) => old !== undefined && hlc <= old.hlc))
        throw new Violation(`[Y19] a write of ${key} ${path} is not later than what it overwrites`);
      const seen = new Set<string>();
      for (const { id } of before) {
        if (kept.has(id)) continue;
        seen.add(id);
        for (const one of this.#seenBy(key, path, id)) seen.add(one);
      }
      for (const { id } of written) this.#seen.set(nameOf(key, path, id), seen);
      if (path === DELETED && old !== undefined && register[0]?.v !== null)
        this.#covered.set(register[0]?.id ?? '', this.#allSeen(key, old));
    }
  }

  /** All values of a document, and all values that their authors had seen. */
  #allSeen(key: string, doc: Doc): Set<string> {
    const all = valuesOf(doc);
    for (const each of [...all]) {
      const [path = '', id = ''] = each.split(' ');
      for (const seen of this.#seenBy(key, path, id)) all.add(`${path} ${seen}`);
    }
    return all;
  }

  bind(fact: string, doc: Doc, path: string): void {
    const id = doc.registers.get(path)?.at(-1)?.id;
    if (id !== undefined) this.#bound.set(fact, [keyOf(doc), path, id]);
  }

  #seenBy(key: string, path: string, id: string): ReadonlySet<string> {
    return this.#seen.get(nameOf(key, path, id)) ?? new Set();
  }

  /** Checks what a join made of two documents. */
  checkJoin(a: Doc | undefined, given: ReadonlyMap<string, Register>, joined: Doc): void {
    const key = keyOf(joined);
    if (joined.grave) return;
    for (const [path, register] of joined.registers) {
      if (!isPeoples(path)) continue;
      const kept = new Set(register.map(({ id }) => id));
      if (kept.size === 0) throw new Violation(`${key} ${path} has no value`);
      for (const source of [a?.registers.get(path), given.get(path)])
        for (const { id } of source ?? [])
          if (!kept.has(id) && !register.some((value) => this.#seenBy(key, path, value.id).has(id)))
            throw new Violation(`[Y12] ${key} ${path}: ${id} left although no author of a later value saw it`);
      for (const { id } of register)
        if (register.some((value) => value.id !== id && this.#seenBy(key, path, value.id).has(id)))
          throw new Violation(`[Y14] ${key} ${path}: a conflict that nobody made`);
    }
    this.#checkDeath(key, joined);
  }

  #checkDeath(key: string, doc: Doc): void {
    const deletions = doc.registers.get(DELETED) ?? [];
    if (deletions.length === 0) return;
    const all = valuesOf(doc);
    const isRevived = deletions.some(({ v }) => v === null);
    const dead = !isRevived && deletions.some(({ id }) => isSuperset(this.#covered.get(id) ?? new Set(), all));
    if (dead !== doc.dead)
      throw new Violation(
        `[Y15] ${key} is ${doc.dead ? 'deleted against an edit' : 'alive although its deletion saw all'}`,
      );
  }

  /** Checks that a fact is not at a node whose record is older than the commit of the fact. */
  checkFact(fact: string, get: (key: string) => Doc | undefined): void {
    const bound = this.#bound.get(fact);
    if (bound === undefined) return;
    const [key, path, id] = bound;
    const doc = get(key);
    if (doc?.dead === true || this.holds(doc, path, id)) return;
    throw new Violation(`[Y5] ${fact} is there, but ${key} ${path} ${id} is older than its commit`);
  }

  /** True if a document has the content of a value, or a value whose author saw it, or is deleted by an author who saw it. */
  has(doc: Doc | undefined, path: string, id: string): boolean {
    if (doc === undefined) return false;
    const register = doc.registers.get(path) ?? [];
    if (register.some((value) => value.id === id || this.#seenBy(keyOf(doc), path, value.id).has(id))) return true;
    return doc.dead && this.holds(doc, path, id);
  }

  /** As `has`, or a deletion of an author who saw it, although an edit beat the deletion. */
  holds(doc: Doc | undefined, path: string, id: string): boolean {
    if (doc === undefined) return false;
    const register = doc.registers.get(path) ?? [];
    if (register.some((value) => value.id === id || this.#seenBy(keyOf(doc), path, value.id).has(id))) return true;
    // A deletion that became a grave keeps only the ids of the values that its author saw.
    const deletions = (doc.registers.get(DELETED) ?? []).flatMap((value) => [
      value.id,
      ...this.#seenBy(keyOf(doc), DELETED, value.id),
    ]);
    return deletions.some((deletion) => this.#covered.get(deletion)?.has(`${path} ${id}`));
  }
}

function valuesOf(doc: Doc): Set<string> {
  const all = new Set<string>();
  for (const [path, register] of doc.registers)
    if (isPeoples(path) && path !== DELETED) for (const { id } of register) all.add(`${path} ${id}`);
  return all;
}

const isSuperset = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean => [...b].every((each) => a.has(each));
