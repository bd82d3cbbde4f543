/** Loads the language of a TV. Each language is a file of its own; English with metric units needs none. */
import type { BoardView } from '#contract/site/live.ts';
import { ENGLISH, type Language, setLanguage } from './texts.ts';

type Load = () => Promise<Language['texts']>;

const TEXTS: Readonly<Record<string, Load>> = {
  de: () => import('./wall-de.ts').then((one) => one.WALL_DE),
  es: () => import('./wall-es.ts').then((one) => one.WALL_ES),
  fr: () => import('./wall-fr.ts').then((one) => one.WALL_FR),
  pt: () => import('./wall-pt.ts').then((one) => one.WALL_PT),
};

/** The texts of the summary of a day, which a wall needs only if one of its boards has such a tile. */
const DAYS: Readonly<Record<string, Load>> = {
  de: () => import('./day-de.ts').then((one) => one.DAY_DE),
  es: () => import('./day-es.ts').then((one) => one.DAY_ES),
  fr: () => import('./day-fr.ts').then((one) => one.DAY_FR),
  pt: () => import('./day-pt.ts').then((one) => one.DAY_PT),
};

/** What puts the boards that the gateway sends into a language. */
export type Shown = (boards: readonly BoardView[]) => readonly BoardView[];

/**
 * Sets the language and the units of the page, for example `de metric`, and returns what puts boards into them. `de metric day` also loads the
 * texts of the summary of a day. Rejects if a file cannot be loaded.
 */
export async function speakWall(wanted: string): Promise<Shown> {
  const [tag = '', units, day] = wanted.split(' ');
  const us = units === 'us';
  const isPseudo = /^en-X[AB]$/.test(tag);
  const base = isPseudo ? 'de' : (tag.split('-')[0] ?? '');
  const isKnown = Object.hasOwn(TEXTS, base);
  if (!isKnown && !us) {
    speak(ENGLISH);
    return (boards) => boards;
  }
  const [{ languageOf }, { shownBoards }, ...parts] = await Promise.all([
    import('./made.ts'),
    import('./shown.ts'),
    isKnown ? TEXTS[base]?.() : {},
    isKnown && day !== undefined ? DAYS[base]?.() : {},
  ]);
  const texts = Object.assign({}, ...parts);
  speak(languageOf(isKnown ? tag : 'en', isPseudo ? (await import('./pseudo.ts')).pseudoTexts(tag, texts) : texts, us));
  return shownBoards;
}

function speak(next: Language): void {
  setLanguage(next);
  document.documentElement.lang = next.tag;
  document.documentElement.dir = next.dir;
}
