/** What the link of a site may cost: what is used of the month, the limits, and how to lift them in an emergency. */
import { useState } from 'preact/hooks';
import type { Input } from '#contract/operations.ts';
import type { LinkBudget } from '#contract/site/sync-budget.ts';
import { moment } from '#ui/format.ts';
import { t, type Word } from '#ui/languages/texts.ts';
import { Choice, Facts, Field, Form, Problem } from '#ui/office/base/parts.tsx';
import { Toggle } from '#ui/office/base/picks.tsx';
import { may, type Session } from '#ui/office/base/session.ts';
import { useNow, useSend } from '#ui/office/base/use.ts';
import { sizeText } from './sync-words.ts';

type Hours = LinkBudget['file_hours'][number];

const MOST_HOURS = 4;
const GB = 1e9;

const LIFTED = [
  ['1', '1 hour'],
  ['8', '8 hours'],
  ['24', '1 day'],
  ['168', '1 week'],
] as const satisfies readonly (readonly [string, Word])[];

const limitsOf = (budget: LinkBudget): Input<'sync_budget_set'> => ({
  metered: budget.metered,
  bytes_per_month: budget.bytes_per_month,
  file_hours: budget.file_hours,
  timezone: budget.timezone,
  override_until: budget.override_until,
});

/** The end of the month that is counted. */
function monthEnd({ month }: LinkBudget): number {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return Date.UTC(year, number, 1);
}

function Used({ budget, now, timezone }: { budget: LinkBudget; now: number; timezone: string }) {
  const { bytes_per_month: most, forecast_bytes, used_up_at, override_until, state } = budget;
  const used = budget.sent_bytes + budget.received_bytes;
  const time = (at: number) => moment(at, now, timezone);
  const isLifted = override_until !== null && Date.parse(override_until) > now;
  const part = (of: number) => t('{part} of {whole}', { part: sizeText(used), whole: sizeText(of) });
  const facts: (readonly [string, string])[] = [
    [t('Used this month'), most === null ? sizeText(used) : part(most)],
    ...(most === null ? [] : [[t('Left this month'), sizeText(Math.max(0, most - used))] as const]),
    [t('Of this, files'), sizeText(budget.file_bytes)],
    [
      t('If it goes on like this'),
      forecast_bytes === null
        ? t('Known after one hour')
        : used_up_at !== null
          ? t('Used up {time}', { time: time(Date.parse(used_up_at)) })
          : t('{size} in the whole month', { size: sizeText(forecast_bytes) }),
    ],
  ];
  const hours = budget.file_hours.map((one) => t('from {from} to {to}', one)).join(', ');
  return (
    <>
      {state === 'used_up' && (
        <p class="waiting" role="status">
          {t(
            'All bytes of this month are used. Only alerts and safety are sent until {time}. Nothing is lost: everything else waits here.',
            { time: time(monthEnd(budget)) },
          )}
        </p>
      )}
      {state === 'files_wait' && (
        <p class="waiting" role="status">
          {t('80 % of the bytes of this month are used. Files wait until {time}, and everything else goes on.', {
            time: time(monthEnd(budget)),
          })}
        </p>
      )}
      {isLifted && (
        <p class="waiting" role="status">
          {t('All limits are lifted until {time}.', { time: time(Date.parse(override_until)) })}
        </p>
      )}
      {most !== null && (
        <progress aria-label={t('Used of the bytes of this month')} max={most} value={Math.min(most, used)} />
      )}
      <Facts of={facts} />
      <p class="aside">
        {budget.metered &&
          `${
            state === 'used_up'
              ? t('The link costs money by the byte, so the site calls head office every hour.')
              : t('The link costs money by the byte, so the site calls head office every 15 minutes.')
          } `}
        {hours !== '' && `${t('Files are sent only {hours} ({timezone}).', { hours, timezone: budget.timezone })} `}
        {t('The counts include about what headers need, but not what TLS and TCP need. A month begins at 00:00 UTC.')}
      </p>
    </>
  );
}

function HoursRow(props: { hours: Hours; number: number; onHours(hours: Hours): void; onRemove(): void }) {
  const { hours, number } = props;
  return (
    <li>
      {(['from', 'to'] as const).map((end) => (
        <label key={end} class="field">
          <span>
            {end === 'from' ? t('From') : t('To')}
            {number > 1 && <span class="hidden"> {number}</span>}
          </span>
          <input
            type="time"
            required
            value={hours[end]}
            onInput={(event) => props.onHours({ ...hours, [end]: event.currentTarget.value })}
          />
        </label>
      ))}
      <button type="button" class="quiet" onClick={props.onRemove}>
        {t('Remove')}
        <span class="hidden"> {t('these hours, {number}', { number })}</span>
      </button>
    </li>
  );
}

