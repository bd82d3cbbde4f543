/**
 * Numbers that a list leaves out, and words that say why: `T1, T2 and T4, T3 is sold`, `301 to 309 (there is no 305)`. They speak of the missing
 * number only, and not of the others.
 */
import type { Item, Text, Unit } from './items.ts';
import { keyOfUnit } from './units.ts';

interface Numbered {
  readonly front: string;
  readonly number: number;
}

const numberOf = (key: string): Numbered | null => {
  const parts = /^(.*?)(\d{1,5})$/u.exec(key);
  return parts === null ? null : { front: parts[1] ?? '', number: Number(parts[2]) };
};
const numbersOf = (units: readonly Unit[]): Numbered[] => units.flatMap(({ text }) => numberOf(keyOfUnit(text)) ?? []);

const NEGATIVE = new Set(['gone', 'none', 'not', 'theirs', 'except']);
const isNegative = (item: Item): boolean => item.type === 'clue' && NEGATIVE.has(item.clue);
const LEAST = 3;

/** True if the number lies between the numbers of a list that does not have it. */
function isBetween(one: Numbered, list: readonly Numbered[]): boolean {
  const same = list.filter(({ front }) => front === one.front).map(({ number }) => number);
  return (
    same.length > 1 && one.number > Math.min(...same) && one.number < Math.max(...same) && !same.includes(one.number)
  );
}

/** True for a list that a range may have made: at least three numbers, one after the other. */
function isRun(list: readonly Numbered[]): boolean {
  return list.length >= LEAST && list.every(({ number }, i) => i === 0 || number === (list[i - 1]?.number ?? 0) + 1);
}

/** True if the last number of a list lies between the others: a clause about it follows. */
export function endsInHole(units: readonly Unit[]): boolean {
  const numbers = numbersOf(units);
  const last = numbers.at(-1);
  return last !== undefined && isBetween(last, numbers.slice(0, -1));
}

const isEnd = (item: Item): boolean => item.type === 'sign' && [',', ';', '.', ')', ':'].includes(item.sign);
const isMachine = ({ type }: Item): boolean => type === 'kind' || type === 'make' || type === 'model';

/** The only number in some items, as a key with the letters of the list; null if there is none or more than one. */
function onlyNumber({ tokens }: Text, items: readonly Item[], front: string): Numbered | null {
  const found = items.flatMap((item): Numbered[] => {
    if (item.type === 'units') return numbersOf(item.list.units);
    const key = tokens[item.from]?.key ?? '';
    const digits = /^(\d{1,5})(er)?$/.exec(key)?.[1];
    return digits === undefined ? [] : [{ front, number: Number(digits) }];
  });
  const [only] = found;
  return found.length === 1 && only !== undefined ? only : null;
}

/** The items of a clause behind a list: in brackets, or up to the next comma. */
function clauseFrom(items: readonly Item[], at: number): { from: number; to: number } | null {
  for (let i = at; i < Math.min(items.length, at + 6); i++) {
    const item = items[i] as Item;
    if (item.type === 'units') return null;
    if (item.type !== 'sign' || !['(', ',', ';', '-'].includes(item.sign)) continue;
    let to = i + 1;
    while (to < items.length && !isEnd(items[to] as Item)) to++;
    return { from: i + 1, to };
  }
  return null;
}

const silent = ({ from, to }: Item): Item => ({ type: 'noise', from, to });

/** Takes the missing numbers out of the lists, and makes the words about them silent. */
export function withoutHoles(text: Text, items: readonly Item[]): Item[] {
  const found = [...items];
  for (let i = 0; i < found.length; i++) {
    const item = found[i] as Item;
    if (item.type !== 'units' || item.list.units.length < 2 || item.list.tooMany) continue;
    const { list } = item;
    const numbers = numbersOf(list.units);
    if (numbers.length !== list.units.length) continue;
    const last = numbers.at(-1) as Numbered;
    let end = i + 1;
    while (end < found.length && !isEnd(found[end] as Item)) end++;
    // `T1, T2, T4, le T3 est parti`: the list itself has the missing number as its last one.
    if (
      isBetween(last, numbers.slice(0, -1)) &&
      found
        .slice(i + 1, end)
        .slice(0, 4)
        .some(isNegative)
    ) {
      found[i] = { ...item, list: leaveOut(item, last) };
      for (let j = i + 1; j < end; j++) found[j] = silent(found[j] as Item);
      continue;
    }
    const clause = clauseFrom(found, i + 1);
    if (clause === null) continue;
    const inside = found.slice(clause.from, clause.to);
    const one = onlyNumber(text, inside, last.front);
    if (one === null || inside.some((part) => isMachine(part) && /\p{L}/u.test(text.tokens[part.from]?.key ?? '')))
      continue;
    const isHole = isBetween(one, numbers) && inside.length > 1;
    const isMember =
      isRun(numbers) && numbers.some(({ number, front }) => number === one.number && front === one.front);
    if (
      !(isHole && inside.some((part) => isNegative(part) || part.type === 'word')) &&
      !(isMember && inside.some(isNegative))
    )
      continue;
    if (isMember && inside.some((part) => part.type === 'units') && !inside.some(isAbsent)) continue;
    found[i] = { ...item, list: leaveOut(item, one) };
    for (let j = clause.from; j < clause.to; j++) found[j] = silent(found[j] as Item);
  }
  return found;
}

/** `there is no HT-05`, `HT-05 is sold`: not `HT-05 does not run`. */
const isAbsent = (item: Item): boolean => item.type === 'clue' && item.clue !== 'theirs' && isNegative(item);

function leaveOut({ list }: Item & { type: 'units' }, { front, number }: Numbered): (Item & { type: 'units' })['list'] {
  const key = `${front}${number}`;
  const isOther = ({ text }: Unit) => {
    const own = numberOf(keyOfUnit(text));
    return own === null || own.number !== number || own.front !== front;
  };
  return { ...list, units: list.units.filter(isOther), without: [...list.without, key] };
}
