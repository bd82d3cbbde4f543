/** Reads what is due on machines: the plans of each machine, its last services, its meters and their use. */
import { hashId } from '#contract/base/ids.ts';
import type { Stored } from '#contract/base/view.ts';
import type { CallContext, HandlerContext, LiveReader, StagedView } from '#contract/context.ts';
import type { EquipmentData } from '#contract/fleet/equipment.ts';
import type { Output } from '#contract/operations.ts';
import type { MaintenancePlanData, MaintenanceRecordData, Service } from '#contract/work/maintenance.ts';
import {
  gravest,
  judgePlan,
  type LastService,
  type MeterNow,
  occurrenceOf,
  type PlanFacts,
  type PlanJudgement,
} from '#domain/work/maintenance.ts';
import { localDate } from '#domain/work/shift-time.ts';
import type { ProjectData } from '#handlers/access/projects.ts';

export type Plan = Stored<MaintenancePlanData>;
type MachineMaintenance = Output<'maintenance_list'>['data'][number];

/** Largest number of plans of a project. Every plan is judged for each of its machines. */
export const MOST_PLANS = 200;

/** Returns the id of the record of a plan on a machine. */
function recordId(sha256: CallContext['sha256'], plan_id: string, equipment_id: string): string {
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
  return (await node.get<ProjectData>('records', view.project_id))?.data.timezone ?? 'UTC';
}

function lastService(service: Service | null, timezone: string): LastService | null {
  if (service === null) return null;
  const { done_at, hours, km } = service;
  return { done_at, hours, km, done_on: localDate(Date.parse(done_at), timezone) };
}

/** The meter signals by the unit of a limit. */
const METERS = { hours: 'engine.hours', km: 'vehicle.odometer' } as const;

/** Returns the present meters of a machine without their use. */
export function metersNow(live: LiveReader, equipment_id: string): Pick<PlanFacts, 'hours' | 'km'> {
  const values = live.equipment(equipment_id, Object.values(METERS))?.values;
  const meter = (by: keyof typeof METERS): MeterNow | null => {
    const found = values?.[METERS[by]];
    return found === undefined ? null : { value: found.value, observed_at: found.observed_at, per_day: null };
  };
  return { hours: meter('hours'), km: meter('km') };
}

/** Returns the present meters of a machine with their use per day, for those that one of its plans needs. */
async function metersInUse(
  context: HandlerContext<'use'>,
  equipment_id: string,
  plans: readonly Plan[],
): Promise<Pick<PlanFacts, 'hours' | 'km'>> {
  const { live, use, view } = context;
  const meters = { ...metersNow(live, equipment_id) };
  const needed = { hours: 'every_hours', km: 'every_km' } as const;
  for (const by of ['hours', 'km'] as const) {
    const now = meters[by];
    if (now === null || plans.every(({ data }) => data[needed[by]] === null)) continue;
    // A value with an SPN comes from a control unit, which counts also while the gateway receives nothing.
    const counts_itself = live.equipment(equipment_id)?.values[METERS[by]]?.spn != null;
    meters[by] = { ...now, per_day: await use.perDay(view.project_id, equipment_id, METERS[by], counts_itself) };
  }
  return meters;
}

/** Judges a plan on a machine. `today` is null while the clock is not trusted. */
export function judge(
  plan: Plan,
  record: Stored<MaintenanceRecordData> | undefined,
  meters: Pick<PlanFacts, 'hours' | 'km'>,
  today: string | null,
  timezone: string,
): PlanJudgement {
  return judgePlan(plan.data, { ...meters, today, service: lastService(record?.data.last ?? null, timezone) });
}

/** Returns what is due on each of these machines. Machines without a plan are left out. */
export async function maintenanceOf(
  context: HandlerContext<'use'>,
  machines: readonly Stored<EquipmentData>[],
): Promise<MachineMaintenance[]> {
  const { view, sha256, now } = context;
  const timezone = await zoneOf(context);
  const today = localDate(Date.parse(now), timezone);
  const plans = (await plansOf(view)).filter(({ data }) => data.enabled).toReversed();
  const found: MachineMaintenance[] = [];
  for (const machine of machines) {
    const own = plans.filter((plan) => appliesTo(plan, machine));
    if (own.length === 0) continue;
    const ids = new Map(own.map((plan) => [plan.id, recordId(sha256, plan.id, machine.id)]));
    const records = new Map(
      (await view.getMany<MaintenanceRecordData>('records', [...ids.values()])).map((record) => [record.id, record]),
    );
    const meters = await metersInUse(context, machine.id, own);
    const states = own.map((plan) => {
      const record = records.get(ids.get(plan.id) ?? '');
      const { limits, ...judged } = judge(plan, record, meters, today, timezone);
      const { last = null, raised = null, services = 0 } = record?.data ?? {};
      const isPresent = raised?.occurrence === occurrenceOf(plan.data, services);
      const ticket_id = isPresent ? (raised?.ticket_id ?? null) : null;
      return { plan_id: plan.id, name: plan.data.name, ...judged, limits: [...limits], last_service: last, ticket_id };
    });
    const { unit_number, kind } = machine.data;
    const state = gravest(states.map((one) => one.state));
    found.push({ object: 'machine_maintenance', equipment_id: machine.id, unit_number, kind, state, plans: states });
  }
  return found;
}
