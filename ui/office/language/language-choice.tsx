/** The choice of the language of this browser. */
import { t } from '#ui/languages/texts.ts';
import { Choice } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { chooseLanguage, chosenLanguage } from './speak.ts';

/** The languages of the office and of screens, each with its own name. */
export const LANGUAGES = [
  ['en', 'English'],
  ['es', 'Español'],
  ['pt', 'Português'],
  ['fr', 'Français'],
  ['de', 'Deutsch'],
] as const;

/** Shows the languages by their own names. `session` is null before a person has signed in. */
export function LanguageChoice({ session }: { session: Session | null }) {
  return (
    <Choice
      label={t('Language')}
      value={chosenLanguage(session) ?? ''}
      options={[['', t('Automatic')], ...LANGUAGES]}
      onValue={(tag) => void chooseLanguage(session, tag === '' ? null : tag)}
    />
  );
}
