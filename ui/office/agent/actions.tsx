/** The custom actions of a site: what they do, where screens offer them, and their latest runs. People make, change and delete them here. */
import { useState } from 'preact/hooks';
import { t } from '#ui/languages/texts.ts';
import { Problem } from '#ui/office/base/parts.tsx';
import { may, type Session } from '#ui/office/base/session.ts';
import { useWrite } from '#ui/office/work/write.ts';
import { type ActionDraft, ActionForm, draftOf, Examples, NEW_ACTION } from './action-form.tsx';
import { ActionStart, LastRunState } from './action-start.tsx';
import { type Action, byOrder, isOffered, nameOf, PLACE_WORDS, placesOf, SCOPE_WORDS } from './action-text.ts';
import { Readiness, useActions, useSubjects } from './place-actions.tsx';

/** Returns where screens offer an action. */
function offeredText(action: Action): string {
  if (!action.enabled) return t('Nobody may start it');
  const places = placesOf(action.scope).filter((place) => isOffered(action, place));
  return places.length === 0 ? t('Only on this page') : places.map((place) => t(PLACE_WORDS[place])).join(', ');
}

const scopeText = (scope: string): string =>
  scope in SCOPE_WORDS ? t(SCOPE_WORDS[scope as keyof typeof SCOPE_WORDS]) : scope;

function Delete({ session, action, onDone }: { session: Session; action: Action; onDone(): void }) {
  const [asking, setAsking] = useState(false);
  const { busy, problem, write } = useWrite();
  const remove = () =>
    write(async (once) => {
      await session.client.call('custom_actions_delete', { id: action.id }, { ...once, if_match: action.revision });
      onDone();
    });
  return (
    <>
      <button
        type="button"
        disabled={busy}
        onClick={() => (asking ? remove() : setAsking(true))}
        onBlur={() => setAsking(false)}
      >
        {asking ? t('Delete now') : t('Delete')}
        <span class="hidden"> {action.label}</span>
      </button>
      {asking && <span role="status">{t('Its tasks stay.')}</span>}
      <Problem text={problem} />
    </>
  );
}

function Row(props: {
  session: Session;
  action: Action;
  where: string | null;
  isOpen: boolean;
  onEdit(): void;
  onClose(): void;
  onChanged(): void;
}) {
  const { session, action, where, isOpen, onEdit, onClose, onChanged } = props;
  const draft = draftOf(action);
  const done = () => {
    onClose();
    onChanged();
  };
  return (
    <li>
      <div class="row">
        <div>
          <b>{nameOf(action)}</b>
          <p class="aside">
            {scopeText(action.scope)} · {offeredText(action)}
          </p>
        </div>
        <div class="actions">
          {draft !== undefined && may(session, 'custom_actions_update') && (
            <button type="button" aria-expanded={isOpen} onClick={isOpen ? onClose : onEdit}>
              {t('Edit')}
              <span class="hidden"> {action.label}</span>
            </button>
          )}
          {may(session, 'custom_actions_delete') && <Delete session={session} action={action} onDone={done} />}
        </div>
      </div>
      {isOpen && draft !== undefined ? (
        <ActionForm
          session={session}
          action={action}
          draft={draft}
          onDone={done}
          onStale={onChanged}
          onClose={onClose}
        />
      ) : action.enabled && may(session, 'custom_actions_run') ? (
        <ActionStart session={session} action={action} subject={null} where={where} isNamed onStarted={onChanged} />
      ) : (
        action.last_run !== null && (
          <LastRunState
            key={action.last_run.run_id}
            session={session}
            run={action.last_run}
            subject={where}
            isOpen={false}
          />
        )
      )}
    </li>
  );
}

export function CustomActions({ session }: { session: Session }) {
  const { data, problem, reload } = useActions(session);
  const [open, setOpen] = useState<string | null>(null);
  const [fresh, setFresh] = useState<ActionDraft | null>(null);
  const where = useSubjects(session);
  const mayMake = may(session, 'custom_actions_create');
  const actions = (data?.data ?? []).toSorted(byOrder);
  return (
    <section class="panel-box" aria-labelledby="custom-actions">
      <div class="head">
        <h2 id="custom-actions">{t('Custom actions')}</h2>
        {mayMake && fresh === null && (
          <button type="button" onClick={() => setFresh(NEW_ACTION)}>
            {t('New action')}
          </button>
        )}
      </div>
      <p class="aside">
        {t(
          'An action is a button with a prompt that somebody wrote once. Whoever presses it starts a run of the model, also a mechanic or an operator.',
        )}
      </p>
      <Problem text={problem} />
      <Readiness actions={actions} />
      {data !== null && actions.length === 0 && (
        <>
          <p>
            {t('No custom actions yet.')} {mayMake && t('Start with an example:')}
          </p>
          {mayMake && <Examples onExample={setFresh} />}
        </>
      )}
      {fresh !== null && (
        <ActionForm
          key={fresh.label}
          session={session}
          action={null}
          draft={fresh}
          onDone={() => {
            setFresh(null);
            reload();
          }}
          onStale={reload}
          onClose={() => setFresh(null)}
        />
      )}
      <ul class="rows">
        {actions.map((action) => (
          <Row
            key={action.id}
            session={session}
            action={action}
            where={where(action)}
            isOpen={open === action.id}
            onEdit={() => setOpen(action.id)}
            onClose={() => setOpen(null)}
            onChanged={reload}
          />
        ))}
      </ul>
      {data?.has_more && <p class="aside">{t('The list shows the newest {count}.', { count: actions.length })}</p>}
    </section>
  );
}
