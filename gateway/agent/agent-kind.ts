/**
 * The kind of runs that a model carries out. Without a model set for a project, rules carry out the runs of catalog skills, all other runs end
 * with a remedy, and nothing is sent anywhere.
 */
import { hash } from 'node:crypto';
import { z } from 'zod';
import type { View } from '#contract/base/view.ts';
import { LEARNING_LIMITS, type LearningData } from '#contract/work/learning.ts';
import type { RunData, TaskData } from '#contract/work/task.ts';
import { agentBackend, createAgentReplacement, isAgentRun } from '#domain/runs/agent-task.ts';
import { isReviewKept } from '#domain/runs/pins.ts';
import { readReview } from '#domain/runs/review.ts';
import { type ExecutorOptions, KindExecutor } from '#runs/kind-executor.ts';
import type { RunKind, RunStart } from '#runs/run-kind.ts';
import { AgentFault, RunGone } from './agent-fault.ts';
import { carryOut, outcomeOf } from './harness.ts';
import { RUN_MESSAGES, type RunSkill, type Session, withWallTime } from './session.ts';
import type { Toolbox } from './toolbox.ts';
import { undoKind } from './undo-kind.ts';

/** Processor time of a run in seconds. The model works in another process, so a run of the gateway uses little. */
const CPU_S = 120;

export interface AgentOptions extends ExecutorOptions {
  readonly toolbox: Toolbox;
  /** Returns the key of the provider of a project; null if it has none, undefined if it cannot be decrypted. */
  readonly keyOf: (project_id: string) => Promise<string | null | undefined>;
  /** Returns a skill by the id of its revision, or why no run may work with it. `pinned`: the hash that the run keeps. */
  readonly skillOf: (
    view: View,
    revision_id: string,
    pinned?: string,
  ) => Promise<RunSkill | { readonly problem: string }>;
}

const Approval = z.object({ by: z.string().nullable(), name: z.string(), at: z.string(), run_id: z.string() });

const sha256 = (text: string): string => hash('sha256', text, 'hex');

/** Returns the configuration of the run. A replacement has none yet: it keeps the configuration that is current when it starts. */
async function settle({ queue, working }: RunStart, view: View): Promise<void> {
  const { data } = working.run;
  if (data.approval !== undefined && !Approval.safeParse(data.approval).success)
    throw new AgentFault('project_approval_unreadable', 'The stored approval of this run is damaged.');
  if (data.review !== undefined) {
    if (isReviewKept(sha256, data.review)) return;
    throw new AgentFault(
      'project_run_mode_unreadable',
      'The review configuration that this run keeps does not have its hash.',
    );
  }
  const { pin, refusal } = await readReview(view, sha256, data.approval !== undefined);
  if (refusal !== undefined) throw new AgentFault(refusal.code, refusal.message);
  const backend: RunData['backend'] = { ...data.backend, ...agentBackend(pin) };
  const limits = { ...data.limits, spend_usd: pin?.spend_cap_usd ?? null, tokens: pin?.token_budget ?? null };
  const kept = await queue.say(working, [], {}, { backend, limits, ...(pin === undefined ? {} : { review: pin }) });
  if (!kept) throw new RunGone('The run has ended.');
}

async function skillsOf({ skillOf }: AgentOptions, view: View, { pins, hashes }: RunData): Promise<RunSkill[]> {
  const ids = Object.keys(pins).filter((id) => id.startsWith('skr_'));
  return Promise.all(
    ids.map(async (id) => {
      const skill = await skillOf(view, id, hashes?.[id]);
      if ('problem' in skill) throw new AgentFault('skill_instance_not_found', skill.problem);
      return skill;
    }),
  );
}

/** Returns the newest active learnings of a project, one a line, as far as the limits allow. */
async function learnedOf(view: View): Promise<string> {
  const { given: limit, given_characters } = LEARNING_LIMITS;
  const found = await view.find<LearningData>('records', {
    object: 'learning',
    where: { 'data.status': 'active' },
    limit,
  });
  let text = '';
  for (const { id, created_at, data } of found) {
    const line = `${JSON.stringify({ id, fact: data.fact, subject: data.subject, created_at })}\n`;
    if (text.length + line.length > given_characters) break;
    text += line;
  }
  return text;
}

/** Reads what the run needs. */
async function openSession(options: AgentOptions, start: RunStart, elapsed: () => number): Promise<Session> {
  const { store, clock, toolbox, keyOf, secondMs = 1000 } = options;
  const { queue, working, signal } = start;
  const view = store.view(working.project_id);
  await settle(start, view);
  const skills = await skillsOf(options, view, working.run.data);
  if (skills.length > 0) {
    const entries = skills.map(({ entry }) => entry);
    if (!(await queue.say(working, [], {}, { skills: entries }))) throw new RunGone('The run has ended.');
  }
  const key = await keyOf(working.project_id);
  if (key === undefined)
    throw new AgentFault('provider_auth_failed', 'The gateway cannot decrypt the key of the model provider.');
  const task = await view.get<TaskData>('records', working.run.data.task_id);
  const project = await store.node.get<Session['site']>('records', working.project_id);
  if (task === undefined || project === undefined) throw new RunGone('The task was deleted.');
  const now = () => new Date(clock()).toISOString();
  const learned = await learnedOf(view);
  return {
    view,
    queue,
    working,
    task,
    site: project.data,
    key,
    skills,
    learned,
    toolbox,
    now,
    secondMs,
    elapsed,
    signal,
  };
}

async function work(options: AgentOptions, start: RunStart): Promise<void> {
  const { queue, working, signal } = start;
  const began = performance.now();
  const elapsed = () => Math.round(performance.now() - began);
  try {
    await carryOut(await openSession(options, start, elapsed));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof RunGone) return;
    const outcome = outcomeOf(error);
    const message = error instanceof Error ? error.message : String(error);
    if (outcome === undefined)
      options.log('error', 'a run of the agent failed', { run_id: working.run.id, error: message });
    working.run = { ...working.run, data: withWallTime(working.run.data, elapsed()) };
    await queue.end(
      working,
      outcome ?? {
        status: 'failed',
        code: 'unknown',
        message: `The gateway met an error that it does not know: ${message}`,
      },
    );
  }
}

const agentKind = (options: AgentOptions): RunKind => ({
  name: 'agent',
  repeatsPrompt: true,
  overWall: 'run_invocation_ceiling',
  waitingRunOf({ id, project_id, created_at, data }) {
    // Each task has a line of its own, so the oldest run of all projects starts next.
    return isAgentRun(data) ? { id, project_id, created_at, device: data.task_id, long: false } : undefined;
  },
  async prepare() {
    return { cpu_s: CPU_S, work: (start) => work(options, start) };
  },
  replacement: createAgentReplacement,
  messages: { started: 'Asks the model.', ...RUN_MESSAGES },
});

/**
 * Starts the executors of the runs that a model carries out, and of those that take back what such runs wrote. While no run waits, they write
 * and send nothing.
 */
export function startAgent(options: AgentOptions): AsyncDisposable {
  const executors = [agentKind(options), undoKind(options)].map((kind) => new KindExecutor(options, kind));
  return {
    async [Symbol.asyncDispose]() {
      await Promise.all(executors.map((executor) => executor.stop()));
    },
  };
}
