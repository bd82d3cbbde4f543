/**
 * The plan of a project: the signals that its alert rules watch, with the limits of the rules. The fold (the code that applies device
 * messages) reads the plan for each value.
 */

import { isSignal, SIGNAL_NAMES, type SignalName } from '#contract/base/signals.ts';
import { DTC_LAMPS } from '#contract/fleet/equipment.ts';
import type { AlertRuleData } from '#contract/work/alert.ts';
import { staleAfterUs } from '#domain/machine/latest-known.ts';
import type { ChangeSpec } from './change-window.ts';
import type { CodeSpec } from './codes.ts';
import type { FenceShape } from './fence.ts';

/** A change of a signal within a window, and the limits of the rules that watch it. */
export interface PlannedChange {
  readonly key: string;
  readonly spec: ChangeSpec;
  readonly limits: readonly number[];
  /** Time after which the signal is stale, in microseconds. */
  readonly stale_us: number;
}

/** What the rules of a project watch on one signal. */
export interface PlannedSignal {
  readonly signal: SignalName;
  /** The limits of rules on the value itself, ascending; null if there is no such rule. */
  readonly limits: readonly number[] | null;
  readonly changes: readonly PlannedChange[];
}

/** A geofence that a rule watches. */
export interface PlannedFence {
  readonly key: string;
  readonly shape: FenceShape;
}

/** What rules watch in the table of trouble codes, and the limits of these rules. */
export interface PlannedCodes {
  readonly key: string;
  readonly spec: CodeSpec;
  readonly limits: readonly number[];
}

export interface WatchPlan {
  /** What the rules watch on each signal, by the index of the signal in SIGNAL_NAMES; undefined for a signal that no rule watches. */
  readonly signals: readonly (PlannedSignal | undefined)[];
  readonly codes: readonly PlannedCodes[];
  readonly fences: readonly PlannedFence[];
}

/** The plan of a project without rules. */
export const EMPTY_PLAN: WatchPlan = { signals: [], codes: [], fences: [] };

type Watching = Pick<
  AlertRuleData,
  'signal' | 'op' | 'value' | 'clear_value' | 'spn' | 'fmi' | 'change' | 'geofence' | 'enabled'
>;

/**
 * The gateway clears an alert on a change when the change within the window is less than this part of the limit. If one limit raised and
 * cleared alerts, a change near this limit would raise one alert after the other.
 */
export const CHANGE_CLEAR = 0.5;

/** Returns the name of the values that a rule watches; null for a rule that watches no values. */
export function watchKey(rule: Pick<AlertRuleData, 'signal' | 'spn' | 'fmi' | 'change' | 'geofence'>): string | null {
  const { signal, spn, fmi, change, geofence } = rule;
  if (geofence != null) return `geofence ${geofence.location_id}`;
  if (codeSpecOf(rule) !== null) return spn == null ? signal : `${signal} ${spn} ${fmi ?? ''}`;
  if (!isSignal(signal)) return null;
  if (change == null) return signal;
  const { direction, within_seconds, across_gaps } = change;
  return `${signal} ${direction} ${within_seconds}${across_gaps ? ' gaps' : ''}`;
}

/** Returns what a rule watches in the table of trouble codes; null if it watches neither a lamp nor codes. */
function codeSpecOf({
  signal,
  spn = null,
  fmi = null,
}: Pick<AlertRuleData, 'signal' | 'spn' | 'fmi'>): CodeSpec | null {
  if (signal === 'dtc.active') return { lamp: null, spn, fmi };
  const lamp = DTC_LAMPS.find((one) => signal === `dtc.${one}`);
  return lamp === undefined ? null : { lamp, spn: null, fmi: null };
}

/**
 * Returns the plan for the rules of a project. It ignores disabled rules. `fenceOf` returns the geofence of a location; undefined if the
 * location has none.
 */
export function planOf(
  rules: Iterable<Watching>,
  fenceOf: (location_id: string) => FenceShape | undefined = () => undefined,
): WatchPlan {
  const active = [...rules].filter(({ enabled }) => enabled);
  const signals = SIGNAL_NAMES.map((signal) => {
    const own = active.filter((rule) => rule.signal === signal);
    return own.length === 0 ? undefined : plannedSignal(signal, own);
  });
  const fences = new Map<string, PlannedFence>();
  for (const rule of active) {
    const shape = rule.geofence == null ? undefined : fenceOf(rule.geofence.location_id);
    const key = watchKey(rule);
    if (shape !== undefined && key !== null) fences.set(key, { key, shape });
  }
  return { signals, codes: plannedCodes(active), fences: [...fences.values()] };
}

function plannedCodes(rules: readonly Watching[]): PlannedCodes[] {
  const found = new Map<string, { readonly spec: CodeSpec; readonly limits: number[] }>();
  for (const rule of rules) {
    const spec = codeSpecOf(rule);
    const key = watchKey(rule);
    if (spec === null || key === null) continue;
    const known = found.get(key) ?? { spec, limits: [] };
    found.set(key, known);
    // A rule on a trouble code has no limit of its own: it watches whether there is a matching code.
    known.limits.push(...(rule.spn == null ? [rule.value, rule.clear_value] : [1]).filter((limit) => limit !== null));
  }
  return [...found].map(([key, { spec, limits }]) => ({ key, spec, limits: ascending(limits) }));
}

function plannedSignal(signal: SignalName, rules: readonly Watching[]): PlannedSignal {
  const limits: number[] = [];
  const changes = new Map<string, { readonly spec: ChangeSpec; readonly limits: number[] }>();
  for (const rule of rules) {
    if (rule.change == null) limits.push(...[rule.value, rule.clear_value].filter((limit) => limit !== null));
    else {
      const key = watchKey(rule) as string;
      const known = changes.get(key) ?? { spec: rule.change, limits: [] };
      changes.set(key, known);
      known.limits.push(rule.change.by, rule.change.by * CHANGE_CLEAR);
    }
  }
  const stale_us = staleAfterUs(signal);
  return {
    signal,
    limits: limits.length === 0 ? null : ascending(limits),
    changes: [...changes].map(([key, one]) => ({ key, spec: one.spec, limits: ascending(one.limits), stale_us })),
  };
}

function ascending(numbers: readonly number[]): number[] {
  return [...new Set(numbers)].sort((a, b) => a - b);
}
