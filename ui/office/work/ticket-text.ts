/** Texts of repair tickets and of their log entries. */

import type { Shown } from '#contract/base/shown.ts';
import { failureMode } from '#contract/fleet/failure-modes.ts';
import { faultWords, parameterName } from '#contract/fleet/fault-words.ts';
import type { Output } from '#contract/operations.ts';
import type { Severity } from '#contract/work/alert.ts';
import { type HOLD_REASON, isOpenTicket, type PRIORITY, type TicketStatus } from '#contract/work/repair-ticket.ts';
import { moment } from '#ui/format.ts';
import { officeText } from '#ui/languages/office.ts';
import { t, translated, type Word } from '#ui/languages/texts.ts';

export type Ticket = Output<'repair_tickets_get'>;
export type TicketEvent = Output<'repair_tickets_append_event'>;
export type Priority = (typeof PRIORITY)[number];
export type HoldReason = (typeof HOLD_REASON)[number];

export const STATUS_WORDS: Readonly<Record<Ticket['status'], Word>> = {
  flagged: 'Flagged',
  in_progress: 'In progress',
  on_hold: 'On hold',
  fixed: 'Fixed',
  closed: 'Closed',
  canceled: 'Canceled',
  unknown: 'Unknown status',
};

/** What an unknown status means. */
export const NEWER_STATUS: Word = 'A newer version gave a status that this version does not know.';

export const PRIORITY_WORDS: Readonly<Record<Ticket['priority'], Word>> = {
  low: 'Low',
  medium: 'Medium',
  high: 'High',
  critical: 'Critical',
  unknown: 'Unknown',
};

export const TYPE_WORDS: Readonly<Record<Ticket['type'], Word>> = {
  corrective: 'Repair',
  preventive: 'Preventive',
  inspection: 'Inspection',
  damage: 'Damage',
  unknown: 'Unknown',
};

export const HOLD_WORDS: Readonly<Record<NonNullable<Ticket['hold_reason']>, Word>> = {
  parts: 'Parts',
  labor: 'Mechanic',
  access: 'Access',
  approval: 'Approval',
  weather: 'Weather',
  vendor: 'Vendor',
  other: 'Other',
  unknown: 'Unknown',
};

export const SOURCE_WORDS: Readonly<Record<Ticket['source']['kind'], Word>> = {
  manual: 'Person',
  alert: 'Alert',
  dtc: 'Trouble code',
  inspection: 'Inspection',
  pm: 'Planned maintenance',
  qr: 'QR code on the machine',
  agent: 'Agent',
  unknown: 'Unknown',
};

/** Returns the label of the button that changes the status of a ticket from `from` to `to`. */
export function stepWords(from: Ticket['status'], to: TicketStatus): string {
  if (to === 'in_progress')
    return from === 'flagged' ? t('Start work') : from === 'on_hold' ? t('Resume') : t('Reopen');
  const words = {
    on_hold: t('Put on hold'),
    fixed: t('Mark as fixed'),
    closed: t('Close ticket'),
    canceled: t('Cancel ticket'),
  } as const;
  return to === 'flagged' ? t(STATUS_WORDS.flagged) : words[to];
}

/** For each alert severity, the priority that the form suggests for a ticket from such an alert. */
export const PRIORITY_OF: Readonly<Record<Shown<Severity>, Priority>> = {
  critical: 'critical',
  warning: 'high',
  info: 'low',
  unknown: 'critical',
};

const RANK: Readonly<Record<Ticket['priority'], number>> = { critical: 0, unknown: 0, high: 1, medium: 2, low: 3 };

/** Sorts safety critical tickets first, then by priority, then oldest first, as on the TV boards. */
export function byNeed(a: Ticket, b: Ticket): number {
  return (
    Number(b.safety_critical) - Number(a.safety_critical) ||
    RANK[a.priority] - RANK[b.priority] ||
    Date.parse(a.flagged_at) - Date.parse(b.flagged_at) ||
    (a.id < b.id ? -1 : 1)
  );
}

/** Returns true when an open ticket is past its due time. */
export function isOverdue(ticket: Ticket, now: number): boolean {
  return ticket.due_at !== null && isOpenTicket(ticket.status) && Date.parse(ticket.due_at) < now;
}

/** Formats a number of minutes: "2 h 15", "45 min". */
export function minutesWords(minutes: number): string {
  if (minutes < 60) return `${minutes} min`;
  const rest = minutes % 60;
  const hours = Math.floor(minutes / 60);
  return rest === 0 ? `${hours} h` : `${hours} h ${String(rest).padStart(2, '0')}`;
}

/**
 * Returns when a log entry happened. If nobody knows that, because the clocks of the device that sent it did not fit, returns when the
 * gateway received it.
 */
export function eventTime(
  { occurred_at, data }: Pick<TicketEvent, 'occurred_at' | 'data'>,
  now: number,
  zone: string,
): string {
  const time = moment(Date.parse(occurred_at), now, zone);
  return data.time_not_known === true ? t('received {time}, written before', { time }) : time;
}

/** Returns the hint below the FMI (failure mode) field: the meaning of the typed number. */
export function failureHint(fmi: string): string {
  const words = /^\d{1,2}$/.test(fmi.trim()) ? failureMode(Number(fmi)) : null;
  return words === null ? t('Failure mode: 0 to 31') : translated(words);
}

/** Returns the hint below the SPN (parameter number) field: the name of the typed parameter, which is English in every language. */
export function parameterHint(spn: string): { text: string; lang: 'en' | undefined } {
  const typed = spn.trim();
  if (!/^\d{1,6}$/.test(typed)) return { text: t('Parameter number'), lang: undefined };
  const name = parameterName(Number(typed));
  return name === null ? { text: t('Unknown number'), lang: undefined } : { text: name, lang: 'en' };
}

/** Returns a typed SPN or FMI with its name, for example "100 (Engine oil pressure 1)". */
export function codePartText(part: 'spn' | 'fmi', typed: string): string {
  const number = /^\d{1,6}$/.test(typed.trim()) ? Number(typed) : null;
  const name = number === null ? null : part === 'spn' ? parameterName(number) : failureMode(number);
  return name === null ? typed : `${typed} (${translated(name)})`;
}

/** Returns the trouble code of a ticket with its meaning; null when the ticket has no code. */
export function codeWords({
  spn,
  fmi,
}: Partial<Ticket['failure']> & Pick<Ticket['failure'], 'spn' | 'fmi'>): string | null {
  if (spn === null && fmi === null) return null;
  const words = fmi === null ? (spn === null ? null : parameterName(spn)) : faultWords(spn, fmi);
  const numbers = [spn === null ? null : `SPN ${spn}`, fmi === null ? null : `FMI ${fmi}`].filter(
    (part) => part !== null,
  );
  return `${words === null ? t('Unknown code') : officeText(words)} (${numbers.join(' / ')})`;
}
