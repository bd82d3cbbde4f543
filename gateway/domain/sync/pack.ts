/**
 * How a node stores a document: its data as screens read it, and only the registers that the data does not imply. A document that nobody
 * edited has none: all its fields have one value, with the time of the document and no ancestors.
 */
import { canonicalJson } from '#contract/base/canonical-json.ts';
import { makeValue, type Register, type Registers, type Stamp } from '#domain/sync/registers/registers.ts';

/** The value of each path that the stored data of a document has. */
export type Implied = ReadonlyMap<string, unknown>;

export interface Packed {
  /** The time and the writer of all values that are not in `registers`. */
  readonly base: Stamp;
  /** An empty register: the data has a value at this path, but the document has no register there. */
  readonly registers: readonly (readonly [path: string, register: Register])[];
}

/** The time that most values without ancestors have. */
function baseOf(registers: Registers): Stamp {
  const counts = new Map<string, { stamp: Stamp; n: number }>();
  for (const [value, ...others] of registers.values()) {
    if (value === undefined || others.length > 0 || value.anc.length > 0) continue;
    const key = `${value.hlc} ${value.life}`;
    const count = counts.get(key) ?? { stamp: { hlc: value.hlc, life: value.life }, n: 0 };
    count.n++;
    counts.set(key, count);
  }
  let best = { stamp: { hlc: '', life: '' }, n: 0 };
  for (const count of counts.values()) if (count.n > best.n) best = count;
  return best.stamp;
}

export function packRegisters(implied: Implied, registers: Registers): Packed {
  const base = baseOf(registers);
  const stored: (readonly [string, Register])[] = [];
  for (const [path, register] of registers)
    if (!isImplied(implied, path, register, base)) stored.push([path, register]);
  for (const path of implied.keys()) if (!registers.has(path)) stored.push([path, []]);
  return { base, registers: stored };
}

function isImplied(implied: Implied, path: string, [value, ...others]: Register, base: Stamp): boolean {
  if (value === undefined || others.length > 0 || value.anc.length > 0 || !implied.has(path)) return false;
  if (value.hlc !== base.hlc || value.life !== base.life) return false;
  return canonicalJson(implied.get(path)) === canonicalJson(value.v);
}

export function unpackRegisters(implied: Implied, { base, registers }: Packed): Registers {
  const stored = new Map(registers);
  const all = new Map<string, Register>();
  // A path whose register is stored has no implied value, even if the data has another one, such as the state of a ticket after moves.
  for (const [path, v] of implied) if (!stored.has(path)) all.set(path, [makeValue(path, v, base)]);
  for (const [path, register] of stored) if (register.length > 0) all.set(path, register);
  return all;
}
