/** The plan of a setup: read from a description without writing anything, and written after a person has checked it. */
import { handlerGroup } from '#contract/handler.ts';
import { planSite } from '#domain/planner/plan.ts';
import { readReview } from '#domain/runs/review.ts';
import { stageSetupTask } from '#domain/runs/setup-task.ts';
import { requireNoSetup } from '#handlers/access/setup.ts';

const copies = <T extends { readonly from: readonly string[] }>(items: readonly T[]) =>
  items.map((one) => ({ ...one, from: [...one.from] }));

export const setupPlanHandlers = handlerGroup([], {
  projects_setup_plan({ prompt }, { view }) {
    const plan = planSite(prompt);
    return {
      object: 'setup_plan',
      project_id: view.project_id,
      language: plan.language,
      equipment: copies(plan.equipment),
      locations: copies(plan.locations),
      shifts: copies(plan.shifts).map((shift) => ({ ...shift, days: shift.days === null ? null : [...shift.days] })),
      crews: copies(plan.crews),
      operators: copies(plan.operators),
      mechanics: copies(plan.mechanics),
      boards: copies(plan.boards).map((board) => ({ ...board, shows: [...board.shows] })),
      gaps: copies(plan.gaps).map(({ slot = null, ...gap }) => ({ ...gap, slot })),
      not_read: [...plan.not_read],
      failure: plan.failure,
    };
  },

  async projects_setup_apply({ plan }, context) {
    await requireNoSetup(context);
    const { caller } = context;
    const created_by = { type: caller.kind, id: caller.id, name: caller.name };
    // The person who checked the plan has approved it.
    const review = await readReview(context.view, true);
    return { setup: stageSetupTask(context, context.view, { prompt: null, url: null, created_by, plan, review }) };
  },
});
