/** Sends the changes of a ticket page. Each request names the revision of the ticket that the page has shown to the person. */
import { ClientError } from '#contract/client.ts';
import type { Input } from '#contract/operations.ts';
import type { Session } from '#ui/office/base/session.ts';
import type { DraftForm } from '#ui/office/base/use-draft.ts';
import { factsOf, type TicketFacts } from './ticket-draft.ts';
import type { Ticket } from './ticket-text.ts';
import type { Writing } from './write.ts';

export type Update = Omit<Input<'repair_tickets_update'>, 'id'>;

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
        const options = { ...once, if_match: draft.revision };
        const answer = await client.call('repair_tickets_update', { id: ticket.id, ...input() }, options);
        done();
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
