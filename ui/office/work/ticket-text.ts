/** Texts of repair tickets and of their log entries. */

import type { Shown } from '#contract/base/shown.ts';
import { failureMode } from '#contract/fleet/failure-modes.ts';
import { faultWords, parameterName } from '#contract/fleet/fault-words.ts';
import type { Output } from '#contract/operations.ts';
import type { Severity } from '#contract/work/alert.ts';
import { type HOLD_REASON, isOpenTicket, type PRIORITY, type TicketStatus } from '#contract/work/repair-ticket.ts';
import { moment } from '#ui/format.ts';
import { officeText } from '#ui/languages/office.ts';
import { inside, t, translated, type Word } from '#ui/languages/texts.ts';

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
    closed: t('Close'),
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

/** Functions that return the name of an object that a log entry mentions by id. */
export interface TicketNames {
  mechanic(id: string): string;
}

const FIELD_WORDS: Readonly<Partial<Record<string, Word>>> = {
  title: 'title',
  description: 'description',
  priority: 'priority',
  parts: 'parts',
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
const statusOf = (value: unknown) => translated(STATUS_WORDS[text(value) as TicketStatus] ?? text(value));
const hold = (value: unknown) => inside(translated(HOLD_WORDS[text(value) as HoldReason] ?? text(value)));

function workWords(time: string, mechanic_id: string, names: TicketNames): string {
  return mechanic_id === ''
    ? t('{time} of work', { time })
    : t('{time} of work by {name}', { time, name: names.mechanic(mechanic_id) });
}

const priorityOf = (value: unknown) => inside(translated(PRIORITY_WORDS[text(value) as Priority] ?? text(value)));

/** Returns a text and the sentences behind it; the text gets a full stop if it ends without one. */
const withSentences = (first: string, sentences: readonly string[]): string =>
  sentences.length === 0 ? first : [/[.!?]$/.test(first) ? first : `${first}.`, ...sentences].join(' ');

/** Returns who reported a fault again, what the person says, and what the report changed in the ticket. */
function joinedWords(data: Record<string, unknown>): string {
  const { inspection_id, reported_by, stopped, safety_critical, priority, priority_kept } = data;
  const name = text(reported_by);
  const said =
    inspection_id === undefined
      ? t('{name} reported it again', { name })
      : t('Not ok again in an inspection by {name}', { name });
  const sentences: string[] = [];
  if (stopped === true) sentences.push(t('The reporter says that the machine cannot work.'));
  if (safety_critical === true) sentences.push(t('The ticket is now safety-critical.'));
  if (priority !== undefined) {
    const [from, to] = [priorityOf(data.priority_before), priorityOf(priority)];
    sentences.push(t('For this reason the priority changed from {from} to {to}.', { from, to }));
  }
  if (priority_kept !== undefined)
    sentences.push(
      t('The priority stays {priority}, because a person changed it after this report was written.', {
        priority: priorityOf(priority_kept),
      }),
    );
  return withSentences(`${said}${quoted(text(data.text) || data.note)}`, sentences);
}

type Describe = (data: Record<string, unknown>, names: TicketNames) => string;

const EVENTS: Readonly<Record<string, Describe>> = {
  flagged: ({ stopped }) =>
    withSentences(t('Flagged'), stopped === true ? [t('The reporter says that the machine cannot work.')] : []),
  'report.joined': joinedWords,
  'alert.added': ({ text, rule_name }) => t('Alert joined: {alert}', { alert: String(text ?? rule_name) }),
  status_changed: ({ from, to, reason, hold_reason, downtime_minutes }) =>
    [
      t('{from} to {to}', { from: statusOf(from), to: statusOf(to) }),
      hold_reason === undefined ? '' : `, ${t('waiting for: {what}', { what: hold(hold_reason) })}`,
      typeof downtime_minutes === 'number' ? `, ${t('downtime {time}', { time: minutesWords(downtime_minutes) })}` : '',
      quoted(reason),
    ].join(''),
  reopened: () => t('Reopened'),
  assigned: ({ mechanic_ids }, names) =>
    list(mechanic_ids).length === 0
      ? t('Assigned to nobody')
      : t('Assigned to {names}', { names: list(mechanic_ids).map(names.mechanic).join(', ') }),
  comment: ({ text: comment }) => text(comment),
  note: ({ text: own, note }) => text(own) || text(note),
  'labor.logged': ({ mechanic_id, minutes, note }, names) =>
    workWords(typeof minutes === 'number' ? minutesWords(minutes) : '', text(mechanic_id), names) + quoted(note),
  'part.requested': ({ name, quantity }) => t('Part requested: {part}', { part: `${quantity ?? 1} × ${text(name)}` }),
  'part.used': ({ name, quantity }) => t('Part used: {part}', { part: `${quantity ?? 1} × ${text(name)}` }),
  'photo.added': () => t('Picture added'),
  updated: ({ fields }) =>
    t('Changed {fields}', {
      fields: list(fields)
        .map((name) => translated(FIELD_WORDS[name] ?? name))
        .join(', '),
    }),
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
  return data.time_not_known === true ? t('received {time}, written before', { time }) : time;
}

/** Returns true if a person wrote the text of the log entry. */
export function isWritten({ type }: TicketEvent): boolean {
  return type === 'comment' || type === 'note';
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
