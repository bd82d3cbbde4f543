/** One repair ticket: what it can become next, what people fill in, the work, the parts, and the log. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { ClientError } from '#contract/client.ts';
import type { Input } from '#contract/operations.ts';
import { TICKET_STEPS } from '#contract/work/repair-ticket.ts';
import { duration, moment } from '#ui/format.ts';
import { Changes, SeeChanges } from '#ui/office/base/changes.tsx';
import type { Value } from '#ui/office/base/draft.ts';
import { LinkState } from '#ui/office/base/link-state.tsx';
import { useIdText, useList, usePaged } from '#ui/office/base/lists.ts';
import { Problem } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { useNow, usePolled } from '#ui/office/base/use.ts';
import { useDraft } from '#ui/office/base/use-draft.ts';
import { PriorityMark } from './ticket-card.tsx';
import { type Fields, factsOf, type TicketFacts, updateOf } from './ticket-draft.ts';
import { type Choices, TicketForm } from './ticket-form.tsx';
import { TicketLog } from './ticket-log.tsx';
import { TicketMedia } from './ticket-media.tsx';
import { type Step, Steps } from './ticket-steps.tsx';
import {
  codeWords,
  HOLD_WORDS,
  type HoldReason,
  isOverdue,
  minutesWords,
  PRIORITY_WORDS,
  SOURCE_WORDS,
  STATUS_WORDS,
  sayCodePart,
  type Ticket,
  TYPE_WORDS,
} from './ticket-text.ts';
import { LaborBox, PartsBox } from './ticket-work.tsx';
import { useWrite } from './write.ts';

const FACT_WORDS: Readonly<Record<keyof TicketFacts, string>> = {
  title: 'What is wrong',
  description: 'Description',
  location_id: 'Place',
  priority: 'Priority',
  safety_critical: 'Safety critical',
  type: 'Kind of work',
  component: 'Component',
  spn: 'SPN',
  fmi: 'FMI',
  cause: 'Cause',
  remedy: 'What was done',
  reported_by: 'Reported by',
  assigned_mechanic_ids: 'Assigned to',
  due_at: 'Due',
  status: 'State',
  hold_reason: 'Waits for',
  labor: 'Work',
  parts: 'Parts',
};

/** What can be named on a ticket, and the words behind ids. */
function useChoices(session: Session): Choices & { machine(id: string): string; mechanic(id: string): string } {
  const machines = useList(session, 'equipment_list');
  const mechanics = useList(session, 'mechanics_list');
  const operators = useList(session, 'operators_list');
  const locations = useList(session, 'locations_list');
  return {
    machine: useIdText(machines, (one) => one.unit_number),
    mechanic: useIdText(mechanics, (one) => one.name),
    mechanics:
      mechanics?.filter(({ status }) => status !== 'inactive').map(({ id, name }) => [id, name] as const) ?? null,
    locations: (locations ?? []).map(({ id, name }) => [id, name] as const),
    person: (id) => [...(mechanics ?? []), ...(operators ?? [])].find((one) => one.id === id)?.name ?? null,
  };
}

type Known = ReturnType<typeof useChoices>;

/** A watched value in words. */
function sayFact(name: string, value: Value, known: Known, zone: string, now: number): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'object') return value.map(known.mechanic).join(', ');
  if (value === '') return '';
  if (name === 'spn' || name === 'fmi') return sayCodePart(name, value);
  if (name === 'status') return STATUS_WORDS[value as Ticket['status']];
  if (name === 'priority') return PRIORITY_WORDS[value as Ticket['priority']];
  if (name === 'type') return TYPE_WORDS[value as Ticket['type']];
  if (name === 'hold_reason') return HOLD_WORDS[value as HoldReason];
  if (name === 'due_at') return moment(Date.parse(value), now, zone);
  if (name === 'location_id') return known.locations.find(([id]) => id === value)?.[1] ?? value;
  return value;
}

