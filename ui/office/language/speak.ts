/** Finds the language of the person who uses the office: what the person chose, or else of the browser, or else of the site. */
import { ClientError, createClient } from '#contract/client.ts';
import { speakOffice } from '#ui/languages/office.ts';
import { language as spoken } from '#ui/languages/texts.ts';
import type { Entry, Session } from '#ui/office/base/session.ts';

const CHOICE = 'headframe.language';

/** The name under which the choice is stored. On a shared tablet each person has an own choice. */
const choiceOf = (session: Session | null) =>
  session !== null && session.me.tablet !== null ? `${CHOICE}.${session.me.user?.id}` : CHOICE;

/** Returns the language tag that the person chose in this browser; null if the person chose none. */
export const chosenLanguage = (session: Session | null): string | null => localStorage.getItem(choiceOf(session));

/** Returns the language in the record of the operator or mechanic to whom the account belongs; null if there is none. */
async function ownLanguage({ me, who }: Session): Promise<string | null> {
  const person = me.user?.person ?? null;
  if (person === null) return null;
  try {
    const client = createClient({ ...who, project_id: person.project_id });
    const name = person.object === 'operator' ? 'operators_get' : 'mechanics_get';
    return (await client.call(name, { id: person.id })).language;
  } catch (error) {
    // The record is gone, or the role may not read it. The language of the browser counts then.
    if (error instanceof ClientError && (error.status === 403 || error.status === 404)) return null;
    throw error;
  }
}

/** How many times the page has looked for its language. */
let turns = 0;

/**
 * Sets the language of the page. Returns true if the page must be drawn again. If it is called again before the texts of the first call
 * have come, the second call decides.
 */
export async function speakFor(session: Session | null): Promise<boolean> {
  const turn = ++turns;
  const chosen = chosenLanguage(session);
  let own: string | null = null;
  try {
    if (session !== null && chosen === null) own = await ownLanguage(session);
  } catch {
    // The gateway does not answer. The page keeps its language, and asks again at the next entry.
    own = spoken().tag;
  }
  const { language, units } = session?.project ?? { language: null, units: 'metric' };
  return speakOffice([chosen, own, ...navigator.languages, language], units === 'us', () => turn === turns);
}

/** Returns the session of a page; null for the pages before the office. */
export const sessionOf = (entry: Entry): Session | null => (entry.at === 'in' ? entry.session : null);

let draw = () => {};

/** Calls `listener` when the language has changed and the page must be drawn again. */
export function onSpoken(listener: () => void): void {
  draw = listener;
}

/** Sets the language again, after a person chose another one or changed the settings of the site. */
export async function speakAgain(session: Session | null): Promise<void> {
  if (await speakFor(session)) draw();
}

/** Stores the language that the person chose, and sets it; null: the page finds the language by itself. */
export async function chooseLanguage(session: Session | null, tag: string | null): Promise<void> {
  if (tag === null) localStorage.removeItem(choiceOf(session));
  else localStorage.setItem(choiceOf(session), tag);
  await speakAgain(session);
}
