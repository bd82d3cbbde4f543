/** What the office needs for a language other than English with metric units. */
import { detailText, shownBoards, shownDay, shownReason } from './shown.ts';
import type { Language, ToldTable } from './texts.ts';
import { toldTable } from './told-stored.ts';

export { languageOf } from './made.ts';

/** What puts sentences of the gateway into the language. */
export const WORDS = { detailText, shownBoards, shownDay, shownReason };

type Texts = Language['texts'];

/** The texts of the wall, of the summary of a day and of the office together. */
const joined = async (...parts: readonly Promise<Texts>[]): Promise<Texts> =>
  Object.assign({}, ...(await Promise.all(parts)));

const TEXTS: Readonly<Record<string, () => Promise<Texts>>> = {
  de: () =>
    joined(
      import('./wall-de.ts').then((one) => one.WALL_DE),
      import('./day-de.ts').then((one) => one.DAY_DE),
      import('#ui/languages/de/office.ts').then((one) => one.OFFICE_DE),
    ),
  es: () =>
    joined(
      import('./wall-es.ts').then((one) => one.WALL_ES),
      import('./day-es.ts').then((one) => one.DAY_ES),
      import('#ui/languages/es/office.ts').then((one) => one.OFFICE_ES),
    ),
  fr: () =>
    joined(
      import('./wall-fr.ts').then((one) => one.WALL_FR),
      import('./day-fr.ts').then((one) => one.DAY_FR),
      import('#ui/languages/fr/office.ts').then((one) => one.OFFICE_FR),
    ),
  pt: () =>
    joined(
      import('./wall-pt.ts').then((one) => one.WALL_PT),
      import('./day-pt.ts').then((one) => one.DAY_PT),
      import('#ui/languages/pt/office.ts').then((one) => one.OFFICE_PT),
    ),
};

const TOLD: Readonly<Record<string, () => Promise<Texts>>> = {
  de: () => import('#ui/languages/told/de.ts').then((one) => one.TOLD_DE),
  es: () => import('#ui/languages/told/es.ts').then((one) => one.TOLD_ES),
  fr: () => import('#ui/languages/told/fr.ts').then((one) => one.TOLD_FR),
  pt: () => import('#ui/languages/told/pt.ts').then((one) => one.TOLD_PT),
};

/** Returns the translations of the texts of the gateway; undefined for English. */
export async function toldOf(name: string): Promise<ToldTable | undefined> {
  if (!name.startsWith('en-')) {
    const texts = await TOLD[name]?.();
    return texts === undefined ? undefined : toldTable(texts);
  }
  const [{ pseudoTexts }, texts] = await Promise.all([import('./pseudo.ts'), TOLD.de?.() ?? {}]);
  return toldTable(pseudoTexts(name, texts));
}

/** Returns the texts of a language; none for English. The pseudo languages have the texts of a real one. */
export async function textsOf(name: string): Promise<Texts> {
  if (!name.startsWith('en-')) return TEXTS[name]?.() ?? {};
  const [{ pseudoTexts }, texts] = await Promise.all([import('./pseudo.ts'), TEXTS.de?.() ?? {}]);
  return pseudoTexts(name, texts);
}
