/** What a person must correct before the plan can be sent, field by field. The gateway would refuse these values, or leave the objects out. */
import { areApart } from '#contract/base/local-time.ts';
import { foldText, PLAN_LIMITS, SHIFT_LIMITS } from '#contract/base/names.ts';
import { t } from '#ui/languages/texts.ts';
import { type DraftPlan, LISTS, type ListName, madeOf, type Row } from './plan-draft.ts';

export interface PlanProblem {
  readonly list: ListName;
  readonly key: string;
  readonly field: string;
  readonly text: string;
}

type Found = Omit<PlanProblem, 'list'>;

const folded = new WeakMap<object, string>();

/** Returns the folded name of an object. It is kept for each object, because a plan has up to 10,000 machines and is checked at each key press. */
function foldedName(row: Row<'equipment'> | Row<'locations'>): string {
  const there = folded.get(row);
  if (there !== undefined) return there;
  const name = foldText('unit_number' in row ? row.unit_number : row.name);
  folded.set(row, name);
  return name;
}

/** Finds names that are empty or that two objects have. */
function namesProblems(
  rows: readonly (Row<'equipment'> | Row<'locations'>)[],
  field: string,
  texts: { readonly empty: () => string; readonly twice: () => string },
): Found[] {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(foldedName(row), (counts.get(foldedName(row)) ?? 0) + 1);
  return rows.flatMap((row): Found[] => {
    const name = foldedName(row);
    if (name === '') return [{ key: row.key, field, text: texts.empty() }];
    return (counts.get(name) ?? 0) > 1 ? [{ key: row.key, field, text: texts.twice() }] : [];
  });
}

const peopleProblems = (rows: readonly (Row<'operators'> | Row<'mechanics'>)[]): Found[] =>
  rows.flatMap(({ key, name }) => (name.trim() === '' ? [{ key, field: 'name', text: t('Enter a name.') }] : []));

const nameOfShift = ({ name }: Row<'shifts'>): string => name.trim().slice(0, SHIFT_LIMITS.name);
const hasTimes = ({ starts, ends }: Row<'shifts'>) => starts !== '' && ends !== '';

/** The gateway takes shifts only if their names differ and their times do not overlap. */
function shiftProblems(rows: readonly Row<'shifts'>[]): Found[] {
  return rows.flatMap((row, i): Found[] => {
    const { key, starts, ends, days } = row;
    const others = rows.filter((_, j) => j !== i);
    const found: Found[] = [];
    const add = (field: string, text: string) => found.push({ key, field, text });
    if (nameOfShift(row) === '') add('name', t('Enter a name.'));
    else if (others.some((one) => nameOfShift(one) === nameOfShift(row)))
      add('name', t('Another shift has this name.'));
    if (starts === '') add('starts', t('Enter a time.'));
    if (ends === '') add('ends', t('Enter a time.'));
    if (hasTimes(row) && starts === ends)
      add('ends', t('The shift begins and ends at the same time. Enter a shift of 24 hours as two shifts.'));
    else if (hasTimes(row)) {
      const other = others.find((one) => hasTimes(one) && one.starts !== one.ends && !areApart([row, one]));
      if (other !== undefined)
        add('starts', t('It overlaps with {name}. Correct the times, or leave one of them out.', { name: other.name }));
    }
    if (days?.length === 0) add('days', t('Choose at least one day.'));
    return found;
  });
}

/** The objects that a list may have, by what the gateway takes. */
const LIMITS: Readonly<Record<ListName, number>> = { ...PLAN_LIMITS, shifts: SHIFT_LIMITS.shifts };

/** True if the list has as many objects as the gateway takes. */
export const isFull = (draft: DraftPlan, list: ListName): boolean => madeOf(draft, list).length >= LIMITS[list];

function problemsIn(draft: DraftPlan, list: ListName): Found[] {
  switch (list) {
    case 'equipment':
      return namesProblems(madeOf(draft, list), 'unit_number', {
        empty: () => t('Enter a unit number.'),
        twice: () => t('Another machine has this number.'),
      });
    case 'locations':
      return namesProblems(madeOf(draft, list), 'name', {
        empty: () => t('Enter a name.'),
        twice: () => t('Another place has this name.'),
      });
    case 'operators':
    case 'mechanics':
      return peopleProblems(madeOf(draft, list));
    case 'shifts':
      return shiftProblems(madeOf(draft, list));
    case 'boards':
      return madeOf(draft, list).flatMap(({ key, shows }) =>
        shows.length === 0 ? [{ key, field: 'shows', text: t('Choose what the screen shows.') }] : [],
      );
    case 'facts':
      return madeOf(draft, list).flatMap(({ key, fact }) =>
        fact.trim() === '' ? [{ key, field: 'fact', text: t('Enter a text.') }] : [],
      );
  }
}

/** Returns what a person must correct, in the order of the page. */
export function problemsOf(draft: DraftPlan): readonly PlanProblem[] {
  return LISTS.flatMap(([list]): PlanProblem[] => {
    const over = madeOf(draft, list).slice(LIMITS[list]);
    const tooMany = over.map(({ key }) => ({
      key,
      field: 'made',
      text: t('The gateway takes at most {n} of them. Leave this one out.', { n: LIMITS[list] }),
    }));
    return [...problemsIn(draft, list), ...tooMany].map((one) => ({ ...one, list }));
  });
}
