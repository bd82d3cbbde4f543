/** The page of one repair ticket: steps, form, files, work, parts and log. */

import { useState } from 'preact/hooks';
import { nextStatuses } from '#contract/work/repair-ticket.ts';
import { t, translated } from '#ui/languages/texts.ts';
import { Changes, SeeChanges } from '#ui/office/base/changes.tsx';
import { Delivery } from '#ui/office/base/delivery.tsx';
import { LinkState } from '#ui/office/base/link-state.tsx';
import { usePaged } from '#ui/office/base/paged.tsx';
import { Problem } from '#ui/office/base/parts.tsx';
import { may, ownMechanic, type Session } from '#ui/office/base/session.ts';
import { useNow, usePolled } from '#ui/office/base/use.ts';
import { useDraft } from '#ui/office/base/use-draft.ts';
import { useOutbox } from '#ui/office/outbox/deliver.ts';
import { Kept } from '#ui/office/outbox/outbox-mark.tsx';
import type { Item } from '#ui/outbox/item.ts';
import { type Fields, factsOf, type TicketFacts, updateOf } from './ticket-draft.ts';
import { FACT_WORDS, factText, useChoices } from './ticket-facts.ts';
import { TicketForm } from './ticket-form.tsx';
import { TicketHead } from './ticket-head.tsx';
import { TicketLog } from './ticket-log.tsx';
import { TicketMedia } from './ticket-media.tsx';
import { type Step, Steps } from './ticket-steps.tsx';
import type { Ticket } from './ticket-text.ts';
import { LaborBox, PartsBox } from './ticket-work.tsx';
import { type Update, useTicketChange, withKept } from './use-ticket-change.ts';
import { useWrite } from './write.ts';

/** Buttons that scroll to the parts of the page. They are visible only on narrow screens, where the page has one column. */
function JumpButtons() {
  const parts = [
    ['ticket-work', t('Work')],
    ['ticket-parts', t('Parts')],
    ['ticket-log', t('Log and notes')],
  ] as const;
  return (
    <div class="actions jump">
      {parts.map(([id, name]) => (
        <button key={id} type="button" onClick={() => document.getElementById(id)?.scrollIntoView()}>
          {name}
        </button>
      ))}
    </div>
  );
}

interface Content {
  /** The ticket as it is after the changes that this browser keeps. */
  ticket: Ticket;
  /** The ticket as the gateway has it. */
  stored: Ticket;
  session: Session;
  /** The writes that this browser keeps. */
  items: readonly Item[];
  onTicket(ticket: Ticket): void;
  reload(): void;
}

const ignored = () => undefined;

/** Assigns the mechanic who starts a ticket that nobody has. `own`: the mechanic who is signed in. */
const assigned = ({ status }: Step, { assigned_mechanic_ids }: TicketFacts, own: string | null): Update =>
  status === 'in_progress' && own !== null && assigned_mechanic_ids.length === 0
    ? { assigned_mechanic_ids: [own] }
    : {};

