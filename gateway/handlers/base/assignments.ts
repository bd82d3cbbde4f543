/** Assignments of operators to machines. An operator has at most one machine, and an inactive record cannot be assigned. */

import { OperationError } from '#contract/base/errors.ts';
import { part, say } from '#contract/base/told.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext, StagedView } from '#contract/context.ts';
import type { EquipmentData } from '#contract/fleet/equipment.ts';
import type { LocationData } from '#contract/fleet/location.ts';
import type { OperatorData } from '#contract/work/people.ts';
import { notFound } from './documents.ts';
import { stageEvent } from './events.ts';
import { stageGuard } from './guards.ts';

type Assigned = Partial<Pick<OperatorData, 'status' | 'name'> & Pick<LocationData, 'active'>>;

/** Throws `not_found` if an id is not a record of this kind, and `parameter_invalid` if the record is inactive. */
export async function requireActive(
  view: StagedView,
  object: 'operator' | 'mechanic' | 'location',
  ids: readonly string[],
  param: string,
): Promise<void> {
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) return;
  const found = new Map((await view.getMany<Assigned>('records', wanted)).map((document) => [document.id, document]));
  for (const id of wanted) {
    const document = found.get(id);
    if (document?.object !== object) throw notFound(object, param, wanted.length > 1 ? id : undefined, id);
    const { status, active, name } = document.data;
    if (status === 'inactive' || active === false)
      throw new OperationError(
        'parameter_invalid',
        say('The {object} {name} is inactive; activate it first.', { object: part(object), name: name ?? '' }),
        {
          param,
          details: [{ id, inactive: true }],
        },
      );
  }
}

/**
 * Largest number of machines from which `leaveMachines` removes an operator. Early versions allowed several machines for one operator, so
 * the store may still have such assignments.
 */
const MOST_SEATS = 200;

/**
 * Removes the operator from all machines except `keep`, and stages (adds to the commit of this call) an event in the log of each of these
 * machines. If two calls for one operator run at the same time, both write the same document. So the second commit fails, and its call runs
 * again and reads the change of the first call.
 */
export async function leaveMachines(context: HandlerContext, operator_id: string, keep: string | null): Promise<void> {
  const { view } = context;
  await stageGuard(context, view, `seat_${operator_id}`);
  const where = { 'data.operator_id': operator_id };
  const machines = await view.find<EquipmentData>('records', { object: 'equipment', where, limit: MOST_SEATS });
  for (const machine of machines) if (machine.id !== keep) stageLeft(context, machine, operator_id, keep);
}

function stageLeft(
  context: HandlerContext,
  current: Stored<EquipmentData>,
  operator_id: string,
  to: string | null,
): void {
  const { view } = context;
  const data: EquipmentData = { ...current.data, operator_id: null, operator_since: null };
  const { id, revision: expected } = current;
  view.stage({ collection: 'records', id, object: 'equipment', data, current, expected });
  stageEvent(context, view, 'equipment', id, 'unassigned_operator', { operator_id, to });
}
