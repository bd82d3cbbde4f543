/** The custom actions that a page offers. */
import { t } from '#ui/languages/texts.ts';
import { useIdText, useList } from '#ui/office/base/lists.ts';
import { may, type Session } from '#ui/office/base/session.ts';
import { usePolled } from '#ui/office/base/use.ts';
import { ActionStart, type Subject } from './action-start.tsx';
import { type Action, type ActionPlace, byOrder, isOffered, NOT_READY, nameOf } from './action-text.ts';

const EVERY_MS = 10_000;
/** A page shows at most this many buttons. */
const MOST = 30;
const MOST_READ = 200;

/** Says what a run would do that starts now, if it would not simply work. It names the actions if this is not so for all of them. */
export function Readiness({ actions }: { actions: readonly Action[] }) {
  const states = new Set(actions.map(({ readiness }) => readiness ?? 'ready'));
  return (
    <>
      {[...states].map((state) => {
        if (state === 'ready') return null;
        const names = actions.filter(({ readiness }) => readiness === state).map(nameOf);
        return (
          <p key={state} role="note">
            {names.length < actions.length && `${names.join(', ')}: `}
            {t(NOT_READY[state])}
          </p>
        );
      })}
    </>
  );
}

/** Reads the actions of a project. `subject_id`: the latest runs are those about this machine or location. */
export function useActions(session: Session, subject_id?: string) {
  const ask = { limit: MOST_READ, ...(subject_id !== undefined && { subject_id }) };
  return usePolled(
    (signal) => session.client.call('custom_actions_list', ask, { signal }),
    EVERY_MS,
    [session, subject_id],
    ['custom_action', 'task', 'run'],
  );
}

/** Returns a function that names the machine or location of a run; null for a run about the whole site. */
export function useSubjects(session: Session) {
  const machine = useIdText(useList(session, 'equipment_list'), ({ unit_number }) => unit_number);
  const location = useIdText(useList(session, 'locations_list'), ({ name }) => name);
  return ({ scope, last_run }: Action): string | null => {
    const id = last_run?.subject_id ?? null;
    if (id === null) return null;
    return scope === 'equipment' ? machine(id) : location(id);
  };
}

function Buttons(props: {
  session: Session;
  actions: readonly Action[];
  subject: Subject | null;
  where(action: Action): string | null;
  problem: string | null;
  reload(): void;
}) {
  const { session, actions, subject, where, problem, reload } = props;
  return (
    <section class="place-actions" aria-label={t('Actions')}>
      <h2>{t('Actions')}</h2>
      <Readiness actions={actions} />
      {problem !== null && (
        <p class="aside" role="note">
          {t('The gateway does not answer, so the states below may be old.')}
        </p>
      )}
      <ul class="rows">
        {actions.slice(0, MOST).map((action) => (
          <li key={action.id}>
            <ActionStart session={session} action={action} subject={subject} where={where(action)} onStarted={reload} />
          </li>
        ))}
      </ul>
      {actions.length > MOST && (
        <p class="aside">{t('The page shows the first {count} actions. The page Agent has all.', { count: MOST })}</p>
      )}
    </section>
  );
}

/** The buttons on a page that is about no single object: a person chooses the machine or location. */
function AnySubject(props: Omit<Parameters<typeof Buttons>[0], 'subject' | 'where'>) {
  return <Buttons {...props} subject={null} where={useSubjects(props.session)} />;
}

/** The buttons of a page. Nothing, if the page offers no action or the person may start none. */
export function PlaceActions(props: { session: Session; place: ActionPlace; subject: Subject | null }) {
  const { session, place, subject } = props;
  return may(session, 'custom_actions_run') ? <Offered session={session} place={place} subject={subject} /> : null;
}

function Offered({ session, place, subject }: Parameters<typeof PlaceActions>[0]) {
  const { data, problem, reload } = useActions(session, subject?.id);
  const actions = (data?.data ?? []).filter((action) => isOffered(action, place)).sort(byOrder);
  if (actions.length === 0) return null;
  const shared = { session, actions, problem, reload };
  return subject === null ? <AnySubject {...shared} /> : <Buttons {...shared} subject={subject} where={() => null} />;
}