function TicketContent(props: Content) {
  const { ticket, session } = props;
  const known = useChoices(session);
  const now = useNow(session.now);
  const events = usePaged(session, 'repair_tickets_events', { id: ticket.id, limit: 50 }, 5_000);
  const draft = useDraft<TicketFacts>(
    `ticket ${ticket.id}`,
    { revision: ticket.revision, facts: factsOf(ticket) },
    factsOf(props.stored),
  );
  const form = useWrite();
  const steps = useWrite();
  const work = useWrite();
  const mayChange = may(session, 'repair_tickets_update');
  const own = ownMechanic(session);
  const over = !mayChange || (ticket.status !== 'unknown' && nextStatuses(ticket.status).length === 0);
  const busy = form.busy || steps.busy || work.busy;

  const change = useTicketChange({ ...props, draft, onEvents: events.reload });
  const mine = draft.changes.some((one) => one.mine);
  const unsaved = !draft.isTouched
    ? null
    : mine
      ? t('This step also saves your changes below, and replaces the changes of the other person.')
      : t('This step also saves your changes below.');
  const typed = (): Update => updateOf(draft.shown, draft.draft as Partial<Fields>);
  const step = (to: Step) => change(steps, () => ({ ...assigned(to, draft.shown, own), ...typed(), ...to }), ignored);
  const others = (events.items ?? []).filter((one) => Date.parse(one.recorded_at) > now - 600_000);
  const by = [...new Set(others.map(({ actor }) => actor.name).filter((name) => name !== null))];
  return (
    <>
      <TicketHead ticket={ticket} known={known} session={session} />
      <Changes
        changes={draft.changes}
        typed={draft.shown}
        what="ticket"
        by={by.length === 1 ? (by[0] ?? null) : null}
        label={(name) => translated(FACT_WORDS[name as keyof TicketFacts] ?? name)}
        format={(name, value) => factText(name, value, known, session.project.timezone, now)}
        onTakeTheirs={draft.takeTheirs}
        onDismiss={() => {
          draft.dismiss();
          for (const one of [form, steps, work]) one.clear();
        }}
      />
      <Delivery of={ticket.delivery} now={now} timezone={session.project.timezone} reload={props.reload} />
      <section class="panel-box steps-box" aria-label={t('Next steps')}>
        {mayChange ? (
          <Steps key={ticket.status} ticket={ticket} unsaved={unsaved} busy={busy} onStep={step} />
        ) : (
          <p class="aside">
            {t('Mechanics and supervisors change tickets.')}
            {may(session, 'repair_tickets_append_event') && ` ${t('You can add notes to the log.')}`}
          </p>
        )}
        <Problem text={steps.problem} />
        <Kept subject={ticket.id} />
      </section>
      <JumpButtons />
      <div class="halves">
        <div>
          <section class="panel-box" id="ticket-form">
            <h2>{t('Ticket')}</h2>
            <fieldset class="plain" disabled={over}>
              <form
                class="form"
                onSubmit={(event) => {
                  event.preventDefault();
                  change(form, typed, ignored);
                }}
              >
                <TicketForm fields={draft.shown} touch={draft.touch} session={session} choices={known} />
                {!over && (
                  <div class={draft.isTouched ? 'actions save-bar' : 'actions'}>
                    <Problem text={form.problem} />
                    <button type="submit" class="primary large" disabled={busy || !draft.isTouched}>
                      {form.busy ? t('Saving') : mine ? t('Save and replace theirs') : t('Save changes')}
                    </button>
                    <SeeChanges changes={draft.changes} />
                    {draft.isTouched && (
                      <button type="button" class="large" onClick={draft.discard}>
                        {t('Undo changes')}
                      </button>
                    )}
                  </div>
                )}
              </form>
            </fieldset>
          </section>
        </div>
        <div>
          <TicketMedia session={session} media={ticket.context.media} />
          <LaborBox
            ticket={ticket}
            choices={known}
            own={own}
            busy={busy}
            over={over}
            mechanic={known.mechanic}
            send={(...how) => change(work, ...how)}
          />
          <PartsBox ticket={ticket} busy={busy} over={over} send={(...how) => change(work, ...how)} />
          <Problem text={work.problem} />
          <TicketLog
            id={ticket.id}
            number={ticket.number}
            session={session}
            events={events}
            mechanic={known.mechanic}
          />
        </div>
      </div>
    </>
  );
}

export function TicketPage({ session, id }: { session: Session; id: string }) {
  const read = usePolled(
    (signal) => session.client.call('repair_tickets_get', { id }, { signal }),
    3_000,
    [session, id],
    ['repair_ticket'],
  );
  const [answered, setAnswered] = useState<Ticket | null>(null);
  // When this page has written the ticket, the answer contains the new revision of the ticket, but the last read may have returned the old
  // revision. Show the newer revision.
  const newer = answered !== null && (read.data === null || answered.revision > read.data.revision);
  const known = newer ? answered : read.data;
  const { items } = useOutbox();
  const ticket = known === null ? null : withKept(known, items);
  return (
    <>
      <div class="head">
        <a class="button" href="#tickets">
          {t('All tickets')}
        </a>
        <LinkState of={read} session={session} />
      </div>
      {known === null && <h1 class={read.problem === null ? 'loading' : ''}>{t('Repair tickets')}</h1>}
      {known !== null && ticket !== null && (
        <TicketContent
          ticket={ticket}
          stored={known}
          session={session}
          items={items}
          onTicket={setAnswered}
          reload={read.reload}
        />
      )}
    </>
  );
}
