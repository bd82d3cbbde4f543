/** All languages of the wall at once, for pages that the gateway builds itself. */
import { DAY_DE } from './day-de.ts';
import { DAY_ES } from './day-es.ts';
import { DAY_FR } from './day-fr.ts';
import { DAY_PT } from './day-pt.ts';
import { LONG, languageOf, MIRRORED } from './made.ts';
import { pseudoTexts } from './pseudo.ts';
import { ENGLISH, type Language, setLanguage } from './texts.ts';
import { WALL_DE } from './wall-de.ts';
import { WALL_ES } from './wall-es.ts';
import { WALL_FR } from './wall-fr.ts';
import { WALL_PT } from './wall-pt.ts';

const GERMAN = { ...WALL_DE, ...DAY_DE };
const TEXTS: Readonly<Record<string, Language['texts']>> = {
  de: GERMAN,
  es: { ...WALL_ES, ...DAY_ES },
  fr: { ...WALL_FR, ...DAY_FR },
  pt: { ...WALL_PT, ...DAY_PT },
  [LONG]: pseudoTexts(LONG, GERMAN),
  [MIRRORED]: pseudoTexts(MIRRORED, GERMAN),
};
/** One object for each language, because screens keep what they have put into words for each of these objects. */
const made = new Map<string, Language>();

function find(tag: string, us: boolean): Language {
  const name = [tag, tag.split('-')[0] ?? ''].find((one) => Object.hasOwn(TEXTS, one));
  const key = `${name === undefined ? 'en' : tag} ${us}`;
  const known = made.get(key) ?? languageOf(name === undefined ? 'en' : tag, TEXTS[name ?? ''] ?? {}, us);
  // A language tag is a text of a client, so do not keep a language for every one.
  if (made.size < 64) made.set(key, known);
  return known;
}

/** Draws a page in a language. `draw` must not wait for anything, because other pages are drawn in other languages. */
export function inLanguage<T>(tag: string | undefined, us: boolean, draw: () => T): T {
  setLanguage(find(tag ?? 'en', us));
  try {
    return draw();
  } finally {
    setLanguage(ENGLISH);
  }
}
