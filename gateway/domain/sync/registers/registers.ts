/**
 * Registers: the values of one field of a document, with the values that each of them replaced. Two nodes join their registers of the same
 * field without a clock that both trust, and in any order. See gateway/sync/SPEC.md.
 *
 *   value    = { id, life, hlc, v, anc }      anc: ids of the values that the author saw and replaced
 *   register = the values that no other value of the register has replaced; normally one
 *
 * The first character of a path says how its register joins, so that a node can join fields and kinds that it does not know:
 *
 *   name       people       all values that no other value replaced
 *   !serial    one writer   the value of the newest life and time
 *   =number    a fact       the first value
 *   ^read/x    a maximum    the greatest text or number
 *   ^x#order   the latest   the list of the newest time
 */
import { hash } from 'node:crypto';
import { canonicalJson } from '#contract/base/canonical-json.ts';

/** When and by whom a value was written. */
export interface Stamp {
  /** Hybrid time, 16 hex digits. */
  readonly hlc: string;
  /** The life of the writer: `<node id>.<number>.<token>`. */
  readonly life: string;
}

export interface Value extends Stamp {
  /** 16 hex digits of a hash over life, time, path and content. */
  readonly id: string;
  readonly v: unknown;
  /** Ids of the values that this value replaced, directly or not, the oldest first; at most `MOST_ANCESTORS`. */
  readonly anc: readonly string[];
}

/** The values of one path, sorted by time. Never empty. */
export type Register = readonly Value[];
export type Registers = ReadonlyMap<string, Register>;

/**
 * The largest number of ancestors of a value. The oldest are dropped. A crew that changes the status of a machine four times a day reaches it
 * after four months without a link.
 */
export const MOST_ANCESTORS = 512;
/** The path of the deletion of a document. Its value is `{ ctx }`, or null when a person made the document again. */
export const DELETED = '_deleted';
const NONE: readonly string[] = [];

/** Returns 16 hex digits of a SHA-256. */
export const shortHash = (text: string): string => hash('sha256', text, 'hex').slice(0, 16);

/** Returns the text of a life. */
export const lifeText = (node: string, number: number, token: string): string => `${node}.${number}.${token}`;

/** The node of a life. */
export const nodeOf = (life: string): string => life.slice(0, life.indexOf('.'));

/** The number of a life. */
export function numberOf(life: string): number {
  const from = life.indexOf('.') + 1;
  return Number(life.slice(from, life.indexOf('.', from)));
}

export const isPeoples = (path: string): boolean => path[0] !== '!' && path[0] !== '=' && path[0] !== '^';
export const isMachinerys = (path: string): boolean => path[0] === '!';

/** Makes a value. */
export function makeValue(path: string, v: unknown, { life, hlc }: Stamp, anc: readonly string[] = NONE): Value {
  return { id: shortHash(`${life} ${hlc} ${path} ${canonicalJson(v)}`), life, hlc, v, anc };
}

/** Sorts by time; the life decides between equal times, so that every node has the same order. */
export function compareStamps(a: Stamp, b: Stamp): number {
  if (a.hlc !== b.hlc) return a.hlc < b.hlc ? -1 : 1;
  return a.life < b.life ? -1 : a.life > b.life ? 1 : 0;
}

