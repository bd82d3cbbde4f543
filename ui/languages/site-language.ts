/** The language of the screens of a site, for a preview of a board on the office page, which may have another language. */
import type { BoardView } from '#contract/site/live.ts';
import { nameOf } from './office.ts';
import type { Language } from './texts.ts';

export interface ScreenLanguage {
  readonly language: Language;
  /** Returns the boards in this language and its units. Call it while the page has this language. */
  boards(boards: readonly BoardView[]): readonly BoardView[];
}

/** Loads the language of a site, with its units. */
export async function screenLanguage(tag: string, us: boolean): Promise<ScreenLanguage> {
  const name = nameOf(tag) ?? 'en';
  const { languageOf, textsOf, WORDS } = await import('./office-texts.ts');
  return { language: languageOf(name === 'en' ? name : tag, await textsOf(name), us), boards: WORDS.shownBoards };
}
