/** Groups of fields of the new-ticket form. */
import { useState } from 'preact/hooks';
import type { Output } from '#contract/operations.ts';
import { isOpenTicket } from '#contract/work/repair-ticket.ts';
import { moment } from '#ui/format.ts';
import { officeText } from '#ui/languages/office.ts';
import { t } from '#ui/languages/texts.ts';
import { useList } from '#ui/office/base/lists.ts';
import { Field } from '#ui/office/base/parts.tsx';
import { NumberField, Pick, TextArea } from '#ui/office/base/picks.tsx';
import { maySet, type Session } from '#ui/office/base/session.ts';
import { useNow, usePolled } from '#ui/office/base/use.ts';
import { DueField } from './due-field.tsx';
import type { NewFields } from './new-ticket-draft.ts';
import { Assigned, TroubleCodeFields } from './ticket-form.tsx';
import { STATUS_WORDS } from './ticket-text.ts';
import type { Touch } from './use-create-ticket.ts';

type Machine = Output<'equipment_list'>['data'][number];

/** Largest number of machines that the form shows as buttons. A person finds further machines by unit number. */
const MOST_BUTTONS = 24;

export function MachinePick(props: { fields: NewFields; touch: Touch; machines: readonly Machine[] }) {
  const { fields, touch, machines } = props;
  const [wanted, setWanted] = useState('');
  const found = machines.filter(
    (one) =>
      one.id === fields.equipment_id ||
      [one.unit_number, one.name, ...one.aliases].some((name) =>
        name.toLowerCase().includes(wanted.trim().toLowerCase()),
      ),
  );
  return (
    <>
      {machines.length > MOST_BUTTONS && (
        <Field
          label={t('Find the machine')}
          value={wanted}
          onValue={setWanted}
          hint={t('Part of its number or name')}
        />
      )}
      <Pick
        label={t('Machine')}
        value={fields.equipment_id}
        options={found
          .slice(0, Math.max(MOST_BUTTONS, found.findIndex((one) => one.id === fields.equipment_id) + 1))
          .map((one) => [one.id, one.unit_number] as const)}
        onValue={(id) => touch('equipment_id', id)}
        {...(found.length > MOST_BUTTONS && {
          hint: t('{n} more machine: enter a part of the number|{n} more machines: enter a part of the number', {
            n: found.length - MOST_BUTTONS,
          }),
        })}
      />
    </>
  );
}

/** Shows the open tickets of the machine, so that nobody reports the same problem twice. */
export function OpenTickets({ session, equipment_id }: { session: Session; equipment_id: string }) {
  const { data } = usePolled(
    (signal) => session.client.call('repair_tickets_list', { equipment_id, limit: 50 }, { signal }),
    15_000,
    [session, equipment_id],
    ['repair_ticket'],
  );
  const open = (data?.data ?? []).filter(({ status }) => isOpenTicket(status));
  if (open.length === 0) return null;
  return (
    <div class="met">
      <b>{t('Open tickets of this machine')}</b>
      <ul>
        {open.map((one) => (
          <li key={one.id}>
            <a class="met-link" href={`#tickets/${one.id}`}>
              {one.number}: {one.title}
            </a>
            <span class="aside">{t(STATUS_WORDS[one.status])}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Selects one of the trouble codes that the machine reports now. */
export function CodePick({ session, fields, touch }: { session: Session; fields: NewFields; touch: Touch }) {
  const id = fields.equipment_id;
  const { data } = usePolled((signal) => session.client.call('equipment_get', { id }, { signal }), 15_000, [
    session,
    id,
  ]);
  const now = useNow(session.now);
  const codes = data?.id === id ? (data.dtcs ?? []) : [];
  if (codes.length === 0) return null;
  const value = fields.fmi === '' ? '' : `${fields.spn} ${fields.fmi}`;
  return (
    <Pick
      label={t('Trouble code from the machine')}
      value={value}
      options={[
        ['', t('None')],
        ...[...new Map(codes.map((one) => [`${one.spn ?? ''} ${one.fmi}`, one])).entries()].map(
          ([key, one]) =>
            [
              key,
              t('{code} since {time}', {
                code: `${one.meaning == null ? t('Unknown code') : officeText(one.meaning)} (SPN ${one.spn ?? '?'} / FMI ${one.fmi})`,
                time: moment(Date.parse(one.since), now, session.project.timezone),
              }),
            ] as const,
        ),
      ]}
      onValue={(key) => {
        const [spn = '', fmi = ''] = key.split(' ');
        touch('spn', spn);
        touch('fmi', fmi);
      }}
    />
  );
}

/** Fields that most tickets do not need. */
export function MoreFields({ session, fields, touch }: { session: Session; fields: NewFields; touch: Touch }) {
  const mechanics = useList(session, 'mechanics_list');
  // An operator reports a problem; others plan the work.
  const plans =
    maySet(session, 'repair_tickets_create', 'due_at', fields.due_at) &&
    maySet(session, 'repair_tickets_create', 'assigned_mechanic_ids', fields.assigned_mechanic_ids);
  return (
    <details class="more">
      <summary>
        {plans
          ? t('More fields: description, component, hours, due, assigned')
          : t('More fields: description, component, hours')}
      </summary>
      <div class="inside">
        <TextArea
          label={t('Description')}
          value={fields.description}
          onValue={(text) => touch('description', text)}
          maxLength={10_000}
        />
        <div class="pair">
          <Field
            label={t('Component')}
            value={fields.component}
            onValue={(text) => touch('component', text)}
            maxLength={120}
          />
          <TroubleCodeFields fields={fields} touch={touch} />
        </div>
        <NumberField
          label={t('Engine hours on the display')}
          value={fields.meter_hours}
          unit="h"
          onValue={(text) => touch('meter_hours', text)}
          hint={t('Leave empty to use the value from the machine')}
        />
        <Field
          label={t('Reported by')}
          value={fields.reported_by}
          onValue={(text) => touch('reported_by', text)}
          maxLength={120}
          hint={t('Leave empty to use the name of your key')}
        />
        {plans && (
          <>
            <DueField
              value={fields.due_at}
              timezone={session.project.timezone}
              now={session.now}
              onValue={(at) => touch('due_at', at)}
            />
            <Assigned
              fields={fields}
              touch={touch}
              choices={{ mechanics: mechanics?.map((one) => [one.id, one.name] as const) ?? null }}
            />
          </>
        )}
      </div>
    </details>
  );
}
