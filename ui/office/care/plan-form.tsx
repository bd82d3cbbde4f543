/** The form of a maintenance plan: new, or an existing one. */
import { t } from '#ui/languages/texts.ts';
import { kindOf, kindText, MACHINE_KINDS } from '#ui/office/base/machine-kinds.ts';
import { parseNumber, typedNumber } from '#ui/office/base/numbers.ts';
import { Choice, Field, Form, Problem } from '#ui/office/base/parts.tsx';
import { TextArea } from '#ui/office/base/picks.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { useTabState } from '#ui/office/base/tab-state.ts';
import { useWrite } from '#ui/office/work/write.ts';
import { actionChoices, type Plan, priorityChoices } from './maintenance-text.ts';

interface Typed {
  readonly name: string;
  readonly instructions: string;
  /** The id of a machine; empty: all machines of `kind`. */
  readonly machine: string;
  readonly kind: string;
  readonly hours: string;
  readonly km: string;
  readonly months: string;
  readonly days: string;
  readonly due_on: string;
  readonly action: Plan['action'];
  readonly priority: Plan['priority'];
  readonly enabled: boolean;
}
const NEW: Typed = {
  name: '',
  instructions: '',
  machine: '',
  kind: '',
  hours: '',
  km: '',
  months: '',
  days: '',
  due_on: '',
  action: 'ticket',
  priority: 'medium',
  enabled: true,
};

function typedOf(plan: Plan): Typed {
  const { name, instructions, equipment_id, kind, action, priority, enabled } = plan;
  return {
    name,
    instructions,
    machine: equipment_id ?? '',
    kind: kind === null ? '' : kindText(kind),
    hours: typedNumber(plan.every_hours),
    km: typedNumber(plan.every_km),
    months: typedNumber(plan.every_months),
    days: typedNumber(plan.every_days),
    due_on: plan.due_on ?? '',
    action,
    priority,
    enabled,
  };
}

function fieldsOf(typed: Typed) {
  const { name, instructions, action, priority, enabled } = typed;
  return {
    name,
    instructions,
    // A value that only a newer version knows stays as it is.
    ...(action !== 'unknown' && { action }),
    ...(priority !== 'unknown' && { priority }),
    enabled,
    every_hours: parseNumber(typed.hours, t('Every hours of the engine')),
    every_km: parseNumber(typed.km, t('Every km')),
    every_months: parseNumber(typed.months, t('Every months')),
    every_days: parseNumber(typed.days, t('Every days')),
    due_on: typed.due_on === '' ? null : typed.due_on,
  };
}

type Touch = <N extends keyof Typed>(name: N) => (value: Typed[N]) => void;

function Limits({ id, typed, touch }: { id: string; typed: Typed; touch: Touch }) {
  return (
    <>
      <p class="aside">{t('Fill in one or more limits. The limit that comes first counts.')}</p>
      <Field label={t('Every hours of the engine')} value={typed.hours} onValue={touch('hours')} />
      <Field label={t('Every km')} value={typed.km} onValue={touch('km')} />
      <Field label={t('Every months')} value={typed.months} onValue={touch('months')} />
      <Field label={t('Every days')} value={typed.days} onValue={touch('days')} hint={t('Months or days, not both')} />
      <div class="field">
        <label for={`due ${id}`}>{t('Once on')}</label>
        <input
          id={`due ${id}`}
          type="date"
          value={typed.due_on}
          onChange={(event) => touch('due_on')(event.currentTarget.value)}
        />
      </div>
    </>
  );
}

/** The form of a plan. The machines of an existing plan cannot change. The tab keeps what a person typed until it is saved. */
export function PlanForm(props: {
  session: Session;
  plan: Plan | null;
  machines: readonly { readonly id: string; readonly unit_number: string }[];
  onDone(): void;
}) {
  const { session, plan, machines } = props;
  const { client } = session;
  const [kept, setKept] = useTabState<Typed>(`plan ${plan?.id ?? 'new'}`);
  const { busy, problem, write } = useWrite();
  const typed = kept ?? (plan === null ? NEW : typedOf(plan));
  const touch: Touch = (name) => (value) => setKept({ ...typed, [name]: value });
  const done = () => {
    setKept(null);
    props.onDone();
  };
  const send = () =>
    write(async (once) => {
      const fields = fieldsOf(typed);
      const { machine, kind } = typed;
      const whose = machine === '' ? { kind: kindOf(kind) } : { equipment_id: machine };
      if (plan === null) await client.call('maintenance_plans_create', { ...fields, ...whose }, once);
      else
        await client.call('maintenance_plans_update', { id: plan.id, ...fields }, { ...once, if_match: plan.revision });
      done();
    });
  const remove = () =>
    write(async (once) => {
      if (plan === null) return;
      await client.call('maintenance_plans_delete', { id: plan.id }, { ...once, if_match: plan.revision });
      done();
    });
  return (
    <section class="panel-box">
      <h2>{plan === null ? t('New plan') : plan.name}</h2>
      <Form action={plan === null ? t('Create plan') : t('Save')} busy={busy} onSend={send}>
        <Field label={t('Name')} value={typed.name} onValue={touch('name')} required hint={t('Such as Engine oil')} />
        {plan === null && (
          <>
            <Choice
              label={t('For')}
              value={typed.machine}
              options={[
                ['', t('All machines of a kind')],
                ...machines.map((one) => [one.id, one.unit_number] as const),
              ]}
              onValue={touch('machine')}
            />
            {typed.machine === '' && (
              <Field
                label={t('Kind')}
                value={typed.kind}
                onValue={touch('kind')}
                required
                offers={MACHINE_KINDS.map(kindText)}
              />
            )}
          </>
        )}
        <Limits id={plan?.id ?? 'new'} typed={typed} touch={touch} />
        <Choice
          label={t('When it is due')}
          value={typed.action}
          options={actionChoices(plan?.action)}
          onValue={(value) => touch('action')(value as Plan['action'])}
        />
        {typed.action === 'ticket' && (
          <Choice
            label={t('Priority of the ticket')}
            value={typed.priority}
            options={priorityChoices(plan?.priority)}
            onValue={(value) => touch('priority')(value as Plan['priority'])}
          />
        )}
        <TextArea
          label={t('Instructions')}
          value={typed.instructions}
          onValue={touch('instructions')}
          rows={3}
          maxLength={4_000}
        />
        <Problem text={problem} />
      </Form>
      <div class="actions">
        <button type="button" onClick={done}>
          {t('Cancel')}
        </button>
        {plan !== null && (
          <>
            <button
              type="button"
              disabled={busy}
              onClick={() =>
                write(async (once) => {
                  const input = { id: plan.id, enabled: !plan.enabled };
                  await client.call('maintenance_plans_update', input, { ...once, if_match: plan.revision });
                  done();
                })
              }
            >
              {plan.enabled ? t('Switch off') : t('Switch on')}
            </button>
            <button type="button" class="danger" disabled={busy} onClick={remove}>
              {t('Delete')}
            </button>
          </>
        )}
      </div>
    </section>
  );
}
