/**
 * Shows what another person changed in an object while this person edits it. So this person does not overwrite a change without knowing.
 */
import { type Text, t } from '#ui/languages/texts.ts';
import type { Change, Facts, Value } from './draft.ts';

const SECTION_ID = 'changed-meanwhile';

/** What another person changed. */
const BY = { rule: '{by} changed this rule.', ticket: '{by} changed this ticket.' } as const satisfies Record<
  string,
  Text
>;

/** A button beside the save button that scrolls to the list of changes. */
export function SeeChanges({ changes }: { changes: readonly Change[] }) {
  if (changes.length === 0) return null;
  return (
    <button type="button" class="large" onClick={() => document.getElementById(SECTION_ID)?.scrollIntoView()}>
      {t('See what changed')}
    </button>
  );
}

/**
 * Lists the changes of another person. `format` converts a value of a field to text; `typed` has the values that this person typed. `by` is
 * the name of the other person, if it is known.
 */
export function Changes(props: {
  changes: readonly Change[];
  typed: Facts;
  what: keyof typeof BY;
  by?: string | null;
  label(name: string): string;
  format(name: string, value: Value): string;
  onTakeTheirs(name: string): void;
  onDismiss(): void;
}) {
  const { changes, format } = props;
  if (changes.length === 0) return null;
  const mine = changes.filter((one) => one.mine);
  return (
    <section id={SECTION_ID} class="met" role="alert" aria-label={t('Changes by others')}>
      <p>
        <b>{t(BY[props.what], { by: props.by ?? t('Another person') })}</b>{' '}
        {mine.length === 0
          ? t('Your changes are still here. You changed other fields.')
          : t(
              'Your changes are still here. If you save, your values replace theirs in the fields that you both changed.',
            )}
      </p>
      <ul>
        {changes.map((one) => (
          <li key={one.name}>
            <span>
              <b>{props.label(one.name)}</b>: {format(one.name, one.from) || t('empty')} →{' '}
              {format(one.name, one.to) || t('empty')}
              {one.mine && (
                <small>
                  {t('Yours: {value}', { value: format(one.name, props.typed[one.name] ?? '') || t('empty') })}
                </small>
              )}
            </span>
            {one.mine && (
              <button type="button" onClick={() => props.onTakeTheirs(one.name)}>
                {t('Use theirs')}
              </button>
            )}
          </li>
        ))}
      </ul>
      {mine.length < changes.length && (
        <button type="button" onClick={props.onDismiss}>
          {t('Hide these changes')}
        </button>
      )}
    </section>
  );
}
