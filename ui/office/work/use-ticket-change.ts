/** Sends the changes of a ticket page. Each request names the revision of the ticket that the page has shown to the person. */
import { ClientError } from '#contract/client.ts';
import type { Input } from '#contract/operations.ts';
import { t, translated, type Word } from '#ui/languages/texts.ts';
import type { Session } from '#ui/office/base/session.ts';
import type { DraftForm } from '#ui/office/base/use-draft.ts';
import type { About } from '#ui/office/outbox/deliver.ts';
import { later } from '#ui/office/outbox/later.ts';
import { type Item, shownText } from '#ui/outbox/item.ts';
import { factsOf, sentEdits, type TicketFacts } from './ticket-draft.ts';
import { FACT_WORDS } from './ticket-facts.ts';
import { STATUS_WORDS, type Ticket } from './ticket-text.ts';
import type { Writing } from './write.ts';

export type Update = Omit<Input<'repair_tickets_update'>, 'id'>;

/** The fields of an update that a ticket has in the same form. Later changes of the person build on them. */
const KEPT_FIELDS = [
  ...(['title', 'description', 'location_id', 'priority', 'safety_critical', 'type', 'failure'] as const),
  ...(['reported_by', 'assigned_mechanic_ids', 'due_at', 'status', 'hold_reason', 'labor', 'parts'] as const),
];

/** Returns the changes of a ticket that this browser keeps, in the order of writing. */
const keptOf = (id: string, items: readonly Item[]): readonly Item[] =>
  items.filter(({ subject, state, request }) => subject === id && state === 'queued' && request.method === 'PATCH');

/** Returns the ticket as it is after the changes that this browser keeps. */
export function withKept(ticket: Ticket, items: readonly Item[]): Ticket {
  const kept = keptOf(ticket.id, items);
  const fields = kept.flatMap(({ request: { body } }) =>
    KEPT_FIELDS.flatMap((name) => (name in body ? [[name, body[name]] as const] : [])),
  );
  return fields.length === 0 ? ticket : { ...ticket, ...Object.fromEntries(fields) };
}

const WORDS: Readonly<Partial<Record<string, Word>>> = { labor: 'Work', parts: 'Parts', hold_reason: 'Waits for' };

const textOf = (name: string, value: unknown): string => {
  if (name === 'status') return translated(STATUS_WORDS[value as Ticket['status']] ?? String(value));
  return shownText(value);
};

const statusWords = () => Object.fromEntries(Object.entries(STATUS_WORDS).map(([status, word]) => [status, t(word)]));

/** What the page Outbox shows of an update. */
function aboutOf(ticket: Ticket, input: Update): Pick<About, 'subject' | 'title' | 'facts' | 'read'> {
  const names = Object.keys(input).filter((name) => name !== 'reason');
  const facts = names.map((name) => ({
    label: translated(
      WORDS[name] ??
        FACT_WORDS[name as keyof TicketFacts] ??
        name[0]?.toUpperCase() + name.slice(1).replaceAll('_', ' '),
    ),
    field: name,
    ...(name === 'status' && { words: statusWords() }),
    was: textOf(name, ticket[name as keyof Ticket]),
    mine: textOf(name, input[name as keyof Update]),
  }));
  const says = facts
    .map(({ label, mine }) => `${label} ${mine}`)
    .join(', ')
    .slice(0, 200);
  return { subject: ticket.id, title: `${ticket.number}: ${says}`, facts, read: `/api/v1/repair-tickets/${ticket.id}` };
}

/** A form whose text the tab keeps. */
export interface SentForm {
  /** The id of the write; the same after a reload, so that the gateway carries it out once. */
  readonly id: string;
  /** Called when this browser has stored the write. */
  onStored(): void;
  /** Called when the write failed and is not kept. */
  onFailed(error: unknown): void;
}

export function useTicketChange(props: {
  session: Session;
  ticket: Ticket;
  draft: DraftForm<TicketFacts>;
  /** The writes that this browser keeps. */
  items: readonly Item[];
  onTicket(ticket: Ticket): void;
  /** Called when the log of the ticket has changed. */
  onEvents(): void;
}) {
  const { ticket, draft } = props;
  /**
   * The change on which the next one builds, because the page shows the ticket as this change leaves it. The next one names its revision
   * and not a newer one that the page has read meanwhile. So it cannot overwrite what another person wrote in between.
   */
  const lead = keptOf(ticket.id, props.items).at(-1);
  const { client } = props.session;
  /**
   * Sends an update. If another person has saved first, the gateway refuses the update. The page then shows the changes of the other
   * person, and keeps the edits of this person.
   */
  return (by: Writing, input: () => Update, done: () => void, form?: SentForm) =>
    by.write(async (once) => {
      try {
        const update = input();
        const sent = sentEdits(draft.draft, update);
        const about = {
          ...aboutOf(ticket, update),
          id: form?.id ?? once.idempotency_key,
          if_match: lead?.request.if_match ?? draft.revision,
          ...(lead !== undefined && { follows: lead.id }),
          ...(form !== undefined && { onStored: form.onStored }),
        };
        const answer = await later(props.session, 'repair_tickets_update', { id: ticket.id, ...update }, about);
        done();
        if (answer === null) {
          draft.dropSent(sent);
          return;
        }
        draft.acceptSaved({ revision: answer.revision, facts: factsOf(answer) });
        props.onTicket(answer);
        props.onEvents();
      } catch (error) {
        form?.onFailed(error);
        const isConflict =
          error instanceof ClientError && ['revision_mismatch', 'invalid_transition'].includes(error.code);
        if (!isConflict) throw error;
        const fresh = await client.call('repair_tickets_get', { id: ticket.id }, { signal: once.signal });
        draft.rebase({ revision: fresh.revision, facts: factsOf(fresh) });
        props.onTicket(fresh);
        props.onEvents();
        if (error.code === 'invalid_transition') throw error;
        throw new Error(
          t(
            'Not saved: another person changed this ticket. Your changes are still here. Look at the changes, then save again.',
          ),
        );
      }
    });
}
