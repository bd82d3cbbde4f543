/** Keeps the state of the new-ticket form, and sends the request so that it creates only one ticket. */
import { ClientError } from '#contract/client.ts';
import { t } from '#ui/languages/texts.ts';
import { reconcile } from '#ui/office/base/draft.ts';
import { newIdempotencyKey, type Session } from '#ui/office/base/session.ts';
import { setTabState, useTabState } from '#ui/office/base/tab-state.ts';
import { type Create, createOf, MOST_SENT, type NewFields, type NewTicketState } from './new-ticket-draft.ts';
import { factsOf } from './ticket-draft.ts';
import type { Ticket } from './ticket-text.ts';
import { isAnswered, type Once, useWrite } from './write.ts';

export type Touch = <N extends keyof NewFields>(name: N, value: NewFields[N]) => void;

/**
 * Returns the ticket that an earlier request created, if its answer was lost. The function sends the same request with the same key again,
 * and the gateway then returns the ticket instead of creating another.
 */
async function findCreated(session: Session, sent: readonly Create[], options: Once): Promise<Ticket> {
  for (const input of sent) {
    try {
      return await session.client.call('repair_tickets_create', input, options);
    } catch (error) {
      if (!(error instanceof ClientError) || error.code !== 'idempotency_key_reused') throw error;
    }
  }
  throw new Error(t('An earlier request created this ticket. You find it on the board.'));
}

/** Moves text that the person typed after the earlier request into the form of the created ticket, as unsaved changes. */
function moveTypedText(made: Ticket, fields: NewFields): void {
  const { equipment_id: _, meter_hours: __, alert: ___, reported_by, ...rest } = fields;
  const base = factsOf(made);
  const { draft } = reconcile(base, base, reported_by.trim() === '' ? rest : { ...rest, reported_by });
  setTabState(`ticket ${made.id}`, { revision: made.revision, base, draft, changes: [] });
}

/** Returns the state of the new-ticket form. The tab stores the form under `name`; `start` has the first values of the form. */
export function useCreateTicket(session: Session, name: string, start: NewFields) {
  const [kept, setKept] = useTabState<NewTicketState>(name);
  const held = kept ?? { key: newIdempotencyKey(), fields: start, sent: [] };
  const { fields } = held;
  const { busy, problem, write } = useWrite();
  let latest = held;
  const touch: Touch = (field, value) => {
    latest = { ...latest, fields: { ...latest.fields, [field]: value } };
    setKept(latest);
  };
  const send = () =>
    write(async ({ signal }) => {
      const input = createOf(fields);
      const options = { idempotency_key: held.key, signal };
      const open = (made: Ticket) => {
        setKept(null);
        location.hash = `#tickets/${made.id}`;
      };
      setKept({ ...held, sent: [...held.sent, input].slice(-MOST_SENT) });
      try {
        open(await session.client.call('repair_tickets_create', input, options));
      } catch (error) {
        // If the gateway has answered with an error, this request has created no ticket. So remove it from the list of requests that may
        // have created one.
        if (isAnswered(error)) setKept(held);
        if (!(error instanceof ClientError) || error.code !== 'idempotency_key_reused') throw error;
        const made = await findCreated(session, held.sent, options);
        moveTypedText(made, fields);
        open(made);
      }
    });
  return { fields, touch, busy, problem, send, isTouched: kept !== null, reset: () => setKept(null) };
}
