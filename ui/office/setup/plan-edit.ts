/** What the rows of a plan need to change it. */
import { t } from '#ui/languages/texts.ts';
import { toldOrEnglish } from '#ui/languages/told.ts';
import type { Cited, DraftPlan, ListName, Row } from './plan-draft.ts';
import { shownName } from './plan-refs.ts';

export interface Edit {
  /** Returns the draft as it is now. */
  draft(): DraftPlan;
  onChange(change: (draft: DraftPlan) => DraftPlan): void;
  /** Called with the words from which the row was read, when a person points at it or moves the focus into it. */
  onShow(cited: Cited): void;
  /** Moves the focus to a field of an object, on whichever page of its list it is. */
  onGo(list: ListName, key: string, field: string): void;
}

/** The field of each list that names the object. */
export const NAME_FIELDS: Readonly<Record<ListName, string>> = {
  equipment: 'unit_number',
  locations: 'name',
  operators: 'name',
  mechanics: 'name',
  shifts: 'name',
  boards: 'place',
  facts: 'fact',
};

/** The words by which a person knows a row. */
export function wordsOfRow(draft: DraftPlan, row: Row): string {
  const words =
    'unit_number' in row && typeof row.unit_number === 'string'
      ? row.unit_number
      : 'fact' in row
        ? toldOrEnglish(row.fact)
        : 'shows' in row
          ? shownName(draft, row.place)
          : 'name' in row
            ? row.name
            : '';
  return words.trim() === '' ? t('row without a name') : words;
}
