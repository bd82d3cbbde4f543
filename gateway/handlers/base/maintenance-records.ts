/** Reads the maintenance plans of a project, and the records of what was done by them. */
import { hashId } from '#contract/base/ids.ts';
import type { Stored } from '#contract/base/view.ts';
import type { CallContext, HandlerContext, StagedView } from '#contract/context.ts';
import type { EquipmentData } from '#contract/fleet/equipment.ts';
import type { MaintenancePlanData, MaintenanceRecordData } from '#contract/work/maintenance.ts';

export type Plan = Stored<MaintenancePlanData>;

/** Largest number of plans of a project. Every plan is judged for each of its machines. */
export const MOST_PLANS = 200;

/** Returns the id of the record of a plan on a machine. */
export function recordId(sha256: CallContext['sha256'], plan_id: string, equipment_id: string): string {
  return hashId('maintenance_record', sha256(`${plan_id}\n${equipment_id}`));
}

/** Returns the record of a plan on a machine; undefined before its first service or ticket. */
export function findRecord(
  { view, sha256 }: Pick<HandlerContext, 'view' | 'sha256'>,
  plan_id: string,
  equipment_id: string,
): Promise<Stored<MaintenanceRecordData> | undefined> {
  return view.get<MaintenanceRecordData>('records', recordId(sha256, plan_id, equipment_id));
}

/** Stages (adds to the commit of this call) the record of a plan on a machine. */
export function stageRecord(
  { view, sha256 }: Pick<HandlerContext, 'view' | 'sha256'>,
  data: MaintenanceRecordData,
  current: Stored<MaintenanceRecordData> | undefined,
): void {
  view.stage<MaintenanceRecordData>({
    collection: 'records',
    id: recordId(sha256, data.plan_id, data.equipment_id),
    object: 'maintenance_record',
    data,
    current,
    expected: current?.revision ?? 0,
  });
}

/** Returns all plans of a project. */
export function plansOf(view: Pick<StagedView, 'find'>): Promise<Plan[]> {
  return view.find<MaintenancePlanData>('records', { object: 'maintenance_plan', limit: MOST_PLANS });
}

/** Returns true if the plan is for this machine. A decommissioned machine has no plans. */
export function appliesTo({ data }: Plan, machine: Stored<EquipmentData>): boolean {
  if (machine.data.status === 'decommissioned') return false;
  return data.equipment_id === null ? data.kind === machine.data.kind : data.equipment_id === machine.id;
}

/** Returns the time zone of the project of this view. */
export async function zoneOf({
  node,
  view,
}: {
  readonly node: Pick<StagedView, 'get'>;
  readonly view: Pick<StagedView, 'project_id'>;
}): Promise<string> {
  return (await node.get<{ readonly timezone: string }>('records', view.project_id))?.data.timezone ?? 'UTC';
}
