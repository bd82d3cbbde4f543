/**
 * Changes descriptions at random, so that the planner reads texts that nobody wrote: words become unknown, paragraphs change their order,
 * sentences about machines that are not there come in, and sentences are put into doubt or taken out. What is then certain must still be
 * there. `npm run planner:mutations -- COUNT SEED` runs many.
 */
import { planSite } from '#domain/planner/plan.ts';
import { randomOf } from '#test/support/random-of.ts';
import { BEGINNINGS, DISTRACTORS, MACHINES, NOISE } from './distractors.ts';
import { type Expected, type Language, Plan } from './format.ts';
import type { Case } from './read-corpus.ts';
import { scorePlan } from './score.ts';

type Random = () => number;
const pick = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;

const SYLLABLES = ['bro', 'vik', 'sna', 'tol', 'mer', 'gus', 'fli', 'dra', 'kon', 'pra', 'zet', 'lum'];
/** A word that no language has. */
const strange = (random: Random): string =>
  `${pick(random, SYLLABLES)}${pick(random, SYLLABLES)}${pick(random, SYLLABLES)}`;

interface Mutated {
  readonly text: string;
  /** Unit numbers that must not be certain. */
  readonly not: readonly string[];
}

const fill = (random: Random, template: string, language: Language): string =>
  template
    .replace('{M}', () => pick(random, MACHINES[language].M))
    .replace('{N}', () => pick(random, MACHINES[language].N))
    .replace('{W}', () => strange(random));
const upper = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Ends of sentences at which a sentence can come in. Tables and lists stay together. */
const placesIn = (text: string): number[] => [
  0,
  ...[...text.matchAll(/(?<=\p{L}{3}[.!])[ \n](?=\p{Lu})|\n\n/gu)].map(({ index }) => index),
  text.length,
];

function insert(random: Random, text: string, sentence: string): string {
  const at = pick(random, placesIn(text));
  const own = text.slice(0, at);
  return `${own}${own === '' ? '' : '\n\n'}${sentence}\n\n${text.slice(at).trimStart()}`;
}

type Mutation = (random: Random, one: Case<Expected>) => Mutated;

const OTHERS = ['ZQ-91', 'ZQ-92', 'ZQ-93', 'ZQ-94', 'ZQ-95'];

const MUTATIONS: readonly Mutation[] = [
  // A sentence about machines that are not there.
  (random, { text, expected: { language } }) => ({
    text: insert(random, text, upper(fill(random, pick(random, DISTRACTORS[language]), language))),
    not: OTHERS,
  }),
  // An unknown word in the place of a word.
  (random, { text }) => {
    const words = [...text.matchAll(/(?<![\p{L}\p{N}-])\p{L}{2,}(?![\p{L}\p{N}-])/gu)];
    const word = pick(random, words);
    if (word === undefined) return { text, not: [] };
    const end = word.index + word[0].length;
    return { text: text.slice(0, word.index) + strange(random) + text.slice(end), not: [] };
  },
  // Paragraphs in another order.
  (random, { text }) => {
    const parts = text.split(/\n\s*\n/);
    for (let i = parts.length - 1; i > 0; i--) {
      const j = Math.floor(random() * (i + 1));
      [parts[i], parts[j]] = [parts[j] as string, parts[i] as string];
    }
    return { text: parts.join('\n\n'), not: [] };
  },
  // A phone number, a price or an address between two sentences.
  (random, { text }) => ({ text: insert(random, text, pick(random, NOISE)), not: [] }),
  // Words around a whole sentence that put its machines into doubt.
  (random, { text, expected }) => doubted(random, text, expected),
  // A text without one of its sentences with machines.
  (random, { text, expected }) => {
    const found = sentenceWithUnits(random, text, expected);
    if (found === null) return { text, not: [] };
    return { text: text.replace(found.sentence, ''), not: found.only };
  },
];

const sentencesIn = (text: string): string[] => text.split(/(?<=[.!?])\s+|\n+/).filter((one) => /\p{L}/u.test(one));

/** A sentence that names machines which no other sentence names. */
function sentenceWithUnits(
  random: Random,
  text: string,
  { equipment }: Expected,
): { readonly sentence: string; readonly only: string[] } | null {
  // A number of a range stands in the text also where it is not written.
  const units = equipment.flatMap(({ units: [only, ...more] = [] }) =>
    only === undefined || more.length > 0 || !/\p{L}/u.test(only) ? [] : [only],
  );
  const times = (unit: string) => text.split(unit).length - 1;
  const found = sentencesIn(text).flatMap((sentence) => {
    const only = units.filter((unit) => times(unit) === 1 && sentence.includes(unit));
    return only.length > 0 && !/[;\t|]|,\S/.test(sentence) ? [{ sentence, only }] : [];
  });
  return found.length === 0 ? null : pick(random, found);
}

function doubted(random: Random, text: string, expected: Expected): Mutated {
  const found = sentenceWithUnits(random, text, expected);
  if (found === null || /^\s*[-*•\d]/.test(found.sentence)) return { text, not: [] };
  const begin = fill(random, pick(random, BEGINNINGS[expected.language]), expected.language);
  const [first = ''] = found.sentence.split(/[,;:.(]/);
  // Only the machines before the first comma stand surely under the beginning.
  return {
    text: text.replace(found.sentence, `${begin} ${found.sentence}`),
    not: found.only.filter((unit) => first.includes(unit)),
  };
}

export interface Fault {
  readonly name: string;
  readonly seed: number;
  readonly faults: readonly string[];
  readonly text: string;
}

/** Changes one description up to three times, and returns what the planner then reads as certain and must not. */
export function tryMutation(cases: readonly Case<Expected>[], seed: number): Fault | null {
  const random = randomOf(seed);
  const one = pick(random, cases);
  let { text } = one;
  const not: string[] = [];
  for (let i = 1 + Math.floor(random() * 3); i > 0; i--) {
    const changed = pick(random, MUTATIONS)(random, { ...one, text });
    text = changed.text;
    not.push(...changed.not);
  }
  const plan = planSite(text);
  const { report } = scorePlan(one.expected, Plan.parse(plan), text);
  const faults = report.filter((line) => line.startsWith('invented: equipment'));
  for (const { unit_number } of plan.equipment) if (not.includes(unit_number)) faults.push(`certain: ${unit_number}`);
  return faults.length === 0 ? null : { name: one.name, seed, faults, text };
}
