/**
 * Makes a ticket for each service that is due, if its plan says so. The ticket and the note that the service has a ticket are one commit, so
 * that a restart makes no second ticket. The note names the occurrence of the service, not a time, so that a jump of the clock makes none
 * either. While the clock is not trusted, only meters make tickets.
 */
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext, LiveReader, OwnWork } from '#contract/context.ts';
import type { EquipmentData } from '#contract/fleet/equipment.ts';
import type { MaintenancePlanData, MaintenanceRecordData } from '#contract/work/maintenance.ts';
import { isJoined } from '#contract/work/repair-ticket.ts';
import { isDue, occurrenceOf, type PlanJudgement } from '#domain/work/maintenance.ts';
import { localDate } from '#domain/work/shift-time.ts';
import { appliesTo, findRecord, type Plan, stageRecord, zoneOf } from '#handlers/base/maintenance-records.ts';
import type { Store } from '#store/open-store.ts';
import { walk, walkChunks } from '#store/walk.ts';
import { judge, metersNow } from './maintenance-states.ts';
import { stageTicket, type TicketData } from './ticket-records.ts';

const UNITS = { hours: 'engine hours', km: 'km', date: '' } as const;

/** Returns why the service is due, one sentence for each limit that is reached. */
function whyDue({ limits }: PlanJudgement): string {
  return limits
    .filter(({ state }) => isDue(state))
    .map(({ by, due_at, due_on, now, observed_at }) =>
      by === 'date'
        ? `Due on ${due_on}.`
        : `Due at ${due_at} ${UNITS[by]}; the machine reported ${now} at ${observed_at}.`,
    )
    .join('\n');
}

const makesTicket = ({ data }: Plan): boolean => data.enabled && data.action === 'ticket';

/** A plan on a machine, with what decides whether its service is due. */
interface Candidate {
  readonly plan: Plan;
  readonly machine: Stored<EquipmentData>;
  readonly record: Stored<MaintenanceRecordData> | undefined;
  readonly live: LiveReader;
  /** The present time; null while the clock is not trusted. */
  readonly now_ms: number | null;
  readonly timezone: string;
}

/** Returns the judgement and the name of the occurrence if the service is due and has no ticket yet; otherwise undefined. */
function dueWithoutTicket({ plan, machine, record, live, now_ms, timezone }: Candidate) {
  const { services = 0, raised = null } = record?.data ?? {};
  const occurrence = occurrenceOf(plan.data, services);
  if (!makesTicket(plan) || !appliesTo(plan, machine) || raised?.occurrence === occurrence) return undefined;
  const today = now_ms === null ? null : localDate(now_ms, timezone);
  const judged = judge(plan, record, metersNow(live, machine.id), today, timezone);
  return isDue(judged.state) ? { judged, occurrence } : undefined;
}

/** Stages the ticket of a plan on a machine if its service is still due and has no ticket. */
async function stageDueTicket(
  context: HandlerContext,
  plan_id: string,
  equipment_id: string,
  isClockTrusted: boolean,
): Promise<void> {
  const { view, now, live } = context;
  const plan = await view.get<MaintenancePlanData>('records', plan_id);
  const machine = await view.get<EquipmentData>('records', equipment_id);
  if (plan?.object !== 'maintenance_plan' || machine === undefined) return;
  const record = await findRecord(context, plan_id, equipment_id);
  const now_ms = isClockTrusted ? Date.parse(now) : null;
  const due = dueWithoutTicket({ plan, machine, record, live, now_ms, timezone: await zoneOf(context) });
  if (due === undefined) return;
  const { name, instructions, priority } = plan.data;
  const { id: ticket_id } = await stageTicket(context, {
    title: name,
    description: [whyDue(due.judged), instructions].filter((text) => text !== '').join('\n\n'),
    equipment_id,
    location_id: machine.data.location_id,
    priority,
    safety_critical: false,
    type: 'preventive',
    source: { kind: 'pm', ref: plan_id },
    reported_by: context.caller.name,
    flagged_at: now,
  });
  noteTicket(context, { plan, machine, record, services: record?.data.services ?? 0 }, ticket_id);
}

