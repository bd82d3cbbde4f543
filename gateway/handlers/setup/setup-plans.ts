/** Starts setups, from a description or from a plan that a person has checked, and plans a description without writing anything. */
import { OperationError } from '#contract/base/errors.ts';
import { say } from '#contract/base/told.ts';
import type { HandlerContext } from '#contract/context.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Parsed } from '#contract/operations.ts';
import type { ProjectData } from '#contract/site/project.ts';
import type { FilesRead, GivenFile, JoinedText } from '#contract/site/setup.ts';
import type { SetupPlan } from '#contract/site/setup-plan.ts';
import { readReview } from '#domain/runs/review.ts';
import { stageSetupTask } from '#domain/runs/setup-task.ts';
import { requireNoSetup } from '#handlers/access/setup.ts';
import { fromBase64 } from '#handlers/base/base64.ts';

/** Returns the description with the text of the files of a request. */
async function joined(
  { setupReader }: HandlerContext<'setupReader'>,
  prompt: string,
  files: Parsed<'projects_setup'>['files'],
): Promise<JoinedText> {
  if (files.length === 0) return { text: prompt, places: [], gaps: [] };
  return setupReader.join(
    prompt,
    files.map(({ name, content_base64 }): GivenFile => ({ name, content: fromBase64(content_base64) })),
  );
}

/** Sync holds back a document of a million characters, and the task has other fields than its plan. */
const MAX_STORED_PLAN = 950_000;

/** The plan without its empty fields, so that a large one has less than 1,000,000 characters. The schema of the plan fills them in again. */
const stored = (plan: SetupPlan): unknown =>
  JSON.parse(JSON.stringify(plan, (_, value: unknown) => (value === null ? undefined : value)));

export const setupPlanHandlers = handlerGroup(['setupReader'], {
  async projects_setup({ prompt: given, files }, context) {
    const { view, node, caller } = context;
    await requireNoSetup(context);
    const project = await node.get<ProjectData>('records', view.project_id);
    const prompt = given ?? project?.data.prompt ?? '';
    const url = given === undefined ? (project?.data.url ?? null) : null;
    const created_by = { type: caller.kind, id: caller.id, name: caller.name };
    const review = await readReview(view, context.sha256);
    const { text, ...found } = await joined(context, prompt, files);
    const read: FilesRead = { ...found, described: prompt.length };
    // Reading takes seconds, in which another call may have started a setup.
    if (files.length > 0) await requireNoSetup(context);
    return { setup: stageSetupTask(context, view, { prompt: text, url, created_by, read, review }) };
  },

  async projects_setup_plan({ prompt, files }, context) {
    const plan = await context.setupReader.plan(await joined(context, prompt, files));
    return { object: 'setup_plan', project_id: context.view.project_id, ...plan };
  },

  async projects_setup_apply({ plan: given }, context) {
    await requireNoSetup(context);
    const plan = stored(given);
    if (JSON.stringify(plan).length > MAX_STORED_PLAN)
      throw new OperationError(
        'payload_too_large',
        say(
          'The plan has more than {max_stored_plan} characters. Apply it in several parts, for example the machines of one area each.',
          { max_stored_plan: MAX_STORED_PLAN },
        ),
      );
    const { caller } = context;
    const created_by = { type: caller.kind, id: caller.id, name: caller.name };
    // The person who checked the plan has approved it.
    const review = await readReview(context.view, context.sha256, true);
    return {
      setup: stageSetupTask(context, context.view, { prompt: null, url: null, created_by, plan, review }),
    };
  },
});
