/** The button that starts a custom action, the question before it, and the state of the latest run. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { moment } from '#ui/format.ts';
import { t } from '#ui/languages/texts.ts';
import { useList } from '#ui/office/base/lists.ts';
import { Choice, Problem, Told } from '#ui/office/base/parts.tsx';
import { may, type Session } from '#ui/office/base/session.ts';
import { usePolled } from '#ui/office/base/use.ts';
import { useWrite } from '#ui/office/work/write.ts';
import { type Action, isActive, type LastRun, nameOf, type Scope, stateText, waitsForApproval } from './action-text.ts';

/** The object that a run concerns. */
export interface Subject {
  readonly id: string;
  readonly name: string;
}

const RARELY_MS = 60_000;

/** The machine or location of a run. A person chooses it if the page is not about one. */
function SubjectChoice(props: {
  session: Session;
  scope: Exclude<Scope, 'project'>;
  value: string;
  onValue(id: string): void;
}) {
  const { session, scope, value, onValue } = props;
  const machines = useList(session, 'equipment_list');
  const locations = useList(session, 'locations_list');
  const options =
    scope === 'equipment'
      ? (machines ?? [])
          .filter(({ status }) => status !== 'decommissioned')
          .map(({ id, unit_number }) => [id, unit_number] as const)
      : (locations ?? []).filter(({ active }) => active).map(({ id, name }) => [id, name] as const);
  return (
    <Choice
      label={t(scope === 'equipment' ? 'Machine' : 'Location')}
      value={value}
      options={[['', t('Choose')], ...options]}
      onValue={onValue}
    />
  );
}

/** The question before a run: the subject, if the page is not about one, and whether to start. */
function Question(props: {
  session: Session;
  action: Action;
  scope: Exclude<Scope, 'project'> | null;
  busy: boolean;
  onStart(subject_id: string | null): void;
  onClose(): void;
}) {
  const { session, action, scope, busy, onStart, onClose } = props;
  const [chosen, setChosen] = useState('');
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    box.current?.scrollIntoView({ block: 'nearest' });
    box.current?.querySelector<HTMLElement>('select, button')?.focus();
  }, []);
  const title = t('Start {action}?', { action: nameOf(action) });
  return (
    <div
      ref={box}
      class="nested"
      role="alertdialog"
      aria-label={title}
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
    >
      <p>
        <b>{title}</b>
      </p>
      {scope !== null && <SubjectChoice session={session} scope={scope} value={chosen} onValue={setChosen} />}
      <div class="actions">
        <button
          type="button"
          class="primary"
          disabled={busy || (scope !== null && chosen === '')}
          onClick={() => onStart(scope === null ? null : chosen)}
        >
          {busy ? t('Sending') : t('Start')}
        </button>
        <button type="button" onClick={onClose}>
          {t('Cancel')}
        </button>
      </div>
    </div>
  );
}

/** What the model answered. */
function Answer({ session, run }: { session: Session; run: LastRun }) {
  const { data, problem } = usePolled(
    (signal) => session.client.call('runs_get', { run_id: run.run_id }, { signal }),
    RARELY_MS,
    [run.run_id, run.status],
  );
  if (data === null) return problem === null ? <p class="aside">{t('Loading')}</p> : <Problem text={problem} />;
  return <p>{data.output?.summary ?? t('The run gave no answer.')}</p>;
}

/** The state of the latest run. `isOpen`: the answer is shown at once, because this person started the run. */
export function LastRunState(props: { session: Session; run: LastRun; subject: string | null; isOpen: boolean }) {
  const { session, run, subject, isOpen } = props;
  const [opened, setOpened] = useState(isOpen);
  // The page may have read the run before it knows that this person started it.
  useEffect(() => {
    if (isOpen) setOpened(true);
  }, [isOpen]);
  const now = session.now();
  const at = moment(Date.parse(run.ended_at ?? run.created_at), now, session.project.timezone);
  const hasFailed = run.status === 'failed' && !waitsForApproval(run);
  return (
    <div>
      <p role="status">
        <b class={hasFailed ? 'badge-word danger' : 'badge-word'}>{stateText(run)}</b>{' '}
        {(hasFailed || run.status === 'running') && <Told text={run.status_text} />}{' '}
        <span class="aside">
          {subject !== null && `${subject} · `}
          {at}
        </span>
      </p>
      {run.status === 'completed' && (
        <details open={opened} onToggle={(event) => setOpened(event.currentTarget.open)}>
          <summary>{t('Answer')}</summary>
          {opened && <Answer session={session} run={run} />}
        </details>
      )}
      {may(session, 'review_configuration_get') && <a href={`#agent/${run.task_id}`}>{t('Open the task')}</a>}
    </div>
  );
}

/**
 * The button of an action with its question and the state of its latest run. `subject`: the machine or location of the page; null if the
 * page is about none, and a person chooses it. `where` names the subject of the latest run; null if the page is about one.
 */
export function ActionStart(props: {
  session: Session;
  action: Action;
  subject: Subject | null;
  where: string | null;
  /** True if the name of the action stands above the button. */
  isNamed?: boolean;
  onStarted(): void;
}) {
  const { session, action, subject, where, onStarted } = props;
  const { client } = session;
  const [asking, setAsking] = useState(false);
  const [started, setStarted] = useState<string | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const { busy, problem, write, clear } = useWrite(
    t('Not started: the gateway does not answer. Press again later; the gateway starts it only once.'),
  );
  const { last_run: run, scope, confirm } = action;
  const asks = subject === null && (scope === 'equipment' || scope === 'location') ? scope : null;
  const close = () => {
    setAsking(false);
    clear();
    button.current?.focus();
  };
  const start = (chosen: string | null) =>
    write(async (once) => {
      const subject_id = chosen ?? subject?.id;
      const input = {
        id: action.id,
        ...(subject_id !== undefined && { subject_id }),
        ...(confirm && { confirmed: true }),
      };
      const task = await client.call('custom_actions_run', input, once);
      setStarted(task.id);
      setAsking(false);
      onStarted();
    });
  // A second run about the same object would do the same work again.
  const isBusy = busy || (asks === null && isActive(run));
  return (
    <>
      <div class="actions">
        <button
          ref={button}
          type="button"
          class="large"
          disabled={isBusy}
          aria-expanded={asks !== null || confirm ? asking : undefined}
          onClick={() => (asks !== null || confirm ? setAsking(!asking) : start(null))}
        >
          {props.isNamed === true ? t('Start') : nameOf(action)}
          {props.isNamed === true && <span class="hidden"> {action.label}</span>}
        </button>
      </div>
      {asking && (
        <Question session={session} action={action} scope={asks} busy={busy} onStart={start} onClose={close} />
      )}
      <Problem text={problem} />
      {run !== null && (
        <LastRunState key={run.run_id} session={session} run={run} subject={where} isOpen={run.task_id === started} />
      )}
    </>
  );
}
