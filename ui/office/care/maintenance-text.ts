/** The words of maintenance pages: states, what is left, and why something is unknown. */
import type { Output } from '#contract/operations.ts';
import type { MaintenanceLimit, MaintenanceReason, MaintenanceState } from '#contract/work/maintenance.ts';
import { PRIORITY } from '#contract/work/repair-ticket.ts';

/** What is due on one machine. */
export type MachineMaintenance = Output<'maintenance_list'>['data'][number];
/** The state of one plan on a machine. */
export type PlanState = MachineMaintenance['plans'][number];
export type Plan = Output<'maintenance_plans_list'>['data'][number];

export const MAINTENANCE_WORDS: Readonly<Record<MaintenanceState, string>> = {
  unknown: 'Unknown',
  ok: 'OK',
  due_soon: 'Due soon',
  due: 'Due',
  overdue: 'Overdue',
};

/** States with the most urgent first. */
export const BY_URGENCY: readonly MaintenanceState[] = ['overdue', 'due', 'due_soon', 'unknown', 'ok'];

const REASONS: Readonly<Record<MaintenanceReason, string>> = {
  no_hour_meter: 'The machine has sent no engine hours.',
  no_odometer: 'The machine has sent no distance.',
  no_service: 'No service is recorded yet. Record the last service.',
  no_reading_at_service: 'The last service was recorded without the reading of this meter.',
  meter_below_service:
    'The meter shows less than at the last service. Record the service again with the right reading.',
  clock_not_trusted: 'The clock of the gateway is not trusted at present.',
};

const UNITS: Readonly<Record<MaintenanceLimit['by'], string>> = { hours: 'h', km: 'km', date: 'days' };
const number = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 1 });

/** Formats a local date: "25 Nov 2026". */
export function dateText(date: string): string {
  return new Date(`${date}T00:00:00Z`).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  });
}

/** Returns what is left until a limit, such as "12 h left, at 12,500 h", or why that is unknown. */
export function limitText({ by, state, reason, left, due_at, due_on }: MaintenanceLimit): string {
  if (state === 'unknown' || left === null) return reason === null ? '' : REASONS[reason];
  const unit = by === 'date' && Math.abs(left) === 1 ? 'day' : UNITS[by];
  const where =
    by === 'date' ? (due_on === null ? '' : `, on ${dateText(due_on)}`) : `, at ${number(due_at ?? 0)} ${unit}`;
  if (left > 0) return `${number(left)} ${unit} left${where}`;
  return left === 0 ? `Due now${where}` : `${number(-left)} ${unit} over${where}`;
}

/** Returns the use that the expected date comes from, such as " · 9.4 h a day"; empty if the limit is a date or unknown. */
export function meterUseText({ by, state, per_day }: MaintenanceLimit): string {
  if (by === 'date' || state === 'unknown') return '';
  return per_day === null ? ' · use per day is not known yet' : ` · ${number(per_day)} ${UNITS[by]} a day`;
}

/** Returns the limits of a plan, such as "every 250 h or 3 months". */
export function planText({ every_hours, every_km, every_days, every_months, due_on }: Plan): string {
  const every = [
    every_hours === null ? '' : `${number(every_hours)} h`,
    every_km === null ? '' : `${number(every_km)} km`,
    every_days === null ? '' : `${every_days} days`,
    every_months === null ? '' : `${every_months} months`,
  ].filter((part) => part !== '');
  const parts = [
    every.length === 0 ? '' : `every ${every.join(' or ')}`,
    due_on === null ? '' : `on ${dateText(due_on)}`,
  ];
  return parts.filter((part) => part !== '').join(', and ');
}

type Choices = readonly (readonly [value: string, text: string])[];

/** The choice that keeps a value which only a newer version knows. */
const keptChoice = (stored: string | undefined): Choices =>
  stored === 'unknown' ? [['unknown', 'Unknown: keep the value of the newer version']] : [];

/** What the form of a plan offers for what happens when it is due. */
export const actionChoices = (stored: Plan['action'] | undefined): Choices => [
  ...keptChoice(stored),
  ['ticket', 'Make a repair ticket'],
  ['none', 'Show it on this page only'],
];

/** What the form of a plan offers for the priority of its tickets. */
export const priorityChoices = (stored: Plan['priority'] | undefined): Choices => [
  ...keptChoice(stored),
  ...PRIORITY.map((one) => [one, one] as const),
];
