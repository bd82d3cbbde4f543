/** The work hours and parts of a ticket. */
import { useRef, useState } from 'preact/hooks';
import type { Input } from '#contract/operations.ts';
import { t, type Word } from '#ui/languages/texts.ts';
import { parseInteger, parseNumber } from '#ui/office/base/numbers.ts';
import { Choice, Field } from '#ui/office/base/parts.tsx';
import { NumberField, Pick } from '#ui/office/base/picks.tsx';
import { newIdempotencyKey } from '#ui/office/base/session.ts';
import { setTabState, useTabState } from '#ui/office/base/tab-state.ts';
import type { Choices } from './ticket-form.tsx';
import { minutesWords, type Ticket } from './ticket-text.ts';
import type { SentForm } from './use-ticket-change.ts';
import { isAnswered } from './write.ts';

type Lists = Pick<Input<'repair_tickets_update'>, 'labor' | 'parts'>;
/**
 * Sends a new value of the work hours or of the parts to the gateway. Calls `done` when the gateway has stored it, or when this browser
 * keeps it.
 */
export type SendWork = (change: () => Partial<Lists>, done: () => void, form?: SentForm) => void;

interface Props {
  readonly ticket: Ticket;
  readonly choices: Choices;
  /** The mechanic who is signed in. */
  readonly own: string | null;
  readonly busy: boolean;
  readonly over: boolean;
  mechanic(id: string): string;
  send: SendWork;
}

const MINUTES = [
  ['15', '15 min'],
  ['30', '30 min'],
  ['60', '1 h'],
  ['120', '2 h'],
  ['240', '4 h'],
] as const;

type LaborText = { readonly id: string; readonly mechanic_id: string; readonly minutes: string; readonly note: string };

export function LaborBox({ ticket, choices, own, busy, over, mechanic, send }: Props) {
  const place = `labor ${ticket.id}`;
  const [kept, setKept] = useTabState<LaborText>(place);
  const only = ticket.assigned_mechanic_ids.length === 1 ? (ticket.assigned_mechanic_ids[0] ?? '') : '';
  const text = useTyped(kept, { mechanic_id: own ?? only, minutes: '', note: '' });
  const total = ticket.labor.reduce((sum, { minutes }) => sum + minutes, 0);
  return (
    <section class="panel-box" id="ticket-work">
      <h2>
        {t('Work')}
        {total > 0 && <span class="aside"> {t('{time} in total', { time: minutesWords(total) })}</span>}
      </h2>
      {ticket.labor.length === 0 && <p class="aside">{t('No work recorded yet.')}</p>}
      <ul class="entries">
        {ticket.labor.map((one) => (
          <li key={one.id}>
            <span>
              <b>{minutesWords(one.minutes)}</b>
              {one.mechanic_id !== null && ` ${mechanic(one.mechanic_id)}`}
              {one.note !== null && <small>{one.note}</small>}
            </span>
            {!over && (
              <button
                type="button"
                class="quiet"
                disabled={busy}
                aria-label={t('Remove {name}', { name: minutesWords(one.minutes) })}
                onClick={() =>
                  send(
                    () => ({ labor: ticket.labor.filter((other) => other !== one) }),
                    () => undefined,
                  )
                }
              >
                {t('Remove')}
              </button>
            )}
          </li>
        ))}
      </ul>
      {!over && (
        <details class="more" open={kept !== null}>
          <summary>{t('Add work')}</summary>
          <form
            class="form"
            // The answer clears the form, so nobody may type in it until then.
            inert={busy}
            onSubmit={(event) => {
              event.preventDefault();
              send(
                () => {
                  const minutes = parseInteger(text.minutes, 10_000, t('The minutes'));
                  if (minutes === null || minutes === 0) throw new Error(t('Enter the minutes.'));
                  const note = text.note.trim() || null;
                  const { id } = text;
                  const others = ticket.labor.filter((one) => one.id !== id);
                  return { labor: [...others, { id, mechanic_id: text.mechanic_id || null, minutes, note }] };
                },
                () => setKept(null),
                sentForm(place, text, setKept),
              );
            }}
          >
            <Pick
              label={t('Duration')}
              value={text.minutes}
              options={MINUTES}
              onValue={(minutes) => setKept({ ...text, minutes })}
            />
            <div class="pair">
              <NumberField
                label={t('Minutes')}
                value={text.minutes}
                onValue={(minutes) => setKept({ ...text, minutes })}
                unit="min"
              />
              <Choice
                label={t('Mechanic')}
                value={text.mechanic_id}
                options={[['', t('Not named')], ...(choices.mechanics ?? [])]}
                onValue={(mechanic_id) => setKept({ ...text, mechanic_id })}
              />
            </div>
            <Field
              label={t('Note on the work')}
              value={text.note}
              onValue={(note) => setKept({ ...text, note })}
              maxLength={500}
            />
            <button type="submit" disabled={busy || text.minutes.trim() === ''}>
              {t('Save work')}
            </button>
          </form>
        </details>
      )}
    </section>
  );
}

