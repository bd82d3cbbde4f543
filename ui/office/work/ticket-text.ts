/** Texts of repair tickets and of their log entries. */

import type { Shown } from '#contract/base/shown.ts';
import { failureMode } from '#contract/fleet/failure-modes.ts';
import { faultWords, parameterName } from '#contract/fleet/fault-words.ts';
import type { Output } from '#contract/operations.ts';
import type { Severity } from '#contract/work/alert.ts';
import { type HOLD_REASON, isOpenTicket, type PRIORITY, type TicketStatus } from '#contract/work/repair-ticket.ts';
import { moment } from '#ui/format.ts';

export type Ticket = Output<'repair_tickets_get'>;
export type TicketEvent = Output<'repair_tickets_append_event'>;
export type Priority = (typeof PRIORITY)[number];
export type HoldReason = (typeof HOLD_REASON)[number];

export const STATUS_WORDS: Readonly<Record<Ticket['status'], string>> = {
  flagged: 'Flagged',
  in_progress: 'In progress',
  on_hold: 'On hold',
  fixed: 'Fixed',
  closed: 'Closed',
  canceled: 'Canceled',
  unknown: 'Unknown status',
};

/** What an unknown status means. */
export const NEWER_STATUS = 'A newer version gave a status that this version does not know.';

export const PRIORITY_WORDS: Readonly<Record<Ticket['priority'], string>> = {
  low: 'Low',
  medium: 'Medium',
  high: 'High',
  critical: 'Critical',
  unknown: 'Unknown',
};

export const TYPE_WORDS: Readonly<Record<Ticket['type'], string>> = {
  corrective: 'Repair',
  preventive: 'Preventive',
  inspection: 'Inspection',
  damage: 'Damage',
  unknown: 'Unknown',
};

export const HOLD_WORDS: Readonly<Record<NonNullable<Ticket['hold_reason']>, string>> = {
  parts: 'Parts',
  labor: 'Mechanic',
  access: 'Access',
  approval: 'Approval',
  weather: 'Weather',
  vendor: 'Vendor',
  other: 'Other',
  unknown: 'Unknown',
};

export const SOURCE_WORDS: Readonly<Record<Ticket['source']['kind'], string>> = {
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
  if (to === 'in_progress') return from === 'flagged' ? 'Start work' : from === 'on_hold' ? 'Resume' : 'Reopen';
  const words = { on_hold: 'Put on hold', fixed: 'Mark as fixed', closed: 'Close', canceled: 'Cancel ticket' } as const;
  return to === 'flagged' ? STATUS_WORDS.flagged : words[to];
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

/** Functions that return the name of an object that a log entry mentions by id. */
export interface TicketNames {
  mechanic(id: string): string;
}

const FIELD_WORDS: Readonly<Record<string, string>> = {
  location_id: 'place',
  safety_critical: 'safety',
  failure: 'failure',
  reported_by: 'reporter',
  due_at: 'due time',
  labor: 'labour',
  related_to: 'related ticket',
  hold_reason: 'hold reason',
  context: 'photos',
};
const text = (value: unknown) => (typeof value === 'string' ? value : '');
const list = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
const quoted = (value: unknown) => (text(value) === '' ? '' : `: ${text(value)}`);
const statusOf = (value: unknown) => STATUS_WORDS[text(value) as TicketStatus] ?? text(value);
const hold = (value: unknown) => (HOLD_WORDS[text(value) as HoldReason] ?? text(value)).toLowerCase();

type Describe = (data: Record<string, unknown>, names: TicketNames) => string;

const EVENTS: Readonly<Record<string, Describe>> = {
  flagged: () => 'Flagged',
  'alert.added': ({ text, rule_name }) => `Alert joined: ${String(text ?? rule_name)}`,
  status_changed: ({ from, to, reason, hold_reason, downtime_minutes }) =>
    [
      `${statusOf(from)} to ${statusOf(to)}`,
      hold_reason === undefined ? '' : `, waiting for: ${hold(hold_reason)}`,
      typeof downtime_minutes === 'number' ? `, downtime ${minutesWords(downtime_minutes)}` : '',
      quoted(reason),
    ].join(''),
  reopened: () => 'Reopened',
  assigned: ({ mechanic_ids }, names) =>
    list(mechanic_ids).length === 0
      ? 'Assigned to nobody'
      : `Assigned to ${list(mechanic_ids).map(names.mechanic).join(', ')}`,
  comment: ({ text: comment }) => text(comment),
  note: ({ text: own, note }) => text(own) || text(note),
  'labor.logged': ({ mechanic_id, minutes, note }, names) =>
    `${typeof minutes === 'number' ? minutesWords(minutes) : ''} of work${text(mechanic_id) === '' ? '' : ` by ${names.mechanic(text(mechanic_id))}`}${quoted(note)}`,
  'part.requested': ({ name, quantity }) => `Part requested: ${String(quantity ?? 1)} × ${text(name)}`,
  'part.used': ({ name, quantity }) => `Part used: ${String(quantity ?? 1)} × ${text(name)}`,
  'photo.added': () => 'Picture added',
  updated: ({ fields }) =>
    `Changed ${list(fields)
      .map((name) => FIELD_WORDS[name] ?? name)
      .join(', ')}`,
};

/** Returns the text of a log entry; for an unknown event type, the name of the type. */
export function eventText({ type, data }: TicketEvent, names: TicketNames): string {
  const described = EVENTS[type]?.(data, names) ?? '';
  return described === '' ? type : described;
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
  return data.time_not_known === true ? `received ${time}, written before` : time;
}

/** Returns true if a person wrote the text of the log entry. */
export function isWritten({ type }: TicketEvent): boolean {
  return type === 'comment' || type === 'note';
}

/** Returns the hint below the FMI (failure mode) field: the meaning of the typed number. */
export function failureHint(fmi: string): string {
  const words = /^\d{1,2}$/.test(fmi.trim()) ? failureMode(Number(fmi)) : null;
  return words ?? 'Failure mode: 0 to 31';
}

/** Returns the hint below the SPN (parameter number) field: the name of the typed parameter. */
export function parameterHint(spn: string): string {
  const typed = spn.trim();
  if (!/^\d{1,6}$/.test(typed)) return 'Parameter number';
  return parameterName(Number(typed)) ?? NO_NAME;
}

const NO_NAME = 'Unknown number';

/** Returns a typed SPN or FMI with its name, for example "100 (Engine oil pressure 1)". */
export function codePartText(part: 'spn' | 'fmi', typed: string): string {
  const number = /^\d{1,6}$/.test(typed.trim()) ? Number(typed) : null;
  const name = number === null ? null : part === 'spn' ? parameterName(number) : failureMode(number);
  return name === null ? typed : `${typed} (${name})`;
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
  return `${words ?? 'Unknown code'} (${numbers.join(' / ')})`;
}
