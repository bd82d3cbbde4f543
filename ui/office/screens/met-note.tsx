/** Says what another person changed in a board that this person edits at the same time. */
import { t } from '#ui/languages/texts.ts';
import { type Draft, metNow } from '#ui/office/screens/drafts/board-draft.ts';
import { tileName } from './tile-kinds.ts';

const FIELDS = { name: 'Name', description: 'Purpose', theme: 'Look' } as const;

export function MetNote(props: { draft: Draft; onTakeTheirs(name: string): void; onDismiss(): void }) {
  const { now, base } = props.draft;
  const met = metNow(props.draft);
  if (met === null) return null;
  const nameOf = (id: string): string => {
    const field = Object.entries(FIELDS).find(([name]) => name === id)?.[1];
    if (field !== undefined) return t(field);
    const tile = [...now.widgets, ...base.board.widgets].find((one) => one.id === id);
    return tile === undefined ? t('a tile that was removed') : tileName(tile);
  };
  return (
    <section class="met" role="alert" aria-label={t('Changes by others')}>
      <p>
        <b>{t('Another person saved this board.')}</b> {t('Your changes are still here, and not saved yet.')}
      </p>
      {met.theirs.length > 0 && (
        <p>{t('Changed by the other person: {names}.', { names: met.theirs.map(nameOf).join(', ') })}</p>
      )}
      {met.kept.length > 0 && (
        <p>
          {t('You removed these, and the other person changed them. They are on the board again: {names}.', {
            names: met.kept.map(nameOf).join(', '),
          })}
        </p>
      )}
      {met.moved.length > 0 && (
        <p>
          {t('These have another place or size now, because tiles of both people covered each other: {names}.', {
            names: met.moved.map(nameOf).join(', '),
          })}
        </p>
      )}
      {met.both.length > 0 && (
        <>
          <p>{t('You both changed these. If you save, yours replace theirs.')}</p>
          <ul>
            {met.both.map((id) => (
              <li key={id}>
                <span>
                  <b>{nameOf(id)}</b>
                </span>
                <button type="button" onClick={() => props.onTakeTheirs(id)}>
                  {t('Use theirs')}
                  <span class="hidden"> {nameOf(id)}</span>
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
      <button type="button" onClick={props.onDismiss}>
        {t('Hide this note')}
      </button>
    </section>
  );
}
