/** The card of a repair ticket on the ticket board. */
import { duration, joined } from '#ui/format.ts';
import { inside, t } from '#ui/languages/texts.ts';
import { AlertMark } from '#ui/tiles/marks.tsx';
import { HOLD_WORDS, isOverdue, PRIORITY_WORDS, type Ticket } from './ticket-text.ts';

/** Shows a priority as a shape in a colour. Each priority has another shape, so that people who do not see colours can read it. */
export function PriorityMark({ priority }: Pick<Ticket, 'priority'>) {
  return (
    <span class={`priority ${priority}`}>
      {priority === 'critical' || priority === 'unknown' ? (
        <AlertMark mark="critical" />
      ) : priority === 'high' ? (
        <AlertMark mark="warning" />
      ) : (
        <svg class="mark" viewBox="0 0 24 24" aria-hidden="true">
          {priority === 'medium' ? (
            <path class="line" d="M12 3 21 12 12 21 3 12z" stroke-width="2.6" />
          ) : (
            <circle class="line" cx="12" cy="12" r="7" stroke-width="2.6" />
          )}
        </svg>
      )}
      {t(PRIORITY_WORDS[priority])}
    </span>
  );
}

export function TicketCard(props: {
  ticket: Ticket;
  now: number;
  machine(id: string): string;
  mechanic(id: string): string;
}) {
  const { ticket, now } = props;
  const { assigned_mechanic_ids: assigned, hold_reason, due_at } = ticket;
  return (
    <li class={ticket.safety_critical ? 'ticket-card safety' : 'ticket-card'}>
      <a class="ticket-link" href={`#tickets/${ticket.id}`}>
        <span class="row">
          <b>{props.machine(ticket.equipment_id)}</b>
          <PriorityMark priority={ticket.priority} />
        </span>
        <span class="title">{ticket.title}</span>
        {ticket.safety_critical && <span class="badge-word danger">{t('Safety critical')}</span>}
        {hold_reason !== null && (
          <span class="badge-word">{t('Waiting for: {what}', { what: inside(t(HOLD_WORDS[hold_reason])) })}</span>
        )}
        {due_at !== null &&
          (isOverdue(ticket, now) ? (
            <span class="badge-word danger">{t('Overdue by {age}', { age: duration(now - Date.parse(due_at)) })}</span>
          ) : (
            <span class="aside">{t('Due in {age}', { age: duration(Date.parse(due_at) - now) })}</span>
          ))}
        <span class="aside">
          {joined(
            ticket.number,
            t('{age} ago', { age: duration(now - Date.parse(ticket.flagged_at)) }),
            assigned.length === 0 ? t('nobody assigned') : assigned.map(props.mechanic).join(', '),
          )}
        </span>
      </a>
    </li>
  );
}
