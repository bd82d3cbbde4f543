/** A new ticket in a few taps: which machine, what is wrong, how urgent. From an alert most of it stands there already. */
import { useEffect, useState } from 'preact/hooks';
import { ClientError } from '#contract/client.ts';
import type { Input, Output } from '#contract/operations.ts';
import { moment } from '#ui/format.ts';
import { reconcile } from '#ui/office/base/draft.ts';
import { LinkState } from '#ui/office/base/link-state.tsx';
import { useIdText, useList } from '#ui/office/base/lists.ts';
import { parseNumber } from '#ui/office/base/numbers.ts';
import { Field, Problem } from '#ui/office/base/parts.tsx';
import { NumberField, Pick, TextArea } from '#ui/office/base/picks.tsx';
import { newIdempotencyKey, type Session } from '#ui/office/base/session.ts';
import { setTabState, useTabState } from '#ui/office/base/tab-state.ts';
import { useNow, usePolled } from '#ui/office/base/use.ts';
import { type Alert, crossed } from './alert-text.ts';
import { DueField } from './due-field.tsx';
import { factsOf, failureOf } from './ticket-draft.ts';
import { Assigned, Urgency } from './ticket-form.tsx';
import {
  failureHint,
  isOpen,
  PRIORITY_OF,
  type Priority,
  parameterHint,
  STATUS_WORDS,
  type Ticket,
} from './ticket-text.ts';
import { isAnswered, useWrite } from './write.ts';

type Machine = Output<'equipment_get'>;

/** What is typed; numbers as they are typed. */
type NewFields = {
  readonly equipment_id: string;
  readonly title: string;
  readonly description: string;
  readonly priority: Priority;
  readonly safety_critical: boolean;
  readonly component: string;
  readonly spn: string;
  readonly fmi: string;
  readonly meter_hours: string;
  readonly reported_by: string;
  readonly due_at: string;
  readonly assigned_mechanic_ids: readonly string[];
  /** The alert that it comes from; empty for none. */
  readonly alert: string;
};
type Create = Input<'repair_tickets_create'>;
/** The form with the key of its ticket: sent twice, after a reload or a lost answer too, it makes one. */
interface Kept {
  readonly key: string;
  readonly fields: NewFields;
  /** What was sent under the key, and may have arrived. */
  readonly sent: readonly Create[];
}
/** Tries without an answer that are remembered. */
const MOST_SENT = 5;

/** What is wrong most of the time, in one tap. */
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
] as const;
/** Machines that are shown as buttons; more are looked for by their number. */
const MOST_BUTTONS = 24;

const EMPTY: NewFields = {
  equipment_id: '',
  title: '',
  description: '',
  priority: 'medium',
  safety_critical: false,
  component: '',
  spn: '',
  fmi: '',
  meter_hours: '',
  reported_by: '',
  due_at: '',
  assigned_mechanic_ids: [],
  alert: '',
};

function titleOf(alert: Alert): string {
  const what = crossed(alert);
  return (what.startsWith(alert.rule_name) ? what : `${alert.rule_name}: ${what}`).slice(0, 200);
}

/** What an alert says for the person: its words, its machine if it has one, and a code if the machine reports just that one. */
function fieldsFrom(alert: Alert, machine: Machine | null): NewFields {
  const codes = machine?.dtcs ?? [];
  const only = alert.signal_name.startsWith('dtc.') && codes.length === 1 ? codes[0] : undefined;
  return {
    ...EMPTY,
    equipment_id: alert.machine_id ?? '',
    title: titleOf(alert),
    priority: PRIORITY_OF[alert.severity],
    spn: only?.spn == null ? '' : String(only.spn),
    fmi: only === undefined ? '' : String(only.fmi),
    alert: alert.id,
  };
}

/** What is sent; throws in words what is missing. */
function createOf(fields: NewFields): Create {
  if (fields.equipment_id === '') throw new Error('Which machine is it?');
  if (fields.title.trim() === '') throw new Error('What is wrong?');
  const failure = failureOf({ ...fields, cause: '', remedy: '' });
  const named = failure.component !== null || failure.spn !== null || failure.fmi !== null;
  const hours = parseNumber(fields.meter_hours, 'The engine hours');
  return {
    equipment_id: fields.equipment_id,
    title: fields.title.trim(),
    description: fields.description.trim(),
    priority: fields.priority,
    safety_critical: fields.safety_critical,
    ...(named && { failure }),
    ...(fields.alert !== '' && { source: { kind: 'alert' as const, ref: fields.alert } }),
    ...(hours !== null && { meter_hours: hours }),
    ...(fields.reported_by.trim() !== '' && { reported_by: fields.reported_by.trim() }),
    ...(fields.due_at !== '' && { due_at: fields.due_at }),
    ...(fields.assigned_mechanic_ids.length > 0 && { assigned_mechanic_ids: [...fields.assigned_mechanic_ids] }),
  };
}

