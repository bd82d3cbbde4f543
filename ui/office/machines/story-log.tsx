/** What happened to a machine in a time, the newest first, with who did it. */

import type { ShownStatus } from '#contract/fleet/shown-status.ts';
import type { Output } from '#contract/operations.ts';
import { inside, t, translated } from '#ui/languages/texts.ts';
import { Problem } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { STATUS_TEXT } from '#ui/office/base/status-words.ts';
import { usePolled } from '#ui/office/base/use.ts';
import { eventTime } from '#ui/office/work/ticket-text.ts';

type Event = Output<'equipment_events'>['data'][number];

const READ_MS = 15_000;
/** The most lines of the list. */
const MOST = 12;

const text = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '?');

/** Returns a status of a machine in words. */
function statusText(value: unknown): string {
  const stored = text(value);
  return inside(
    translated(Object.hasOwn(STATUS_TEXT, stored) ? STATUS_TEXT[stored as ShownStatus] : shownWord(stored)),
  );
}

const shownWord = (stored: string) => stored.charAt(0).toUpperCase() + stored.slice(1).replaceAll('_', ' ');

/** The words of the types of events that a person looks for. Other types stand as they are, with spaces. */
const WORDS: Readonly<Record<string, (data: Event['data']) => string>> = {
  created: () => t('Machine added'),
  updated: () => t('Details changed'),
  checked: () => t('Checked: OK'),
  taken: () => t('Took it'),
  released: () => t('Gave it back'),
  status_changed: ({ from, to }) => t('Set from {from} to {to}', { from: statusText(from), to: statusText(to) }),
  live_status_changed: ({ to }) => t('Data says {state}', { state: statusText(to) }),
  'alert.raised': ({ rule_name }) => t('Alert: {rule}', { rule: text(rule_name) }),
  'alert.cleared': ({ rule_name }) => t('Alert over: {rule}', { rule: text(rule_name) }),
  'alert.acknowledged': ({ rule_name }) => t('Alert seen: {rule}', { rule: text(rule_name) }),
  'dtc.activated': ({ spn, fmi }) => t('Code active: SPN {spn} FMI {fmi}', { spn: text(spn), fmi: text(fmi) }),
  'dtc.cleared': ({ spn, fmi }) => t('Code gone: SPN {spn} FMI {fmi}', { spn: text(spn), fmi: text(fmi) }),
  'downtime.started': () => t('Reported down'),
  'downtime.ended': () => t('Reported back'),
  'device.linked': () => t('Device linked'),
  'device.unlinked': () => t('Device unlinked'),
  assigned_location: () => t('Assigned location'),
  assigned_operator: () => t('Assigned operator'),
  unassigned_operator: () => t('Unassigned operator'),
  'service.done': () => t('Service done'),
  'inspection.completed': () => t('Inspection completed'),
};

/** Returns an event in words. A field that the event does not have is left out. */
function wordsOf({ type, data }: Event): string {
  const words = WORDS[type]?.(data);
  if (words !== undefined && !words.includes('?')) return words.replaceAll('_', ' ');
  const plain = type.replaceAll(/[._]/g, ' ');
  return translated(plain.charAt(0).toUpperCase() + plain.slice(1));
}

export function StoryLog(props: { session: Session; id: string; from: number; to: number; now: number }) {
  const { session, id, from, to, now } = props;
  const { data, problem } = usePolled(
    (signal) => session.client.call('equipment_events', { id, limit: 50 }, { signal }),
    READ_MS,
    [id],
  );
  const within = (data?.data ?? []).filter(({ occurred_at }) => {
    const at = Date.parse(occurred_at);
    return at >= from && at <= to + READ_MS;
  });
  const newest = within.sort((a, b) => Date.parse(b.occurred_at) - Date.parse(a.occurred_at)).slice(0, MOST);
  return (
    <section class="story-log" aria-label={t('What happened')}>
      <h2>{t('What happened')}</h2>
      <Problem text={problem} />
      {data !== null && newest.length === 0 && <p class="aside">{t('Nothing is in the log for this time.')}</p>}
      <ol>
        {newest.map((event) => (
          <li key={event.id}>
            <time>{eventTime(event, now, session.project.timezone)}</time>
            <span>{wordsOf(event)}</span>
            <small>{event.actor.type === 'gateway' || event.actor.type === 'device' ? '' : event.actor.name}</small>
          </li>
        ))}
      </ol>
    </section>
  );
}
