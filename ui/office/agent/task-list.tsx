/** The tasks of the agent and of setups, and the transcript of one of them. */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { ClientError } from '#contract/client.ts';
import type { Message, Task } from '#contract/work/task.ts';
import { moment } from '#ui/format.ts';
import { said, t, type Word } from '#ui/languages/texts.ts';
import { Problem, Told } from '#ui/office/base/parts.tsx';
import { errorText, may, type Session } from '#ui/office/base/session.ts';
import { usePolled, useSend } from '#ui/office/base/use.ts';
import { Pins } from './pins.tsx';
import { Undo } from './undo.tsx';

const EVERY_MS = 2_000;
const MOST_TASKS = 30;
const MOST_MESSAGES = 200;
/** Kinds of tasks that a person starts with words, and those that take back what they wrote. */
const SHOWN = ['agent', 'custom_action', 'setup', 'maintenance'] as const;
/** Longest text of an entry on the page. */
const MOST_CHARACTERS = 2_000;

const OUTCOMES: Readonly<Record<NonNullable<NonNullable<Message['tool']>['outcome']>, Word | null>> = {
  output: null,
  error: 'error',
  denied: 'denied',
};

/** A model works on the task. */
const isOfModel = ({ kind }: Task): boolean => kind === 'agent' || kind === 'custom_action';

/** An undo can take back what the task wrote. */
const isUndone = (task: Task): boolean => isOfModel(task) || task.kind === 'setup';

/** What stands before the title of a task in the title of its undo. */
const UNDOES = 'Undo: ';

/** Returns the title of a task. That of an undo begins with a word of the gateway. */
function taskTitle({ kind, title }: Task): string {
  return kind === 'maintenance' && title.startsWith(UNDOES)
    ? t('Undo: {title}', { title: title.slice(UNDOES.length) })
    : title;
}

/** The lines of an answer that rules gave, with their sentences for translation. */
type Lines = readonly Parameters<typeof Told>[0][];

/** Returns the lines of an entry that is the answer of rules; undefined for all other entries. */
function linesOf({ run }: Task, { final, run_id }: Message): Lines | undefined {
  const { answered_by, lines } = run?.output?.details ?? {};
  return final && run?.id === run_id && answered_by === 'rules' ? (lines as Lines) : undefined;
}

/** What an entry says. The gateway writes its notes in English, and all entries of an undo, of a setup and of rules. */
function MessageText({ task, message }: { task: Task; message: Message }) {
  const { kind, text, tool } = message;
  const lines = linesOf(task, message);
  if (lines !== undefined)
    return (
      <dd>
        {lines.map((line, i) => (
          <p key={i}>
            <Told text={line.text} words={line.words} />
          </p>
        ))}
      </dd>
    );
  const shown = tool === null ? text : JSON.stringify(tool.outcome === null ? tool.input : tool.output);
  const short = (shown ?? '').slice(0, MOST_CHARACTERS);
  if (tool !== null) return <dd class="mono">{short}</dd>;
  return <dd>{kind === 'note' || !isOfModel(task) ? <Told text={short} /> : short}</dd>;
}

/** The title of an entry. */
function titleOf({ kind, role, tool }: Message): ComponentChildren {
  const name = <code>{tool?.name}</code>;
  switch (kind) {
    case 'message':
      return role === 'user' ? t('Prompt') : t('Agent');
    case 'reasoning':
      return t('Thinks');
    case 'note':
      return t('Note');
    case 'tool_call':
      return said('Uses {tool}', { tool: name });
    case 'tool_result': {
      const outcome = OUTCOMES[tool?.outcome ?? 'output'];
      const result = said('Result of {tool}', { tool: name });
      return outcome === null ? result : [...result, `, ${t(outcome)}`];
    }
    default:
      return null;
  }
}

