/** Texts of alerts for screens. Also decides which alerts a screen shows together as one alert. */

import { formatNumber } from '#contract/base/format-number.ts';
import { isSignal, type SignalRow, signalRow } from '#contract/base/signals.ts';
import type { Dtc, LiveValue } from '#contract/fleet/equipment.ts';
import { failureMode } from '#contract/fleet/failure-modes.ts';
import { parameterName } from '#contract/fleet/fault-words.ts';
import { DTC_SIGNALS, SEVERITY } from '#contract/work/alert.ts';
import { serviceWords } from '#contract/work/service-words.ts';
import type { BoardAlert } from './open-items.ts';

const DTC_WORDS: Readonly<Record<string, string>> = {
  'dtc.red_stop': 'Stop lamp',
  'dtc.amber': 'Amber lamp',
  'dtc.mil': 'Engine lamp',
  'dtc.protect': 'Protect lamp',
  'dtc.active': 'Trouble codes',
};
const FROM_DM1: ReadonlySet<string> = new Set(DTC_SIGNALS);

/**
 * Returns true for an alert about a warning lamp or about the number of trouble codes. Both come from the DM1 message, with which a control
 * unit reports its lamps and its trouble codes (J1939).
 */
export function isFromDm1({ signal_name }: Pick<BoardAlert, 'signal_name'>): boolean {
  return FROM_DM1.has(signal_name);
}

/**
 * Returns the key of an alert. Alerts with the same key have one cause, and a screen shows them as one. Examples are a lamp and its trouble
 * code, two limits of one value, and several signals that no longer come.
 */
export function factKey(
  alert: Pick<BoardAlert, 'signal_name' | 'condition' | 'machine_id' | 'device_id' | 'service'>,
): string {
  const { condition, service, signal_name } = alert;
  const signal = service === undefined ? signal_name : `service ${service.plan_id}`;
  const what = condition === 'no_data' ? 'no_data' : isFromDm1(alert) ? 'dm1' : signal;
  return `${alert.machine_id ?? `device ${alert.device_id}`}\n${what}`;
}

/**
 * Compares alerts for sorting: by severity, then unacknowledged alerts first. If several alerts have one cause, a screen shows only the
 * first of them.
 */
export function compareGravity(a: BoardAlert, b: BoardAlert): number {
  return (
    SEVERITY.indexOf(b.severity) - SEVERITY.indexOf(a.severity) ||
    Number(a.acknowledged_at !== null) - Number(b.acknowledged_at !== null) ||
    (a.id < b.id ? -1 : 1)
  );
}

/** Returns the name of a lamp: "Stop lamp". */
export function lampName({ signal_name }: Pick<BoardAlert, 'signal_name'>): string {
  return DTC_WORDS[signal_name] ?? signal_name;
}

const minutes = (seconds: number) => (seconds < 120 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`);

/**
 * Returns the label of a signal and a value with its unit: "Coolant 110 °C". Uses the newest value `now` if given, otherwise the value that
 * raised the alert. For an alert on a change, returns the change and never the newest value: "Coolant" and "up 11 °C in 40 s".
 */
function measuredWords(alert: BoardAlert, now?: LiveValue): { label: string; text: string } {
  const { signal_name, value, change, geofence, service } = alert;
  if (service !== undefined) return { label: serviceWords(service), text: '' };
  const row = isSignal(signal_name) ? signalRow(signal_name) : null;
  if (change !== undefined && row !== null) return { label: row.label, text: changeWords(change, row) };
  if (geofence !== undefined)
    return { label: geofence.event === 'enter' ? 'Inside the geofence' : 'Left the geofence', text: '' };
  const shown = now?.value ?? value;
  const label = row?.label ?? lampName({ signal_name });
  if (shown === null) return { label, text: '' };
  const text = formatNumber(shown, row?.decimals ?? 0);
  return { label, text: row === null ? text : `${text} ${row.unit}` };
}

/** Returns a change in words: "up 11 °C in 40 s". */
function changeWords({ from, to }: NonNullable<BoardAlert['change']>, { unit, decimals }: SignalRow): string {
  const by = to.value - from.value;
  const seconds = (Date.parse(to.observed_at) - Date.parse(from.observed_at)) / 1000;
  return `${by < 0 ? 'down' : 'up'} ${formatNumber(Math.abs(by), decimals)} ${unit} in ${minutes(seconds)}`;
}

type Code = Pick<Dtc, 'spn' | 'fmi' | 'source_address'>;

/** Returns a trouble code in words: "Engine oil pressure 1: far too low". */
function codeWords({ spn, fmi }: Pick<Code, 'spn' | 'fmi'>): string {
  const number = spn === null ? 'Code' : `SPN ${spn}`;
  const how = failureMode(fmi) ?? `FMI ${fmi}`;
  return spn === null || parameterName(spn) === null ? `${number}: ${how}` : `${parameterName(spn)}: ${how}`;
}

/** Returns the text for a trouble code and the number of other active codes: "Engine oil pressure 1: far too low, 2 more codes". */
function codesWords(first: Code, others: number): string {
  const more = others === 1 ? '1 more code' : `${others} more codes`;
  return others === 0 ? codeWords(first) : `${codeWords(first)}, ${more}`;
}

const isSameCode = (a: Code, b: Code) => a.spn === b.spn && a.fmi === b.fmi && a.source_address === b.source_address;

/** Returns the detail line of an alert, which names the cause. `dtcs` are the active trouble codes of the machine. */
export function detailOf(first: BoardAlert, dtcs: readonly Dtc[] | null): string {
  if (first.condition === 'no_data') {
    const { label } = measuredWords(first);
    return first.threshold === null ? `${label}: no data` : `${label}: no data for ${minutes(first.threshold)}`;
  }
  if (!isFromDm1(first)) {
    const { label, text } = measuredWords(first);
    return text === '' ? label : `${label} ${text}`;
  }
  const { code: own } = first;
  const active = dtcs ?? [];
  if (own !== undefined) return codesWords(own, active.filter((code) => !isSameCode(code, own)).length);
  // The name of the rule already names the lamp. So the detail line names the trouble code that switched the lamp on, or says that there is
  // no code.
  const [code, ...others] = active;
  return code === undefined ? 'No trouble code' : codesWords(code, others.length);
}
