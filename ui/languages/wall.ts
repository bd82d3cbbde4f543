/** Loads the language of a TV. Each language is a file of its own; English with metric units needs none. */
import type { BoardView } from '#contract/site/live.ts';
import { ENGLISH, type Language, setLanguage } from './texts.ts';

const TEXTS: Readonly<Record<string, () => Promise<Language['texts']>>> = {
  de: () => import('./wall-de.ts').then((one) => one.WALL_DE),
  es: () => import('./wall-es.ts').then((one) => one.WALL_ES),
  fr: () => import('./wall-fr.ts').then((one) => one.WALL_FR),
  pt: () => import('./wall-pt.ts').then((one) => one.WALL_PT),
};

/** What puts the boards that the gateway sends into a language. */
export type Shown = (boards: readonly BoardView[]) => readonly BoardView[];

/**
 * Sets the language and the units of the page, for example `de metric`, and returns what puts boards into them. Rejects if a file cannot be
 * loaded.
 */
export async function speakWall(wanted: string): Promise<Shown> {
  const [tag = '', units] = wanted.split(' ');
  const us = units === 'us';
  const [base = ''] = tag.split('-');
  const load = Object.hasOwn(TEXTS, base) ? TEXTS[base] : undefined;
  const isPseudo = /^en-X[AB]$/.test(tag);
  if (load === undefined && !us && !isPseudo) {
    speak(ENGLISH);
    return (boards) => boards;
  }
  const [{ languageOf }, { shownBoards }, texts] = await Promise.all([
    import('./made.ts'),
    import('./shown.ts'),
    isPseudo ? pseudo(tag) : (load?.() ?? {}),
  ]);
  speak(languageOf(load === undefined && !isPseudo ? 'en' : tag, texts, us));
  return shownBoards;
}

function speak(next: Language): void {
  setLanguage(next);
  document.documentElement.lang = next.tag;
  document.documentElement.dir = next.dir;
}

async function pseudo(tag: string): Promise<Language['texts']> {
  const [{ pseudoTexts }, { WALL_DE }] = await Promise.all([import('./pseudo.ts'), import('./wall-de.ts')]);
  return pseudoTexts(tag, WALL_DE);
}
