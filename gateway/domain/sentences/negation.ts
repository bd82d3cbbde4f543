/** Which machines and places of a sentence are gone, not there, or not ours. */
import type { Item } from './items.ts';

interface Atom {
  readonly items: Item[];
  readonly depth: number;
}

const isMachine = ({ type }: Item): boolean =>
  type === 'kind' || type === 'units' || type === 'model' || type === 'make';
const NEGATIVE = new Set(['gone', 'not', 'theirs']);
const isNegative = (item: Item): boolean => item.type === 'clue' && NEGATIVE.has(item.clue);

/** Divides a sentence at commas, brackets, colons, `and` and `but`. */
function atomsOf(items: readonly Item[]): Atom[] {
  const atoms: Atom[] = [{ items: [], depth: 0 }];
  let depth = 0;
  for (const item of items) {
    const isOpen = item.type === 'sign' && ['(', '['].includes(item.sign);
    const isClose = item.type === 'sign' && [')', ']'].includes(item.sign);
    if (isOpen) depth++;
    if (isClose) depth = Math.max(0, depth - 1);
    const isBreak =
      isOpen ||
      isClose ||
      (item.type === 'sign' && [',', ';', ':', '.'].includes(item.sign)) ||
      (item.type === 'clue' && item.clue === 'and');
    if (isBreak) atoms.push({ items: [], depth });
    else if (item.type === 'clue' && item.clue === 'stays' && (atoms.at(-1)?.items.some(isMachine) ?? false))
      atoms.push({ items: [item], depth });
    else atoms.at(-1)?.items.push(item);
  }
  return atoms.filter((atom) => atom.items.length > 0);
}

/** Only machines and small words: it goes on with what its neighbour says. */
const isPure = ({ items }: Atom): boolean =>
  items.some(isMachine) &&
  items.every(
    (item) =>
      isMachine(item) ||
      item.type === 'the' ||
      item.type === 'count' ||
      (item.type === 'clue' && ['and', 'all'].includes(item.clue)) ||
      item.type === 'word',
  ) &&
  items.filter(({ type }) => type === 'word').length <= 2;
const isPositive = ({ items }: Atom): boolean => items.some((item) => item.type === 'clue' && item.clue === 'stays');

export interface Negation {
  /** Items that are not there. */
  readonly gone: ReadonlySet<Item>;
  /** Items of which the last number is gone: `EX-1, EX-2 (sold)`. */
  readonly lastGone: ReadonlySet<Item>;
}

/** `uma draga não, só duas pás`: a word behind a machine denies it. */
function markDenied(items: readonly Item[], gone: Set<Item>): void {
  for (const [i, item] of items.entries()) {
    const next = items[i + 1];
    const after = items[i + 2];
    const denies = next?.type === 'clue' && next.clue === 'none';
    if (item.type === 'kind' && denies && (after === undefined || after.type === 'sign')) gone.add(item);
  }
}

export function negationOf(items: readonly Item[]): Negation {
  const gone = new Set<Item>();
  const lastGone = new Set<Item>();
  const atoms = atomsOf(items);
  /** `Gravera Ribera Baja: …` names the site of the text. */
  const isHeading = (item: Item) => {
    const next = items[items.indexOf(item) + 1];
    return item.type === 'place' && item.kind === 'site' && next?.type === 'sign' && next.sign === ':';
  };
  const mark = (atom: Atom | undefined) => {
    for (const item of atom?.items ?? [])
      if (isMachine(item) || item.type === 'count' || (item.type === 'place' && !isHeading(item))) gone.add(item);
  };
  for (const [i, atom] of atoms.entries()) {
    if (!atom.items.some(isNegative)) continue;
    if (atom.items.some((item) => item.type === 'clue' && item.clue === 'theirs')) {
      for (const other of atoms) if (other === atom || !isPositive(other)) mark(other);
      continue;
    }
    const own = atom.items.findIndex(isMachine);
    const clue = atom.items.findIndex(isNegative);
    const last = atom.items.findLastIndex(isMachine);
    // `T01 to T06 except T03, which is sold`: the clue speaks of the number that is left out.
    const beforeClue = atom.items.slice(0, atom.items.findIndex(isNegative)).findLast(isMachine);
    if (beforeClue?.type === 'units' && beforeClue.list.without.length > 0) continue;
    if (
      own < 0 &&
      atom.items.some(({ type }) => type === 'place') &&
      !atom.items.some((item) => item.type === 'clue' && item.clue === 'gone')
    ) {
      mark(atom);
      continue;
    }
    if (own < 0) {
      markOther(atoms, i, mark, lastGone);
      continue;
    }
    mark(atom);
    for (
      let j = i + 1;
      clue < last && j < atoms.length && isPure(atoms[j] ?? atom) && !isPositive(atoms[j] ?? atom);
      j++
    )
      mark(atoms[j]);
    for (let j = i - 1; clue > own && j >= 0 && isPure(atoms[j] ?? atom) && !isPositive(atoms[j] ?? atom); j--)
      mark(atoms[j]);
  }
  markNone(items, gone);
  markDenied(items, gone);
  return { gone, lastGone };
}

/** A negative part without a machine speaks of its neighbour: `PE-4, sold in April`, `HT-07 (scrapped)`. */
function markOther(
  atoms: readonly Atom[],
  i: number,
  mark: (atom: Atom | undefined) => void,
  lastGone: Set<Item>,
): void {
  const atom = atoms[i];
  const before = atoms.slice(0, i).findLast(({ items }) => items.some(isMachine));
  const named = before?.items.findLast(isMachine);
  if (named?.type === 'units' && named.list.without.length > 0) return;
  const isAside = (atom?.depth ?? 0) > (before?.depth ?? 0);
  if (isAside) {
    const units = before?.items.findLast(({ type }) => type === 'units');
    if (units?.type === 'units') {
      if (units.list.without.length === 0) lastGone.add(units);
    } else mark(before);
    return;
  }
  if (before !== undefined) {
    mark(before);
    for (let j = atoms.indexOf(before) - 1; j >= 0 && isPure(atoms[j] ?? before); j--) mark(atoms[j]);
    return;
  }
  // `Demobilised: dozer TE-01 and roller RC-03` speaks of the whole list.
  const from = atoms.findIndex(({ items }, j) => j > i && items.some(isMachine));
  for (let j = from; j >= 0 && j < atoms.length; j++) {
    const after = atoms[j];
    if (after === undefined || isPositive(after) || (j > from && !isPure(after))) break;
    mark(after);
  }
}

const NEAR = 5;

/** `no loader`, `pas de pelle`, `Niveleuse : néant`, `no screen`. */
function markNone(items: readonly Item[], gone: Set<Item>): void {
  for (const [i, item] of items.entries()) {
    if (item.type !== 'clue' || item.clue !== 'none') continue;
    let found = false;
    for (const other of items.slice(i + 1, i + 1 + NEAR)) {
      if (other.type === 'sign') break;
      if (isMachine(other) || other.type === 'place') {
        gone.add(other);
        found = true;
      } else if (found) break;
    }
    const before = items.slice(Math.max(0, i - 2), i);
    if (!found && before.some((one) => one.type === 'sign' && one.sign === ':'))
      for (const other of items.slice(0, i)) if (isMachine(other)) gone.add(other);
  }
}