function Head({ ticket, known, session }: { ticket: Ticket; known: Known; session: Session }) {
  const now = useNow(session.now);
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), []);
  const when = (at: string) => moment(Date.parse(at), now, session.project.timezone);
  const { source, meter_at_flag: meter, downtime_minutes: down, signature } = ticket;
  const facts: [string, string | null][] = [
    ['Flagged', `${when(ticket.flagged_at)}, ${duration(now - Date.parse(ticket.flagged_at))} ago`],
    ['Trouble code', codeWords(ticket.failure)],
    ['Where from', SOURCE_WORDS[source.kind]],
    ['Engine hours then', meter === null ? null : `${meter.hours.toFixed(1)} h`],
    ['Due', ticket.due_at === null ? null : when(ticket.due_at)],
    ['Work began', ticket.started_at === null ? null : when(ticket.started_at)],
    ['Fixed', ticket.fixed_at === null ? null : when(ticket.fixed_at)],
    [ticket.status === 'canceled' ? 'Canceled' : 'Closed', ticket.closed_at === null ? null : when(ticket.closed_at)],
    ['Down', down === null ? null : minutesWords(down)],
    ['Signed off by', signature === null ? null : `${signature.name}, ${when(signature.signed_at)}`],
  ];
  return (
    <>
      <div class="what">
        <h1 ref={title} tabIndex={-1}>
          <a href={`#machines/${ticket.equipment_id}`}>{known.machine(ticket.equipment_id)}</a> {ticket.title}
        </h1>
      </div>
      <div class="what">
        <span class="state">{STATUS_WORDS[ticket.status]}</span>
        <PriorityMark priority={ticket.priority} />
        {ticket.safety_critical && <span class="badge-word danger">Safety critical</span>}
        {ticket.hold_reason !== null && (
          <span class="badge-word">Waits for: {HOLD_WORDS[ticket.hold_reason].toLowerCase()}</span>
        )}
        {isOverdue(ticket, now) && <span class="badge-word danger">Overdue</span>}
        <span class="aside">{ticket.number}</span>
      </div>
      <dl class="pairs">
        {facts.map(
          ([name, value]) =>
            value !== null && (
              <div key={name}>
                <dt>{name}</dt>
                <dd>
                  {name === 'Where from' && source.kind === 'alert' ? (
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
            <dt>After</dt>
            <dd>
              <a href={`#tickets/${ticket.related_to}`}>an earlier ticket</a>
            </dd>
          </div>
        )}
      </dl>
    </>
  );
}

type Update = Omit<Input<'repair_tickets_update'>, 'id'>;

/** On a screen with one column, the way to what stands further down. */
function Jump() {
  const parts = [
    ['ticket-work', 'Work'],
    ['ticket-parts', 'Parts'],
    ['ticket-log', 'Log and notes'],
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

function Open(props: { ticket: Ticket; session: Session; onTicket(ticket: Ticket): void }) {
  const { ticket, session } = props;
  const { client } = session;
  const known = useChoices(session);
  const now = useNow(session.now);
  const events = usePaged(session, 'repair_tickets_events', { id: ticket.id, limit: 50 }, 5_000);
  const draft = useDraft<TicketFacts>(`ticket ${ticket.id}`, { revision: ticket.revision, facts: factsOf(ticket) });
  const form = useWrite();
  const steps = useWrite();
  const work = useWrite();
  const over = TICKET_STEPS[ticket.status].length === 0;
  const busy = form.busy || steps.busy || work.busy;

  /** Sends over the revision that this person has seen; another write in between is told, and nothing typed is lost. */
  const change = (by: typeof form, input: () => Update, done: () => void) =>
    by.write(async (once) => {
      try {
        const options = { ...once, if_match: draft.revision };
        const answer = await client.call('repair_tickets_update', { id: ticket.id, ...input() }, options);
        done();
        draft.acceptSaved({ revision: answer.revision, facts: factsOf(answer) });
        props.onTicket(answer);
        events.reload();
      } catch (error) {
        const met = error instanceof ClientError && ['revision_mismatch', 'invalid_transition'].includes(error.code);
        if (!met) throw error;
        const fresh = await client.call('repair_tickets_get', { id: ticket.id }, { signal: once.signal });
        draft.rebase({ revision: fresh.revision, facts: factsOf(fresh) });
        props.onTicket(fresh);
        events.reload();
        if (error.code === 'invalid_transition') throw error;
        throw new Error(
          'Not saved: somebody else changed this ticket meanwhile. Nothing you typed is lost. Look at what changed, then send again.',
        );
      }
    });
  const mine = draft.changes.some((one) => one.mine);
  const unsaved = !draft.isTouched
    ? null
    : mine
      ? 'What you typed below is saved with the step, over theirs.'
      : 'What you typed below is saved with the step.';
  const typed = (): Update => updateOf(draft.shown, draft.draft as Partial<Fields>);
  const step = (to: Step) =>
    change(
      steps,
      () => ({ ...typed(), ...to }),
      () => undefined,
    );
  const others = (events.items ?? []).filter((one) => Date.parse(one.recorded_at) > now - 600_000);
  const by = [...new Set(others.map(({ actor }) => actor.name).filter((name) => name !== null))];
  return (
    <>
      <Head ticket={ticket} known={known} session={session} />
      <Changes
        changes={draft.changes}
        typed={draft.shown}
        what="ticket"
        by={by.length === 1 ? (by[0] ?? null) : null}
        label={(name) => FACT_WORDS[name as keyof TicketFacts] ?? name}
        format={(name, value) => sayFact(name, value, known, session.project.timezone, now)}
        onTakeTheirs={draft.takeTheirs}
        onDismiss={() => {
          draft.dismiss();
          for (const one of [form, steps, work]) one.clear();
        }}
      />
      <section class="panel-box steps-box" aria-label="Next steps">
        <Steps key={ticket.status} ticket={ticket} unsaved={unsaved} busy={busy} onStep={step} />
        <Problem text={steps.problem} />
      </section>
      <Jump />
      <div class="halves">
        <div>
          <section class="panel-box" id="ticket-form">
            <h2>Ticket</h2>
            <fieldset class="plain" disabled={over}>
              <form
                class="form"
                onSubmit={(event) => {
                  event.preventDefault();
                  change(form, typed, () => undefined);
                }}
              >
                <TicketForm fields={draft.shown} touch={draft.touch} session={session} choices={known} />
                {!over && (
                  <div class={draft.isTouched ? 'actions save-bar' : 'actions'}>
                    <Problem text={form.problem} />
                    <button type="submit" class="primary large" disabled={busy || !draft.isTouched}>
                      {form.busy ? 'Saving' : mine ? 'Save mine over theirs' : 'Save changes'}
                    </button>
                    <SeeChanges changes={draft.changes} />
                    {draft.isTouched && (
                      <button type="button" class="large" onClick={draft.discard}>
                        Undo changes
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
            busy={busy}
            over={over}
            mechanic={known.mechanic}
            send={(input, done) => change(work, input, done)}
          />
          <PartsBox
            ticket={ticket}
            choices={known}
            busy={busy}
            over={over}
            mechanic={known.mechanic}
            send={(input, done) => change(work, input, done)}
          />
          <Problem text={work.problem} />
          <TicketLog id={ticket.id} session={session} events={events} mechanic={known.mechanic} />
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
  // What a write answered is newer than what was read before it.
  const newer = answered !== null && (read.data === null || answered.revision > read.data.revision);
  const ticket = newer ? answered : read.data;
  return (
    <>
      <div class="head">
        <a class="button" href="#tickets">
          All tickets
        </a>
        <LinkState of={read} session={session} />
      </div>
      {ticket !== null && <Open ticket={ticket} session={session} onTicket={setAnswered} />}
    </>
  );
}
