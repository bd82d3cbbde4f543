/** Stages what a description tells of the site as learnings, each with its words as the evidence. */
import { foldText } from '#contract/base/names.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import { LEARNING_LIMITS, type LearningData } from '#contract/work/learning.ts';
import type { Gap, RunData, TaskData } from '#contract/work/task.ts';
import type { WrittenObject, WrittenPart } from '#domain/setup/setup-outcome.ts';
import type { SetupPart } from '#domain/setup/setup-parts.ts';
import { holderOf } from '#handlers/base/names.ts';
import { stageLearning } from '#handlers/work/learnings.ts';
import { setupId } from './setup-id.ts';

const SOURCE = 'description of the site';
/** The evidence of a fact that has no words: whoever checked the plan added it. */
const ADDED = [{ source: 'plan of the setup', excerpt: null }];
/** Longest excerpt of an evidence. */
const MOST_EXCERPT = 2_000;

const gapOf = (code: string, ref: string, message: string, remedy: string): Gap => ({
  ...{ code, resource: 'learnings', ref, message, remedy, blocking: false },
});

/** True if a run of this task made the learning. */
async function isOwn({ view }: HandlerContext, task_id: string, { data }: Stored<LearningData>): Promise<boolean> {
  return (await view.get<RunData>('records', data.created_by_run_id))?.data.task_id === task_id;
}

/**
 * Stages the facts of a plan. A fact that the project knows already is not stored again. A machine that the text says is gone, and that the
 * project still has, stays as people left it; the gap asks a person to look.
 */
export async function stageFacts(
  context: HandlerContext,
  task_id: string,
  { items, onlyOfMachines }: Extract<SetupPart, { step: 'learnings' }>,
): Promise<WrittenPart> {
  const { view } = context;
  const task = await view.get<TaskData>('records', task_id);
  const run_id = task?.data.latest_run_id ?? '';
  const { active: limit } = LEARNING_LIMITS;
  const where = { 'data.status': 'active' };
  const known = await view.find<LearningData>('records', { object: 'learning', where, limit });
  let free = limit - known.length;
  const objects: WrittenObject[] = [];
  const gaps: Gap[] = [];
  for (const [place, { fact, unit_number, from, at }] of items.entries()) {
    const written = { kind: 'learnings', name: fact, from, at, stated: true } as const;
    const id = setupId(context, task_id, 'learning', fact, place);
    const machine = unit_number === null ? undefined : await holderOf(context, view, 'unit_number', unit_number);
    if (onlyOfMachines && machine === undefined) continue;
    if (machine !== undefined && unit_number !== null)
      gaps.push(
        gapOf(
          'machine_gone',
          from[0] ?? unit_number,
          `The text says that ${unit_number} is gone, and the project still has it.`,
          'If it is gone, set its status to decommissioned on the page of the machine.',
        ),
      );
    const there =
      known.find(({ data }) => foldText(data.fact) === foldText(fact)) ?? (await view.get<LearningData>('records', id));
    if (there !== undefined) {
      objects.push({ ...written, id: there.id, created: await isOwn(context, task_id, there) });
      continue;
    }
    if (free <= 0) {
      gaps.push(
        gapOf(
          'not_made',
          from[0] ?? fact,
          `The project has ${limit} active learnings already, so this one was not stored: ${fact}`,
          'End a learning that is no longer true, and start the setup again.',
        ),
      );
      continue;
    }
    free--;
    const words = from.map((one) => ({ source: at ?? SOURCE, excerpt: one.slice(0, MOST_EXCERPT) })).slice(0, 20);
    const evidence = words.length === 0 ? ADDED : words;
    const subject = machine === undefined ? null : { object: 'equipment', id: machine };
    await stageLearning(context, run_id, { fact, subject, evidence, supersedes: null }, id);
    objects.push({ ...written, id, created: true });
  }
  return { objects, gaps };
}
