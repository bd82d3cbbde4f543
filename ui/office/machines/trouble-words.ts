/** The words of the office page for the points of a score. */
import type { Attention, AttentionParts } from '#contract/work/attention.ts';
import { BANDS } from '#contract/work/attention.ts';
import { type Text, t, type Word } from '#ui/languages/texts.ts';

export const GRADE_WORDS = { act: 'Act now', look: 'Look soon', note: 'Good to know' } as const satisfies Record<
  string,
  Word
>;

const CAUSE_WORDS: Readonly<Record<Attention['reasons'][number]['cause'], Word>> = {
  safety: 'safety repair',
  alert: 'alert',
  stop_lamp: 'stop lamp',
  down: 'reported down',
  conflict: 'people and machine disagree',
  repair: 'urgent repair',
  level: 'low tank',
  silent: 'no data',
};

const PART_WORDS: Readonly<Record<Exclude<keyof AttentionParts, 'base' | 'owner'>, Word>> = {
  worse: 'getting worse',
  danger: 'still running',
  age: 'open for a while',
  extra: 'further reasons',
};

const points = (n: number) => (n < 0 ? `−${-n}` : `+${n}`);

/** Returns the points of a score, one text for each part that is not zero, and how the sum became the score. */
export function scoreWords({ grade, score, parts, reasons }: Attention): string[] {
  const [worst] = reasons;
  if (grade === null || worst === undefined) return [t('It needs nobody.')];
  const { base, owner } = parts;
  const texts = [`${t(CAUSE_WORDS[worst.cause])} ${base}`];
  for (const name of ['worse', 'danger'] as const)
    if (parts[name] !== 0) texts.push(`${t(PART_WORDS[name])} ${points(parts[name])}`);
  if (owner !== 0) texts.push(`${owner > 0 ? t('nobody on it') : t('somebody on it')} ${points(owner)}`);
  for (const name of ['age', 'extra'] as const)
    if (parts[name] !== 0) texts.push(`${t(PART_WORDS[name])} ${points(parts[name])}`);
  const sum = Object.values(parts).reduce((all, part) => all + part, 0);
  const [least, most] = BANDS[grade];
  if (sum !== score)
    texts.push(
      t('kept between {least} and {most}, because it is "{grade}"', {
        least,
        most,
        grade: t(GRADE_WORDS[grade]),
      }),
    );
  return texts;
}

const PLACES = [
  'First of {count} in trouble',
  'Second of {count} in trouble',
  'Third of {count} in trouble',
] as const satisfies readonly Text[];

/** Returns the place of a machine among the machines in trouble: "First of 7 in trouble". */
export function placeWords(place: number, count: number): string {
  const text = PLACES[place - 1];
  return text === undefined ? t('Number {place} of {count} in trouble', { place, count }) : t(text, { count });
}