type Options = { readonly idempotency_key: string; readonly signal: AbortSignal };

/** The ticket that an earlier try made although its answer was lost: the same words under the same key bring it back. */
async function arrived(session: Session, sent: readonly Create[], options: Options): Promise<Ticket> {
  for (const input of sent) {
    try {
      return await session.client.call('repair_tickets_create', input, options);
    } catch (error) {
      if (!(error instanceof ClientError) || error.code !== 'idempotency_key_reused') throw error;
    }
  }
  throw new Error('An earlier try has arrived: its ticket stands on the board.');
}

/** What was typed since goes on that ticket, not saved yet. */
function keepTyped(made: Ticket, fields: NewFields): void {
  const { equipment_id: _, meter_hours: __, alert: ___, reported_by, ...rest } = fields;
  const base = factsOf(made);
  const { draft } = reconcile(base, base, reported_by.trim() === '' ? rest : { ...rest, reported_by });
  setTabState(`ticket ${made.id}`, { revision: made.revision, base, draft, changes: [] });
}

type Touch = <N extends keyof NewFields>(name: N, value: NewFields[N]) => void;

function WhichMachine(props: { fields: NewFields; touch: Touch; machines: readonly Machine[] }) {
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
        <Field label="Find the machine" value={wanted} onValue={setWanted} hint="Part of its number or name" />
      )}
      <Pick
        label="Machine"
        value={fields.equipment_id}
        options={found
          .slice(0, Math.max(MOST_BUTTONS, found.findIndex((one) => one.id === fields.equipment_id) + 1))
          .map((one) => [one.id, one.unit_number] as const)}
        onValue={(id) => touch('equipment_id', id)}
        {...(found.length > MOST_BUTTONS && { hint: `${found.length - MOST_BUTTONS} more: type part of the number` })}
      />
    </>
  );
}