function Limits(props: { session: Session; budget: LinkBudget; onDone(): void }) {
  const { session, budget } = props;
  const [metered, setMetered] = useState(budget.metered);
  const [most, setMost] = useState(budget.bytes_per_month === null ? '' : String(budget.bytes_per_month / GB));
  const [hours, setHours] = useState<readonly Hours[]>(budget.file_hours);
  const { busy, problem, send } = useSend();
  const timezone = budget.file_hours.length > 0 ? budget.timezone : session.project.timezone;
  return (
    <details>
      <summary>{t('Change the limits')}</summary>
      <Form
        action={t('Save the limits')}
        busy={busy}
        onSend={() =>
          send(async () => {
            const gigabytes = most.trim() === '' ? null : Number(most.replace(',', '.'));
            if (gigabytes !== null && !(gigabytes >= 0.001))
              throw new Error(t('Type the limit of a month in GB, such as 2 or 0.5. Leave it empty for no limit.'));
            const bytes_per_month = gigabytes === null ? null : Math.round(gigabytes * GB);
            const limits = { metered, bytes_per_month, file_hours: [...hours], timezone };
            await session.client.call('sync_budget_set', { ...limits, override_until: budget.override_until });
            props.onDone();
          })
        }
      >
        <Toggle label={t('The link costs money by the byte')} value={metered} onValue={setMetered} />
        <Field
          label={t('Limit of a month in GB')}
          value={most}
          onValue={setMost}
          maxLength={12}
          hint={t('Sent and received. Empty: no limit. At 80 % files wait, at 100 % only alerts are sent.')}
        />
        <fieldset class="file-hours">
          <legend>{t('Hours for files')}</legend>
          {hours.length === 0 && <p class="aside">{t('At any time.')}</p>}
          <ul>
            {hours.map((one, i) => (
              <HoursRow
                key={i}
                hours={one}
                number={i + 1}
                onHours={(next) => setHours(hours.map((other, j) => (j === i ? next : other)))}
                onRemove={() => setHours(hours.filter((_, j) => j !== i))}
              />
            ))}
          </ul>
          {hours.length < MOST_HOURS && (
            <button type="button" class="quiet" onClick={() => setHours([...hours, { from: '22:00', to: '05:00' }])}>
              {t('Add hours')}
            </button>
          )}
          <small>
            {t(
              'Photos and logs are sent only in these hours ({timezone}), and at any time if somebody asks for them.',
              { timezone },
            )}
          </small>
        </fieldset>
        <Problem text={problem} />
      </Form>
    </details>
  );
}

/** In an emergency a person lifts all limits for some time. */
function Lift(props: { session: Session; budget: LinkBudget; now: number; onDone(): void }) {
  const { session, budget, now } = props;
  const [hours, setHours] = useState('1');
  const { busy, problem, send } = useSend();
  const isLifted = budget.override_until !== null && Date.parse(budget.override_until) > now;
  const set = (override_until: string | null) =>
    send(async () => {
      await session.client.call('sync_budget_set', { ...limitsOf(budget), override_until });
      props.onDone();
    });
  if (isLifted)
    return (
      <>
        <Problem text={problem} />
        <button type="button" disabled={busy} onClick={() => set(null)}>
          {t('Set the limits again now')}
        </button>
      </>
    );
  const hasLimits = budget.metered || budget.bytes_per_month !== null || budget.file_hours.length > 0;
  if (!hasLimits) return null;
  return (
    <details>
      <summary>{t('Emergency: lift the limits')}</summary>
      <Form
        action={t('Lift all limits')}
        busy={busy}
        onSend={() => set(new Date(session.now() + Number(hours) * 3_600_000).toISOString())}
      >
        <p class="aside">
          {t('Everything is sent at once, also files, and may cost money. The bytes are still counted.')}
        </p>
        <Choice
          label={t('For how long')}
          value={hours}
          options={LIFTED.map(([value, word]) => [value, t(word)] as const)}
          onValue={setHours}
        />
        <Problem text={problem} />
      </Form>
    </details>
  );
}

export function BudgetOfLink(props: { session: Session; budget: LinkBudget; onDone(): void }) {
  const { session, budget, onDone } = props;
  const now = useNow(session.now);
  const canSet = may(session, 'sync_budget_set');
  return (
    <section class="panel-box" aria-label={t('What the link may cost')}>
      <h2>{t('What the link may cost')}</h2>
      <Used budget={budget} now={now} timezone={session.project.timezone} />
      {canSet && <Limits key={JSON.stringify(limitsOf(budget))} session={session} budget={budget} onDone={onDone} />}
      {canSet && <Lift session={session} budget={budget} now={now} onDone={onDone} />}
    </section>
  );
}
