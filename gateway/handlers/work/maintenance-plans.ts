/** Operations on maintenance plans: what is due on machines, and the services that were done. */
import { OperationError } from '#contract/base/errors.ts';
import { say } from '#contract/base/told.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import type { EquipmentData } from '#contract/fleet/equipment.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Output } from '#contract/operations.ts';
import type { MaintenancePlanData } from '#contract/work/maintenance.ts';
import { stageAudit } from '#handlers/base/audit.ts';
import { applyFields, checkRevision, requireRecord, wireBase } from '#handlers/base/documents.ts';
import { listPage } from '#handlers/base/lists.ts';
import { MOST_PLANS, plansOf } from '#handlers/base/maintenance-records.ts';
import { stageService } from './maintenance-services.ts';
import { maintenanceOf } from './maintenance-states.ts';

type Plan = Output<'maintenance_plans_get'>;
type MachineMaintenance = Output<'maintenance_plans_record'>;

function toPlan(document: Stored<MaintenancePlanData>): Plan {
  return { object: 'maintenance_plan', ...wireBase(document), ...document.data };
}

function refuse(param: string, message: string): never {
  throw new OperationError('parameter_invalid', message, { param });
}

/** Throws if the plan has no limit, two intervals of time, or not exactly one of `equipment_id` and `kind`. */
function checkPlan({
  equipment_id,
  kind,
  every_hours,
  every_km,
  every_days,
  every_months,
  due_on,
}: MaintenancePlanData) {
  if ((equipment_id === null) === (kind === null))
    refuse('equipment_id', 'Give either `equipment_id` for one machine, or `kind` for all machines of a kind.');
  if (every_days !== null && every_months !== null)
    refuse('every_days', 'Give `every_days` or `every_months`, not both.');
  if ([every_hours, every_km, every_days, every_months, due_on].every((limit) => limit === null))
    throw new OperationError(
      'parameter_missing',
      'Give at least one limit: `every_hours`, `every_km`, `every_days`, `every_months` or `due_on`.',
      { param: 'every_hours' },
    );
}

async function oneMachine(context: HandlerContext<'use'>, machine: Stored<EquipmentData>): Promise<MachineMaintenance> {
  const [found] = await maintenanceOf(context, [machine]);
  const { unit_number, kind } = machine.data;
  return (
    found ?? { object: 'machine_maintenance', equipment_id: machine.id, unit_number, kind, state: 'ok', plans: [] }
  );
}

export const maintenanceHandlers = handlerGroup(['use'], {
  async maintenance_list({ equipment_id, kind, ...input }, context) {
    const { view } = context;
    if (equipment_id !== undefined) {
      const machine = await requireRecord<EquipmentData>(view, 'equipment', equipment_id, 'equipment_id');
      const data = await maintenanceOf(context, [machine]);
      return { object: 'list', data, has_more: false, next_cursor: null };
    }
    return listPage<EquipmentData, MachineMaintenance>(
      context,
      view,
      'records',
      input,
      { object: 'equipment', where: { 'data.kind': kind } },
      (machines) => maintenanceOf(context, machines),
    );
  },

  async maintenance_plans_create(input, context) {
    const { view, now } = context;
    const data: MaintenancePlanData = { ...input, due_set_at: input.due_on === null ? null : now };
    checkPlan(data);
    if (data.equipment_id !== null) await requireRecord(view, 'equipment', data.equipment_id, 'equipment_id');
    if ((await plansOf(view)).length >= MOST_PLANS)
      throw new OperationError(
        'limit_reached',
        say('A project can have at most {most_plans} maintenance plans.', { most_plans: MOST_PLANS }),
      );
    const id = context.newId('maintenance_plan');
    const document = view.stage({ collection: 'records', id, object: 'maintenance_plan', data, expected: 0 });
    stageAudit(context, view, 'maintenance_plan', id, 'created', { name: data.name });
    return toPlan(document);
  },

  async maintenance_plans_list({ equipment_id, kind, ...input }, context) {
    return listPage<MaintenancePlanData, Plan>(
      context,
      context.view,
      'records',
      input,
      {
        object: 'maintenance_plan',
        where: { 'data.equipment_id': equipment_id, 'data.kind': kind },
        text: ({ data }) => [data.name],
      },
      (plans) => plans.map(toPlan),
    );
  },

  async maintenance_plans_get({ id }, context) {
    return toPlan(await requireRecord<MaintenancePlanData>(context.view, 'maintenance_plan', id));
  },

  async maintenance_plans_update({ id, ...given }, context) {
    const { view, now } = context;
    const current = await requireRecord<MaintenancePlanData>(view, 'maintenance_plan', id);
    checkRevision(context, current);
    const { data, fields } = applyFields(current.data, given as Partial<MaintenancePlanData>);
    if (fields.length === 0) return toPlan(current);
    if (fields.includes('due_on')) data.due_set_at = data.due_on === null ? null : now;
    checkPlan(data);
    const { revision: expected } = current;
    const document = view.stage({ collection: 'records', id, object: 'maintenance_plan', data, current, expected });
    stageAudit(context, view, 'maintenance_plan', id, 'updated', { fields });
    return toPlan(document);
  },

  async maintenance_plans_delete({ id }, context) {
    const { view } = context;
    const current = await requireRecord<MaintenancePlanData>(view, 'maintenance_plan', id);
    checkRevision(context, current);
    const { data, revision: expected } = current;
    view.stage({ collection: 'records', id, object: 'maintenance_plan', data, current, expected, deleted: true });
    stageAudit(context, view, 'maintenance_plan', id, 'deleted', { name: data.name });
    return { object: 'maintenance_plan', id, deleted: true as const };
  },

  async maintenance_plans_record({ id, equipment_id, ...reported }, context) {
    const { view } = context;
    const plan = await requireRecord<MaintenancePlanData>(view, 'maintenance_plan', id);
    const machine = await requireRecord<EquipmentData>(view, 'equipment', equipment_id, 'equipment_id');
    await stageService(context, plan, machine, reported);
    return oneMachine(context, machine);
  },
});
