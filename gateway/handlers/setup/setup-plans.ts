/** The plan of a setup: read from a description without writing anything, and written after a person has checked it. */
import { handlerGroup } from '#contract/handler.ts';
import { planSite } from '#domain/planner/plan.ts';
import type { PlannedBoard, PlannedShift, Proposal } from '#domain/planner/plan-types.ts';
import { readReview } from '#domain/runs/review.ts';
import { stageSetupTask } from '#domain/runs/setup-task.ts';
import { requireNoSetup } from '#handlers/access/setup.ts';

const copies = <T extends { readonly from: readonly string[] }>(items: readonly T[]) =>
  items.map((one) => ({ ...one, from: [...one.from] }));

/** The shows and days of the objects are lists of their own, so each kind has its copy. */
const copyOf = ({ equipment, locations, operators, mechanics, shifts, boards }: Proposal) => ({
  ...(equipment && { equipment: copies(equipment) }),
  ...(locations && { locations: copies(locations) }),
  ...(operators && { operators: copies(operators) }),
  ...(mechanics && { mechanics: copies(mechanics) }),
  ...(shifts && { shifts: shiftsOf(shifts) }),
  ...(boards && { boards: boardsOf(boards) }),
});

const shiftsOf = (shifts: readonly PlannedShift[]) =>
  copies(shifts).map((shift) => ({ ...shift, days: shift.days === null ? null : [...shift.days] }));
const boardsOf = (boards: readonly PlannedBoard[]) =>
  copies(boards).map((board) => ({ ...board, shows: [...board.shows] }));

export const setupPlanHandlers = handlerGroup([], {
  projects_setup_plan({ prompt }, { view }) {
    const plan = planSite(prompt);
    return {
      object: 'setup_plan',
      project_id: view.project_id,
      language: plan.language,
      equipment: copies(plan.equipment),
      locations: copies(plan.locations),
      shifts: shiftsOf(plan.shifts),
      crews: copies(plan.crews),
      operators: copies(plan.operators),
      mechanics: copies(plan.mechanics),
      boards: boardsOf(plan.boards),
      gaps: copies(plan.gaps).map(({ proposal, ...gap }) => ({ ...gap, proposal: proposal ? copyOf(proposal) : null })),
      not_read: [...plan.not_read],
      coverage: plan.coverage,
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
