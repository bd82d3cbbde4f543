/** Values as a board shows them: formatted, compared with thresholds, and marked with their age. */

import { formatNumber } from '#contract/base/format-number.ts';
import { expectedInterval, valueFreshnessAt } from '#contract/base/freshness.ts';
import { type SignalName, signalRow } from '#contract/base/signals.ts';
import type { LiveValue } from '#contract/fleet/equipment.ts';
import type { DrawnValue } from '#contract/site/live.ts';
import type { PlacedWidget } from '#contract/site/widget.ts';
import { wholeSecond } from '#domain/base/number-text.ts';

/** Returns the most severe threshold that the value has reached. */
export function levelOf(value: number, thresholds: PlacedWidget['thresholds']): DrawnValue['level'] {
  const reached = thresholds.filter(({ at, below }) => (below ? value <= at : value >= at));
  if (reached.some(({ level }) => level === 'critical')) return 'critical';
  return reached.length > 0 ? 'warning' : 'normal';
}

/** Rounds a number to the decimals that are drawn. */
export function rounded(value: number, decimals: number): number {
  return Number(value.toFixed(decimals));
}

/** The settings of a widget that decide how its values are marked: the thresholds, and the age limit in seconds. */
export type Judged = Partial<Pick<PlacedWidget, 'thresholds' | 'max_age_s'>>;

/**
 * Returns an object with the age limit `max_age_s` of the widget, or an empty object if the widget has no age limit. Callers spread it into
 * the data for screens.
 */
export function ownBound({ max_age_s }: Judged): { readonly max_age_s?: number } {
  return max_age_s === undefined ? {} : { max_age_s };
}

/**
 * Returns the age limit of a value: that of the widget, or that of a signal for which a person set the interval; otherwise an empty object,
 * because the limit then follows from the interval.
 */
function boundOf(value: LiveValue | undefined, { max_age_s = value?.stale_after_s }: Judged) {
  return ownBound({ max_age_s });
}

/** Composes one value of one machine. */
export function drawSignal(
  signal: SignalName,
  value: LiveValue | undefined,
  now_ms: number,
  widget: Judged = {},
): DrawnValue {
  const { label, unit, decimals, kind } = signalRow(signal);
  const as_of_ms = value === undefined ? null : Date.parse(value.observed_at);
  const age = valueFreshnessAt(signal, value, now_ms, widget.max_age_s);
  const shown = value === undefined || age === 'none' ? null : rounded(value.value, decimals);
  return {
    label,
    unit,
    kind,
    interval_s: expectedInterval(signal, value),
    ...boundOf(value, widget),
    text: shown === null ? null : formatNumber(shown, decimals),
    value: shown,
    freshness: age,
    as_of_ms: as_of_ms === null ? null : wholeSecond(as_of_ms),
    level: shown === null ? 'normal' : levelOf(shown, widget.thresholds ?? []),
  };
}
