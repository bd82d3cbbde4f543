/**
 * Learnings: facts that a run of an AI agent stores for later runs. API callers can only read learnings; only runs create and remove them.
 * One commit stores each change together with an audit entry.
 */

import { OperationError } from '#contract/base/errors.ts';
import { hashId } from '#contract/base/ids.ts';
import { say } from '#contract/base/told.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext, OwnWork } from '#contract/context.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Output } from '#contract/operations.ts';
import {
  EndLearningInput,
  LEARNING_LIMITS,
  LEARNING_TOOLS,
  LearnedFact,
  type LearningData,
  RememberInput,
} from '#contract/work/learning.ts';
import type { TaskData } from '#contract/work/task.ts';
import { stageAudit } from '#handlers/base/audit.ts';
import { NO_CONTEXT, requireRecord, wireBase } from '#handlers/base/documents.ts';
import { listPage } from '#handlers/base/lists.ts';

type Learning = Output<'learnings_get'>;

function toLearning(document: Stored<LearningData>): Learning {
  const { data } = document;
  return {
    object: 'learning',
    ...wireBase(document),
    ...data,
    context: { ...NO_CONTEXT, run_id: data.removed_by_run_id ?? data.created_by_run_id },
  };
}

/**
 * Stages (adds to the commit of this call) a new learning of a run. If the new learning supersedes an older learning, the same commit
 * removes the older learning. Without `id`, the learning gets a new id.
 */
export async function stageLearning(
  context: HandlerContext,
  run_id: string,
  given: LearnedFact,
  id = context.newId('learning'),
): Promise<string> {
  const { view } = context;
  const fact = LearnedFact.parse(given);
  await requireRecord(view, 'run', run_id, 'run_id');
  if (fact.supersedes !== null) await stageLearningEnd(context, run_id, fact.supersedes);
  view.stage<LearningData>({
    collection: 'records',
    id,
    object: 'learning',
    data: { ...fact, status: 'active', removed_at: null, created_by_run_id: run_id, removed_by_run_id: null },
    expected: 0,
  });
  stageAudit(context, view, 'learning', id, 'created', { run_id, fact: fact.fact });
  return id;
}

/** Stages the removal of a learning by a run. If the learning is already removed, the function changes nothing and returns undefined. */
export async function stageLearningEnd(
  context: HandlerContext,
  run_id: string,
  id: string,
): Promise<Stored<LearningData> | undefined> {
  const { view, now } = context;
  await requireRecord(view, 'run', run_id, 'run_id');
  const current = await requireRecord<LearningData>(view, 'learning', id);
  if (current.data.status === 'removed') return undefined;
  const ended = view.stage<LearningData>({
    collection: 'records',
    id,
    object: 'learning',
    data: { ...current.data, status: 'removed', removed_at: now, removed_by_run_id: run_id },
    current,
    expected: current.revision,
  });
  stageAudit(context, view, 'learning', id, 'removed', { run_id });
  return ended;
}

/** Throws `limit_reached` if the project has as many active learnings as the limit allows. */
async function requireFree({ view }: HandlerContext): Promise<void> {
  const { active: limit } = LEARNING_LIMITS;
  const where = { 'data.status': 'active' };
  if ((await view.find('records', { object: 'learning', where, limit })).length < limit) return;
  throw new OperationError(
    'limit_reached',
    say('The project has {limit} active learnings already. End one that is no longer true.', { limit }),
  );
}

/** Returns the latest run of a task: the one that works. */
async function runOf({ view }: HandlerContext, task_id: string): Promise<string> {
  const { data } = await requireRecord<TaskData>(view, 'task', task_id, 'task_id');
  return data.latest_run_id ?? '';
}

/** Carries out one of the tools with which runs write learnings. `key` identifies the call: the same call writes only once. */
async function stageLearningCall(
  context: HandlerContext,
  { name, input, task_id, key }: { name: string; input: unknown; task_id: string; key: string },
): Promise<Stored<LearningData>> {
  const { view, sha256 } = context;
  const run_id = await runOf(context, task_id);
  if (name === LEARNING_TOOLS.end) {
    const { id, if_match } = EndLearningInput.parse(input);
    const current = await requireRecord<LearningData>(view, 'learning', id);
    if (if_match !== undefined && current.data.status === 'active' && current.revision !== if_match)
      throw new OperationError('revision_mismatch', 'The learning was changed since.');
    return (await stageLearningEnd(context, run_id, id)) ?? current;
  }
  const fact = RememberInput.parse(input);
  const id = hashId('learning', sha256(`learning\n${view.project_id}\n${key}`));
  const there = await view.get<LearningData>('records', id);
  if (there !== undefined) return there;
  if (fact.subject !== null) await requireRecord(view, fact.subject.object, fact.subject.id, 'subject');
  if (fact.supersedes === null) await requireFree(context);
  await stageLearning(context, run_id, fact, id);
  return requireRecord<LearningData>(view, 'learning', id);
}

/** Creates the function that carries out these tools as work of the gateway, and answers with the learning. */
export const createLearner =
  (ownWork: OwnWork) =>
  async (project_id: string, call: Parameters<typeof stageLearningCall>[1]): Promise<Learning> => {
    let learning: Stored<LearningData> | undefined;
    await ownWork(project_id, async (context) => {
      learning = await stageLearningCall(context, call);
    });
    return toLearning(learning as Stored<LearningData>);
  };

export const learningHandlers = handlerGroup([], {
  async learnings_list(input, context) {
    const { status, subject, run_id } = input;
    const where = { 'data.subject.id': subject, 'data.status': status, 'data.created_by_run_id': run_id };
    return listPage<LearningData, Learning>(
      context,
      context.view,
      'records',
      input,
      { object: 'learning', where, text: ({ data }) => [data.fact] },
      (found) => found.map(toLearning),
    );
  },

  async learnings_get({ id }, context) {
    return toLearning(await requireRecord<LearningData>(context.view, 'learning', id));
  },
});
