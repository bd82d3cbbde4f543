/** The page that sets up a site from its description: the text, the plan beside the words that it came from, and what was made. */
import { useId, useMemo, useState } from 'preact/hooks';
import { MAX_PROMPT } from '#contract/site/setup.ts';
import type { PlanRead } from '#contract/site/setup-plan.ts';
import { t } from '#ui/languages/texts.ts';
import { Problem, Told } from '#ui/office/base/parts.tsx';
import { newIdempotencyKey, type Session } from '#ui/office/base/session.ts';
import { useSend } from '#ui/office/base/use.ts';
import { type GivenFile, GivenFiles } from './given-files.tsx';
import { HeardLoggers } from './heard-loggers.tsx';
import { EXAMPLE } from './kind-words.ts';
import { problemsOf } from './plan-checks.ts';
import { type Cited, type DraftPlan, draftOf } from './plan-draft.ts';
import { PlanEditor, usePlanEdit } from './plan-editor.tsx';
import { PlanSend } from './plan-send.tsx';
import { planOf } from './plan-sent.ts';
import { SetupResult } from './setup-result.tsx';
import { SourceText } from './source-text.tsx';

function Describe(props: {
  text: string;
  files: readonly GivenFile[];
  busy: boolean;
  onText(text: string): void;
  onFiles(files: readonly GivenFile[]): void;
  onRead(): void;
}) {
  const id = useId();
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        props.onRead();
      }}
    >
      <div class="field">
        <label for={id}>{t('Describe the site, or paste its lists')}</label>
        <textarea
          id={id}
          class="setup-text"
          rows={10}
          maxLength={MAX_PROMPT}
          value={props.text}
          placeholder={t(EXAMPLE)}
          onInput={(event) => props.onText(event.currentTarget.value)}
        />
        <small>
          {t(
            'Machines with their unit numbers, pits and zones, shifts with times, names of operators and mechanics, and the screens that you want. English, Spanish, Portuguese, French or German. The gateway reads the text and the files itself and sends them nowhere.',
          )}
        </small>
      </div>
      <GivenFiles files={props.files} busy={props.busy} onFiles={props.onFiles} />
      <button
        type="submit"
        class="primary"
        disabled={props.busy || (props.text.trim() === '' && props.files.length === 0)}
      >
        {props.busy ? t('Reading the text') : t('Read the description')}
      </button>
    </form>
  );
}

/** The plan beside its words. It is sent only when a person presses the button. */
function CheckPlan(props: { session: Session; read: PlanRead; onBack(): void; onStarted(task_id: string): void }) {
  const { session, read } = props;
  const [draft, setDraft] = useState<DraftPlan>(() => draftOf(read));
  const [shown, setShown] = useState<Cited>({ from: [], at: null });
  const { busy, problem, send } = useSend();
  const { edit, wanted } = usePlanEdit(draft, setDraft, setShown);
  const problems = useMemo(() => problemsOf(draft), [draft]);
  return (
    <>
      <h1>{t('Check the plan')}</h1>
      {read.failure !== null && (
        <p class="problem" role="alert">
          {t('Nothing can be made from this text.')} <Told text={read.failure.remedy} />
        </p>
      )}
      <div class="setup-split">
        <section class="panel-box setup-source" aria-label={t('The text')}>
          <h2>{t('The text')}</h2>
          <p class="aside">
            {t('The planner understood {percent} % of the words.', { percent: Math.round(100 * read.coverage) })}
          </p>
          {shown.at !== null && <p role="status">{shown.at}</p>}
          <SourceText plan={read} shown={shown.from} />
          <button type="button" onClick={props.onBack}>
            {t('Change the text')}
          </button>
        </section>
        <section class="panel-box" aria-label={t('The plan')}>
          <PlanEditor draft={draft} edit={edit} wanted={wanted} problems={problems} notRead={read.not_read} />
          <Problem text={problem} />
          <PlanSend
            draft={draft}
            edit={edit}
            problems={problems}
            busy={busy}
            isClosed={read.failure !== null}
            onSend={() =>
              send(async () => {
                const { id: project_id } = session.project;
                const input = { project_id, plan: planOf(draft) };
                const key = { idempotency_key: newIdempotencyKey() };
                const { setup } = await session.client.call('projects_setup_apply', input, key);
                props.onStarted(setup.task.id);
              })
            }
          />
        </section>
      </div>
    </>
  );
}

export function SetupPage({ session }: { session: Session }) {
  const [text, setText] = useState(session.project.prompt ?? '');
  const [read, setRead] = useState<PlanRead | null>(null);
  const [files, setFiles] = useState<readonly GivenFile[]>([]);
  const [task, setTask] = useState<string | null>(null);
  const { busy, problem, send } = useSend();
  if (task !== null) return <SetupResult session={session} task_id={task} />;
  if (read !== null)
    return <CheckPlan session={session} read={read} onBack={() => setRead(null)} onStarted={setTask} />;
  return (
    <>
      <h1>{t('Set up the site')}</h1>
      <HeardLoggers session={session} />
      <section class="panel-box">
        <Describe
          text={text}
          busy={busy}
          onText={setText}
          files={files}
          onFiles={setFiles}
          onRead={() =>
            send(async () => {
              const given = files.map(({ name, content_base64 }) => ({ name, content_base64 }));
              const asked = { project_id: session.project.id, prompt: text, files: given };
              setRead(await session.client.call('projects_setup_plan', asked));
            })
          }
        />
        <Problem text={problem} />
      </section>
    </>
  );
}
