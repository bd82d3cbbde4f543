/** Buttons for the next steps of a ticket, and the form that some steps need. */
import { useState } from 'preact/hooks';
import { HOLD_REASON, nextStatuses, type TicketStatus } from '#contract/work/repair-ticket.ts';
import { t } from '#ui/languages/texts.ts';
import { Field } from '#ui/office/base/parts.tsx';
import { Pick, TextArea } from '#ui/office/base/picks.tsx';
import { HOLD_WORDS, type HoldReason, NEWER_STATUS, stepWords, type Ticket } from './ticket-text.ts';

/** The update of the ticket that a step sends: the new status and the fields that the status needs. */
export interface Step {
  readonly status: TicketStatus;
  readonly hold_reason?: HoldReason;
  readonly reason?: string;
  readonly signature?: { readonly name: string };
}

/** For each status of a ticket, the status that usually follows. The page draws the button for that status as the main button. */
const MAIN: Readonly<Partial<Record<Ticket['status'], TicketStatus>>> = {
  flagged: 'in_progress',
  in_progress: 'fixed',
  on_hold: 'in_progress',
  fixed: 'closed',
};

/** Returns the kind of form that a step needs; null if a tap on the button is enough. */
function asks(from: Ticket['status'], to: TicketStatus): 'hold' | 'reason' | 'signature' | null {
  if (to === 'on_hold') return 'hold';
  if (to === 'closed') return 'signature';
  return to === 'canceled' || (from === 'fixed' && to === 'in_progress') ? 'reason' : null;
}

function Asking(props: {
  from: Ticket['status'];
  to: TicketStatus;
  busy: boolean;
  onStep(step: Step): void;
  onNot(): void;
}) {
  const { from, to, busy } = props;
  const asked = asks(from, to);
  const [hold, setHold] = useState<HoldReason | null>(null);
  const [reason, setReason] = useState('');
  const [name, setName] = useState('');
  const words = reason.trim();
  return (
    <form
      class="form asking"
      onSubmit={(event) => {
        event.preventDefault();
        props.onStep({
          status: to,
          ...(asked === 'hold' && hold !== null && { hold_reason: hold }),
          ...(words !== '' && { reason: words }),
          ...(name.trim() !== '' && { signature: { name: name.trim() } }),
        });
      }}
    >
      {asked === 'hold' && (
        <Pick<HoldReason>
          label={t('What is the work waiting for?')}
          value={hold}
          options={HOLD_REASON.map((one) => [one, t(HOLD_WORDS[one])] as const)}
          onValue={setHold}
        />
      )}
      {asked === 'signature' && (
        <Field label={t('Signed off by')} value={name} onValue={setName} maxLength={120} hint={t('Optional')} />
      )}
      {asked !== 'signature' && (
        <TextArea
          label={t('Reason')}
          value={reason}
          onValue={setReason}
          rows={2}
          maxLength={500}
          hint={t('Optional')}
        />
      )}
      <div class="actions">
        <button type="submit" class="primary large" disabled={busy || (asked === 'hold' && hold === null)}>
          {busy ? t('Sending') : stepWords(from, to)}
        </button>
        <button type="button" class="large" onClick={props.onNot}>
          {t('Back')}
        </button>
      </div>
    </form>
  );
}

export function Steps(props: { ticket: Ticket; unsaved: string | null; busy: boolean; onStep(step: Step): void }) {
  const { ticket, busy } = props;
  const [asking, setAsking] = useState<TicketStatus | null>(null);
  const main = MAIN[ticket.status];
  const allowed = [...nextStatuses(ticket.status)].sort((a, b) => Number(b === main) - Number(a === main));
  const open = asking !== null && allowed.includes(asking) ? asking : null;
  if (ticket.status === 'unknown') return <p class="aside">{NEWER_STATUS}</p>;
  if (allowed.length === 0)
    return <p class="aside">{t('This ticket cannot change any more. You can add notes, or create a new ticket.')}</p>;
  return (
    <>
      <div class="actions">
        {allowed.map((to) => (
          <button
            key={to}
            type="button"
            class={to === main ? 'large primary' : 'large'}
            disabled={busy}
            aria-expanded={asks(ticket.status, to) === null ? undefined : open === to}
            onClick={() => {
              if (asks(ticket.status, to) !== null) setAsking(open === to ? null : to);
              else props.onStep({ status: to });
            }}
          >
            {stepWords(ticket.status, to)}
          </button>
        ))}
      </div>
      {props.unsaved !== null && <p class="aside">{props.unsaved}</p>}
      {open !== null && (
        <Asking
          key={open}
          from={ticket.status}
          to={open}
          busy={busy}
          onStep={props.onStep}
          onNot={() => setAsking(null)}
        />
      )}
    </>
  );
}
