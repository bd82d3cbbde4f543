/** The words of maintenance pages: states, what is left, and why something is unknown. */
import type { Output } from '#contract/operations.ts';
import type { MaintenanceLimit, MaintenanceReason, MaintenanceState } from '#contract/work/maintenance.ts';
import { PRIORITY } from '#contract/work/repair-ticket.ts';
import { dateText } from '#ui/format.ts';
import { language, t, type Word } from '#ui/languages/texts.ts';

/** What is due on one machine. */
export type MachineMaintenance = Output<'maintenance_list'>['data'][number];
/** The state of one plan on a machine. */
export type PlanState = MachineMaintenance['plans'][number];
export type Plan = Output<'maintenance_plans_list'>['data'][number];

export const MAINTENANCE_WORDS: Readonly<Record<MaintenanceState, Word>> = {
  unknown: 'Unknown',
  ok: 'OK',
  due_soon: 'Due soon',
  due: 'Due',
  overdue: 'Overdue',
};

/** States with the most urgent first. */
export const BY_URGENCY: readonly MaintenanceState[] = ['overdue', 'due', 'due_soon', 'unknown', 'ok'];

const REASONS: Readonly<Record<MaintenanceReason, Word>> = {
  no_hour_meter: 'The machine has sent no engine hours.',
  no_odometer: 'The machine has sent no distance.',
  no_service: 'No service is recorded yet. Record the last service.',
  no_reading_at_service: 'The last service was recorded without the reading of this meter.',
  meter_below_service:
    'The meter shows less than at the last service. Record the service again with the right reading.',
  clock_not_trusted: 'The clock of the gateway is not trusted at present.',
};

const UNITS = { hours: 'h', km: 'km' } as const;
const number = (value: number): string => value.toLocaleString(language().tag, { maximumFractionDigits: 1 });

function leftText(by: MaintenanceLimit['by'], left: number): string {
  if (left === 0) return t('Due now');
  const days = Math.abs(left);
  if (by === 'date')
    return left > 0 ? t('{n} day left|{n} days left', { n: days }) : t('{n} day over|{n} days over', { n: days });
  const size = `${number(Math.abs(left))} ${UNITS[by]}`;
  return left > 0 ? t('{size} left', { size }) : t('{size} over', { size });
}

/** Returns what is left until a limit, such as "12 h left, at 12,500 h", or why that is unknown. */
export function limitText({ by, state, reason, left, due_at, due_on }: MaintenanceLimit): string {
  if (state === 'unknown' || left === null) return reason === null ? '' : t(REASONS[reason]);
  const where =
    by !== 'date'
      ? t('at {size}', { size: `${number(due_at ?? 0)} ${UNITS[by]}` })
      : due_on === null
        ? ''
        : t('on {date}', { date: dateText(due_on) });
  const parts = [leftText(by, left), where].filter((part) => part !== '');
  return parts.join(', ');
}

/** Returns the use that the expected date comes from, such as " · 9.4 h a day"; empty if the limit is a date or unknown. */
export function meterUseText({ by, state, per_day }: MaintenanceLimit): string {
  if (by === 'date' || state === 'unknown') return '';
  return per_day === null
    ? ` · ${t('use per day is not known yet')}`
    : ` · ${t('{size} a day', { size: `${number(per_day)} ${UNITS[by]}` })}`;
}

/** Returns the limits of a plan, such as "every 250 h or 3 months". */
export function planText({ every_hours, every_km, every_days, every_months, due_on }: Plan): string {
  const every = [
    every_hours === null ? '' : `${number(every_hours)} h`,
    every_km === null ? '' : `${number(every_km)} km`,
    every_days === null ? '' : t('{n} day|{n} days', { n: every_days }),
    every_months === null ? '' : t('{n} month|{n} months', { n: every_months }),
  ].filter((part) => part !== '');
  const parts = [
    every.length === 0 ? '' : t('every {limits}', { limits: every.join(` ${t('or')} `) }),
    due_on === null ? '' : t('on {date}', { date: dateText(due_on) }),
  ];
  return parts.filter((part) => part !== '').join(` ${t('and')} `);
}

type Choices = readonly (readonly [value: string, text: string])[];

/** The choice that keeps a value which only a newer version knows. */
const keptChoice = (stored: string | undefined): Choices =>
  stored === 'unknown' ? [['unknown', t('Unknown: keep the value of the newer version')]] : [];

/** What the form of a plan offers for what happens when it is due. */
export const actionChoices = (stored: Plan['action'] | undefined): Choices => [
  ...keptChoice(stored),
  ['ticket', t('Make a repair ticket')],
  ['none', t('Show it on this page only')],
];

/** What the form of a plan offers for the priority of its tickets. */
export const priorityChoices = (stored: Plan['priority'] | undefined): Choices => [
  ...keptChoice(stored),
  ...PRIORITY.map((one) => [one, t(one)] as const),
];
