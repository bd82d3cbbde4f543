/** The page of maintenance: what is due on each machine, the most urgent first, and the plans. */
import { useState } from 'preact/hooks';
import { dateText, duration } from '#ui/format.ts';
import { t } from '#ui/languages/texts.ts';
import { LinkState } from '#ui/office/base/link-state.tsx';
import { readAll, useIdText, useList } from '#ui/office/base/lists.ts';
import { kindText } from '#ui/office/base/machine-kinds.ts';
import { Choice, Empty, Problem, TruncationNote } from '#ui/office/base/parts.tsx';
import { may, type Session } from '#ui/office/base/session.ts';
import { useNow, usePolled } from '#ui/office/base/use.ts';
import { wallTime } from '#ui/office/site/site-time.ts';
import { OfMachine } from '#ui/office/work/of-machine.tsx';
import {
  BY_URGENCY,
  limitText,
  MAINTENANCE_WORDS,
  type MachineMaintenance,
  meterUseText,
  type PlanState,
  planText,
} from './maintenance-text.ts';
import { PlanForm } from './plan-form.tsx';
import { RecordService } from './record-service.tsx';

/** A meter reading older than this gets its age, because the machine may have worked since then. */
const OLD_MS = 86_400_000;

interface Row {
  readonly machine: MachineMaintenance;
  readonly plan: PlanState;
}

/** Sorts by state, the most urgent first, then by the expected date. */
function byUrgency(a: Row, b: Row): number {
  const state = (row: Row) => BY_URGENCY.indexOf(row.plan.state);
  const date = ({ plan }: Row) => plan.expected_on ?? '9999';
  return (
    state(a) - state(b) ||
    date(a).localeCompare(date(b)) ||
    a.machine.unit_number.localeCompare(b.machine.unit_number, 'en', { numeric: true })
  );
}

/** Returns when a machine had the service last, at which reading, and who did it. */
function lastServiceText({ done_at, hours, done_by: name }: NonNullable<Row['plan']['last_service']>, zone: string) {
  const date = dateText(wallTime(Date.parse(done_at), zone).slice(0, 10));
  if (hours === null)
    return name === null ? t('Last service {date}.', { date }) : t('Last service {date}, {name}.', { date, name });
  return name === null
    ? t('Last service {date} at {hours} h.', { date, hours })
    : t('Last service {date} at {hours} h, {name}.', { date, hours, name });
}

function DueRow({ row, session, now, onDone }: { row: Row; session: Session; now: number; onDone(): void }) {
  const { machine, plan } = row;
  const [recording, setRecording] = useState(false);
  const { last_service: last, expected_on, ticket_id } = plan;
  return (
    <li>
      <div class="row">
        <div class="due-text">
          <b>
            <span class={`due-mark ${plan.state}`}>{t(MAINTENANCE_WORDS[plan.state])}</span>{' '}
            <a href={`#machines/${machine.equipment_id}`}>{machine.unit_number}</a> {plan.name}
          </b>
          {plan.limits.map((limit) => {
            const age = limit.observed_at === null ? 0 : now - Date.parse(limit.observed_at);
            return (
              <small key={limit.by + (limit.due_on ?? '')}>
                {limitText(limit)}
                {meterUseText(limit)}
                {age > OLD_MS && ` · ${t('reading is {age} old', { age: duration(age) })}`}
              </small>
            );
          })}
          <small class="aside">
            {expected_on !== null && `${t('Expected about {date}.', { date: dateText(expected_on) })} `}
            {last === null ? t('No service recorded.') : lastServiceText(last, session.project.timezone)}
          </small>
        </div>
        <div class="actions">
          {ticket_id !== null && (
            <a class="button" href={`#tickets/${ticket_id}`}>
              {t('Ticket')}
            </a>
          )}
          {may(session, 'maintenance_plans_record') && (
            <button type="button" onClick={() => setRecording(!recording)}>
              {t('Service done')}
            </button>
          )}
        </div>
      </div>
      {recording && (
        <RecordService
          session={session}
          machine={machine}
          plan={plan}
          onCancel={() => setRecording(false)}
          onDone={() => {
            setRecording(false);
            onDone();
          }}
        />
      )}
    </li>
  );
}

