/** The tasks of the agent and of setups, and the transcript of one of them. */
import type { Message, Task } from '#contract/work/task.ts';
import { moment } from '#ui/format.ts';
import { Problem } from '#ui/office/base/parts.tsx';
import { may, type Session } from '#ui/office/base/session.ts';
import { usePolled, useSend } from '#ui/office/base/use.ts';
import { Undo } from './undo.tsx';

const EVERY_MS = 2_000;
const MOST_TASKS = 30;
const MOST_MESSAGES = 200;
/** Kinds of tasks that a person starts with words, and those that take back what they wrote. */
const SHOWN = ['agent', 'custom_action', 'setup', 'maintenance'] as const;
/** Longest text of an entry on the page. */
const MOST_CHARACTERS = 2_000;

const WHO: Readonly<Record<Message['kind'], string>> = {
  message: '',
  reasoning: 'Thinks',
  reasoning_end: '',
  tool_call: 'Uses',
  tool_result: 'Result of',
  note: 'Note',
};

function textOf({ text, tool }: Message): string {
  const shown = tool === null ? text : JSON.stringify(tool.outcome === null ? tool.input : tool.output);
  return (shown ?? '').slice(0, MOST_CHARACTERS);
}

function titleOf({ kind, role, tool }: Message): string {
  if (kind === 'message') return role === 'user' ? 'Prompt' : 'Agent';
  return [WHO[kind], tool?.name, tool?.outcome === 'output' ? '' : tool?.outcome].filter(Boolean).join(' ');
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
  return (
    <section class="panel-box" aria-label="Transcript">
      <h2>{task.title}</h2>
      <p role="status">{run?.status_text}</p>
      <div class="buttons">
        {isActive && may(session, 'tasks_cancel') && (
          <button type="button" disabled={busy} onClick={() => act(() => client.call('tasks_cancel', { task_id }))}>
            Cancel
          </button>
        )}
        {!isActive && task.kind !== 'maintenance' && may(session, 'tasks_run') && (
          <button
            type="button"
            disabled={busy}
            onClick={() => act(() => client.call('tasks_run', { task_id, approve: waits }))}
          >
            {waits ? 'Approve' : 'Start again'}
          </button>
        )}
      </div>
      {!isActive && (task.kind === 'agent' || task.kind === 'custom_action') && may(session, 'tasks_undo') && (
        <Undo session={session} task_id={task_id} onStarted={onChosen} />
      )}
      <Problem text={problem ?? read.problem} />
      <dl class="facts">
        {(read.data?.data ?? [])
          .filter(({ kind }) => kind !== 'reasoning_end')
          .map((message) => (
            <div key={message.id}>
              <dt>{titleOf(message)}</dt>
              <dd>{textOf(message)}</dd>
            </div>
          ))}
      </dl>
      {read.data?.has_more && <p class="aside">The transcript has more entries: read them with tasks_messages.</p>}
    </section>
  );
}

export function TaskList(props: { session: Session; chosen: string | null; onChosen(id: string): void }) {
  const { session, chosen, onChosen } = props;
  const { data, problem, reload } = usePolled(
    async (signal) => {
      const lists = SHOWN.map((kind) => session.client.call('tasks_list', { kind, limit: MOST_TASKS }, { signal }));
      const all = (await Promise.all(lists)).flatMap((list) => list.data);
      return all.sort((a, b) => (a.created_at < b.created_at ? 1 : -1)).slice(0, MOST_TASKS);
    },
    EVERY_MS,
    [session, chosen],
  );
  const tasks = data ?? [];
  const task = tasks.find(({ id }) => id === chosen);
  const now = session.now();
  return (
    <>
      {task !== undefined && (
        <Transcript key={task.id} session={session} task={task} onChanged={reload} onChosen={onChosen} />
      )}
      <section class="panel-box">
        <h2>Tasks</h2>
        <Problem text={problem} />
        {data !== null && tasks.length === 0 && <p>No prompt, custom action or setup was started yet.</p>}
        {tasks.length > 0 && (
          <div class="table stacks">
            <table>
              <thead>
                <tr>
                  <th scope="col">Task</th>
                  <th scope="col">State</th>
                  <th scope="col">Started</th>
                  <th scope="col">By</th>
                </tr>
              </thead>
              <tbody>
                {tasks.map(({ id, title, run, created_at, created_by }) => (
                  <tr key={id}>
                    <th scope="row">
                      <button type="button" class="quiet" aria-pressed={id === chosen} onClick={() => onChosen(id)}>
                        {title}
                      </button>
                    </th>
                    <td data-label="State">{run?.status_text}</td>
                    <td data-label="Started">{moment(Date.parse(created_at), now, session.project.timezone)}</td>
                    <td data-label="By">{created_by.name}</td>
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