/** Sorts values by time and life; the id decides between the values of one commit. */
export function compareValues(a: Value, b: Value): number {
  const order = compareStamps(a, b);
  if (order !== 0) return order;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

/** Sorts values of one writer: a newer life is later, whatever its clock says. */
function compareWrites(a: Value, b: Value): number {
  if (a.life === b.life) return compareValues(a, b);
  return numberOf(a.life) - numberOf(b.life) || compareValues(a, b);
}

function compareContent(a: Value, b: Value): number {
  const [x, y] = [a.v, b.v];
  if (typeof x === 'string' && typeof y === 'string' && x !== y) return x < y ? -1 : 1;
  if (typeof x === 'number' && typeof y === 'number' && x !== y) return x - y;
  return compareValues(a, b);
}

/** Joins two registers of one path. The result does not depend on the order of joins. Returns `a` itself when `b` adds nothing. */
export function joinRegister(path: string, a: Register, b: Register): Register {
  const [x, y] = [a[0] as Value, b[0] as Value];
  if (a.length === 1 && b.length === 1 && x.id === y.id && x.anc.length === y.anc.length) return a;
  switch (path[0]) {
    case '!':
      return compareWrites(x, y) >= 0 ? a : b;
    case '=':
      return compareValues(x, y) <= 0 ? a : b;
    case '^':
      return compareContent(x, y) >= 0 ? a : b;
    default:
      return joinPeoples(a, b);
  }
}

function joinPeoples(a: Register, b: Register): Register {
  const all = new Map<string, Value>();
  for (const value of a) all.set(value.id, value);
  for (const value of b) {
    const same = all.get(value.id);
    all.set(value.id, same === undefined ? value : sameValue(same, value));
  }
  const replaced = new Set<string>();
  for (const { anc } of all.values()) for (const id of anc) replaced.add(id);
  const kept = [...all.values()].filter(({ id }) => !replaced.has(id)).sort(compareValues);
  if (kept.length === a.length && kept.every((value, i) => value === a[i])) return a;
  return kept;
}

/** One value that arrived twice. The lists of ancestors differ only if two boxes with one disk wrote the same value at the same time. */
function sameValue(a: Value, b: Value): Value {
  if (a.anc.length === b.anc.length && a.anc.every((id, i) => id === b.anc[i])) return a;
  const anc = [...new Set([...a.anc, ...b.anc])].sort();
  return anc.length === a.anc.length ? a : { ...a, anc: anc.slice(-MOST_ANCESTORS) };
}

/**
 * Returns the register after its author, who saw all its values, wrote a value. A full list of ancestors does not take up a value that never
 * left this node, because no other node can bring it back. So the ones that others have stay in the list.
 */
export function writeRegister(
  path: string,
  old: Register | undefined,
  v: unknown,
  stamp: Stamp,
  isUnsent: (value: Value) => boolean = () => false,
): Register {
  if (!isPeoples(path)) {
    const value = makeValue(path, v, stamp);
    return old === undefined ? [value] : joinRegister(path, old, [value]);
  }
  const anc = new Set<string>();
  for (const value of old ?? []) for (const id of value.anc) anc.add(id);
  const isFull = anc.size >= MOST_ANCESTORS;
  for (const value of old ?? []) if (!isFull || !isUnsent(value)) anc.add(value.id);
  return [makeValue(path, v, stamp, [...anc].slice(-MOST_ANCESTORS))];
}

/** The value that screens show: the gravest one by `rank`, which lists values from the lightest to the gravest, then the newest one. */
export function shownOf(register: Register, rank?: readonly unknown[]): Value {
  const newest = register[register.length - 1] as Value;
  if (rank === undefined || register.length === 1) return newest;
  const weight = ({ v }: Value) => rank.indexOf(typeof v === 'object' && v !== null && 'status' in v ? v.status : v);
  return register.reduce((best, value) => (weight(value) >= weight(best) ? value : best));
}

/** True if the register has values that differ. Equal values of two authors are no conflict. */
export function hasConflict(register: Register): boolean {
  if (register.length < 2) return false;
  const first = canonicalJson((register[0] as Value).v);
  return register.some(({ v }) => canonicalJson(v) !== first);
}

/**
 * True if a person deleted the document and had seen every value that people have given it. Values of machinery do not count: they must not
 * bring a document back.
 */
export function isDead(registers: Registers): boolean {
  const deletions = registers.get(DELETED);
  if (deletions === undefined || deletions.some(({ v }) => v === null)) return false;
  return deletions.some(({ v }) => {
    const seen = new Set((v as { ctx: readonly string[] }).ctx);
    for (const [path, register] of registers) {
      if (path !== DELETED && isPeoples(path) && !register.every(({ id }) => seen.has(id))) return false;
    }
    return true;
  });
}