/** Reads what is due again after a change of a plan, of a service or of a machine. */
const KINDS = ['maintenance_plan', 'maintenance_record', 'equipment'];

/** The page. `at` is the id of a machine, or empty for all machines. */
export function MaintenancePage({ session, at }: { session: Session; at: string }) {
  const due = usePolled(
    (signal) => readAll(session, 'maintenance_list', at === '' ? {} : { equipment_id: at }, signal),
    30_000,
    [session, at],
    KINDS,
  );
  const plans = usePolled((signal) => readAll(session, 'maintenance_plans_list', {}, signal), 30_000, [session], KINDS);
  const machines = useList(session, 'equipment_list');
  const unit = useIdText(machines, (one) => one.unit_number);
  const [open, setOpen] = useState<string | null>(null);
  const now = useNow(session.now);
  const rows = (due.data?.items ?? [])
    .flatMap((machine) => machine.plans.map((plan) => ({ machine, plan })))
    .sort(byUrgency);
  const reload = () => {
    due.reload();
    plans.reload();
  };
  const edited = plans.data?.items.find(({ id }) => id === open) ?? null;
  return (
    <>
      <div class="head">
        <h1>{t('Maintenance')}</h1>
        <LinkState of={due} session={session} />
        {may(session, 'maintenance_plans_create') && (
          <button type="button" class="primary large" onClick={() => setOpen('new')}>
            {t('New plan')}
          </button>
        )}
      </div>
      <Problem text={plans.problem} />
      {(open === 'new' || edited !== null) && (
        <PlanForm
          key={open}
          session={session}
          plan={edited}
          machines={(machines ?? []).filter(({ status }) => status !== 'decommissioned')}
          onDone={() => {
            setOpen(null);
            reload();
          }}
        />
      )}
      <div class="narrow-by">
        <Choice
          label={t('Machine')}
          value={at}
          options={[
            ['', t('All')],
            ...(machines ?? []).map((one) => [one.id, one.unit_number] as const),
            ...(machines === null && at !== '' ? [[at, '…'] as const] : []),
          ]}
          onValue={(id) => {
            location.hash = id === '' ? '#maintenance' : `#maintenance/${id}`;
          }}
        />
      </div>
      <OfMachine key={at} session={session} id={at} href="#maintenance">
        {due.data !== null && rows.length === 0 && (
          <Empty title={t('Nothing is planned')}>
            {may(session, 'maintenance_plans_create')
              ? t('Create a plan with New plan, such as engine oil every 250 hours or 3 months for all haul trucks.')
              : t('A supervisor or admin creates the plans.')}
          </Empty>
        )}
        <ul class="rows">
          {rows.map((row) => (
            <DueRow
              key={row.machine.equipment_id + row.plan.plan_id}
              row={row}
              session={session}
              now={now}
              onDone={reload}
            />
          ))}
        </ul>
        <TruncationNote shown={due.data?.items.length ?? 0} more={due.data?.more ?? false} what={t('machines')} />
      </OfMachine>
      {plans.data !== null && plans.data.items.length > 0 && (
        <section>
          <h2>{t('Plans')}</h2>
          <ul class="rows">
            {plans.data.items.map((plan) => (
              <li key={plan.id}>
                <div class="row">
                  <div>
                    <b>{plan.name}</b>
                    <small>
                      {plan.equipment_id === null
                        ? t('{kind}: all machines', { kind: kindText(plan.kind ?? '') })
                        : unit(plan.equipment_id)}
                      , {planText(plan)}
                      {plan.action === 'ticket' && `, ${t('makes a ticket')}`}
                      {!plan.enabled && `. ${t('Switched off')}`}
                    </small>
                  </div>
                  {may(session, 'maintenance_plans_update') && (
                    <button type="button" onClick={() => setOpen(plan.id)}>
                      {t('Edit')}
                    </button>
                  )}
                </div>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}
