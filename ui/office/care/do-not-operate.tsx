/** The warning on a machine that failed a critical item of an inspection, until the ticket of that item is fixed. */
import type { Output } from '#contract/operations.ts';
import { isOpenTicket } from '#contract/work/repair-ticket.ts';
import { said } from '#ui/languages/texts.ts';

type Ticket = Output<'repair_tickets_list'>['data'][number];

/** Returns true for an open ticket of a critical item that an inspection found not ok. */
export function stopsMachine({ source, safety_critical, status }: Ticket): boolean {
  return isOpenTicket(status) && safety_critical && source.kind === 'inspection';
}

/** The warning with links to the tickets; nothing if there are none. */
export function DoNotOperate({ tickets }: { tickets: readonly { readonly id: string; readonly title: string }[] }) {
  if (tickets.length === 0) return null;
  return (
    <div class="inspect-stop" role="alert">
      {said('Do not operate this machine. An inspection found: {defects}', {
        defects: tickets.map(({ id, title }, i) => (
          <span key={id}>
            {i > 0 && ', '}
            <a href={`#tickets/${id}`}>{title}</a>
          </span>
        )),
      })}
    </div>
  );
}
