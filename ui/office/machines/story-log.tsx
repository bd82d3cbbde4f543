/** What happened to a machine in a time, the newest first, with who did it. */
import type { Output } from '#contract/operations.ts';
import { Problem } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { usePolled } from '#ui/office/base/use.ts';
import { eventTime } from '#ui/office/work/ticket-text.ts';

type Event = Output<'equipment_events'>['data'][number];

const READ_MS = 15_000;
/** The most lines of the list. */
const MOST = 12;

const text = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '?');

/** The words of the types of events that a person looks for. Other types stand as they are, with spaces. */
const WORDS: Readonly<Record<string, (data: Event['data']) => string>> = {
  created: () => 'Machine added',
  updated: () => 'Details changed',
  taken: () => 'Took it',
  released: () => 'Gave it back',
  status_changed: ({ from, to }) => `Set from ${text(from)} to ${text(to)}`,
  live_status_changed: ({ to }) => `Data says ${text(to)}`,
  'alert.raised': ({ rule_name }) => `Alert: ${text(rule_name)}`,
  'alert.cleared': ({ rule_name }) => `Alert over: ${text(rule_name)}`,
  'alert.acknowledged': ({ rule_name }) => `Alert seen: ${text(rule_name)}`,
  'dtc.activated': ({ spn, fmi }) => `Code active: SPN ${text(spn)} FMI ${text(fmi)}`,
  'dtc.cleared': ({ spn, fmi }) => `Code gone: SPN ${text(spn)} FMI ${text(fmi)}`,
  'downtime.started': () => 'Reported down',
  'downtime.ended': () => 'Reported back',
};

/** Returns an event in words. A field that the event does not have is left out. */
function wordsOf({ type, data }: Event): string {
  const words = WORDS[type]?.(data);
  if (words !== undefined && !words.includes('?')) return words.replaceAll('_', ' ');
  const plain = type.replaceAll(/[._]/g, ' ');
  return plain.charAt(0).toUpperCase() + plain.slice(1);
}

export function StoryLog(props: { session: Session; id: string; from: number; to: number; now: number }) {
  const { session, id, from, to, now } = props;
  const { data, problem } = usePolled(
    (signal) => session.client.call('equipment_events', { id, limit: 50 }, { signal }),
    READ_MS,
    [id],
  );
  const inside = (data?.data ?? []).filter(({ occurred_at }) => {
    const at = Date.parse(occurred_at);
    return at >= from && at <= to + READ_MS;
  });
  const newest = inside.sort((a, b) => Date.parse(b.occurred_at) - Date.parse(a.occurred_at)).slice(0, MOST);
  return (
    <section class="story-log" aria-label="What happened">
      <h2>What happened</h2>
      <Problem text={problem} />
      {data !== null && newest.length === 0 && <p class="aside">Nothing is in the log for this time.</p>}
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
