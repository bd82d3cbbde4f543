/** Saves a draft as a new board, for a person whose board another person changed or deleted meanwhile. */
import type { Input } from '#contract/operations.ts';
import { t } from '#ui/languages/texts.ts';
import { readAll } from '#ui/office/base/lists.ts';
import { Problem } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { useSend } from '#ui/office/base/use.ts';
import type { Board } from './board-draft.ts';
import { freeName } from './screen-acts.ts';
import type { Dashboard } from './uses.ts';

export function SaveAs(props: { session: Session; content: Board & Pick<Dashboard, 'audience'>; onSaved?(): void }) {
  const { session, content } = props;
  const { busy, problem, send } = useSend();
  return (
    <div class="buttons">
      <button
        type="button"
        disabled={busy}
        onClick={() =>
          send(async () => {
            const { items } = await readAll(session, 'dashboards_list', {}, AbortSignal.timeout(15_000));
            const names = items.map((one) => one.name);
            const name = freeName(t('{name}, copy', { name: content.name }), names);
            const made = await session.client.call('dashboards_create', {
              ...content,
              name,
            } as Input<'dashboards_create'>);
            props.onSaved?.();
            location.hash = `screens/boards/${made.id}`;
          })
        }
      >
        {t('Save mine as a new board')}
      </button>
      <Problem text={problem} />
    </div>
  );
}
