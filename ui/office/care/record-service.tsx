/** The form that records a service: when it was done, by whom, and the meters at that time. */

import { t } from '#ui/languages/texts.ts';
import { parseNumber } from '#ui/office/base/numbers.ts';
import { Field, Form, Problem } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { useTabState } from '#ui/office/base/tab-state.ts';
import { instantOf, wallTime } from '#ui/office/site/site-time.ts';
import { useWrite } from '#ui/office/work/write.ts';
import type { MachineMaintenance, PlanState } from './maintenance-text.ts';

interface Typed {
  readonly hours: string;
  readonly km: string;
  readonly done_at: string;
  readonly done_by: string;
  readonly note: string;
}
const NOTHING = { hours: '', km: '', done_at: '', note: '' };

/** The form for a service of one plan on one machine. The tab keeps what a person typed until the gateway has stored it. */
export function RecordService(props: {
  session: Session;
  machine: MachineMaintenance;
  plan: PlanState;
  onDone(): void;
  onCancel(): void;
}) {
  const { session, machine, plan } = props;
  const { timezone } = session.project;
  const [kept, setKept] = useTabState<Typed>(`service ${plan.plan_id} ${machine.equipment_id}`);
  const { busy, problem, write } = useWrite();
  const typed = kept ?? { ...NOTHING, done_by: session.me.user?.name ?? '' };
  const touch = (name: keyof Typed) => (value: string) => setKept({ ...typed, [name]: value });
  const now = (by: 'hours' | 'km') => plan.limits.find((limit) => limit.by === by)?.now ?? null;
  const hint = (by: 'hours' | 'km', unit: string) => {
    const value = now(by);
    return value === null
      ? t('Read it from the machine')
      : t('Empty: the present value, {value} {unit}', { value, unit });
  };
  const send = () =>
    write(async (once) => {
      const done_at = instantOf(typed.done_at, timezone);
      await session.client.call(
        'maintenance_plans_record',
        {
          id: plan.plan_id,
          equipment_id: machine.equipment_id,
          hours: parseNumber(typed.hours, t('Engine hours')) ?? undefined,
          km: parseNumber(typed.km, t('Distance in km')) ?? undefined,
          note: typed.note,
          ...(typed.done_by.trim() === '' ? {} : { done_by: typed.done_by }),
          ...(done_at === null ? {} : { done_at: new Date(done_at).toISOString() }),
          ...(plan.ticket_id === null ? {} : { ticket_id: plan.ticket_id }),
        },
        once,
      );
      setKept(null);
      props.onDone();
    });
  return (
    <section class="nested" aria-label={t('Service of {unit}', { unit: machine.unit_number })}>
      <h3>{t('{name}, {unit}: service done', { name: plan.name, unit: machine.unit_number })}</h3>
      <Form action={t('Record the service')} busy={busy} onSend={send}>
        <Field label={t('Engine hours')} value={typed.hours} onValue={touch('hours')} hint={hint('hours', 'h')} />
        {plan.limits.some(({ by }) => by === 'km') && (
          <Field label={t('Distance in km')} value={typed.km} onValue={touch('km')} hint={hint('km', 'km')} />
        )}
        <div class="field">
          <label for={`done ${plan.plan_id} ${machine.equipment_id}`}>{t('Done at (site time)')}</label>
          <input
            id={`done ${plan.plan_id} ${machine.equipment_id}`}
            type="datetime-local"
            max={wallTime(session.now(), timezone)}
            value={typed.done_at}
            onChange={(event) => touch('done_at')(event.currentTarget.value)}
          />
          <small>{t('Empty: now')}</small>
        </div>
        <Field label={t('Done by')} value={typed.done_by} onValue={touch('done_by')} />
        <Field label={t('Note')} value={typed.note} onValue={touch('note')} maxLength={2_000} />
        <Problem text={problem} />
      </Form>
      <button type="button" onClick={props.onCancel}>
        {t('Cancel')}
      </button>
    </section>
  );
}
