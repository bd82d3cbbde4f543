/** The page that creates a ticket, empty or from an alert. */
import { useEffect, useState } from 'preact/hooks';
import { moment } from '#ui/format.ts';
import { t, type Word } from '#ui/languages/texts.ts';
import { LinkState } from '#ui/office/base/link-state.tsx';
import { useIdText, useList } from '#ui/office/base/lists.ts';
import { Empty, Field, Problem } from '#ui/office/base/parts.tsx';
import { Pick } from '#ui/office/base/picks.tsx';
import { may, type Session } from '#ui/office/base/session.ts';
import { roleText } from '#ui/office/base/status-words.ts';
import { usePolled } from '#ui/office/base/use.ts';
import type { Alert } from './alert-text.ts';
import { EMPTY, fieldsFrom, type NewFields } from './new-ticket-draft.ts';
import { CodePick, MachinePick, MoreFields, OpenTickets } from './new-ticket-fields.tsx';
import { Urgency } from './ticket-form.tsx';
import { useCreateTicket } from './use-create-ticket.ts';

/** Common problems that the form offers as buttons for the title. */
const USUAL = [
  'Leak',
  'Tyre or track',
  'Brakes',
  'Steering',
  'Engine',
  'Hydraulics',
  'Electrical',
  'Lights',
  'Cab',
  'Damage',
] as const satisfies readonly Word[];

function NewForm(props: { session: Session; name: string; start: NewFields; from: Alert | null }) {
  const { session, from } = props;
  const { fields, touch, busy, problem, send, isTouched, reset } = useCreateTicket(session, props.name, props.start);
  const machines = useList(session, 'equipment_list');
  const unit = useIdText(machines, (one) => one.unit_number);
  const alive = (machines ?? []).filter((one) => one.status !== 'decommissioned');
  return (
    <section class="panel-box new-ticket">
      {isTouched && (
        <div class="row">
          <span class="aside">{t('This browser tab keeps your text until you send it.')}</span>
          <button type="button" class="quiet" onClick={reset}>
            {t('Start over')}
          </button>
        </div>
      )}
      {from !== null && (
        <p class="aside">
          {t('From the alert {rule}, raised {time}.', {
            rule: from.rule_name,
            time: moment(Date.parse(from.raised_at), session.now(), session.project.timezone),
          })}
          {from.machine_id === null && ` ${t('The alert has no machine. Select one.')}`}
        </p>
      )}
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        {machines !== null && alive.length === 0 && (
          <p class="aside">{t('There are no machines yet. Add one on the Machines page.')}</p>
        )}
        <MachinePick fields={fields} touch={touch} machines={alive} />
        {fields.equipment_id !== '' && (
          <OpenTickets key={fields.equipment_id} session={session} equipment_id={fields.equipment_id} />
        )}
        {from === null && (
          <Pick
            label={t('What is wrong')}
            value={fields.title}
            options={USUAL.map((one) => [t(one), t(one)] as const)}
            onValue={(title) => touch('title', title)}
          />
        )}
        <Field
          label={from === null ? t('Title') : t('What is wrong')}
          value={fields.title}
          onValue={(title) => touch('title', title)}
          maxLength={200}
        />
        <Urgency fields={fields} touch={touch} />
        {fields.equipment_id !== '' && (
          <CodePick key={fields.equipment_id} session={session} fields={fields} touch={touch} />
        )}
        <MoreFields session={session} fields={fields} touch={touch} />
        <Problem text={problem} />
        <div class="actions">
          <button type="submit" class="primary huge" disabled={busy}>
            {busy
              ? t('Sending')
              : fields.equipment_id === ''
                ? t('Create ticket')
                : t('Create ticket for {unit}', { unit: unit(fields.equipment_id) })}
          </button>
          <a class="button large" href="#tickets">
            {t('Cancel')}
          </a>
        </div>
      </form>
    </section>
  );
}

/** Reads an alert and its machine, then shows the form with their values. */
function FromAlert({ session, id }: { session: Session; id: string }) {
  const read = usePolled(
    async (signal) => {
      const alert = await session.client.call('alerts_get', { id }, { signal });
      const machine =
        alert.machine_id === null
          ? null
          : await session.client.call('equipment_get', { id: alert.machine_id }, { signal });
      return { alert, machine };
    },
    60_000,
    [session, id],
  );
  const [first, setFirst] = useState(read.data);
  useEffect(() => {
    // Fill the form from the first answer only, because a later answer must not change the form while a person types.
    if (first === null && read.data !== null) setFirst(read.data);
  }, [read.data]);
  if (first === null) return <LinkState of={read} session={session} />;
  const { alert, machine } = first;
  return <NewForm session={session} name={`new ticket ${id}`} start={fieldsFrom(alert, machine)} from={alert} />;
}

/** The page that creates a ticket. `from` is the id of a machine or of an alert from which the form is filled, or empty. */
export function NewTicket({ session, from }: { session: Session; from: string }) {
  if (!may(session, 'repair_tickets_create'))
    return (
      <Empty isPage title={t('Not for your role')}>
        {t('The role {role} does not create tickets.', { role: roleText(session.me.role) })}
      </Empty>
    );
  const start = from.startsWith('eq_') ? { ...EMPTY, equipment_id: from } : EMPTY;
  return (
    <>
      <div class="head">
        <h1>{t('New ticket')}</h1>
        <a class="button" href="#tickets">
          {t('All tickets')}
        </a>
      </div>
      {from.startsWith('alr_') ? (
        <FromAlert session={session} id={from} />
      ) : (
        <NewForm session={session} name={`new ticket ${from || session.project.id}`} start={start} from={null} />
      )}
    </>
  );
}
