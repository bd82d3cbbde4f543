/** Records services: that the work of a maintenance plan was done on a machine, with the meters at that time. */
import { OperationError } from '#contract/base/errors.ts';
import { part, type Sayable, say } from '#contract/base/told.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import type { EquipmentData } from '#contract/fleet/equipment.ts';
import type { MaintenancePlanData, Service } from '#contract/work/maintenance.ts';
import type { MeterNow } from '#domain/work/maintenance.ts';
import { requireRecord } from '#handlers/base/documents.ts';
import { stageEvent } from '#handlers/base/events.ts';
import { appliesTo, findRecord, type Plan, stageRecord } from '#handlers/base/maintenance-records.ts';
import { checkPerson } from '#handlers/base/people-references.ts';
import { metersNow } from './maintenance-states.ts';
import type { TicketData } from './ticket-records.ts';

/** `done_at` may be ahead of the gateway's clock by at most this many milliseconds, because the clock of a tablet may be inaccurate. */
const AHEAD_MS = 300_000;
/** For a service longer ago than this, the present meter reading is not the reading at the service. */
const RECENT_MS = 3_600_000;
/** A reading from a person may be above the value from the machine by this much, and by the largest growth since that value. */
const SLACK = { hours: 24, km: 500 } as const;
const MOST_PER_H = { hours: 1, km: 100 } as const;

const WORDS = { hours: 'engine hours', km: 'km' } as const;

function refuse(param: string, message: Sayable): never {
  throw new OperationError('parameter_invalid', message, { param });
}

/** Returns the time of a service; throws if it is in the future. */
function doneAt(now: string, given: string | undefined): string {
  if (given === undefined) return now;
  const at_ms = Date.parse(given);
  if (at_ms > Date.parse(now) + AHEAD_MS) refuse('done_at', '`done_at` is in the future.');
  return new Date(at_ms).toISOString();
}

/** Throws if the machine cannot have reached this reading. A typing error would otherwise move the next service far into the future. */
function checkReading(by: 'hours' | 'km', given: number, meter: MeterNow | null, now_ms: number): void {
  if (meter === null) return;
  const passed_h = Math.max(0, now_ms - Date.parse(meter.observed_at)) / 3_600_000;
  const most = meter.value + SLACK[by] + passed_h * MOST_PER_H[by];
  if (given > most)
    refuse(
      by,
      say('The machine reported {reading} {by} at {observed_at}, so it cannot have had {given}. Check the reading.', {
        reading: Math.round(meter.value),
        by: part(WORDS[by]),
        observed_at: meter.observed_at,
        given,
      }),
    );
}

/** Returns the reading of a meter at the service: the given one, or the present one if the service was done within the last hour. */
function readingAt(
  by: 'hours' | 'km',
  given: number | undefined,
  meter: MeterNow | null,
  { isNeeded, done_ms, now_ms }: { readonly isNeeded: boolean; readonly done_ms: number; readonly now_ms: number },
): number | null {
  if (given !== undefined) {
    checkReading(by, given, meter, now_ms);
    return given;
  }
  if (meter === null) return null;
  if (now_ms - done_ms <= RECENT_MS) return meter.value;
  if (!isNeeded) return null;
  throw new OperationError(
    'parameter_missing',
    say('The service was done more than an hour ago: give the {by} of the machine at that time in `{field}`.', {
      by: part(WORDS[by]),
      field: by,
    }),
    { param: by },
  );
}

/** A service as a person reports it. */
interface Reported {
  readonly done_at?: string | undefined;
  readonly hours?: number | undefined;
  readonly km?: number | undefined;
  readonly done_by?: string | undefined;
  readonly note: string;
  readonly ticket_id?: string | undefined;
}

/** Stages (adds to the commit of this call) a service and its event. A service before the last one changes nothing but the log. */
export async function stageService(
  context: HandlerContext,
  plan: Plan,
  machine: Stored<EquipmentData>,
  reported: Reported,
): Promise<void> {
  const { view, now, live, caller } = context;
  if (!appliesTo(plan, machine))
    refuse('equipment_id', 'This plan is not for this machine, or the machine is decommissioned.');
  const { ticket_id = null, note, done_by = caller.name } = reported;
  await checkPerson(view, done_by, 'done_by');
  if (ticket_id !== null) {
    const { data } = await requireRecord<TicketData>(view, 'repair_ticket', ticket_id, 'ticket_id');
    if (data.equipment_id !== machine.id) refuse('ticket_id', 'The ticket is about another machine.');
  }
  const done_at = doneAt(now, reported.done_at);
  const times = { done_ms: Date.parse(done_at), now_ms: Date.parse(now) };
  const meters = metersNow(live, machine.id);
  const { every_hours, every_km } = plan.data;
  const service: Service = {
    done_at,
    hours: readingAt('hours', reported.hours, meters.hours, { isNeeded: every_hours !== null, ...times }),
    km: readingAt('km', reported.km, meters.km, { isNeeded: every_km !== null, ...times }),
    done_by,
    note,
    ticket_id,
  };
  stageEvent(context, view, 'equipment', machine.id, 'service.done', {
    plan_id: plan.id,
    plan: plan.data.name,
    ...service,
  });
  const current = await findRecord(context, plan.id, machine.id);
  const { services = 0, last = null, raised = null } = current?.data ?? {};
  if (last !== null && last.done_at > done_at) return;
  const data = { plan_id: plan.id, equipment_id: machine.id, services: services + 1, last: service, raised };
  stageRecord(context, data, current);
}

/**
 * Stages the service of a plan whose ticket is fixed. Does nothing if the ticket was not made by a plan, the plan does not exist any more,
 * or a service was recorded after the ticket was made.
 */
export async function stageTicketService(
  context: HandlerContext,
  id: string,
  { source, equipment_id, flagged_at }: TicketData,
): Promise<void> {
  if (source.kind !== 'pm' || source.ref === null) return;
  const plan = await context.view.get<MaintenancePlanData>('records', source.ref);
  const machine = await context.view.get<EquipmentData>('records', equipment_id);
  if (plan?.object !== 'maintenance_plan' || machine === undefined || !appliesTo(plan, machine)) return;
  const record = await findRecord(context, plan.id, equipment_id);
  if (record?.data.last != null && record.data.last.done_at >= flagged_at) return;
  await stageService(context, plan, machine, { note: '', ticket_id: id });
}
