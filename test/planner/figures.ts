/** The figures of a planner over many texts, and the limits that it must reach. corpus/SPEC.md has the rules. */
import { type Language, OBJECT_KINDS, type ObjectKind } from './format.ts';
import { type Count, noTally, type Score, type Tally } from './score.ts';

/** A share; 1 if there is nothing to count. */
const share = (part: number, whole: number): number => (whole === 0 ? 1 : part / whole);
const precision = ({ right, wrong }: Count): number => share(right, right + wrong);
const recall = ({ right, missed }: Count): number => share(right, right + missed);

export interface Figures {
  readonly objects: { readonly precision: number; readonly recall: number };
  readonly facts: { readonly precision: number; readonly recall: number };
}

/** Sums of the counts, for some languages and kinds. */
export function figuresOf(
  scores: readonly Score[],
  languages?: readonly Language[],
  kinds: readonly ObjectKind[] = OBJECT_KINDS,
): Figures & { readonly counts: Tally } {
  const counts = noTally();
  for (const score of scores)
    if (languages === undefined || languages.includes(score.language))
      for (const kind of kinds)
        for (const level of ['objects', 'facts'] as const)
          for (const what of ['right', 'wrong', 'missed'] as const)
            counts[level][what] += score.kinds[kind][level][what];
  return {
    objects: { precision: precision(counts.objects), recall: recall(counts.objects) },
    facts: { precision: precision(counts.facts), recall: recall(counts.facts) },
    counts,
  };
}

/** What a planner must reach. */
export const LIMITS = { precision: 0.98, recall: 0.9, language: 0.8, gaps: 0.8 } as const;

/** The limits that a planner does not reach; empty if it passes. */
export function unmet(scores: readonly Score[]): string[] {
  const found: string[] = [];
  const check = (what: string, value: number, least: number) => {
    if (value < least) found.push(`${what} is ${value.toFixed(3)}, must be at least ${least}`);
  };
  const whole = figuresOf(scores);
  for (const level of ['objects', 'facts'] as const) {
    check(`precision of ${level}`, whole[level].precision, LIMITS.precision);
    check(`recall of ${level}`, whole[level].recall, LIMITS.recall);
  }
  for (const language of new Set(scores.map((score) => score.language))) {
    const figures = figuresOf(scores, [language]);
    for (const level of ['objects', 'facts'] as const)
      for (const what of ['precision', 'recall'] as const)
        check(`${what} of ${level} in ${language}`, figures[level][what], LIMITS.language);
  }
  const sum = (of: (score: Score) => number) => scores.reduce((total, score) => total + of(score), 0);
  const machines = sum((score) => score.invented_machines);
  if (machines > 0) found.push(`${machines} machines are invented, must be 0`);
  const uncited = sum((score) => score.uncited);
  if (uncited > 0) found.push(`${uncited} objects are uncited, must be 0`);
  check(
    'share of the gaps found',
    share(
      sum(({ gaps }) => gaps.found),
      sum(({ gaps }) => gaps.expected),
    ),
    LIMITS.gaps,
  );
  return found;
}

/** The figures as a table of text: all, each language, each kind of object. */
export function table(scores: readonly Score[]): string {
  const row = (name: string, { objects, facts, counts }: ReturnType<typeof figuresOf>) =>
    [
      name.padEnd(10),
      ...[objects.precision, objects.recall, facts.precision, facts.recall].map((value) =>
        value.toFixed(3).padStart(9),
      ),
      `${counts.objects.right}+${counts.objects.wrong}-${counts.objects.missed}`.padStart(14),
    ].join(' ');
  const languages = [...new Set(scores.map((score) => score.language))];
  return [
    `${''.padEnd(10)} ${['objects P', 'objects R', 'facts P', 'facts R'].map((name) => name.padStart(9)).join(' ')} ${'right+wrong-missed'.padStart(14)}`,
    row('all', figuresOf(scores)),
    ...languages.map((language) => row(language, figuresOf(scores, [language]))),
    ...OBJECT_KINDS.map((kind) => row(kind, figuresOf(scores, undefined, [kind]))),
  ].join('\n');
}
