/**
 * The targets of alert rules (machines, and devices without a machine), together with the rules that watch them. The list is updated when a
 * record of a machine, device, location or rule changes.
 */

import { type Change, NODE_PROJECT, type Stored } from '#contract/base/view.ts';
import type { DeviceData } from '#contract/fleet/device.ts';
import type { EquipmentData } from '#contract/fleet/equipment.ts';
import type { LocationData } from '#contract/fleet/location.ts';
import type { AlertRuleData } from '#contract/work/alert.ts';
import { watchesCode } from '#domain/work/alerts.ts';
import type { Store } from '#store/open-store.ts';
import { readAll } from './read-all.ts';

/** An alert rule that is enabled. */
export interface Rule extends AlertRuleData {
  readonly id: string;
  readonly project_id: string;
}

/** What alert rules watch: a machine, or a device without a machine. */
export interface Target {
  readonly id: string;
  readonly object: 'equipment' | 'device';
  readonly project_id: string;
  readonly kind: string | null;
  readonly location_id: string | null;
}

/** A person's explanation why a device sends nothing. It is valid until `until_ms`, or until the device reports again. */
export interface Silence {
  readonly explained_ms: number;
  readonly until_ms: number;
}

/** The machines and devices that alert rules watch now, and the enabled alert rules. */
export interface AlertTargets {
  get(id: string): Target | undefined;
  /** Returns the rules that watch a target. Rules on trouble codes come first, because their alerts explain the alerts of other rules. */
  rulesOf(target: Target): readonly Rule[];
  /** Returns a person's explanation why a device sends nothing; undefined if there is none. */
  silenceOf(device_id: string): Silence | undefined;
  /**
   * Returns why a target no longer exists. `paired`: the device was linked to a machine. `machine_changed`: the machine or device has
   * changed.
   */
  reasonGone(id: string): 'paired' | 'machine_changed';
  /** Returns the targets of a project. */
  of(project_id: string): Iterable<Target>;
  readonly all: Iterable<Target>;
  stop(): void;
}

/** The largest number of levels that the gateway climbs in the location tree to find out if a rule for a location applies to a target. */
const LEVELS = 16;
const WATCHED = ['alert_rule', 'equipment', 'device', 'location'] as const;

/**
 * Reads the targets of alert rules and the rules, and keeps both up to date. It calls `changed` with the id of each changed target, or with
 * null when a rule or location of the project has changed.
 */
export async function followTargets(
  store: Pick<Store, 'find' | 'changes'>,
  changed: (id: string | null, project_id: string) => void,
): Promise<AlertTargets> {
  const targets = new Map<string, Target>();
  const rules = new Map<string, Map<string, Rule>>();
  const parents = new Map<string, string | null>();
  const fenced = new Set<string>();
  const linked = new Set<string>();
  const silences = new Map<string, Silence>();
  /**
   * A cache of the rules of each target. A change of a rule or location clears the cache. A changed target is a new object, so it has no
   * entry.
   */
  let cached = new WeakMap<Target, readonly Rule[]>();

  function take({ id, project_id, object, data }: Stored, deleted: boolean): void {
    if (object === 'alert_rule') {
      const own = rules.get(project_id) ?? new Map<string, Rule>();
      rules.set(project_id, own);
      const rule = data as AlertRuleData & Record<string, unknown>;
      if (deleted || !rule.enabled) own.delete(id);
      else own.set(id, { ...rule, id, project_id });
      cached = new WeakMap();
    } else if (object === 'location') {
      const { parent_id, geofence } = data as LocationData & Record<string, unknown>;
      if (deleted) parents.delete(id);
      else parents.set(id, parent_id);
      if (deleted || geofence === null) fenced.delete(id);
      else fenced.add(id);
      cached = new WeakMap();
    } else if (object === 'equipment') {
      const { kind, location_id, status } = data as EquipmentData & Record<string, unknown>;
      if (deleted || status === 'decommissioned') targets.delete(id);
      else targets.set(id, { id, object, project_id, kind, location_id });
    } else if (object === 'device') {
      const { equipment_id, location_id, offline_resolution } = data as DeviceData & Record<string, unknown>;
      if (deleted || !offline_resolution) silences.delete(id);
      else {
        const { resolved_at, until } = offline_resolution;
        const until_ms = until === null ? Number.POSITIVE_INFINITY : Date.parse(until);
        silences.set(id, { explained_ms: Date.parse(resolved_at), until_ms });
      }
      if (equipment_id === null) linked.delete(id);
      else linked.add(id);
      if (deleted || equipment_id !== null) targets.delete(id);
      else targets.set(id, { id, object, project_id, kind: null, location_id });
    }
  }

  function within(location_id: string | null, wanted: readonly string[]): boolean {
    let at = location_id;
    for (let level = 0; at !== null && level < LEVELS; level++) {
      if (wanted.includes(at)) return true;
      at = parents.get(at) ?? null;
    }
    return false;
  }

  function watches({ scope, geofence }: Rule, target: Target): boolean {
    if (geofence != null && !fenced.has(geofence.location_id)) return false;
    const { equipment_ids, kinds, location_ids } = scope;
    return (
      (equipment_ids.length === 0 || equipment_ids.includes(target.id)) &&
      (kinds.length === 0 || (target.kind !== null && kinds.includes(target.kind))) &&
      (location_ids.length === 0 || within(target.location_id, location_ids))
    );
  }

  const waiting: Change[] = [];
  let reading = true;
  function onChanges(changes: readonly Change[]): void {
    for (const change of changes) {
      const { collection, operation, document } = change;
      if (collection !== 'records' || document.project_id === NODE_PROJECT) continue;
      if (!(WATCHED as readonly string[]).includes(document.object)) continue;
      if (reading) waiting.push(change);
      take(document, operation === 'DELETE');
      const whole = document.object === 'alert_rule' || document.object === 'location';
      changed(whole ? null : document.id, document.project_id);
    }
  }
  const stop = store.changes(onChanges);
  for (const object of WATCHED)
    for (const document of await readAll<Stored['data']>(store, 'records', object)) take(document, false);
  // A document may have changed while it was read, and the read may have returned its old version. So apply again all changes that came
  // during the read.
  reading = false;
  for (const { document, operation } of waiting) take(document, operation === 'DELETE');

  return {
    get: (id) => targets.get(id),
    rulesOf(target) {
      let found = cached.get(target);
      if (found === undefined) {
        found = [...(rules.get(target.project_id)?.values() ?? [])]
          .filter((rule) => watches(rule, target))
          .sort((a, b) => Number(watchesCode(b)) - Number(watchesCode(a)));
        cached.set(target, found);
      }
      return found;
    },
    silenceOf: (device_id) => silences.get(device_id),
    reasonGone: (id) => (linked.has(id) ? 'paired' : 'machine_changed'),
    *of(project_id) {
      for (const target of targets.values()) if (target.project_id === project_id) yield target;
    },
    get all() {
      return targets.values();
    },
    stop,
  };
}
