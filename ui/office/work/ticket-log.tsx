/** The log of a ticket, and a form that adds a note. */

import { useState } from 'preact/hooks';
import { t } from '#ui/languages/texts.ts';
import type { Paged } from '#ui/office/base/paged.tsx';
import { MoreRows } from '#ui/office/base/paged.tsx';
import { Problem } from '#ui/office/base/parts.tsx';
import { TextArea } from '#ui/office/base/picks.tsx';
import { may, newIdempotencyKey, type Session } from '#ui/office/base/session.ts';
import { setTabState, useTabState } from '#ui/office/base/tab-state.ts';
import { useNow } from '#ui/office/base/use.ts';
import { later } from '#ui/office/outbox/later.ts';
import { OutboxFull } from '#ui/office/outbox/outbox-mark.tsx';
import { eventText, isWritten } from './ticket-log-text.ts';
import { eventTime, type TicketEvent } from './ticket-text.ts';
import { isAnswered, useWrite } from './write.ts';

/** A note that a person types. Its id is the same after a reload, so that the gateway stores it once. */
type Typed = { readonly id: string; readonly text: string };

function AddNote({ id, number, session, onDone }: { id: string; number: string; session: Session; onDone(): void }) {
  const name = `note ${id}`;
  const [kept, setKept] = useTabState<Typed | string>(name);
  const [spare] = useState(newIdempotencyKey);
  const { busy, problem, write } = useWrite();
  // An earlier build kept only the text.
  const { id: write_id, text } = typeof kept === 'object' && kept !== null ? kept : { id: spare, text: kept ?? '' };
  const type = (next: string) => setKept({ id: kept === null ? newIdempotencyKey() : write_id, text: next });
  return (
    <form
      class="form"
      // The answer clears the form, so nobody may type in it until then.
      inert={busy}
      onSubmit={(event) => {
        event.preventDefault();
        write(async () => {
          const data = { text: text.trim() };
          const title = t('Note on {number}: {text}', { number, text: data.text });
          const about = { subject: id, title, id: write_id, onStored: () => setTabState(name, null) };
          try {
            await later(session, 'repair_tickets_append_event', { id, type: 'comment', data }, about);
          } catch (error) {
            // A refused note is not kept, so its text stays here, and the next try is another write.
            setKept({ id: isAnswered(error) ? newIdempotencyKey() : write_id, text });
            throw error;
          }
          setKept(null);
          onDone();
        });
      }}
    >
      <OutboxFull />
      <TextArea label={t('Note')} value={text} onValue={type} rows={2} maxLength={2000} />
      <Problem text={problem} />
      <button type="submit" disabled={busy || text.trim() === ''}>
        {busy ? t('Sending') : t('Add note')}
      </button>
    </form>
  );
}

export function TicketLog(props: {
  id: string;
  number: string;
  session: Session;
  events: Paged<TicketEvent>;
  mechanic(id: string): string;
}) {
  const { session, events } = props;
  const now = useNow(session.now);
  const zone = session.project.timezone;
  return (
    <section class="panel-box" id="ticket-log">
      <h2>{t('Log')}</h2>
      {may(session, 'repair_tickets_append_event') && (
        <AddNote id={props.id} number={props.number} session={session} onDone={events.reload} />
      )}
      {events.items === null && <Problem text={events.problem} />}
      <ol class="ticket-log">
        {(events.items ?? []).map((event) => (
          <li key={event.id} class={isWritten(event) ? 'written' : ''}>
            <small>
              {eventTime(event, now, zone)}
              {event.actor.name !== null && `, ${event.actor.name}`}
            </small>
            <span>{eventText(event, props)}</span>
          </li>
        ))}
      </ol>
      <MoreRows of={events} text={t('Show older entries')} now={now} />
    </section>
  );
}
