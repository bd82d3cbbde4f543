/** What the cells of a row of a table say against its machine: that it is gone, not yet there, hired, or not understood. */
import { nameAt } from '#domain/sentences/names.ts';
import { MONTHS } from '#domain/sentences/noise.ts';
import { placeAt } from '#domain/sentences/places.ts';
import { MEASURE_WORDS } from '#domain/words/aside-headings.ts';
import { doubtWords } from '#domain/words/doubt-words.ts';
import { clueAt, type Language } from '#domain/words/grammar.ts';
import { isHire } from '#domain/words/plain-words.ts';
import { spanOf, type Token, tokenize } from '#domain/words/text.ts';
import type { Doubt } from './fleet-types.ts';
import { doubtInCell } from './parts.ts';
import type { Cell, Column, Row } from './tables.ts';

/** A row whose remark says `sold`, `verschrottet` or `belongs to …` is no machine of the site. */
export function isGone({ remarks }: Pick<Row, 'remarks'>, language: Language): boolean {
  const tokens = tokenize(remarks);
  return tokens.some((_, at) => {
    const clue = clueAt({ tokens, language }, at, tokens.length)?.value;
    return clue === 'gone' || clue === 'theirs';
  });
}

/** Doubt words that say that a machine is not there, also in a column of serial numbers or years: `on order`, `sold`. */
const ABSENT = new Set<string>(['past', 'future', 'others']);

/** A word of the cell that says that the machine is gone, not yet there or not of the site. */
function absenceIn(tokens: readonly Token[], language: Language): Doubt | null {
  for (const [at, { key }] of tokens.entries()) {
    const clue = clueAt({ tokens, language }, at, tokens.length);
    if (clue?.value === 'gone' || clue?.value === 'theirs')
      return { reason: clue.value === 'gone' ? 'gone' : 'others', span: spanOf(tokens, at, clue.to) };
    if (isHire(key)) return { reason: 'others', span: spanOf(tokens, at, at + 1) };
    const doubt = doubtWords(language).at(tokens, at, tokens.length);
    if (doubt !== null && ABSENT.has(doubt.value)) return { reason: doubt.value, span: spanOf(tokens, at, doubt.to) };
  }
  return null;
}

/** Columns that describe a machine. Only a word that says that it is not there raises a doubt. */
const DESCRIBES = ['make', 'model', 'makemodel', 'year', 'serial', 'crew', 'badge', 'number', 'role'] as const;
/** Columns of names: a name may be any word. Without a name they are read like the others. */
const NAMES = ['place', 'driver'] as const;

function hasName(column: (typeof NAMES)[number], tokens: readonly Token[], raw: string, language: Language): boolean {
  if (column === 'place') return placeAt(tokens, 0, tokens.length, language) !== null;
  const text = { raw, tokens, language };
  return tokens.some((_, at) => nameAt(text, at, tokens.length) !== null);
}

/** `wl 1`: letters and a number, also in small letters, are the number of the machine. */
const WHOLE_NUMBER = /^\p{L}{1,3} \d{1,4}$/u;

/** What the words of a row leave open: a remark that the planner does not understand, a number that is a sentence, or `on order` anywhere. */
export function doubtOfRow({ cells, others, asides, section }: Row, language: Language): Doubt | null {
  const inText = (cell: Cell, { reason, span }: Doubt): Doubt => ({
    reason,
    span: { start: cell.start + span.start, end: cell.start + span.end },
  });
  const cellsOf = (columns: readonly Column[]) => columns.flatMap((column) => cells.get(column) ?? []);
  const units = cellsOf(['unit']).filter(({ text }) => !WHOLE_NUMBER.test(text.trim()));
  for (const cell of [...others, ...units, ...cellsOf(['kind', 'count'])]) {
    // A remark `hired` is no doubt: a hired machine is on the site.
    const doubt = doubtInCell({ raw: cell.text, tokens: tokenize(cell.text), language });
    if (doubt !== null) return inText(cell, doubt);
  }
  const named = NAMES.flatMap((column) => {
    const cell = cells.get(column);
    return cell === undefined || hasName(column, tokenize(cell.text), cell.text, language) ? [] : cell;
  });
  for (const cell of [...cellsOf(DESCRIBES), ...named]) {
    const doubt = absenceIn(tokenize(cell.text), language);
    if (doubt !== null) return inText(cell, doubt);
  }
  const above = section === null ? null : doubtOfSection(section, language);
  if (section !== null && above !== null) return inText(section, above);
  for (const one of asides) {
    const doubt = doubtOfAside(one, language);
    if (doubt !== null) return inText(one.cell, doubt);
  }
  return null;
}

/** `Sold`: the doubt about the rows below it. Words that nobody knows are names of the section. */
export function doubtOfSection({ text }: Cell, language: Language): Doubt | null {
  const doubt = doubtInCell({ raw: text, tokens: tokenize(text), language });
  return doubt?.reason === 'unknown_words' ? null : doubt;
}

/** Here no word of hire belongs. The row may be about another machine, or the column about something else. */
function hireIn(tokens: readonly Token[]): Doubt | null {
  const at = tokens.findIndex(({ key }) => isHire(key));
  return at < 0 ? null : { reason: 'others', span: spanOf(tokens, at, at + 1) };
}

/** A word of a measure with fewer letters is taken for a unit: `h`, `kg`, `EUR`. */
const SHORTEST_WORD = 4;

/**
 * The doubt that a cell beside the machine raises. Words that say that a machine is gone, not yet there or hired always count. Other words
 * count in a column of measures, because no word belongs there.
 */
function doubtOfAside({ cell, aside }: Row['asides'][number], language: Language): Doubt | null {
  // Numbers, dates and units.
  if (!/\p{L}{3}/u.test(cell.text)) return null;
  const tokens = tokenize(cell.text);
  const hard = doubtInCell({ raw: cell.text, tokens, language });
  if (hard !== null && hard.reason !== 'unknown_words') return hard;
  const hired = hireIn(tokens);
  if (hired !== null || aside === 'paper') return hired;
  const isMeasure = (at: number) =>
    MEASURE_WORDS.at(tokens, at, tokens.length) !== null || MONTHS.at(tokens, at, tokens.length) !== null;
  const strange = tokens.findIndex(
    ({ text, isSign }, at) => !isSign && text.length >= SHORTEST_WORD && !/\d/.test(text) && !isMeasure(at),
  );
  return strange < 0 ? null : { reason: 'unknown_words', span: spanOf(tokens, strange, strange + 1) };
}
