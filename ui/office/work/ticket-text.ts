/** What repair tickets and their log say to people. Pure. */

import { failureMode } from '#contract/fleet/failure-modes.ts';
import { faultWords, parameterName } from '#contract/fleet/fault-words.ts';
import type { Output } from '#contract/operations.ts';
import type { Severity } from '#contract/work/alert.ts';
import type { HOLD_REASON, PRIORITY, TICKET_TYPE, TicketStatus } from '#contract/work/repair-ticket.ts';

export type Ticket = Output<'repair_tickets_get'>;
export type TicketEvent = Output<'repair_tickets_append_event'>;
export type Priority = (typeof PRIORITY)[number];
export type HoldReason = (typeof HOLD_REASON)[number];

export const STATUS_WORDS: Readonly<Record<TicketStatus, string>> = {
  flagged: 'Flagged',
  in_progress: 'In work',
  on_hold: 'On hold',
  fixed: 'Fixed',
  closed: 'Closed',
  canceled: 'Canceled',
};

export const PRIORITY_WORDS: Readonly<Record<Priority, string>> = {
  low: 'Low',
  medium: 'Medium',
  high: 'High',
  critical: 'Critical',
};

export const TYPE_WORDS: Readonly<Record<(typeof TICKET_TYPE)[number], string>> = {
  corrective: 'Repair',
  preventive: 'Preventive',
  inspection: 'Inspection',
  damage: 'Damage',
};

export const HOLD_WORDS: Readonly<Record<HoldReason, string>> = {
  parts: 'Parts',
  labor: 'Nobody free',
  access: 'No access',
  approval: 'Approval',
  weather: 'Weather',
  vendor: 'Vendor',
  other: 'Other',
};

export const SOURCE_WORDS: Readonly<Record<Ticket['source']['kind'], string>> = {
  manual: 'Flagged by a person',
  alert: 'From an alert',
  dtc: 'From a trouble code',
  inspection: 'From an inspection',
  pm: 'From planned maintenance',
  qr: 'From the code on the machine',
  agent: 'Flagged by an agent',
};

/** What a tap on the step to `to` says it does. */
export function stepWords(from: TicketStatus, to: TicketStatus): string {
  if (to === 'in_progress') return from === 'flagged' ? 'Start work' : from === 'on_hold' ? 'Go on' : 'Reopen';
  const words = { on_hold: 'Put on hold', fixed: 'Fixed', closed: 'Close', canceled: 'Cancel ticket' } as const;
  return to === 'flagged' ? STATUS_WORDS.flagged : words[to];
}

/** The priority that an alert of such a severity asks for. */
export const PRIORITY_OF: Readonly<Record<Severity, Priority>> = { critical: 'critical', warning: 'high', info: 'low' };

const RANK: Readonly<Record<Priority, number>> = { critical: 0, high: 1, medium: 2, low: 3 };

/** What endangers people first, then the gravest, then the oldest, as on the wall. */
export function byNeed(a: Ticket, b: Ticket): number {
  return (
    Number(b.safety_critical) - Number(a.safety_critical) ||
    RANK[a.priority] - RANK[b.priority] ||
    Date.parse(a.flagged_at) - Date.parse(b.flagged_at) ||
    (a.id < b.id ? -1 : 1)
  );
}

/** Work is still to be done on it. */
export function isOpen({ status }: Pick<Ticket, 'status'>): boolean {
  return status === 'flagged' || status === 'in_progress' || status === 'on_hold';
}

/** Past its time, while work is still to be done. */
export function isOverdue(ticket: Ticket, now: number): boolean {
  return ticket.due_at !== null && isOpen(ticket) && Date.parse(ticket.due_at) < now;
}

/** "2 h 15", "45 min". */
export function minutesWords(minutes: number): string {
  if (minutes < 60) return `${minutes} min`;
  const rest = minutes % 60;
  const hours = Math.floor(minutes / 60);
  return rest === 0 ? `${hours} h` : `${hours} h ${String(rest).padStart(2, '0')}`;
}

/** Names behind ids. */
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

type Say = (data: Record<string, unknown>, names: TicketNames) => string;

const EVENTS: Readonly<Record<string, Say>> = {
  flagged: () => 'Flagged',
  status_changed: ({ from, to, reason, hold_reason, downtime_minutes }) =>
    [
      `${statusOf(from)} to ${statusOf(to)}`,
      hold_reason === undefined ? '' : `, waits for: ${hold(hold_reason)}`,
      typeof downtime_minutes === 'number' ? `, ${minutesWords(downtime_minutes)} down` : '',
      quoted(reason),
    ].join(''),
  reopened: () => 'Reopened',
  assigned: ({ mechanic_ids }, names) =>
    list(mechanic_ids).length === 0
      ? 'Assigned to nobody'
      : `Assigned to ${list(mechanic_ids).map(names.mechanic).join(', ')}`,
  comment: ({ text: said }) => text(said),
  note: ({ text: said, note }) => text(said) || text(note),
  'labor.logged': ({ mechanic_id, minutes, note }, names) =>
    `${typeof minutes === 'number' ? minutesWords(minutes) : ''} of work${text(mechanic_id) === '' ? '' : ` by ${names.mechanic(text(mechanic_id))}`}${quoted(note)}`,
  'part.requested': ({ name, quantity }) => `Part wanted: ${String(quantity ?? 1)} × ${text(name)}`,
  'part.used': ({ name, quantity }) => `Part used: ${String(quantity ?? 1)} × ${text(name)}`,
  'photo.added': () => 'Picture added',
  updated: ({ fields }) =>
    `Changed ${list(fields)
      .map((name) => FIELD_WORDS[name] ?? name)
      .join(', ')}`,
};

/** One line of the log; a kind of somebody's own is said by its name. */
export function sayEvent({ type, data }: TicketEvent, names: TicketNames): string {
  const said = EVENTS[type]?.(data, names) ?? '';
  return said === '' ? type : said;
}

/** True for what a person wrote in words. */
export function isWritten({ type }: TicketEvent): boolean {
  return type === 'comment' || type === 'note';
}

/** What a failure mode that a person typed means, as a hint below its field. */
export function failureHint(fmi: string): string {
  const words = /^\d{1,2}$/.test(fmi.trim()) ? failureMode(Number(fmi)) : null;
  return words ?? 'How it fails: a number from 0 to 31';
}

/** The parameter that a person typed the number of, as a hint below its field. */
export function parameterHint(spn: string): string {
  const typed = spn.trim();
  if (!/^\d{1,6}$/.test(typed)) return 'What fails: the number of the parameter';
  return parameterName(Number(typed)) ?? NO_NAME;
}

const NO_NAME = 'No name for this number here';

/** A typed SPN or FMI with its name beside it: "100 (Engine oil pressure 1)". */
export function sayCodePart(part: 'spn' | 'fmi', typed: string): string {
  const number = /^\d{1,6}$/.test(typed.trim()) ? Number(typed) : null;
  const name = number === null ? null : part === 'spn' ? parameterName(number) : failureMode(number);
  return name === null ? typed : `${typed} (${name})`;
}

/** The trouble code of a ticket in words with its numbers; null where it has none. */
export function codeWords({ spn, fmi }: Ticket['failure']): string | null {
  if (spn === null && fmi === null) return null;
  const words = fmi === null ? (spn === null ? null : parameterName(spn)) : faultWords(spn, fmi);
  const numbers = [spn === null ? null : `SPN ${spn}`, fmi === null ? null : `FMI ${fmi}`].filter(
    (part) => part !== null,
  );
  return `${words ?? 'No words for this code'} (${numbers.join(' / ')})`;
}
