/**
 * Learnings: facts that a run of an AI agent stores for later runs. API callers can only read learnings; only runs create and remove them.
 * One commit stores each change together with an audit entry.
 */

import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Output } from '#contract/operations.ts';
import { LearnedFact, type LearningData } from '#contract/work/learning.ts';
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
 * removes the older learning.
 */
export async function stageLearning(context: HandlerContext, run_id: string, given: LearnedFact): Promise<string> {
  const { view } = context;
  const fact = LearnedFact.parse(given);
  await requireRecord(view, 'run', run_id, 'run_id');
  if (fact.supersedes !== null) await stageLearningEnd(context, run_id, fact.supersedes);
  const id = context.newId('learning');
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

/** Stages the removal of a learning by a run. If the learning is already removed, the function changes nothing. */
export async function stageLearningEnd(context: HandlerContext, run_id: string, id: string): Promise<void> {
  const { view, now } = context;
  await requireRecord(view, 'run', run_id, 'run_id');
  const current = await requireRecord<LearningData>(view, 'learning', id);
  if (current.data.status === 'removed') return;
  view.stage<LearningData>({
    collection: 'records',
    id,
    object: 'learning',
    data: { ...current.data, status: 'removed', removed_at: now, removed_by_run_id: run_id },
    current,
    expected: current.revision,
  });
  stageAudit(context, view, 'learning', id, 'removed', { run_id });
}

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
