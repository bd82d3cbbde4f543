/** Loads the language of the page on which anybody reports a fault. */
import { ENGLISH, type Language, setLanguage } from './texts.ts';

const TEXTS: Readonly<Record<string, () => Promise<Language['texts']>>> = {
  de: () => import('./phone-de.ts').then((one) => one.PHONE_DE),
  es: () => import('./phone-es.ts').then((one) => one.PHONE_ES),
  fr: () => import('./phone-fr.ts').then((one) => one.PHONE_FR),
  pt: () => import('./phone-pt.ts').then((one) => one.PHONE_PT),
};

async function pseudo(tag: string): Promise<Language['texts']> {
  const [{ pseudoTexts }, { PHONE_DE }] = await Promise.all([import('./pseudo.ts'), import('./phone-de.ts')]);
  return pseudoTexts(tag, PHONE_DE);
}

/** Returns the language that the page speaks for a tag; undefined if it has none or the gateway does not answer. */
async function languageFor(tag: string): Promise<Language | undefined> {
  const [base = ''] = tag.split('-');
  const load = /^en-X[AB]$/.test(tag) ? () => pseudo(tag) : Object.hasOwn(TEXTS, base) ? TEXTS[base] : undefined;
  if (load === undefined) return base === 'en' ? ENGLISH : undefined;
  try {
    const [{ languageOf }, texts] = await Promise.all([import('./made.ts'), load()]);
    return languageOf(tag, texts, false);
  } catch {
    return undefined;
  }
}

/** Sets the language of the page to the first of these that it has. */
export async function speakPhone(tags: readonly string[]): Promise<void> {
  for (const tag of tags) {
    const next = await languageFor(tag);
    if (next === undefined) continue;
    setLanguage(next);
    document.documentElement.lang = next.tag;
    document.documentElement.dir = next.dir;
    return;
  }
}
