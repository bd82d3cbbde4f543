/**
 * The maintenance plans of all projects, with the last services of each machine and the time zone of each project. Alert rules on services
 * are judged with them. The lists are updated when a document changes.
 */

import { type Change, NODE_PROJECT, type Stored } from '#contract/base/view.ts';
import type { MaintenancePlanData, MaintenanceRecordData } from '#contract/work/maintenance.ts';
import type { LastService } from '#domain/work/maintenance.ts';
import { localDate } from '#domain/work/shift-time.ts';
import type { Store } from '#store/open-store.ts';
import type { Target } from './alert-targets.ts';
import { readAll } from './read-all.ts';

/** A maintenance plan. */
export interface ServicePlan {
  readonly id: string;
  readonly data: MaintenancePlanData;
}

/** What was done by a plan on a machine. */
interface Done {
  readonly services: number;
  readonly last: Omit<LastService, 'done_on'> | null;
}

/** The maintenance plans and the recorded services. */
export interface ServicePlans {
  /** Returns the enabled plans of a machine. */
  of(target: Target): readonly ServicePlan[];
  get(project_id: string, plan_id: string): ServicePlan | undefined;
  /** Returns the number of services of a plan on a machine, and the last one. */
  done(plan_id: string, target: Target): { readonly services: number; readonly service: LastService | null };
  /** Returns the local date of a time at the project. */
  dateAt(project_id: string, ms: number): string;
  stop(): void;
}

const FOLLOWED = ['maintenance_plan', 'maintenance_record', 'project'] as const;

/**
 * Reads the plans, the records and the time zones, and keeps them up to date. It calls `changed` with the id of a machine whose record has
 * changed, or with null when a plan or the time zone of the project has changed.
 */
export async function followServicePlans(
  store: Pick<Store, 'find' | 'changes'>,
  changed: (id: string | null, project_id: string) => void,
): Promise<ServicePlans> {
  const plans = new Map<string, Map<string, ServicePlan>>();
  /** Has at most one entry for each plan on each machine. */
  const records = new Map<string, Done>();
  const zones = new Map<string, string>();

  function take({ id, project_id, object, data }: Stored, isGone: boolean): void {
    if (object === 'maintenance_plan') {
      const own = plans.get(project_id) ?? new Map<string, ServicePlan>();
      plans.set(project_id, own);
      if (isGone) own.delete(id);
      else own.set(id, { id, data: data as MaintenancePlanData & Record<string, unknown> });
    } else if (object === 'maintenance_record') {
      const { plan_id, equipment_id, services, last } = data as MaintenanceRecordData & Record<string, unknown>;
      const key = `${plan_id} ${equipment_id}`;
      if (isGone) records.delete(key);
      else
        records.set(key, {
          services,
          last: last === null ? null : { done_at: last.done_at, hours: last.hours, km: last.km },
        });
    } else if (isGone) zones.delete(id);
    else zones.set(id, (data as { timezone?: string }).timezone ?? 'UTC');
  }

  const waiting: Change[] = [];
  let reading = true;
  const stop = store.changes((changes) => {
    for (const change of changes) {
      const { collection, operation, document } = change;
      if (collection !== 'records' || !(FOLLOWED as readonly string[]).includes(document.object)) continue;
      if (reading) waiting.push(change);
      take(document, operation === 'DELETE');
      if (document.object === 'maintenance_record')
        changed((document.data as { equipment_id?: string }).equipment_id ?? null, document.project_id);
      else changed(null, document.project_id === NODE_PROJECT ? document.id : document.project_id);
    }
  });
  for (const object of FOLLOWED)
    for (const document of await readAll<Stored['data']>(store, 'records', object)) take(document, false);
  // A document may have changed while it was read, and the read may have returned its old version.
  reading = false;
  for (const { document, operation } of waiting) take(document, operation === 'DELETE');

  const dateAt = (project_id: string, ms: number) => localDate(ms, zones.get(project_id) ?? 'UTC');
  return {
    of: ({ id, project_id, kind }) =>
      [...(plans.get(project_id)?.values() ?? [])].filter(
        ({ data }) => data.enabled && (data.equipment_id === null ? data.kind === kind : data.equipment_id === id),
      ),
    get: (project_id, plan_id) => plans.get(project_id)?.get(plan_id),
    done(plan_id, { id, project_id }) {
      const { services = 0, last = null } = records.get(`${plan_id} ${id}`) ?? {};
      const service = last === null ? null : { ...last, done_on: dateAt(project_id, Date.parse(last.done_at)) };
      return { services, service };
    },
    dateAt,
    stop,
  };
}
