/**
 * The board of repair tickets. It shows open tickets by status, the most urgent first, and, if a person asks for them, the closed and
 * canceled tickets.
 */

import { useState } from 'preact/hooks';
import { CURRENT_TICKET_STATUS } from '#contract/work/repair-ticket.ts';
import { t, type Word } from '#ui/languages/texts.ts';
import { LinkState } from '#ui/office/base/link-state.tsx';
import { readAll, useIdText, useList } from '#ui/office/base/lists.ts';
import { MoreRows, usePaged } from '#ui/office/base/paged.tsx';
import { Choice, Empty, Problem } from '#ui/office/base/parts.tsx';
import { may, ownMechanic, type Session } from '#ui/office/base/session.ts';
import { useNow, usePolled } from '#ui/office/base/use.ts';
import { OfMachine } from './of-machine.tsx';
import { TicketPage } from './ticket.tsx';
import { TicketCard } from './ticket-card.tsx';
import { NewTicket } from './ticket-new.tsx';
import { byNeed, NEWER_STATUS, STATUS_WORDS, type Ticket } from './ticket-text.ts';

const NONE_HERE: Readonly<Record<(typeof CURRENT_TICKET_STATUS)[number], Word>> = {
  flagged: 'No flagged tickets',
  in_progress: 'No tickets in progress',
  on_hold: 'No tickets on hold',
  unknown: 'No tickets with an unknown status',
  fixed: 'No fixed tickets',
};

interface Shared {
  readonly session: Session;
  readonly now: number;
  machine(id: string): string;
  mechanic(id: string): string;
}

function Past(props: Shared & { status: 'closed' | 'canceled'; equipment_id: string }) {
  const { status, equipment_id, session } = props;
  const query = { status, limit: 50, ...(equipment_id !== '' && { equipment_id }) };
  const paged = usePaged(session, 'repair_tickets_list', query, 15_000);
  return (
    <section>
      <h3>{t(STATUS_WORDS[status])}</h3>
      <Problem text={paged.problem} />
      {paged.items?.length === 0 && <p class="aside">{t('None')}</p>}
      <ul class="ticket-list">
        {(paged.items ?? []).map((ticket) => (
          <TicketCard key={ticket.id} {...props} ticket={ticket} />
        ))}
      </ul>
      <MoreRows of={paged} text={t('Show older tickets')} now={props.now} />
    </section>
  );
}

function Board({ session, equipment_id }: { session: Session; equipment_id: string }) {
  const list = usePolled(
    async (signal) => {
      const read = CURRENT_TICKET_STATUS.map((status) => readAll(session, 'repair_tickets_list', { status }, signal));
      return (await Promise.all(read)).flatMap(({ items }) => items);
    },
    5_000,
    [session],
    ['repair_ticket'],
  );
  const machines = useList(session, 'equipment_list');
  const mechanics = useList(session, 'mechanics_list');
  const machine = useIdText(machines, (one) => one.unit_number);
  const mechanic = useIdText(mechanics, (one) => one.name);
  const [who, setWho] = useState('');
  const own = ownMechanic(session);
  const [past, setPast] = useState(false);
  const now = useNow(session.now);
  const wanted = (ticket: Ticket) =>
    (equipment_id === '' || ticket.equipment_id === equipment_id) &&
    (who === '' ||
      (who === 'nobody' ? ticket.assigned_mechanic_ids.length === 0 : ticket.assigned_mechanic_ids.includes(who)));
  const tickets = (list.data ?? []).filter(wanted).sort(byNeed);
  const shared = { session, now, machine, mechanic };
  return (
    <>
      <div class="head">
        <h1>{t('Repair tickets')}</h1>
        <LinkState of={list} session={session} />
        {may(session, 'repair_tickets_create') && (
          <a class="button primary large" href={equipment_id === '' ? '#tickets/new' : `#tickets/new/${equipment_id}`}>
            {t('New ticket')}
          </a>
        )}
      </div>
      <div class="narrow-by">
        <Choice
          label={t('Machine')}
          value={equipment_id}
          options={[
            ['', t('All')],
            ...(machines ?? []).map((one) => [one.id, one.unit_number] as const),
            ...(machines === null && equipment_id !== '' ? [[equipment_id, '…'] as const] : []),
          ]}
          onValue={(id) => {
            location.hash = id === '' ? '#tickets' : `#tickets/machine/${id}`;
          }}
        />
        <Choice
          label={t('Assigned to')}
          value={who}
          options={[
            ['', t('Anyone')],
            ...(own === null ? [] : [[own, t('Me')] as const]),
            ['nobody', t('Nobody')],
            ...(mechanics ?? []).filter(({ id }) => id !== own).map((one) => [one.id, one.name] as const),
          ]}
          onValue={setWho}
        />
      </div>
      <OfMachine key={equipment_id} session={session} id={equipment_id} href="#tickets">
        {list.data !== null && tickets.length === 0 ? (
          <Empty title={t('No open tickets')}>
            {equipment_id === '' && who === ''
              ? t('Create a ticket with New ticket or from an alert.')
              : t('No ticket matches the filters above.')}
          </Empty>
        ) : (
          <div class="stages">
            {CURRENT_TICKET_STATUS.map((status) => {
              const those = tickets.filter((one) => one.status === status);
              // Almost no site has such tickets, so the column is there only while it has some.
              if (status === 'unknown' && those.length === 0) return null;
              return (
                <section key={status} aria-label={t(STATUS_WORDS[status])}>
                  <h2>
                    {t(STATUS_WORDS[status])} <span class="aside">{list.data === null ? '' : those.length}</span>
                  </h2>
                  {status === 'unknown' && <p class="aside">{NEWER_STATUS}</p>}
                  {list.data !== null && those.length === 0 && <p class="aside">{t(NONE_HERE[status])}</p>}
                  <ul class="ticket-list">
                    {those.map((ticket) => (
                      <TicketCard key={ticket.id} {...shared} ticket={ticket} />
                    ))}
                  </ul>
                </section>
              );
            })}
          </div>
        )}
        <button type="button" class="fold" aria-expanded={past} onClick={() => setPast(!past)}>
          {past ? t('Hide closed and canceled') : t('Show closed and canceled')}
        </button>
        {past && (
          <div class="stages two">
            <Past {...shared} status="closed" equipment_id={equipment_id} />
            <Past {...shared} status="canceled" equipment_id={equipment_id} />
          </div>
        )}
      </OfMachine>
    </>
  );
}

/**
 * The pages of repair tickets. `at` is the URL hash after `#tickets/`: empty for the board, `machine/eq_...` for the board of one machine,
 * `new`, `new/eq_...` or `new/alr_...` for a new ticket, or `rt_...` for one ticket.
 */
export function TicketsPage({ session, at }: { session: Session; at: string }) {
  const [first = '', second = ''] = at.split('/');
  if (first === 'new') return <NewTicket key={second} session={session} from={second} />;
  if (first === '' || first === 'machine') return <Board session={session} equipment_id={second} />;
  return <TicketPage key={first} session={session} id={first} />;
}