type PartText = { readonly id: string; readonly name: string; readonly part_number: string; readonly quantity: string };
const PART_WORDS = { requested: 'Requested', used: 'Used', unknown: 'Unknown' } as const satisfies Record<string, Word>;
const NO_PART: Omit<PartText, 'id'> = { name: '', part_number: '', quantity: '1' };

/** Returns what a person typed, or an empty form. Its id becomes the id of the entry and of the write. */
function useTyped<T extends { readonly id: string }>(kept: T | null, empty: Omit<T, 'id'>): T {
  const [id, setId] = useState(newIdempotencyKey);
  const used = useRef(false);
  if (kept !== null) used.current = true;
  else if (used.current) {
    used.current = false;
    setId(newIdempotencyKey());
  }
  return { ...empty, id, ...kept } as T;
}

/** Returns what happens to the kept text of a form when it is sent. A refused text stays, and its next try is another write. */
function sentForm<T extends { readonly id: string }>(place: string, text: T, setKept: (next: T) => void): SentForm {
  return {
    id: text.id,
    onStored: () => setTabState(place, null),
    onFailed: (error) => setKept(isAnswered(error) ? { ...text, id: newIdempotencyKey() } : text),
  };
}

/** The gateway refuses a list with a status that only a newer version knows, so that this status is not lost. */
const listed = (parts: Ticket['parts']) => parts as NonNullable<Lists['parts']>;

export function PartsBox({ ticket, busy, over, send }: Omit<Props, 'choices' | 'own' | 'mechanic'>) {
  const place = `part ${ticket.id}`;
  const [kept, setKept] = useTabState<PartText>(place);
  const text = useTyped(kept, NO_PART);
  const [status, setStatus] = useState<'requested' | 'used'>('requested');
  const { parts } = ticket;
  const put = (next: Ticket['parts']) =>
    send(
      () => ({ parts: listed(next) }),
      () => undefined,
    );
  return (
    <section class="panel-box" id="ticket-parts">
      <h2>{t('Parts')}</h2>
      {parts.length === 0 && <p class="aside">{t('No parts recorded yet.')}</p>}
      <ul class="entries">
        {parts.map((one) => (
          <li key={one.id}>
            <span>
              <b>
                {one.quantity} × {one.name}
              </b>
              {one.part_number !== null && ` ${one.part_number}`}{' '}
              <span class="badge-word">{t(PART_WORDS[one.status])}</span>
              {one.note !== null && <small>{one.note}</small>}
            </span>
            {!over && (
              <span class="actions">
                {one.status === 'requested' && (
                  <button
                    type="button"
                    disabled={busy}
                    aria-label={`${t('Mark as used')}: ${one.name}`}
                    onClick={() => put(parts.map((other) => (other === one ? { ...one, status: 'used' } : other)))}
                  >
                    {t('Mark as used')}
                  </button>
                )}
                <button
                  type="button"
                  class="quiet"
                  disabled={busy}
                  aria-label={t('Remove {name}', { name: one.name })}
                  onClick={() => put(parts.filter((other) => other !== one))}
                >
                  {t('Remove')}
                </button>
              </span>
            )}
          </li>
        ))}
      </ul>
      {!over && (
        <details class="more" open={kept !== null}>
          <summary>{t('Add a part')}</summary>
          <form
            class="form"
            // The answer clears the form, so nobody may type in it until then.
            inert={busy}
            onSubmit={(event) => {
              event.preventDefault();
              send(
                () => {
                  const quantity = parseNumber(text.quantity, t('The quantity')) ?? 1;
                  const part_number = text.part_number.trim() || null;
                  const part = {
                    id: text.id,
                    name: text.name.trim(),
                    part_number,
                    quantity,
                    status,
                    note: null,
                  };
                  return { parts: listed([...parts.filter((one) => one.id !== part.id), part]) };
                },
                () => setKept(null),
                sentForm(place, text, setKept),
              );
            }}
          >
            <Field label={t('Part')} value={text.name} onValue={(name) => setKept({ ...text, name })} maxLength={120} />
            <div class="pair">
              <Field
                label={t('Part number')}
                value={text.part_number}
                onValue={(part_number) => setKept({ ...text, part_number })}
                maxLength={80}
                mono
              />
              <NumberField
                label={t('Quantity')}
                value={text.quantity}
                onValue={(quantity) => setKept({ ...text, quantity })}
              />
            </div>
            <Pick<'requested' | 'used'>
              label={t('Status')}
              value={status}
              options={[
                ['requested', t('Requested')],
                ['used', t('Used')],
              ]}
              onValue={setStatus}
            />
            <button type="submit" disabled={busy || text.name.trim() === ''}>
              {t('Save part')}
            </button>
          </form>
        </details>
      )}
    </section>
  );
}
