/** Reads what is due on machines: the plans of each machine, its last services, its meters and their use. */
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext, LiveReader, StagedView } from '#contract/context.ts';
import type { EquipmentData } from '#contract/fleet/equipment.ts';
import type { Output } from '#contract/operations.ts';
import type { MaintenanceRecordData, Service } from '#contract/work/maintenance.ts';
import {
  gravest,
  isDue,
  judgePlan,
  type LastService,
  type MeterNow,
  occurrenceOf,
  type PlanFacts,
  type PlanJudgement,
} from '#domain/work/maintenance.ts';
import { SERVICE_METERS } from '#domain/work/service-alerts.ts';
import { localDate } from '#domain/work/shift-time.ts';
import { appliesTo, type Plan, plansOf, recordId, zoneOf } from '#handlers/base/maintenance-records.ts';

type MachineMaintenance = Output<'maintenance_list'>['data'][number];

function lastService(service: Service | null, timezone: string): LastService | null {
  if (service === null) return null;
  const { done_at, hours, km } = service;
  return { done_at, hours, km, done_on: localDate(Date.parse(done_at), timezone) };
}

/** Returns the present meters of a machine without their use. */
export function metersNow(live: LiveReader, equipment_id: string): Pick<PlanFacts, 'hours' | 'km'> {
  const values = live.equipment(equipment_id, Object.values(SERVICE_METERS))?.values;
  const meter = (by: keyof typeof SERVICE_METERS): MeterNow | null => {
    const found = values?.[SERVICE_METERS[by]];
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
    const counts_itself = live.equipment(equipment_id)?.values[SERVICE_METERS[by]]?.spn != null;
    meters[by] = {
      ...now,
      per_day: await use.perDay(view.project_id, equipment_id, SERVICE_METERS[by], counts_itself),
    };
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

/** Returns how many services of these machines are due or overdue, as the page of maintenance shows them. */
export async function countDue(
  { live, sha256 }: Pick<HandlerContext, 'sha256'> & { readonly live: LiveReader },
  view: Pick<StagedView, 'find' | 'getMany'>,
  machines: readonly Stored<EquipmentData>[],
  { now_ms, timezone }: { readonly now_ms: number; readonly timezone: string },
): Promise<number> {
  const plans = (await plansOf(view)).filter(({ data }) => data.enabled);
  const today = localDate(now_ms, timezone);
  let due = 0;
  for (const machine of machines) {
    const own = plans.filter((plan) => appliesTo(plan, machine));
    if (own.length === 0) continue;
    const ids = own.map((plan) => recordId(sha256, plan.id, machine.id));
    const records = new Map((await view.getMany<MaintenanceRecordData>('records', ids)).map((one) => [one.id, one]));
    const meters = metersNow(live, machine.id);
    due += own.filter((plan, i) => isDue(judge(plan, records.get(ids[i] ?? ''), meters, today, timezone).state)).length;
  }
  return due;
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