/** What the machine has open already, so that one trouble gets one ticket. */
function OpenOnes({ session, equipment_id }: { session: Session; equipment_id: string }) {
  const { data } = usePolled(
    (signal) => session.client.call('repair_tickets_list', { equipment_id, limit: 50 }, { signal }),
    15_000,
    [session, equipment_id],
    ['repair_ticket'],
  );
  const open = (data?.data ?? []).filter(isOpen);
  if (open.length === 0) return null;
  return (
    <div class="met">
      <b>Already open on this machine</b>
      <ul>
        {open.map((one) => (
          <li key={one.id}>
            <a class="met-link" href={`#tickets/${one.id}`}>
              {one.number}: {one.title}
            </a>
            <span class="aside">{STATUS_WORDS[one.status]}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The codes that the machine reports now; which of them it is, a person says. */
function Codes({ session, fields, touch }: { session: Session; fields: NewFields; touch: Touch }) {
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
      label="Trouble code that the machine reports"
      value={value}
      options={[
        ['', 'None of them'],
        ...[...new Map(codes.map((one) => [`${one.spn ?? ''} ${one.fmi}`, one])).entries()].map(
          ([key, one]) =>
            [
              key,
              `${one.meaning ?? 'No words for this code'} (SPN ${one.spn ?? '?'} / FMI ${one.fmi}) since ${moment(Date.parse(one.since), now, session.project.timezone)}`,
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

function NewForm(props: { session: Session; name: string; start: NewFields; from: Alert | null }) {
  const { session, name, from } = props;
  const [kept, setKept] = useTabState<Kept>(name);
  const held = kept ?? { key: newIdempotencyKey(), fields: props.start, sent: [] };
  const { fields } = held;
  const machines = useList(session, 'equipment_list');
  const mechanics = useList(session, 'mechanics_list');
  const unit = useIdText(machines, (one) => one.unit_number);
  const { busy, problem, write } = useWrite();
  let latest = held;
  const touch: Touch = (field, value) => {
    latest = { ...latest, fields: { ...latest.fields, [field]: value } };
    setKept(latest);
  };
  const alive = (machines ?? []).filter((one) => one.status !== 'decommissioned');

  const send = () =>
    write(async ({ signal }) => {
      const input = createOf(fields);
      const options = { idempotency_key: held.key, signal };
      const go = (made: Ticket) => {
        setKept(null);
        location.hash = `#tickets/${made.id}`;
      };
      setKept({ ...held, sent: [...held.sent, input].slice(-MOST_SENT) });
      try {
        go(await session.client.call('repair_tickets_create', input, options));
      } catch (error) {
        // Refused is not stored: it is no try that may have arrived.
        if (isAnswered(error)) setKept(held);
        if (!(error instanceof ClientError) || error.code !== 'idempotency_key_reused') throw error;
        const made = await arrived(session, held.sent, options);
        keepTyped(made, fields);
        go(made);
      }
    });

  return (
    <section class="panel-box new-ticket">
      {kept !== null && (
        <div class="row">
          <span class="aside">What you type is kept on this tablet until it is sent.</span>
          <button type="button" class="quiet" onClick={() => setKept(null)}>
            Start over
          </button>
        </div>
      )}
      {from !== null && (
        <p class="aside">
          From the alert {from.rule_name}, raised{' '}
          {moment(Date.parse(from.raised_at), session.now(), session.project.timezone)}.
          {from.machine_id === null && ' It names no machine: choose one if you know which it is.'}
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
          <p class="aside">There is no machine yet: add one under Machines.</p>
        )}
        <WhichMachine fields={fields} touch={touch} machines={alive} />
        {fields.equipment_id !== '' && (
          <OpenOnes key={fields.equipment_id} session={session} equipment_id={fields.equipment_id} />
        )}
        {from === null && (
          <Pick
            label="What is wrong"
            value={fields.title}
            options={USUAL.map((one) => [one, one] as const)}
            onValue={(title) => touch('title', title)}
          />
        )}
        <Field
          label={from === null ? 'In your own words' : 'What is wrong'}
          value={fields.title}
          onValue={(title) => touch('title', title)}
          maxLength={200}
        />
        <Urgency fields={fields} touch={touch} />
        {fields.equipment_id !== '' && (
          <Codes key={fields.equipment_id} session={session} fields={fields} touch={touch} />
        )}
        <details class="more">
          <summary>More: description, component, hours, due, who</summary>
          <div class="inside">
            <TextArea
              label="Description"
              value={fields.description}
              onValue={(text) => touch('description', text)}
              maxLength={10_000}
            />
            <div class="pair">
              <Field
                label="Component"
                value={fields.component}
                onValue={(text) => touch('component', text)}
                maxLength={120}
              />
              <NumberField
                label="SPN"
                value={fields.spn}
                onValue={(text) => touch('spn', text)}
                hint={parameterHint(fields.spn)}
              />
              <NumberField
                label="FMI"
                value={fields.fmi}
                onValue={(text) => touch('fmi', text)}
                hint={failureHint(fields.fmi)}
              />
            </div>
            <NumberField
              label="Engine hours, read off the machine"
              value={fields.meter_hours}
              unit="h"
              onValue={(text) => touch('meter_hours', text)}
              hint="Empty: what the machine reports"
            />
            <Field
              label="Reported by"
              value={fields.reported_by}
              onValue={(text) => touch('reported_by', text)}
              maxLength={120}
              hint="Empty: the name of this key"
            />
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
          </div>
        </details>
        <Problem text={problem} />
        <div class="actions">
          <button type="submit" class="primary huge" disabled={busy}>
            {busy ? 'Sending' : fields.equipment_id === '' ? 'Flag it' : `Flag ${unit(fields.equipment_id)}`}
          </button>
          <a class="button large" href="#tickets">
            Not now
          </a>
        </div>
      </form>
    </section>
  );
}

/** Reads the alert, and its machine for the codes that it reports. */
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
    // What the form begins with is not changed under the fingers.
    if (first === null && read.data !== null) setFirst(read.data);
  }, [read.data]);
  if (first === null) return <LinkState of={read} session={session} />;
  const { alert, machine } = first;
  return <NewForm session={session} name={`new ticket ${id}`} start={fieldsFrom(alert, machine)} from={alert} />;
}

/** `from` is empty, the id of a machine, or that of an alert. */
export function NewTicket({ session, from }: { session: Session; from: string }) {
  const start = from.startsWith('eq_') ? { ...EMPTY, equipment_id: from } : EMPTY;
  return (
    <>
      <div class="head">
        <h1>New ticket</h1>
        <a class="button" href="#tickets">
          All tickets
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
