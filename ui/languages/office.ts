/** Loads the language of the office page. Each language is a file of its own; English with metric units needs none. */
import type { Reason } from '#contract/site/trouble.ts';
import { ENGLISH, type Language, setLanguage } from './texts.ts';

/** What puts sentences of the gateway into the language. It is loaded with the first language. */
let words: typeof import('./office-texts.ts').WORDS | undefined;

/** Returns the language of a tag; undefined if the office does not have it. */
const nameOf = (tag: string) => (/^en-X[AB]$/.test(tag) ? tag : /^(en|es|pt|fr|de)\b/i.exec(tag)?.[0].toLowerCase());

/**
 * Sets the language of the office to the first of these tags that it has, and the units. Returns true if that changes the page. If the
 * gateway does not answer, the language stays as it is.
 */
export async function speakOffice(tags: readonly (string | null | undefined)[], us: boolean): Promise<boolean> {
  const tag = tags.find((one): one is string => one != null && nameOf(one) !== undefined) ?? 'en';
  const name = nameOf(tag) ?? 'en';
  if (name === 'en' && !us) return speak(ENGLISH, name);
  try {
    const loaded = await import('./office-texts.ts');
    words = loaded.WORDS;
    return speak(loaded.languageOf(name === 'en' ? name : tag, await loaded.textsOf(name), us), `${tag} ${us}`);
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

/** Returns a text of the gateway in the language and the units of the office, if the office knows its words. */
export function officeText(text: string): string {
  return words === undefined ? text : words.detailText(text);
}
