/** Texts of the log of a repair ticket. */
import type { TicketStatus } from '#contract/work/repair-ticket.ts';
import { inside, t, translated, type Word } from '#ui/languages/texts.ts';
import {
  HOLD_WORDS,
  type HoldReason,
  minutesWords,
  PRIORITY_WORDS,
  type Priority,
  STATUS_WORDS,
  type TicketEvent,
} from './ticket-text.ts';

/** Functions that return the name of an object that a log entry mentions by id. */
interface TicketNames {
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

/** Returns true if a person wrote the text of the log entry. */
export function isWritten({ type }: TicketEvent): boolean {
  return type === 'comment' || type === 'note';
}
