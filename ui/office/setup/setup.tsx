/** The page that sets up a site from its description: the text, the plan beside the words that it came from, and what was made. */
import { useId, useState } from 'preact/hooks';
import type { PlanRead } from '#contract/site/setup-plan.ts';
import { Problem } from '#ui/office/base/parts.tsx';
import { newIdempotencyKey, type Session } from '#ui/office/base/session.ts';
import { useSend } from '#ui/office/base/use.ts';
import { countOf, type DraftPlan, draftOf, openIn, planOf } from './plan-draft.ts';
import { PlanEditor } from './plan-editor.tsx';
import { SetupResult } from './setup-result.tsx';
import { SourceText } from './source-text.tsx';

const MAX_PROMPT = 20_000;
const EXAMPLE =
  'Harrow Hill Quarry. Trucks HT-01 to HT-06 are Cat 777G and work in North Pit. Two Komatsu PC1250 excavators, EX-01 and EX-02. Day shift 06:00 to 18:00, night 18:00 to 06:00. Operators: Ana Ruiz (EX-01), Tom Field. A screen in the canteen with machine status and open repairs.';

function Describe(props: { text: string; busy: boolean; onText(text: string): void; onRead(): void }) {
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
        <label for={id}>Describe the site, or paste its lists</label>
        <textarea
          id={id}
          class="setup-text"
          rows={10}
          required
          maxLength={MAX_PROMPT}
          value={props.text}
          placeholder={EXAMPLE}
          onInput={(event) => props.onText(event.currentTarget.value)}
        />
        <small>
          Machines with their unit numbers, pits and zones, shifts with times, names of operators and mechanics, and the
          screens that you want. English, Spanish, Portuguese, French or German. The gateway reads the text itself and
          sends it nowhere.
        </small>
      </div>
      <button type="submit" class="primary" disabled={props.busy || props.text.trim() === ''}>
        {props.busy ? 'Reading' : 'Read the description'}
      </button>
    </form>
  );
}

export function SetupPage({ session }: { session: Session }) {
  const [text, setText] = useState(session.project.prompt ?? '');
  const [read, setRead] = useState<PlanRead | null>(null);
  const [draft, setDraft] = useState<DraftPlan | null>(null);
  const [shown, setShown] = useState<readonly string[]>([]);
  const [task, setTask] = useState<string | null>(null);
  const { busy, problem, send } = useSend();
  const project_id = session.project.id;
  if (task !== null) return <SetupResult session={session} task_id={task} />;
  if (read === null || draft === null)
    return (
      <>
        <h1>Set up the site</h1>
        <section class="panel-box">
          <Describe
            text={text}
            busy={busy}
            onText={setText}
            onRead={() =>
              send(async () => {
                const plan = await session.client.call('projects_setup_plan', { project_id, prompt: text });
                setRead(plan);
                setDraft(draftOf(plan));
              })
            }
          />
          <Problem text={problem} />
        </section>
      </>
    );
  const back = () => {
    setRead(null);
    setDraft(null);
  };
  const count = countOf(draft);
  const open = openIn(draft);
  return (
    <>
      <h1>Check the plan</h1>
      {read.failure !== null && <Problem text={`Nothing can be made from this text. ${read.failure.remedy}`} />}
      <div class="setup-split">
        <section class="panel-box setup-source" aria-label="The text">
          <h2>The text</h2>
          <p class="aside">The planner understood {Math.round(100 * read.coverage)} % of the words.</p>
          <SourceText text={text} plan={read} shown={shown} />
          <button type="button" onClick={back}>
            Change the text
          </button>
        </section>
        <section class="panel-box" aria-label="The plan">
          <PlanEditor draft={draft} notRead={read.not_read} onDraft={setDraft} onShow={setShown} />
          <Problem text={problem} />
          {open > 0 && (
            <p class="aside">
              {open} not certain and not ticked: {open === 1 ? 'it is' : 'they are'} not made.
            </p>
          )}
          <button
            type="button"
            class="primary"
            disabled={busy || count === 0 || read.failure !== null}
            onClick={() =>
              send(async () => {
                const plan = planOf(draft);
                const key = { idempotency_key: newIdempotencyKey() };
                const { setup } = await session.client.call('projects_setup_apply', { project_id, plan }, key);
                setTask(setup.task.id);
              })
            }
          >
            {busy ? 'Sending' : `Make ${count} ${count === 1 ? 'object' : 'objects'}`}
          </button>
        </section>
      </div>
    </>
  );
}
