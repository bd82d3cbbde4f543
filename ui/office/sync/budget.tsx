/** What the link of a site may cost: what is used of the month, the limits, and how to lift them in an emergency. */
import { useState } from 'preact/hooks';
import type { Input } from '#contract/operations.ts';
import type { LinkBudget } from '#contract/site/sync-budget.ts';
import { moment } from '#ui/format.ts';
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
] as const;

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
  const facts: [string, string][] = [
    ['Used this month', most === null ? sizeText(used) : `${sizeText(used)} of ${sizeText(most)}`],
    ...(most === null ? [] : [['Left', sizeText(Math.max(0, most - used))] satisfies [string, string]]),
    ['Of this, files', sizeText(budget.file_bytes)],
    [
      'If it goes on like this',
      forecast_bytes === null
        ? 'Known after one hour'
        : used_up_at !== null
          ? `Used up ${time(Date.parse(used_up_at))}`
          : `${sizeText(forecast_bytes)} in the whole month`,
    ],
  ];
  return (
    <>
      {state === 'used_up' && (
        <p class="waiting" role="status">
          All bytes of this month are used. Only alerts and safety are sent until {time(monthEnd(budget))}. Nothing is
          lost: everything else waits here.
        </p>
      )}
      {state === 'files_wait' && (
        <p class="waiting" role="status">
          80 % of the bytes of this month are used. Files wait until {time(monthEnd(budget))}, and everything else goes
          on.
        </p>
      )}
      {isLifted && (
        <p class="waiting" role="status">
          All limits are lifted until {time(Date.parse(override_until))}.
        </p>
      )}
      {most !== null && (
        <progress aria-label="Used of the bytes of this month" max={most} value={Math.min(most, used)} />
      )}
      <Facts of={facts} />
      <p class="aside">
        {budget.metered &&
          `The link costs money by the byte, so the site calls head office every ${state === 'used_up' ? 'hour' : '15 minutes'}. `}
        {budget.file_hours.length > 0 &&
          `Files are sent only ${budget.file_hours.map(({ from, to }) => `from ${from} to ${to}`).join(', ')} (${budget.timezone}). `}
        The counts include about what headers need, but not what TLS and TCP need. A month begins at 00:00 UTC.
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
            {end === 'from' ? 'From' : 'To'}
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
        Remove<span class="hidden"> these hours, {number}</span>
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
      <summary>Change the limits</summary>
      <Form
        action="Save the limits"
        busy={busy}
        onSend={() =>
          send(async () => {
            const gigabytes = most.trim() === '' ? null : Number(most.replace(',', '.'));
            if (gigabytes !== null && !(gigabytes >= 0.001))
              throw new Error('Type the limit of a month in GB, such as 2 or 0.5. Leave it empty for no limit.');
            const bytes_per_month = gigabytes === null ? null : Math.round(gigabytes * GB);
            const limits = { metered, bytes_per_month, file_hours: [...hours], timezone };
            await session.client.call('sync_budget_set', { ...limits, override_until: budget.override_until });
            props.onDone();
          })
        }
      >
        <Toggle label="The link costs money by the byte" value={metered} onValue={setMetered} />
        <Field
          label="Limit of a month in GB"
          value={most}
          onValue={setMost}
          maxLength={12}
          hint="Sent and received. Empty: no limit. At 80 % files wait, at 100 % only alerts are sent."
        />
        <fieldset class="file-hours">
          <legend>Hours for files</legend>
          {hours.length === 0 && <p class="aside">At any time.</p>}
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
              Add hours
            </button>
          )}
          <small>
            Photos and logs are sent only in these hours ({timezone}), and at any time if somebody asks for them.
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
          Set the limits again now
        </button>
      </>
    );
  const hasLimits = budget.metered || budget.bytes_per_month !== null || budget.file_hours.length > 0;
  if (!hasLimits) return null;
  return (
    <details>
      <summary>Emergency: lift the limits</summary>
      <Form
        action="Lift all limits"
        busy={busy}
        onSend={() => set(new Date(session.now() + Number(hours) * 3_600_000).toISOString())}
      >
        <p class="aside">Everything is sent at once, also files, and may cost money. The bytes are still counted.</p>
        <Choice label="For" value={hours} options={LIFTED} onValue={setHours} />
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
    <section class="panel-box" aria-label="What the link may cost">
      <h2>What the link may cost</h2>
      <Used budget={budget} now={now} timezone={session.project.timezone} />
      {canSet && <Limits key={JSON.stringify(limitsOf(budget))} session={session} budget={budget} onDone={onDone} />}
      {canSet && <Lift session={session} budget={budget} now={now} onDone={onDone} />}
    </section>
  );
}
