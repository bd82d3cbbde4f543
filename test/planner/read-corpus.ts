/** Reads the texts of the corpus and what is expected of them, and checks one against the other. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { all, citable, placesOf, unitKey } from './compare.ts';
import { Expected, Hostile } from './format.ts';

export const CORPUS = join(import.meta.dirname, 'corpus');

export interface Case<T> {
  readonly name: string;
  readonly text: string;
  readonly expected: T;
}

const read = (path: string) => readFileSync(path, 'utf8');
const namesIn = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length))
    .toSorted();

/** The descriptions of a folder: `build` here, or a folder with the opened seal. */
export function readCases(folder: string): Case<Expected>[] {
  return namesIn(folder).map((name) => ({
    name,
    text: read(join(folder, `${name}.txt`)),
    expected: Expected.parse(JSON.parse(read(join(folder, `${name}.json`)))),
  }));
}

/** The hostile texts; some are made by a rule. */
export function readHostile(folder = join(CORPUS, 'hostile')): Case<Hostile>[] {
  return namesIn(folder).map((name) => {
    const expected = Hostile.parse(JSON.parse(read(join(folder, `${name}.json`))));
    const { make } = expected;
    const text =
      make === undefined
        ? read(join(folder, `${name}.txt`))
        : make.repeat.repeat(Math.ceil(make.bytes / Buffer.byteLength(make.repeat))).slice(0, make.bytes);
    return { name, text, expected };
  });
}

/** What is wrong with a case itself: words that do not stand in the text, names that nothing has, numbers twice. */
export function caseFaults({ text, expected }: Case<Expected>): string[] {
  const faults: string[] = [];
  const looked = citable(text);
  const entries = [
    ...expected.equipment,
    ...expected.locations,
    ...expected.shifts,
    ...expected.crews,
    ...expected.operators,
    ...expected.mechanics,
    ...expected.boards,
    ...expected.gaps,
    ...expected.forbidden,
  ];
  for (const { from } of entries)
    for (const words of from)
      if (placesOf(looked, words).length === 0) faults.push(`these words are not in the text: ${words}`);

  const places = new Set(expected.locations.flatMap(({ name }) => all(name)));
  const named = (what: string, names: readonly string[], known: ReadonlySet<string>) => {
    if (names.length > 0 && !names.some((name) => known.has(name)))
      faults.push(`${what} ${names.join(' or ')} is not expected anywhere`);
  };
  for (const { location } of expected.equipment) named('location', all(location), places);
  for (const { parent } of expected.locations) named('parent', all(parent), places);
  const units = expected.equipment.flatMap((entry) => (entry.units ?? []).map((unit) => ({ unit, entry })));
  for (const { machine } of expected.operators) {
    if (machine === undefined) continue;
    const found = units.filter(({ unit }) => unit === machine).length;
    if (found !== 1) faults.push(`machine ${machine} of an operator is expected ${found} times`);
  }
  const seen = new Set<string>();
  for (const { unit, entry } of units) {
    const key = `${entry.bare === true ? all(entry.kind).join() : ''} ${unitKey(unit)}`;
    if (seen.has(key)) faults.push(`unit ${unit} is expected twice`);
    seen.add(key);
  }
  for (const entry of entries) {
    const attributes = Object.keys(entry);
    for (const name of 'implied' in entry ? (entry.implied ?? []) : [])
      if (!attributes.includes(name)) faults.push(`${name} is implied and has no value`);
  }
  return faults;
}
