/** The real executor of the agent over the real operations, with a scripted model server. */
import { createHash, randomBytes } from 'node:crypto';
import { type AgentOptions, startAgent } from '#agent/agent-kind.ts';
import type { Toolbox } from '#agent/toolbox.ts';
import type { Input } from '#contract/operations.ts';
import type { Message, Run, Task } from '#contract/work/task.ts';
import { providerKey } from '#handlers/tasks/review.ts';
import { createLearner } from '#handlers/work/learnings.ts';
import { skillForRun } from '#handlers/work/skills.ts';
import { createToolbox } from '#servers/mcp/agent-toolbox.ts';
import { withLearnings } from '#servers/mcp/learning-tools.ts';
import { openRig, type Rig } from '#test/support/handler-rig.ts';
import { type ModelRequest, type ModelServer, type Scripted, startModelServer } from '#test/support/model-server.ts';
import { until } from '#test/support/until.ts';

export type Script = (request: ModelRequest, n: number) => Scripted | Promise<Scripted>;

export interface AgentRig extends AsyncDisposable {
  readonly rig: Rig;
  readonly model: ModelServer;
  readonly toolbox: Toolbox;
  /** Starts the executor, also again after `stop`. */
  start(more?: Partial<AgentOptions>): void;
  stop(): Promise<void>;
  /** Changes the review configuration from its present revision. */
  review(change: Omit<Input<'review_configuration_update'>, 'id'>): Promise<void>;
  /** Starts a prompt and waits for the end of its run. */
  ask(prompt: string, more?: { read_only?: boolean; plan_only?: boolean }): Promise<Run>;
  /** The latest run of a task, when it has ended. */
  ended(task_id: string): Promise<Run>;
  transcript(task_id: string): Promise<Message[]>;
}

export const isOver = (run: Run | null): boolean => run !== null && run.terminal_event_count === 1;

/** Opens a site whose project uses a model with this script. `more` replaces parts of the executor. */
export async function openAgent(script: Script, more: Partial<AgentOptions> = {}): Promise<AgentRig> {
  await using opened = new AsyncDisposableStack();
  const rig = opened.use(await openRig());
  const model = opened.use(await startModelServer(script));
  let agent: AsyncDisposable | undefined;
  const stop = async () => {
    await agent?.[Symbol.asyncDispose]();
    agent = undefined;
  };
  opened.defer(stop);
  const { store, clock, invoke, ownWork, artifacts, sealer } = rig;
  const log = () => undefined;
  const sha256 = (text: string | Uint8Array) => createHash('sha256').update(text).digest('hex');
  const toolbox = withLearnings(createToolbox({ invoke, log, artifacts }), createLearner(ownWork), log);
  const start = (other: Partial<AgentOptions> = {}) => {
    agent = startAgent({
      store,
      clock,
      random: (bytes) => new Uint8Array(randomBytes(bytes)),
      log,
      toolbox,
      keyOf: (project_id) => providerKey(store.view(project_id), sealer),
      skillOf: (view, id, hash) => skillForRun(view, sha256, id, hash),
      ...more,
      ...other,
    });
  };
  const review: AgentRig['review'] = async (change) => {
    const { revision } = await rig.call('review_configuration_get', { id: rig.project });
    await rig.call('review_configuration_update', { id: rig.project, ...change }, { if_match: revision });
  };
  const ended: AgentRig['ended'] = async (task_id) => {
    let task: Task | undefined;
    await until(async () => {
      task = await rig.call('tasks_get', { task_id });
      return isOver(task.run);
    }, `the end of task ${task_id}`);
    return task?.run as Run;
  };
  await review({ provider: { kind: 'openai', url: model.url, model: 'scripted' } });
  start();
  const held = opened.move();
  return {
    rig,
    model,
    toolbox,
    start,
    stop,
    review,
    ended,
    ask: async (prompt, given = {}) => ended((await rig.call('tasks_create', { prompt, ...given })).id),
    async transcript(task_id) {
      return (await rig.call('tasks_messages', { task_id, limit: 200 })).data;
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}
