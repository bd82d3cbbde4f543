/** The plan of a setup as the interface returns it. */
import type { JoinedText } from '#contract/site/setup.ts';
import type { PlanRead } from '#contract/site/setup-plan.ts';
import type { PlannedBoard, PlannedShift, Proposal, SitePlan } from '#domain/planner/plan-types.ts';
import { withPlaces } from './cited-places.ts';

interface Cited {
  readonly from: readonly string[];
  readonly at?: string | null;
}

const copies = <T extends Cited>(items: readonly T[]) =>
  items.map((one) => ({ ...one, from: [...one.from], at: one.at ?? null }));

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

/** Returns a plan with the places of its words in files. What could not be read of the files stands first among its gaps. */
export function planAnswer(
  planned: SitePlan,
  { text, places, gaps }: JoinedText,
): Omit<PlanRead, 'object' | 'project_id'> {
  const plan = withPlaces(planned, text, places);
  return {
    text,
    language: plan.language,
    equipment: copies(plan.equipment),
    locations: copies(plan.locations),
    shifts: shiftsOf(plan.shifts),
    crews: copies(plan.crews),
    operators: copies(plan.operators),
    mechanics: copies(plan.mechanics),
    boards: boardsOf(plan.boards),
    facts: copies(plan.facts),
    gaps: [
      ...gaps.map(({ code, file, message, remedy }) => ({
        ...{ code, resource: 'project', message, remedy, from: [], at: file, proposal: null },
      })),
      ...copies(plan.gaps).map(({ proposal, ...gap }) => ({ ...gap, proposal: proposal ? copyOf(proposal) : null })),
    ],
    not_read: [...plan.not_read],
    coverage: plan.coverage,
    failure: plan.failure,
  };
}
