/** Says in words which service is due, and by which meter or date. */

import type { MeterBasis } from '#contract/base/meter-bases.ts';
import type { Shown } from '#contract/base/shown.ts';
import type { AlertServiceFound } from './alert-conditions.ts';

const METER_WORDS = { hours: 'engine hours', km: 'distance', unknown: 'meter' } as const;
const UNITS = { hours: 'h', km: 'km', unknown: 'of an unknown unit' } as const;
const BASIS_WORDS: Readonly<Record<Shown<MeterBasis>, string>> = {
  control_unit: 'from the control unit',
  counted: 'counted by the gateway',
  manual: 'entered by a person',
  feed: 'sent by a device',
  unknown: 'from an unknown source',
};

const rounded = (value: number) => Math.round(value * 10) / 10;

/** Returns a distance to a limit: "50 h left", "2 days past", "today". */
function leftWords({ by, left }: Shown<AlertServiceFound>): string {
  const size = rounded(Math.abs(left));
  if (by === 'date' && size === 0) return 'today';
  const unit = by === 'date' ? (size === 1 ? 'day' : 'days') : UNITS[by];
  return `${size} ${unit} ${left > 0 ? 'left' : 'past'}`;
}

/**
 * Returns which service is due: "Engine oil is due at 1500 h: engine hours 1501.2 h (from the control unit), 1.2 h past", or "Inspection is
 * due on 2026-05-01, 2 days past".
 */
export function serviceWords(service: Shown<AlertServiceFound>): string {
  const { plan_name, by, due_at, due_on, now, basis, needs_review } = service;
  const left = leftWords(service);
  if (by === 'date') return `${plan_name} is due on ${due_on}, ${left}`;
  const unit = UNITS[by];
  const origin =
    basis === null ? '' : ` (${BASIS_WORDS[basis]}${needs_review ? '; a person must check this meter' : ''})`;
  return `${plan_name} is due at ${due_at} ${unit}: ${METER_WORDS[by]} ${now === null ? '?' : rounded(now)} ${unit}${origin}, ${left}`;
}
