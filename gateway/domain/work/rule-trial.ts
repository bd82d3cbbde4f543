/**
 * Runs an alert rule over recorded values of one machine, with the same code that evaluates live values (`alerts.ts`). It finds when the
 * rule would have raised alerts, when they would have been cleared, and for how much of the time there were values.
 */

import { staleAfterS } from '#contract/base/freshness.ts';
import { isSignal } from '#contract/base/signals.ts';
import type { AlertRuleData } from '#contract/work/alert.ts';
import { ChangeWindow } from '#domain/watch/change-window.ts';
import { Fence, type FenceShape } from '#domain/watch/fence.ts';
import type { WatchedPoint } from '#domain/watch/point.ts';
import { CALM, judge, type Measured, type Standing, type Verdict } from './alerts.ts';

/** An alert that the rule would have raised. */
export interface TrialAlert {
  readonly raised_ms: number;
  /** Null if it was still raised at the end of the range. */
  cleared_ms: number | null;
  readonly condition: string;
  /** The value that would have raised the alert; null for missing data and geofences. */
  readonly value: number | null;
  /** The earlier value, for a rule on a change. */
  readonly from: { readonly value: number; readonly observed_ms: number } | null;
}

/** The result of a trial on one machine. */
export interface TrialResult {
  /** The first alerts. */
  readonly alerts: readonly TrialAlert[];
  readonly alerts_total: number;
  /** The first times without values that are longer than the stale limit of the signal. */
  readonly gaps: readonly { readonly from_ms: number; readonly to_ms: number }[];
  readonly gaps_total: number;
  /** Milliseconds of the range for which there were values. */
  readonly covered_ms: number;
  readonly values: number;
}

/** Largest number of alerts and of gaps in a result. */
export const MOST_LISTED = 200;
/** The stale limit of positions, in milliseconds; both coordinates have it. */
const POSITION_STALE_MS = staleAfterS('position.latitude') * 1000;

type TrialRule = Pick<
  AlertRuleData,
  'signal' | 'op' | 'value' | 'for_seconds' | 'clear_value' | 'no_data_seconds' | 'spn' | 'fmi' | 'change' | 'geofence'
>;

export class RuleTrial {
  private readonly rule: TrialRule;
  private readonly from_ms: number;
  private readonly stale_ms: number;
  private readonly window: ChangeWindow | undefined;
  private readonly fence: Fence | undefined;
  private standing: Standing = CALM;
  private newest: Measured | undefined;
  private wake_ms: number | null = null;
  private last_ms: number;
  private readonly alerts: TrialAlert[] = [];
  private readonly gaps: { from_ms: number; to_ms: number }[] = [];
  private raised = 0;
  private paused = 0;
  private covered_ms = 0;
  private values = 0;
  private open: TrialAlert | undefined;

  /** `shape` is the geofence of the location of the rule. */
  constructor(rule: TrialRule, from_ms: number, shape?: FenceShape) {
    this.rule = rule;
    this.from_ms = from_ms;
    this.last_ms = from_ms;
    this.stale_ms = isSignal(rule.signal) ? staleAfterS(rule.signal) * 1000 : POSITION_STALE_MS;
    if (rule.change != null) this.window = new ChangeWindow(rule.change, this.stale_ms * 1000);
    if (shape !== undefined) this.fence = new Fence(shape);
  }

  /** Adds a value of the signal. The times of successive calls must not decrease. */
  add(t_ms: number, value: number): void {
    this.cover(t_ms);
    if (this.window === undefined) this.step({ value, observed_ms: t_ms, received_ms: t_ms, device_id: null });
    else this.step(changeAt(this.window, t_ms, value));
  }

  /** Adds a position. The times of successive calls must not decrease. */
  addPlace(t_ms: number, latitude: number, longitude: number): void {
    this.cover(t_ms);
    if (latitude === 0 && longitude === 0) return;
    const state = this.fence?.add(latitude, longitude, t_ms * 1000) ?? null;
    if (state !== null) this.step({ value: state, observed_ms: t_ms, received_ms: t_ms, device_id: null });
  }

  /** Ends the trial at this time, which is not before the last value. */
  finish(to_ms: number): TrialResult {
    this.wake(to_ms);
    if (this.values === 0) this.gap(this.from_ms, to_ms);
    else this.cover(to_ms, 0);
    return {
      alerts: this.alerts,
      alerts_total: this.raised,
      gaps: this.gaps,
      gaps_total: this.paused,
      covered_ms: this.covered_ms,
      values: this.values,
    };
  }

  /** Counts the time since the last value: as covered up to the stale limit of the signal, and otherwise as a gap. */
  private cover(t_ms: number, values = 1): void {
    const passed_ms = t_ms - this.last_ms;
    if (this.values > 0) this.covered_ms += Math.min(passed_ms, this.stale_ms);
    if (passed_ms > this.stale_ms) this.gap(this.last_ms, t_ms);
    this.values += values;
    this.last_ms = t_ms;
  }

  private gap(from_ms: number, to_ms: number): void {
    this.paused++;
    if (this.gaps.length < MOST_LISTED) this.gaps.push({ from_ms, to_ms });
  }

  private step(measured: Measured): void {
    // At the time of this value, the rule sees this value and no longer the earlier one.
    this.wake(measured.observed_ms - 1);
    this.newest = measured;
    this.apply(measured.observed_ms);
  }

  /** Evaluates the newest value again at each time for which the earlier evaluation asked, up to `until_ms`. */
  private wake(until_ms: number): void {
    for (let at_ms = this.wake_ms; at_ms !== null && at_ms <= until_ms; ) {
      this.apply(at_ms);
      // Each time is later than the time before. An evaluation never asks for the time at which it runs.
      at_ms = this.wake_ms !== null && this.wake_ms > at_ms ? this.wake_ms : null;
    }
  }

  private apply(now_ms: number): void {
    const { rule, standing, newest, from_ms } = this;
    const verdict: Verdict = judge(rule, standing, newest, now_ms, null, from_ms);
    this.standing = verdict.standing;
    this.wake_ms = verdict.wake_ms;
    const { clear, raise } = verdict;
    if (clear !== null) {
      if (this.open !== undefined) this.open.cleared_ms = now_ms;
      this.open = undefined;
      this.standing = { ...this.standing, open: null };
    }
    if (raise === null) return;
    const { condition, measured } = raise;
    const hasValue = condition === 'threshold' || condition === 'change';
    this.open = {
      raised_ms: now_ms,
      cleared_ms: null,
      condition,
      value: hasValue ? measured.value : null,
      from: measured.change?.from ?? null,
    };
    this.raised++;
    if (this.alerts.length < MOST_LISTED) this.alerts.push(this.open);
    this.standing = { ...this.standing, open: { alert_id: '', condition, late: false, raised_ms: now_ms } };
    // The alert is open now, so the evaluation may ask for another time.
    this.wake_ms = judge(rule, this.standing, newest, now_ms, null, from_ms).wake_ms;
  }
}

function changeAt(window: ChangeWindow, t_ms: number, value: number): Measured {
  const t_us = t_ms * 1000;
  const point: WatchedPoint = {
    value,
    level: value,
    observed_us: t_us,
    received_us: t_us,
    device: '',
    ref: null,
    frame: -1,
    from: null,
    place: null,
    codes: null,
  };
  window.add(point, '');
  const { from } = point;
  return {
    value: point.value,
    observed_ms: t_ms,
    received_ms: t_ms,
    device_id: null,
    ...(from !== null && {
      change: { from: { value: from.value, observed_ms: from.observed_us / 1000, ref: null }, to: value },
    }),
  };
}
