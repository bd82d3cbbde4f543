/** Sends the changes of a ticket page. Each request names the revision of the ticket that the page has shown to the person. */
import { ClientError } from '#contract/client.ts';
import type { Input } from '#contract/operations.ts';
import type { Session } from '#ui/office/base/session.ts';
import type { DraftForm } from '#ui/office/base/use-draft.ts';
import type { About } from '#ui/office/outbox/deliver.ts';
import { later } from '#ui/office/outbox/later.ts';
import type { Item } from '#ui/outbox/item.ts';
import { factsOf, type TicketFacts } from './ticket-draft.ts';
import { FACT_WORDS } from './ticket-facts.ts';
import { STATUS_WORDS, type Ticket } from './ticket-text.ts';
import type { Writing } from './write.ts';

export type Update = Omit<Input<'repair_tickets_update'>, 'id'>;

/** The fields that later changes of the same person build on while earlier ones are not sent. */
const KEPT_FIELDS = ['status', 'hold_reason', 'labor', 'parts'] as const;

/** Returns the ticket as it is after the changes that this browser keeps. */
export function withKept(ticket: Ticket, items: readonly Item[]): Ticket {
  const kept = items.filter(({ subject, state, request }) => {
    return subject === ticket.id && state === 'queued' && request.method === 'PATCH';
  });
  const fields = kept.flatMap(({ request: { body } }) =>
    KEPT_FIELDS.flatMap((name) => (name in body ? [[name, body[name]] as const] : [])),
  );
  return fields.length === 0 ? ticket : { ...ticket, ...Object.fromEntries(fields) };
}

const WORDS: Readonly<Record<string, string>> = { labor: 'Work', parts: 'Parts', hold_reason: 'Waits for' };

const textOf = (name: string, value: unknown): string => {
  if (Array.isArray(value)) return `${value.length}`;
  if (name === 'status') return STATUS_WORDS[value as Ticket['status']] ?? String(value);
  return value === null || value === undefined ? '' : String(value);
};

/** What the page Outbox shows of an update. */
function aboutOf(ticket: Ticket, input: Update): Pick<About, 'subject' | 'title' | 'facts' | 'read'> {
  const names = Object.keys(input).filter((name) => name !== 'reason');
  const facts = names.map((name) => ({
    label:
      WORDS[name] ??
      FACT_WORDS[name as keyof TicketFacts] ??
      name[0]?.toUpperCase() + name.slice(1).replaceAll('_', ' '),
    field: name,
    ...(name === 'status' && { words: STATUS_WORDS }),
    was: textOf(name, ticket[name as keyof Ticket]),
    mine: textOf(name, input[name as keyof Update]),
  }));
  const says = facts.map(({ label, mine }) => `${label} ${mine}`).join(', ');
  return { subject: ticket.id, title: `${ticket.number}: ${says}`, facts, read: `/api/v1/repair-tickets/${ticket.id}` };
}

export function useTicketChange(props: {
  session: Session;
  ticket: Ticket;
  draft: DraftForm<TicketFacts>;
  onTicket(ticket: Ticket): void;
  /** Called when the log of the ticket has changed. */
  onEvents(): void;
}) {
  const { ticket, draft } = props;
  const { client } = props.session;
  /**
   * Sends an update. If another person has saved first, the gateway refuses the update. The page then shows the changes of the other
   * person, and keeps the edits of this person.
   */
  return (by: Writing, input: () => Update, done: () => void) =>
    by.write(async (once) => {
      try {
        const update = input();
        const about = { ...aboutOf(ticket, update), if_match: draft.revision };
        const answer = await later(props.session, 'repair_tickets_update', { id: ticket.id, ...update }, about);
        done();
        if (answer === null) {
          draft.discard();
          return;
        }
        draft.acceptSaved({ revision: answer.revision, facts: factsOf(answer) });
        props.onTicket(answer);
        props.onEvents();
      } catch (error) {
        const isConflict =
          error instanceof ClientError && ['revision_mismatch', 'invalid_transition'].includes(error.code);
        if (!isConflict) throw error;
        const fresh = await client.call('repair_tickets_get', { id: ticket.id }, { signal: once.signal });
        draft.rebase({ revision: fresh.revision, facts: factsOf(fresh) });
        props.onTicket(fresh);
        props.onEvents();
        if (error.code === 'invalid_transition') throw error;
        throw new Error(
          'Not saved: another person changed this ticket. Your changes are still here. Look at the changes, then save again.',
        );
      }
    });
}
