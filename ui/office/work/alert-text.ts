/** Texts of alerts. */

import { type Shown, UNKNOWN_VALUE } from '#contract/base/shown.ts';
import { isSignal, signalRow } from '#contract/base/signals.ts';
import type { Output } from '#contract/operations.ts';
import { type AlertSignal, DTC_SIGNALS, FENCE_SIGNAL, SERVICE_SIGNAL, type Severity } from '#contract/work/alert.ts';
import { serviceWords } from '#contract/work/service-words.ts';
import { duration } from '#ui/format.ts';
import { officeText } from '#ui/languages/office.ts';
import { inside, t, translated, type Word } from '#ui/languages/texts.ts';
import { shownNumber, shownUnit } from '#ui/languages/units.ts';
import { LAMP_WORDS } from '#ui/office/base/status-words.ts';
import { codeWords } from './ticket-text.ts';

export type Alert = Output<'alerts_get'>;

export const SEVERITY_WORDS: Readonly<Record<Shown<Severity>, Word>> = {
  info: 'Info',
  warning: 'Warning',
  critical: 'Critical',
  unknown: 'Unknown',
};

export const DTC_WORDS: Readonly<Record<(typeof DTC_SIGNALS)[number], Word>> = {
  'dtc.red_stop': LAMP_WORDS.red_stop,
  'dtc.amber': LAMP_WORDS.amber,
  'dtc.mil': LAMP_WORDS.mil,
  'dtc.protect': LAMP_WORDS.protect,
  'dtc.active': 'Active trouble codes',
};
/** Signals for warning lamps. The value of such a signal is the number of control units with this lamp on. */
export const LAMPS: ReadonlySet<string> = new Set(DTC_SIGNALS.filter((name) => name !== 'dtc.active'));

/** Returns the name of a signal in the language of the page. */
export function signalLabel(signal: Shown<AlertSignal>): string {
  if (signal === FENCE_SIGNAL) return t('Position');
  if (signal === SERVICE_SIGNAL) return t('Service');
  if (signal === UNKNOWN_VALUE) return t('Unknown signal');
  return isSignal(signal) ? translated(signalRow(signal).label) : t(DTC_WORDS[signal]);
}

/** Returns the unit of a threshold; empty if the rule watches a number of lamps or trouble codes. */
export function signalUnit(signal: Shown<AlertSignal>): string {
  return isSignal(signal) ? signalRow(signal).unit : '';
}

/** Formats a number with thin spaces between thousands. */
function thousands(text: string): string {
  return text.replace(/\B(?<!\.\d*)(?=(\d{3})+(?!\d))/g, '\u2009');
}

/** Returns a value of a signal with its unit, in the language and the units of the page. */
export function measure(signal: Shown<AlertSignal>, value: number, digits?: number, isChange = false): string {
  const unit = signalUnit(signal);
  const text = shownNumber(thousands(digits === undefined ? String(value) : value.toFixed(digits)), unit, isChange);
  return unit === '' ? text : `${text} ${shownUnit(unit)}`;
}

/**
 * Returns what raised an alert as text: "Coolant 109 °C", "Fuel: no data", "Fuel fell by 6 % in 4 min, from 80 % to 74 %", or "Engine oil
 * pressure 1: far too low (SPN 100 / FMI 1, from address 0)".
 */
export function crossed({
  signal_name,
  condition,
  value,
  threshold,
  code,
  change,
  geofence,
  service,
}: Pick<
  Alert,
  'signal_name' | 'condition' | 'value' | 'threshold' | 'code' | 'change' | 'geofence' | 'service'
>): string {
  if (service !== undefined) return officeText(serviceWords(service));
  if (geofence !== undefined) {
    const { event, latitude, longitude } = geofence;
    return t(
      event === 'enter'
        ? 'Entered the geofence, seen at {latitude}, {longitude}'
        : 'Left the geofence, seen at {latitude}, {longitude}',
      { latitude: latitude.toFixed(5), longitude: longitude.toFixed(5) },
    );
  }
  if (code !== undefined)
    return t('{code}, from address {address}', { code: codeWords(code) ?? '', address: code.source_address });
  const label = signalLabel(signal_name);
  if (condition === 'no_data') return t('{label}: no data', { label });
  if (value === null) return label;
  if (change !== undefined) return changeWords(signal_name, value, change);
  if (LAMPS.has(signal_name)) return t('{label} on|{label} on, {n} control units', { label, n: value });
  const digits = isSignal(signal_name) ? signalRow(signal_name).decimals : 0;
  // If the rounded value looks the same as its limit, show one more digit. Otherwise a person would think that the value has not crossed
  // the limit.
  const same = threshold !== null && value !== threshold && value.toFixed(digits) === threshold.toFixed(digits);
  return `${label} ${measure(signal_name, value, same ? digits + 1 : digits)}`;
}

/** Returns true if the sentence of an alert begins with the name of its rule, such as "Red stop lamp on" of the rule "Red stop lamp". */
export function repeatsName(alert: Alert): boolean {
  return alert.condition === 'threshold' && `${crossed(alert)} `.startsWith(`${alert.rule_name} `);
}

/** Returns a change as text: "Fuel fell by 6 % in 4 min, from 80 % to 74 %". */
function changeWords(signal: Shown<AlertSignal>, by: number, { from, to }: NonNullable<Alert['change']>): string {
  const digits = isSignal(signal) ? signalRow(signal).decimals + 1 : 0;
  const text = (value: number, isChange = false) => measure(signal, Number(value.toFixed(digits)), undefined, isChange);
  const ms = Date.parse(to.observed_at) - Date.parse(from.observed_at);
  const took = ms < 1000 ? `${ms} ms` : duration(ms);
  const label = signalLabel(signal);
  const values = { label, change: text(by, true), time: took, from: text(from.value), to: text(to.value) };
  return to.value < from.value
    ? t('{label} fell by {change} in {time}, from {from} to {to}', values)
    : t('{label} rose by {change} in {time}, from {from} to {to}', values);
}

/** Returns the limit of an alert as text; null when the text that `crossed` returns already contains the limit. */
export function limitOf({ signal_name, condition, threshold, change, service }: Alert): string | null {
  if (threshold === null || service !== undefined) return null;
  if (change !== undefined)
    return t('limit {limit} within {age}', {
      limit: measure(signal_name, threshold, undefined, true),
      age: duration(change.within_seconds * 1000),
    });
  if (condition === 'no_data') return t('no data for more than {age}', { age: duration(threshold * 1000) });
  return LAMPS.has(signal_name) ? null : t('limit {limit}', { limit: measure(signal_name, threshold) });
}

/**
 * Other rules may have found the same cause and joined an alert. Returns the names of these rules as text, for example "Also Red stop lamp
 * (critical)"; null if there are none.
 */
export function alsoWords({ also = [] }: Alert): string | null {
  if (also.length === 0) return null;
  return t('Also {alerts}', {
    alerts: also.map(({ rule_name, severity }) => `${rule_name} (${inside(t(SEVERITY_WORDS[severity]))})`).join(', '),
  });
}

const GRAVITY: Readonly<Record<Shown<Severity>, number>> = { critical: 0, unknown: 0, warning: 1, info: 2 };

/** Sorts alerts without acknowledgement first, then by severity, then newest first. */
export function byGravity(a: Alert, b: Alert): number {
  return (
    Number(a.acknowledged_at !== null) - Number(b.acknowledged_at !== null) ||
    GRAVITY[a.severity] - GRAVITY[b.severity] ||
    Date.parse(b.raised_at) - Date.parse(a.raised_at) ||
    (a.id < b.id ? -1 : 1)
  );
}