/** A service that is due on a machine, and its open ticket. */
export interface DueService {
  readonly plan: Plan;
  readonly machine: Stored<EquipmentData>;
  readonly record: Stored<MaintenanceRecordData> | undefined;
  /** Number of services that were recorded. */
  readonly services: number;
  /** The open ticket that was made for the present occurrence; undefined if there is none. */
  readonly ticket: Stored<TicketData> | undefined;
}

/** Returns the present occurrence of a service; undefined if the plan is gone or not for this machine. */
export async function dueServiceOf(
  context: HandlerContext,
  plan_id: string,
  equipment_id: string,
): Promise<DueService | undefined> {
  const { view } = context;
  const plan = await view.get<MaintenancePlanData>('records', plan_id);
  const machine = await view.get<EquipmentData>('records', equipment_id);
  if (plan?.object !== 'maintenance_plan' || machine === undefined) return undefined;
  if (!plan.data.enabled || !appliesTo(plan, machine)) return undefined;
  const record = await findRecord(context, plan_id, equipment_id);
  const { services = 0, raised = null } = record?.data ?? {};
  const isPresent = raised?.occurrence === occurrenceOf(plan.data, services);
  const ticket = isPresent ? await view.get<TicketData>('records', raised?.ticket_id ?? '') : undefined;
  const isOpen = ticket !== undefined && isJoined(ticket.data.status);
  return { plan, machine, record, services, ticket: isOpen ? ticket : undefined };
}

/** Stages the note that the present occurrence of a service has a ticket. */
export function noteTicket(
  context: HandlerContext,
  { plan, machine, record, services }: Omit<DueService, 'ticket'>,
  ticket_id: string,
): void {
  const raised = { occurrence: occurrenceOf(plan.data, services), ticket_id, at: context.now };
  const data = { plan_id: plan.id, equipment_id: machine.id, services, last: record?.data.last ?? null, raised };
  stageRecord(context, data, record);
}

/** Creates the function that makes the tickets of all due services. Call it every minute. */
export function createMaintenanceTickets(options: {
  readonly store: Pick<Store, 'find' | 'view' | 'node'>;
  readonly live: LiveReader;
  readonly ownWork: OwnWork;
  /** Returns the time in milliseconds since 1970. */
  readonly clock: () => number;
  /** Returns false while the gateway does not trust its clock. */
  readonly agesKnown: () => boolean;
}): () => Promise<void> {
  const { store, live, ownWork, clock, agesKnown } = options;
  let running: Promise<void> | undefined;

  async function* machinesOf({ project_id, data }: Plan): AsyncGenerator<Stored<EquipmentData>[]> {
    const view = store.view(project_id);
    if (data.equipment_id !== null) yield await view.getMany<EquipmentData>('records', [data.equipment_id]);
    else yield* walkChunks<EquipmentData>(view, 'records', { object: 'equipment', where: { 'data.kind': data.kind } });
  }

  /** Returns the records of a plan by machine. */
  async function recordsOf({ id, project_id }: Plan): Promise<Map<string, Stored<MaintenanceRecordData>>> {
    const found = new Map<string, Stored<MaintenanceRecordData>>();
    const query = { object: 'maintenance_record', where: { 'data.plan_id': id } };
    for await (const record of walk<MaintenanceRecordData>(store.view(project_id), 'records', query))
      found.set(record.data.equipment_id, record);
    return found;
  }

  async function runPlan(plan: Plan): Promise<void> {
    const timezone = await zoneOf({ node: store.node, view: plan });
    const records = await recordsOf(plan);
    for await (const machines of machinesOf(plan)) {
      const isClockTrusted = agesKnown();
      const now_ms = isClockTrusted ? clock() : null;
      for (const machine of machines)
        if (dueWithoutTicket({ plan, machine, record: records.get(machine.id), live, now_ms, timezone }) !== undefined)
          await ownWork(plan.project_id, (context) => stageDueTicket(context, plan.id, machine.id, isClockTrusted));
    }
  }

  async function run(): Promise<void> {
    for await (const plan of walk<MaintenancePlanData>(store, 'records', { object: 'maintenance_plan' }))
      if (makesTicket(plan)) await runPlan(plan);
  }

  return () => {
    running ??= run().finally(() => {
      running = undefined;
    });
    return running;
  };
}
