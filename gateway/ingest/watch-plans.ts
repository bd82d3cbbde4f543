/** Keeps the plan of each project (what its alert rules watch) up to date, and applies each change to the state of the fold. */

import type { Stored } from '#contract/base/view.ts';
import type { LocationData } from '#contract/fleet/location.ts';
import type { AlertRuleData } from '#contract/work/alert.ts';
import { type FenceShape, fenceShape } from '#domain/watch/fence.ts';
import { EMPTY_PLAN, planOf, type WatchPlan } from '#domain/watch/plan.ts';
import type { FoldState } from '#ingest/fold/fold-state.ts';
import type { Store } from '#store/open-store.ts';
import { walk } from '#store/walk.ts';

const FOLLOWED = ['alert_rule', 'location'] as const;

/** The plans of all projects. */
export interface WatchPlans {
  of(project_id: string): WatchPlan;
  /** Applies the plans to all machines of a restored state. */
  apply(state: FoldState): void;
  stop(): void;
}

/**
 * Loads the alert rules and locations, and listens to changes of the store. A changed rule or geofence changes the plan of all machines of
 * its project.
 */
export async function followPlans(
  store: Pick<Store, 'changes' | 'find'>,
  current: { readonly state: FoldState },
): Promise<WatchPlans> {
  const projects = new Map<string, Map<string, AlertRuleData>>();
  const plans = new Map<string, WatchPlan>();
  /** The geofences of locations, by the id of the location. */
  const shapes = new Map<string, FenceShape>();

  function take({ id, project_id, object, data }: Stored<AlertRuleData | LocationData>, isGone: boolean): void {
    if (object === 'location') takeLocation(id, isGone ? null : (data as LocationData).geofence);
    else takeRule(id, project_id, data as AlertRuleData, isGone);
  }

  function takeLocation(id: string, geofence: LocationData['geofence'] | undefined): void {
    if (geofence == null) shapes.delete(id);
    else shapes.set(id, fenceShape(geofence));
  }

  function takeRule(id: string, project_id: string, data: AlertRuleData, isGone: boolean): void {
    const rules = projects.get(project_id) ?? new Map<string, AlertRuleData>();
    projects.set(project_id, rules);
    if (isGone) rules.delete(id);
    else rules.set(id, data);
  }

  function plan(project_id: string): void {
    plans.set(
      project_id,
      planOf(projects.get(project_id)?.values() ?? [], (id) => shapes.get(id)),
    );
  }

  const of = (project_id: string) => plans.get(project_id) ?? EMPTY_PLAN;

  let reading = true;
  const changedDuringRead = new Set<string>();
  const stop = store.changes((changes) => {
    const changed = new Set<string>();
    for (const { collection, operation, document } of changes) {
      if (collection !== 'records' || !(FOLLOWED as readonly string[]).includes(document.object)) continue;
      take(document as unknown as Stored<AlertRuleData | LocationData>, operation === 'DELETE');
      if (reading) changedDuringRead.add(document.id);
      changed.add(document.project_id);
    }
    if (changed.size === 0) return;
    for (const project_id of changed) plan(project_id);
    for (const { project_id, watch } of current.state.machines.values())
      if (changed.has(project_id)) watch.setPlan(of(project_id));
  });
  for (const object of FOLLOWED)
    for await (const one of walk<AlertRuleData | LocationData>(store, 'records', { object })) {
      // The document may have changed after this code read it. The listener has applied this change already.
      if (!changedDuringRead.has(one.id)) take(one, false);
    }
  reading = false;
  for (const project_id of projects.keys()) plan(project_id);
  return {
    of,
    apply(state) {
      for (const { project_id, watch } of state.machines.values()) watch.setPlan(of(project_id));
    },
    stop,
  };
}
