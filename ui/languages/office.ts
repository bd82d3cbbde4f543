/** Loads the language of the office page. Each language is a file of its own; English with metric units needs none. */
import type { BoardView } from '#contract/site/live.ts';
import type { Reason } from '#contract/site/trouble.ts';
import type { SiteDay } from '#contract/work/day.ts';
import { ENGLISH, type Language, setLanguage } from './texts.ts';

/** What puts sentences of the gateway into the language. It is loaded with the first language. */
let words: typeof import('./office-texts.ts').WORDS | undefined;

/** Returns the language of a tag; undefined if the office does not have it. */
export const nameOf = (tag: string) =>
  /^en-X[AB]$/.test(tag) ? tag : /^(en|es|pt|fr|de)\b/i.exec(tag)?.[0].toLowerCase();

/**
 * Sets the language of the office to the first of these tags that it has, and the units. Returns true if that changes the page. If the
 * gateway does not answer, the language stays as it is; also if `isLatest` returns false after the texts have come, because a later call
 * then decides.
 */
export async function speakOffice(
  tags: readonly (string | null | undefined)[],
  us: boolean,
  isLatest: () => boolean,
): Promise<boolean> {
  const tag = tags.find((one): one is string => one != null && nameOf(one) !== undefined) ?? 'en';
  const name = nameOf(tag) ?? 'en';
  if (name === 'en' && !us) return isLatest() && speak(ENGLISH, name);
  try {
    const loaded = await import('./office-texts.ts');
    words = loaded.WORDS;
    const [texts, told] = await Promise.all([loaded.textsOf(name), loaded.toldOf(name)]);
    const next = { ...loaded.languageOf(name === 'en' ? name : tag, texts, us), told };
    return isLatest() && speak(next, `${tag} ${us}`);
  } catch {
    return false;
  }
}

let spoken = 'en';

function speak(next: Language, name: string): boolean {
  if (name === spoken) return false;
  spoken = name;
  setLanguage(next);
  document.documentElement.lang = next.tag;
  document.documentElement.dir = next.dir;
  return true;
}

/** Returns a reason in the language and the units of the office. */
export function officeReason<T extends Pick<Reason, 'says' | 'probably'>>(reason: T): T {
  return words === undefined ? reason : words.shownReason(reason);
}

/** Returns the boards of a screen in the language and the units of the office. */
export function officeBoards(boards: readonly BoardView[]): readonly BoardView[] {
  return words === undefined ? boards : words.shownBoards(boards);
}

/** Returns the summary of a day in the units of the office. */
export function officeDay(day: SiteDay): SiteDay {
  return words === undefined ? day : words.shownDay(day);
}

/** Returns a text of the gateway in the language and the units of the office, if the office knows its words. */
export function officeText(text: string): string {
  return words === undefined ? text : words.detailText(text);
}