function Transcript(props: { session: Session; task: Task; onChanged(): void; onChosen(id: string): void }) {
  const { session, task, onChanged, onChosen } = props;
  const { run, id: task_id } = task;
  const { busy, problem, send } = useSend();
  const read = usePolled(
    (signal) => session.client.call('tasks_messages', { task_id, limit: MOST_MESSAGES }, { signal }),
    EVERY_MS,
    [task_id],
  );
  const act = (work: () => Promise<unknown>) =>
    send(async () => {
      await work();
      onChanged();
    });
  const isActive = run !== null && run.terminal_event_count === 0;
  const waits = run?.error?.code === 'project_awaiting_approval';
  const { client } = session;
  const panel = useRef<HTMLElement>(null);
  useLayoutEffect(() => panel.current?.scrollIntoView({ block: 'nearest' }), []);
  return (
    <section ref={panel} class="panel-box" aria-label={t('Transcript')}>
      <h2>{taskTitle(task)}</h2>
      <p role="status">
        <Told text={run?.status_text ?? ''} />
      </p>
      <div class="buttons">
        {isActive && may(session, 'tasks_cancel') && (
          <button type="button" disabled={busy} onClick={() => act(() => client.call('tasks_cancel', { task_id }))}>
            {t('Cancel')}
          </button>
        )}
        {!isActive && task.kind !== 'maintenance' && may(session, 'tasks_run') && (
          <button
            type="button"
            disabled={busy}
            onClick={() => act(() => client.call('tasks_run', { task_id, approve: waits }))}
          >
            {waits ? t('Approve') : t('Start again')}
          </button>
        )}
      </div>
      {!isActive && isUndone(task) && may(session, 'tasks_undo') && (
        <Undo session={session} task_id={task_id} onStarted={onChosen} />
      )}
      {run !== null && run.pins.length > 0 && <Pins key={run.id} session={session} run_id={run.id} />}
      <Problem text={problem ?? read.problem} />
      <dl class="facts">
        {(read.data?.data ?? [])
          .filter(({ kind }) => kind !== 'reasoning_end')
          .map((message) => (
            <div key={message.id}>
              <dt>{titleOf(message)}</dt>
              <MessageText task={task} message={message} />
            </div>
          ))}
      </dl>
      {read.data?.has_more && (
        <p class="aside">
          {said('The transcript has more entries: read them with {operation}.', {
            operation: <code>tasks_messages</code>,
          })}
        </p>
      )}
    </section>
  );
}

export function TaskList(props: { session: Session; chosen: string | null; onChosen(id: string): void }) {
  const { session, chosen, onChosen } = props;
  const { data, problem, reload } = usePolled(
    async (signal) => {
      const lists = SHOWN.map((kind) => session.client.call('tasks_list', { kind, limit: MOST_TASKS }, { signal }));
      const all = (await Promise.all(lists)).flatMap((list) => list.data);
      const newest = all.sort((a, b) => (a.created_at < b.created_at ? 1 : -1)).slice(0, MOST_TASKS);
      const listed = newest.find(({ id }) => id === chosen);
      if (chosen === null || listed !== undefined) return { newest, open: listed, absent: null };
      try {
        const open = await session.client.call('tasks_get', { task_id: chosen }, { signal });
        return { newest, open, absent: null };
      } catch (error) {
        if (!(error instanceof ClientError) || error.error === null) throw error;
        return { newest, open: undefined, absent: errorText(error) };
      }
    },
    EVERY_MS,
    [session, chosen],
  );
  const tasks = data?.newest ?? [];
  const task = data?.open?.id === chosen ? data?.open : undefined;
  const now = session.now();
  return (
    <>
      {task !== undefined && (
        <Transcript key={task.id} session={session} task={task} onChanged={reload} onChosen={onChosen} />
      )}
      <section class="panel-box">
        <h2>{t('Tasks')}</h2>
        <Problem text={problem ?? data?.absent ?? null} />
        {data !== null && tasks.length === 0 && <p>{t('No prompt, custom action or setup was started yet.')}</p>}
        {tasks.length > 0 && (
          <div class="table stacks">
            <table>
              <thead>
                <tr>
                  <th scope="col">{t('Task')}</th>
                  <th scope="col">{t('State')}</th>
                  <th scope="col">{t('Started')}</th>
                  <th scope="col">{t('By')}</th>
                </tr>
              </thead>
              <tbody>
                {tasks.map((one) => (
                  <tr key={one.id}>
                    <th scope="row">
                      <button
                        type="button"
                        class="quiet"
                        aria-pressed={one.id === chosen}
                        onClick={() => onChosen(one.id)}
                      >
                        {taskTitle(one)}
                      </button>
                    </th>
                    <td data-label={t('State')}>
                      <Told text={one.run?.status_text ?? ''} />
                    </td>
                    <td data-label={t('Started')}>
                      {moment(Date.parse(one.created_at), now, session.project.timezone)}
                    </td>
                    <td data-label={t('By')}>{one.created_by.name}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </section>
    </>
  );
}
