/** The heading of a ticket page: machine, title, state and times. */
import { useEffect, useRef } from 'preact/hooks';
import { duration, moment } from '#ui/format.ts';
import { decimals, inside, t } from '#ui/languages/texts.ts';
import type { Session } from '#ui/office/base/session.ts';
import { useNow } from '#ui/office/base/use.ts';
import { PriorityMark } from './ticket-card.tsx';
import type { Known } from './ticket-facts.ts';
import {
  codeWords,
  HOLD_WORDS,
  isOverdue,
  minutesWords,
  SOURCE_WORDS,
  STATUS_WORDS,
  type Ticket,
} from './ticket-text.ts';

export function TicketHead({ ticket, known, session }: { ticket: Ticket; known: Known; session: Session }) {
  const now = useNow(session.now);
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), []);
  const when = (at: string) => moment(Date.parse(at), now, session.project.timezone);
  const { source, meter_at_flag: meter, downtime_minutes: down, signature } = ticket;
  const facts: [string, string | null][] = [
    [
      t('Flagged'),
      t('{time}, {age} ago', { time: when(ticket.flagged_at), age: duration(now - Date.parse(ticket.flagged_at)) }),
    ],
    [t('Trouble code'), codeWords(ticket.failure)],
    [t('Source'), t(SOURCE_WORDS[source.kind])],
    [t('Engine hours when flagged'), meter === null ? null : `${decimals(meter.hours.toFixed(1))} h`],
    [t('Due'), ticket.due_at === null ? null : when(ticket.due_at)],
    [t('Work started'), ticket.started_at === null ? null : when(ticket.started_at)],
    [t('Fixed'), ticket.fixed_at === null ? null : when(ticket.fixed_at)],
    [
      ticket.status === 'canceled' ? t('Canceled') : t('Closed'),
      ticket.closed_at === null ? null : when(ticket.closed_at),
    ],
    [t('Downtime'), down === null ? null : minutesWords(down)],
    [t('Signed off by'), signature === null ? null : `${signature.name}, ${when(signature.signed_at)}`],
  ];
  return (
    <>
      <div class="what">
        <h1 ref={title} tabIndex={-1}>
          <a href={`#machines/${ticket.equipment_id}`}>{known.machine(ticket.equipment_id)}</a> {ticket.title}
        </h1>
      </div>
      <div class="what">
        <span class="state">{t(STATUS_WORDS[ticket.status])}</span>
        <PriorityMark priority={ticket.priority} />
        {ticket.safety_critical && <span class="badge-word danger">{t('Safety critical')}</span>}
        {ticket.hold_reason !== null && (
          <span class="badge-word">
            {t('Waiting for: {what}', { what: inside(t(HOLD_WORDS[ticket.hold_reason])) })}
          </span>
        )}
        {isOverdue(ticket, now) && <span class="badge-word danger">{t('Overdue')}</span>}
        <span class="aside">{ticket.number}</span>
      </div>
      <dl class="pairs">
        {facts.map(
          ([name, value]) =>
            value !== null && (
              <div key={name}>
                <dt>{name}</dt>
                <dd>
                  {name === 'Source' && source.kind === 'alert' ? (
                    <a href={`#alerts/${ticket.equipment_id}`}>{value}</a>
                  ) : (
                    value
                  )}
                </dd>
              </div>
            ),
        )}
        {ticket.related_to !== null && (
          <div>
            <dt>{t('Follows')}</dt>
            <dd>
              <a href={`#tickets/${ticket.related_to}`}>{t('an earlier ticket')}</a>
            </dd>
          </div>
        )}
      </dl>
    </>
  );
}
