/**
 * Pseudo languages for tests. Every text that a page translates is marked, so a test finds each text that it does not. The texts are made
 * from the keys of a language, so they have no text that the languages lack.
 */
import { MIRRORED } from './made.ts';

const ACCENTS: Readonly<Record<string, string>> = {
  a: 'á',
  c: 'ç',
  e: 'é',
  i: 'í',
  n: 'ñ',
  o: 'ö',
  u: 'ü',
  y: 'ý',
  A: 'Á',
  C: 'Ç',
  E: 'É',
  I: 'Í',
  N: 'Ñ',
  O: 'Ö',
  U: 'Ü',
  Y: 'Ý',
};

/** Returns a text with accents, in brackets, and at least 35 % longer. Parameters stay as they are. */
function long(text: string): string {
  const accented = text.replace(/\{\w+\}|./g, (part) => ACCENTS[part] ?? part);
  const letters = text.replace(/\{\w+\}/g, '').length;
  const more = Math.max(0, Math.ceil(letters * 0.35) - 2);
  return `[${accented}${'~'.repeat(more).replace(/~{6}(?=~)/g, '~~~~~ ')}]`;
}

/** Returns a text from right to left. `translated` isolates its parameters. */
const mirrored = (text: string) => `\u202e${text}\u202c`;

/** Returns the texts of a pseudo language for the keys of a language. */
export function pseudoTexts(tag: string, keys: Readonly<Record<string, string>>): Record<string, string> {
  const make = tag === MIRRORED ? mirrored : long;
  return Object.fromEntries(Object.keys(keys).map((key) => [key, key.split('|').map(make).join('|')]));
}
