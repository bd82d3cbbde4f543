/** Documents as nodes join them: a document is the set of its registers. All functions are pure, and documents never change. */
import {
  DELETED,
  isDead,
  isMachinerys,
  isPeoples,
  joinRegister,
  makeValue,
  nodeOf,
  type Register,
  type Registers,
  type Stamp,
  shortHash,
  type Value,
} from './registers.ts';

/** Some registers of a document, as a page carries them. */
export interface Part {
  readonly collection: string;
  readonly id: string;
  readonly object: string;
  readonly registers: Registers;
  /** True if these are all registers of the document at its sender. */
  readonly whole: boolean;
  /** Revision at the sender. */
  readonly rev: number;
  /** Marks of the whole document at the sender: 16 hex digits that two nodes have in common only if their registers are equal. */
  readonly vid: string;
}

export interface Doc extends Part {
  readonly whole: true;
  /** The greatest time of its values; of a deleted document, the time of its deletion. Values of machinery do not count. */
  readonly hlc: string;
  /** Mark of the values of machinery; empty if it has none. */
  readonly machine: string;
  /** The node whose machinery writes in this document; empty if none does. */
  readonly home: string;
  readonly dead: boolean;
  /** True if only the deletion is left of it (a grave). */
  readonly grave: boolean;
}

export type DocName = Pick<Part, 'collection' | 'id' | 'object'>;

/** The key of a document in the tables of a node. */
export const keyOf = ({ collection, id }: Pick<Part, 'collection' | 'id'>): string => `${collection}/${id}`;

/** Makes a document from all its registers. */
export function makeDoc({ collection, id, object }: DocName, registers: Registers, rev: number, grave = false): Doc {
  const dead = isDead(registers);
  let hlc = '';
  let home = '';
  const people: string[] = [];
  const machinery: string[] = [];
  for (const [path, register] of registers) {
    if (isMachinerys(path)) {
      home = nodeOf((register[0] as Value).life);
      machinery.push(`${path} ${(register[0] as Value).id}`);
    } else if (!dead || path === DELETED) {
      for (const value of register) if (value.hlc > hlc) hlc = value.hlc;
      people.push(`${path} ${idsOf(register)}`);
    }
  }
  // A deleted document has the mark of its deletion, so that it has the same mark before and after it became a grave.
  const vid = people.length === 0 ? '' : markOf(`${dead ? 'dead ' : ''}${object}`, people);
  const machine = machinery.length === 0 ? '' : markOf(object, machinery);
  return { collection, id, object, registers, whole: true, rev, vid, hlc, machine, home, dead, grave };
}

/** The greatest time of all values of a document, those of machinery too. A write of the document must be later. */
export function latestOf({ registers, hlc }: Doc): string {
  let latest = hlc;
  for (const [path, [value]] of registers)
    if (isMachinerys(path) && value !== undefined && value.hlc > latest) latest = value.hlc;
  return latest;
}

const markOf = (head: string, lines: string[]): string => shortHash(`${head}\n${lines.sort().join('\n')}`);

const idsOf = (register: Register): string =>
  register.length === 1
    ? (register[0] as Value).id
    : register
        .map(({ id }) => id)
        .sort()
        .join(' ');

/** How a part and the document that a node has join. `missing`: the part is not enough, the node needs the whole document. */
export type Joined = { readonly doc: Doc; readonly changed: readonly string[] } | { readonly missing: true };

/** Joins a part into the document that a node has. `changed` has the paths whose registers differ from before. */
export function joinPart(old: Doc | undefined, part: Part): Joined {
  if (old === undefined) {
    if (!part.whole && !isLive(part)) return { missing: true };
    return { doc: makeDoc(part, part.registers, part.rev, isGrave(part)), changed: [...part.registers.keys()] };
  }
  const { registers, changed } = joinRegisters(old.registers, part.registers);
  if (changed.length === 0) return { doc: old, changed };
  const doc = makeDoc(old, registers, old.rev);
  if (doc.vid === old.vid && doc.machine === old.machine) return { doc: old.grave ? old : doc, changed: [] };
  // An edit beats the deletion, but a grave has no other fields: they are fetched from the author of the edit.
  if (old.grave && !doc.dead && !part.whole) return { missing: true };
  // What is here of a deleted document stays, also if the other end has only the deletion left: its clock may be wrong.
  return { doc: withRevision(old.grave && doc.dead ? toGrave(doc) : doc, old, part), changed };
}

/** A live document has one value, so each part of it is the whole document. */
const isLive = ({ collection, registers }: Part): boolean => collection === 'live' && registers.has('!');

const isGrave = ({ registers }: Part): boolean => registers.size === 1 && registers.has(DELETED);

/** The revision of each node is its own count: the greater of two, and one more if the join is neither of them. */
function withRevision(doc: Doc, old: Doc, part: Part): Doc {
  const rev = Math.max(old.rev, part.rev);
  return { ...doc, rev: doc.vid === part.vid ? rev : rev + 1 };
}

function joinRegisters(a: Registers, b: Registers): { registers: Registers; changed: string[] } {
  const changed: string[] = [];
  let joined: Map<string, Register> | undefined;
  for (const [path, theirs] of b) {
    const ours = a.get(path);
    const result = ours === undefined ? theirs : joinRegister(path, ours, theirs);
    if (result === ours) continue;
    joined ??= new Map(a);
    joined.set(path, result);
    changed.push(path);
  }
  return { registers: joined ?? a, changed };
}

/** Returns the document after its author, who saw all its values, deleted it. */
export function deleteDoc(doc: Doc, stamp: Stamp): Doc {
  const registers = new Map(doc.registers);
  // The ancestors too: a grave has no registers that would show that an old value was replaced.
  const ctx = new Set<string>();
  for (const [path, register] of registers) {
    if (path === DELETED || !isPeoples(path)) continue;
    for (const value of register) for (const id of [...value.anc, value.id]) ctx.add(id);
  }
  const before = registers.get(DELETED) ?? [];
  const anc = before.flatMap((value) => [...value.anc, value.id]);
  registers.set(DELETED, [makeValue(DELETED, { ctx: [...ctx].sort() }, stamp, anc)]);
  return makeDoc(doc, registers, doc.rev + 1);
}

/** Returns what stays of a deleted document for good: its deletion, with the ids of the values that it covers. */
export function toGrave(doc: Doc): Doc {
  return makeDoc(doc, new Map([[DELETED, doc.registers.get(DELETED) as Register]]), doc.rev, true);
}

/**
 * The part of a document that has these paths; all of them when `paths` is undefined. A grave is always whole. The deletion always goes
 * along: values that it covers may be gone here, if the document was a grave before an edit brought it back.
 */
export function partOf(doc: Doc, paths: readonly string[] | undefined): Part {
  const { collection, id, object, rev, vid } = doc;
  if (paths === undefined || doc.grave) return doc;
  const registers = new Map<string, Register>();
  for (const path of [...paths, DELETED]) {
    const register = doc.registers.get(path);
    if (register !== undefined) registers.set(path, register);
  }
  return { collection, id, object, rev, vid, whole: false, registers };
}
