/**
 * How a node stores a document: its data as screens read it, and only the registers that the data does not imply. A document that nobody
 * edited has none: all its fields have one value, with the time of the document and no ancestors.
 */
import type { KindRule } from '#contract/ownership/rule.ts';
import { assemble, type Data, decompose } from './paths.ts';
import { makeValue, type Register, type Registers, type Stamp } from './registers.ts';

export interface Packed {
  readonly data: Data;
  /** The time and the writer of all values that are not in `registers`. */
  readonly base: Stamp;
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

export function packRegisters(kind: KindRule, registers: Registers): Packed {
  const data = assemble(kind, registers);
  const base = baseOf(registers);
  const implied = impliedBy(kind, data, base);
  const stored = [...registers].filter(([path, register]) => {
    const [value, ...others] = register;
    return others.length > 0 || value === undefined || value.anc.length > 0 || implied.get(path)?.[0]?.id !== value.id;
  });
  return { data, base, registers: stored };
}

export function unpackRegisters(kind: KindRule, { data, base, registers }: Packed): Registers {
  const all = impliedBy(kind, data, base);
  const stored = new Map(registers);
  // A path of the data whose register is stored with another path, such as a move of a ticket, has no implied value.
  for (const [path, register] of stored) all.set(path, register);
  return all;
}

function impliedBy(kind: KindRule, data: Data, base: Stamp): Map<string, Register> {
  return new Map([...decompose(kind, data)].map(([path, v]): [string, Register] => [path, [makeValue(path, v, base)]]));
}
