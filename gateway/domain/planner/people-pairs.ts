/** Names of people beside numbers of machines. */
import type { Read, Text } from '#domain/sentences/items.ts';
import { nameAt, type UnitIndex, unitAt } from '#domain/sentences/names.ts';
import { negationOf } from '#domain/sentences/negation.ts';
import { isPlain } from '#domain/words/plain-words.ts';
import type { NamePart } from './people-clauses.ts';

type Pair = NamePart & { readonly unit: string };

const LEAST_WORDS = 2;
const BETWEEN = new Set(['(', ':', '-', '=', '/', '>']);

/** The names that stand beside the number of a machine: `Deb Kowalski LH-03`, `Sébastien Rey : M1`, `T5: Lionel Fournier`. */
export const pairsIn = (text: Text, reads: readonly Read[], units: UnitIndex): Pair[] =>
  reads
    .filter(({ items }) => negationOf(items).gone.size === 0)
    .filter(({ items }) => !items.some((item) => item.type === 'role' && item.role === 'other'))
    .flatMap((read) => pairsOf(text, read, units));

/** The names of a sentence that stand beside the number of a machine, with at most one sign between. */
function pairsOf(text: Text, { sentence, items }: Read, units: UnitIndex): Pair[] {
  const { tokens, language } = text;
  const { from, to } = sentence;
  const isWord = (at: number) => {
    const item = items.find((one) => one.from <= at && at < one.to);
    return item === undefined || item.type === 'word' || item.type === 'sign';
  };
  const numbered = (at: number) => {
    const start = BETWEEN.has(tokens[at]?.key ?? '') ? at + 1 : at;
    const unit = start < to ? unitAt(text, start, to, { numbers: units.numbers, single: new Map() }) : null;
    return unit !== null && /\d/.test(unit.unit) ? unit : null;
  };
  const found: Pair[] = [];
  for (let at = from; at < to; ) {
    const name = nameAt(text, at, to);
    if (name === null || name.to <= at) {
      const unit = numbered(at);
      const sign = unit === null ? null : tokens[unit.to];
      const behind =
        sign === undefined || sign === null || ![':', '=', '('].includes(sign.key)
          ? null
          : nameAt(text, (unit?.to ?? to) + 1, to);
      // `HT-01 (Tom Field)`: nothing else stands in the brackets.
      const isAlone = sign?.key !== '(' || tokens[behind?.to ?? to]?.key === ')';
      if (unit !== null && behind !== null && isWhole(behind) && isAlone) found.push({ ...behind, unit: unit.unit });
      at = behind?.to ?? Math.max(at + 1, unit?.to ?? 0);
      continue;
    }
    // The letters of the number stand in capitals like a name: `Stefan Kolbe FL 4`.
    const ends = [name.to, name.to - 1].filter((end) => end > name.start && numbered(end) !== null);
    const own = { start: name.start, to: ends[0] ?? name.to };
    const unit = isWhole(own) ? numbered(own.to) : null;
    if (unit !== null) found.push({ ...own, unit: unit.unit });
    at = unit?.to ?? name.to;
  }
  return found;

  function isWhole(name: NamePart): boolean {
    const all = Array.from({ length: name.to - name.start }, (_, i) => name.start + i);
    // `Tom Field` is a name, `New Field` is none.
    if (isPlain(language, tokens[name.start]?.key ?? '')) return false;
    return all.filter((at) => tokens[at]?.isSign === false).length >= LEAST_WORDS && all.every(isWord);
  }
}
