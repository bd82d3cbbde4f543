/** Parses numbers that people type. */
import { t } from '#ui/languages/texts.ts';

/** A whole number with a mark between thousands in one language, and a number with three decimals in another. */
const TWO_WAYS = /^[+-]?[1-9]\d{0,2}\.\d{3}$/;

/**
 * Parses a number with a decimal point or comma. Returns null for empty text. If the text is not a number, throws an error that names
 * `what`; also for a text such as "12.345", which is a whole number in one language and has decimals in another.
 */
export function parseNumber(text: string, what: string): number | null {
  const typed = text
    .trim()
    // Pages write a space between thousands, and a person may copy it.
    .replace(/(?<=\d)\s(?=\d{3}(?!\d))/g, '')
    .replace(',', '.');
  if (typed === '') return null;
  if (TWO_WAYS.test(typed))
    throw new Error(
      t('{what} can be read in two ways: {text}. For a whole number write {whole}, for decimals write {text}0.', {
        what,
        text: text.trim(),
        whole: typed.replace('.', ''),
      }),
    );
  const value = Number(typed);
  if (!Number.isFinite(value)) throw new Error(t('{what} is not a number: {text}', { what, text: text.trim() }));
  return value;
}

/** Returns a stored number as the text of a field, in a form that `parseNumber` reads in one way; an empty text for null. */
export function typedNumber(value: number | null): string {
  if (value === null) return '';
  return TWO_WAYS.test(String(value)) ? `${value}0` : String(value);
}

/** Parses a whole number from 0 to `most`. Returns null for empty text; throws an error that names `what` for any other text. */
export function parseInteger(text: string, most: number, what: string): number | null {
  const typed = text.trim();
  if (typed === '') return null;
  if (!/^\d{1,9}$/.test(typed) || Number(typed) > most)
    throw new Error(t('{what} must be a whole number from 0 to {most}.', { what, most }));
  return Number(typed);
}
